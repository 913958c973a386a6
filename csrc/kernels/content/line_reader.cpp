#include "kernels/content/line_reader.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "kernels/content/tree_costs.hpp"
#include "kernels/parallel.hpp"
#include "kernels/text/eight_bytes.hpp"
#include "kernels/text/terms.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::content {
namespace {

enum Class : std::uint8_t { kSpace, kLetter, kDigit, kJoin, kBreak };

constexpr std::array<Class, 256> make_classes() {
    std::array<Class, 256> classes{};
    for (std::size_t byte = 0; byte < 256; ++byte) {
        const auto lower = byte | 0x20U;
        classes[byte] = byte >= 0x80U || (lower >= 'a' && lower <= 'z') ? kLetter
                        : byte >= '0' && byte <= '9'                    ? kDigit
                        : byte <= ' ' || byte == 0x7FU                  ? kSpace
                                                                        : kJoin;
    }
    for (const char byte : std::string_view("=,;()[]{}\"'<>|:`")) classes[static_cast<std::size_t>(byte)] = kBreak;
    return classes;
}

constexpr std::array<Class, 256> kClasses = make_classes();
constexpr std::size_t kLongestWord = 40;
constexpr std::size_t kFewestLetters = 3;  // words of letters of a line that consists of words
constexpr std::size_t kHeadingWords = 7;   // of a heading of totals, at most
constexpr std::size_t kBehindTotals = 3;   // of them the last ones, one of which is a word for totals
constexpr std::size_t kQuoteReach = 256;   // bytes in which a quote must close

Class class_of(char byte) { return kClasses[static_cast<unsigned char>(byte)]; }

struct Word {
    std::size_t end = 0;
    std::uint64_t hash = 0;
    std::uint64_t only_run = 0;  // hash of its run where it is one run of letters
    std::uint32_t marks = 0;
    std::uint32_t last = 0;  // of marks: those of its last run
    std::uint64_t asked = 0;
    std::size_t slashes = 0;
    std::size_t runs = 0;
    std::size_t named = 0;  // where a name such as TypeError ends
    bool capitals = true;   // has no small letter
    bool number = false;    // has a digit
    bool zero = false;      // is "0"
};

// A run of letters or of digits, hashed in lower case (hash_letters).
struct Run {
    std::size_t end = 0;
    std::uint64_t hash = kHashSeed, before = kHashSeed;  // with the last eight bytes, and without
    std::uint64_t eight = 0;                             // these, in lower case
    std::uint64_t small = 0, capitals = 0;               // not 0: it has a small letter, a capital

    // The hash without a last s.
    std::uint64_t singular(std::size_t size) const {
        const std::size_t last = (size - 1) % 8;
        if (size < 4 || eight >> (8 * last) != 's') return hash;
        return last == 0 ? before : mix(before, eight ^ std::uint64_t{'s'} << (8 * last));
    }
};

inline __attribute__((always_inline)) Run read_run(std::string_view line, std::size_t at, Class of) {
    Run run;
    for (std::size_t size = 8; size == 8 && at < line.size(); at += size) {
        const std::size_t room = line.size() - at;
        const std::uint64_t bytes = text::load_first(line.data() + at, std::min<std::size_t>(room, 8), room);
        size = text::leading(of == kDigit ? text::ascii_digits(bytes)
                                          : text::ascii_letters(bytes) | (bytes & text::kHighBits));
        if (size == 0) break;
        const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * size);
        const std::uint64_t cases = text::each(0x20) & mask;
        run.small |= bytes & cases;
        run.capitals |= ~bytes & cases;
        run.eight = (bytes | cases) & mask;
        run.before = run.hash;
        run.hash = mix(run.hash, run.eight);
    }
    run.end = at;
    return run;
}

Word read_word(std::string_view line, std::size_t begin, const QueryWords* query) {
    Word word;
    std::size_t at = begin;
    std::uint64_t hash = kHashSeed, joined = 0;
    std::uint64_t whole = 0;  // hash of its last run of digits
    std::uint32_t inner = 0;  // marks of runs before the last
    while (at < line.size()) {
        const Class here = class_of(line[at]);
        if (here == kJoin) {
            word.slashes += line[at] == '/' || line[at] == '\\';
            joined = mix(joined, static_cast<unsigned char>(line[at]));
            ++at;
            continue;
        }
        if (here != kLetter && here != kDigit) break;
        const Run run = read_run(line, at, here);
        if (joined != 0) hash = mix(hash, joined);
        joined = 0;
        hash = mix(hash, run.hash);
        if (here == kLetter) {
            const std::size_t size = run.end - at;
            word.capitals = word.capitals && run.small == 0;
            inner |= word.last;
            word.last = size > 1 && size < 13 ? word_marks(run.hash) : 0;
            if (size > 5 && run.capitals != 0 && name_marks(line.substr(at, size)) != 0) word.named = run.end;
            if (query != nullptr && size > 1) word.asked |= query->find(run.singular(size));
        } else {
            word.zero = word.runs == 0 && run.end - at == 1 && line[at] == '0';
            word.number = true;
            whole = run.hash;
            if (query != nullptr && run.end - at > 2) word.asked |= query->find(run.hash);
        }
        word.only_run = word.runs == 0 && here == kLetter ? run.hash : 0;
        ++word.runs;
        at = run.end;
    }
    word.end = at;
    word.hash = hash;
    // A name that has such a word says nothing of an error: error-prone, rules.exceptions.Names.
    word.marks = word.last | (word.capitals ? inner : inner & ~kError);
    word.zero = word.zero && word.runs == 1;
    if (word.runs == 0) word.hash = static_cast<unsigned char>(line[begin]);  // "-", "***": punctuation
    if (query != nullptr && (word.runs > 1 || word.number)) word.asked |= query->find(word.runs > 1 ? hash : whole);
    return word;
}

// Where a quote that opens at `at` closes: the byte after it; 0 where it does not within reach.
std::size_t after_quote(std::string_view line, std::size_t at) {
    const char mark = line[at];
    if (mark == '\'' && at > 0 && class_of(line[at - 1]) != kSpace && class_of(line[at - 1]) != kBreak) return 0;
    const std::size_t close = line.substr(0, at + kQuoteReach).find(mark == '`' ? '\'' : mark, at + 1);
    const std::size_t other = mark == '`' ? line.substr(0, at + kQuoteReach).find('`', at + 1) : close;
    const std::size_t end = std::min(close, other);
    return end == std::string_view::npos ? 0 : end + 1;
}

// Whether a word is parts in capitals, joined by "-" or "_", of which the last says what went wrong.
bool is_event(std::string_view line, std::size_t begin, const Word& word) {
    if (word.runs < 2 || !word.capitals || word.number || (word.last & (kError | kTrouble)) == 0) return false;
    if (begin > 0 && line[begin - 1] == '(') return false;  // mentioned
    const std::string_view text = line.substr(begin, word.end - begin);
    return text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == std::string_view::npos && text[0] >= 'A';
}

bool is_frame(std::string_view line) {
    std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) return false;
    const std::string_view rest = line.substr(first);
    if (first == 0 && class_of(rest[0]) != kLetter) {  // behind what each line opens with: "==81==    at 0x10: main"
        while (first < line.size() && class_of(line[first]) != kLetter) ++first;
        if (first < 3 || first == line.size() || line[first - 1] != ' ' || line[first - 2] != ' ') first = 0;
        if (line.substr(first).starts_with("at 0x") || line.substr(first).starts_with("by 0x")) return true;
        first = 0;
    }
    if (first > 0 && (rest.starts_with("at ") || rest.starts_with("File \""))) return true;
    if (rest.size() > 2 && rest[0] == '#' && class_of(rest[1]) == kDigit) {
        return class_of(rest[2]) == kSpace || class_of(rest[2]) == kDigit;
    }
    const std::size_t go = rest.find(".go:");  // the place below a call
    if (first > 0 && go != std::string_view::npos && rest.find(' ') > go) return true;
    return first > 0 && rest.starts_with("from ") && rest.find(":in ") != std::string_view::npos;
}

// Whether a frame lies in a library or a run-time, by its path or name.
bool is_of_library(std::string_view frame) {
    constexpr std::string_view kSigns =  // each behind a "|"
        "|site-packages|dist-packages|/usr/lib|/usr/include|/lib/python|<frozen |node_modules|node:|(native|/go/src/"
        "|/src/runtime/|/src/testing/|/pkg/mod/|/rustc/|/.cargo/|rust_begin_unwind| core::| std::| alloc::| tokio::"
        "|/gems/|/ruby/|/vendor/|[internal function]|libswift|libdispatch|libsystem|dart:| (elixir | (stdlib "
        "| (phoenix| (plug |[C]: in|@ Base|/base/GHC/|vgpreload|vg_replace_|__interceptor_|__libc_|libc.so|libstdc++"
        "|at java.|at javax.|at jdk.|at sun.|at kotlin|at scala.|at groovy.|at io.netty.|at org.junit.|at org.apache."
        "|at org.springframework.|at org.hibernate.|at org.gradle.|at System.|at Microsoft.|: strdup (|: strndup ("
        "|: strcpy (|: strcat (|: memcpy|: memmove|: puts (|: fputs|printf (|: qsort|: fopen|: operator ";
    for (std::size_t at = 0, end = 0; at < kSigns.size(); at = end) {
        end = std::min(kSigns.find('|', at + 1), kSigns.size());
        if (frame.find(kSigns.substr(at + 1, end - at - 1)) != std::string_view::npos) return true;
    }
    return false;
}

}  // namespace

std::size_t after_escape(std::string_view line, std::size_t at) {
    std::size_t end = at + 1;
    if (end >= line.size()) return end;
    if (line[end] == '[') {
        ++end;
        while (end < line.size() && (line[end] < '@' || line[end] > '~')) ++end;
        return std::min(end + 1, line.size());
    }
    if (line[end] == ']' || line[end] == '_') {
        while (end < line.size() && line[end] != '\a' && line[end] != 0x1B) ++end;
        if (end + 1 < line.size() && line[end] == 0x1B && line[end + 1] == '\\') ++end;
        return std::min(end + 1, line.size());
    }
    return kClasses[static_cast<unsigned char>(line[end])] == kLetter && static_cast<unsigned char>(line[end]) < 0x80U
               ? end + 1
               : end;
}

QueryWords::QueryWords(std::string_view query) {
    read(query, false);
    if (count_ == 0) read(query, true);
}

void QueryWords::read(std::string_view query, bool stop_words) {
    std::string small;
    for (std::size_t at = 0; at < query.size();) {
        const Class here = class_of(query[at]);
        if (here == kSpace || here == kBreak) {
            ++at;
            continue;
        }
        const Word word = read_word(query, at, nullptr);
        if (word.runs > 1) add(word.hash, word.end - at >= 4);
        for (std::size_t inner = at; inner < word.end;) {
            const Class kind = class_of(query[inner]);
            if (kind == kJoin) {
                ++inner;
                continue;
            }
            const Run run = read_run(query, inner, kind);
            const std::size_t size = run.end - inner;
            small.assign(query.substr(inner, size));
            std::transform(small.begin(), small.end(), small.begin(), text::ascii_small);
            inner = run.end;
            if (kind == kLetter ? size <= 2 || (!stop_words && text::is_stop_word(small)) : word.runs > 1) continue;
            const std::size_t known = count_;
            add(run.singular(size), kind == kDigit && size > 3);
            if (kind == kLetter && count_ > known) add_endings(small, run.singular(size));
        }
        at = word.end;
    }
}

// Another word: the one that was added, or its stem with endings of verbs and of nouns made from them.
void QueryWords::add_endings(std::string_view word, std::uint64_t hash) {
    constexpr std::size_t kShortestStem = 4;
    if (word.size() < kShortestStem || count_ == kMostQueryWords) return;
    std::string stem(word);
    for (const std::string_view end : {"ed", "ing", "s", "e"}) {
        if (word.ends_with(end) && word.size() >= kShortestStem + end.size()) {
            stem.resize(word.size() - end.size());
            break;
        }
    }
    const std::uint64_t bit = 1ULL << count_++;
    bits_[hash] |= bit;
    for (const char* const end : {"", "e", "ed", "ing", "y", "ity", "ion", "ation"})
        bits_[hash_letters(stem + end)] |= bit;
}

void QueryWords::add(std::uint64_t hash, bool id) {
    if (count_ == kMostQueryWords || find(hash) != 0) return;
    bits_[hash] = 1ULL << count_;
    if (id) ids_ |= 1ULL << count_;
    ++count_;
}

void read_words(std::string_view line, const QueryWords& query, LineWords& words) {
    words.tokens.clear();
    words.values.clear();
    const auto push = [&words](Token token, std::uint64_t hash = 0, std::string_view bytes = {}) {
        words.tokens.push_back(token);
        words.values.push_back({hash, bytes});
    };
    words.asked = 0;
    words.plain = kHashSeed;
    words.stamp = find_stamp(line);
    const QueryWords* asked = query.empty() ? nullptr : &query;
    std::uint32_t marks = is_frame(line) ? kFrame : 0U;
    std::size_t quote_end = 0;  // in a quote: where it ends
    bool no_quotes = false, first_word = true, columns = false;
    std::size_t all_words = 0, letters = 0;  // words, and those of letters alone
    std::size_t totals = 0;                  // the number of the last word of kTotals, from 1
    const std::string_view said = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    const bool above = std::exchange(words.told, said == "E" || said.starts_with("E   "));
    Outcomes outcomes(line, words.stamp.at + words.stamp.size, above && words.told);
    for (std::size_t at = 0; at < line.size();) {
        if (at == words.stamp.at && words.stamp.size > 0) {
            push(kValue);
            at += words.stamp.size;
            continue;
        }
        const bool quoted = at < quote_end;
        const Class here = class_of(line[at]);
        if (here == kSpace) {
            columns = columns || (!first_word && line[at - 1] == ' ');
            ++at;
        } else if (here == kBreak) {
            const char mark = line[at];
            outcomes.add_break();
            if (!quoted && (mark == '"' || mark == '\'' || mark == '`') && !no_quotes) {
                quote_end = after_quote(line, at);
                no_quotes = quote_end == 0 && mark == '"';
                const std::string_view held = line.substr(at, std::max(quote_end, at) - at);
                if (quote_end > 0) push(kValue, hash_bytes(held), held);
            } else if (!quoted) {
                const bool closes = mark == ')' || mark == ']' || mark == '}' || mark == '>';
                if (closes && at > 0 && class_of(line[at - 1]) == kBreak) push(kValue);  // "()": a value left out
                push(static_cast<unsigned char>(mark));
                words.plain = mix(words.plain, static_cast<unsigned char>(mark));
            }
            ++at;
        } else {
            const Word word = read_word(line, at, asked);
            const bool place =
                word.end < line.size() && class_of(line[word.end]) == kBreak && anchor_after(line, at, word.end) > 0;
            if (place) marks |= kAnchor;
            words.asked |= word.asked;
            std::uint32_t more = word.marks;
            const bool named = word.named == word.end && word.named > 0;
            if (named) {  // thrown, or only mentioned
                const bool says =
                    first_word || word.end == line.size() || line[word.end] == ':' || (at > 0 && line[at - 1] == '[') ||
                    (line[word.end] == ')' && line.find_first_not_of(" \t*(") == at);  // ** (KeyError) ...
                more |= says ? kError : kTrouble;
            }
            marks |= outcomes.add({at, word.end, more, word.only_run, word.runs, word.number, word.zero,
                                   word.capitals && word.only_run != 0, is_event(line, at, word), named, first_word,
                                   quoted, place});
            first_word = false;
            all_words += word.runs > 0 ? 1 : 0;
            if ((word.marks & kTotals) != 0) totals = all_words;
            letters += word.only_run != 0 ? 1 : 0;
            if (word.number) marks |= kNumber;
            const bool value = word.number || word.slashes > 1 || line[at] == '/' || word.end - at > kLongestWord;
            if (!quoted) {
                const Token token =
                    word.runs == 0
                        ? word.hash
                        : std::max<Token>((word.hash & ~1ULL) | ((word.marks & kBitsOfLines) != 0 ? 1ULL : 0ULL),
                                          kFirstWord);
                push(value ? kValue : token, word.hash | 1U, line.substr(at, word.end - at));
                const bool path = at == 0 && word.end == line.size() && word.slashes > 0;
                words.plain = mix(words.plain, path ? template_of(line) : word.only_run);
            }
            at = std::max(word.end, at + 1);
        }
    }
    if (totals > 0 && totals + kBehindTotals > all_words && all_words <= kHeadingWords && (marks & kNumber) == 0)
        marks |= kTotals;
    if (!columns && letters >= kFewestLetters && 5 * letters >= 4 * all_words) marks |= kWordy;
    words.marks = marks | outcomes.marks();
    words.finding = outcomes.finding();
}

namespace {

bool fixed(Token token) { return token >= kFirstWord && (token & 1U) != 0; }  // a word of marks.hpp

// Equal words and all words of two lines with the same punctuation; all is 0 where the lines are not alike.
struct Likeness {
    std::size_t equal = 0, all = 0;
    bool enough() const { return 2 * equal >= all; }
    bool operator>(const Likeness& other) const { return equal * other.all > other.equal * all; }
};

bool like(std::span<const Token> line, std::span<const Token> known, Likeness& found) {
    found = {};
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == known[i]) {
            if (line[i] >= kFirstWord) {
                ++found.equal;
                ++found.all;
            }
            continue;
        }
        if (fixed(line[i]) || fixed(known[i])) return false;
        ++found.all;
    }
    return true;
}

}  // namespace

std::int32_t TemplateMiner::add(std::span<const Token> tokens) {
    tokens = tokens.first(std::min(tokens.size(), kMostTokens));
    std::array<std::uint64_t, 2> hashes{1, tokens.size()};  // neither waits for the other
    for (std::size_t i = 0; i < tokens.size(); ++i) hashes[i & 1U] = mix(hashes[i & 1U], tokens[i]);
    const std::uint64_t hash = mix(hashes[0], hashes[1]);
    if (const std::int32_t* id = known_.find(hash)) return *id;
    if (known_.size() == kMostKnown) known_.clear();
    std::uint64_t path = 1;
    for (const Token token : tokens) {
        path = mix(path, token < kFirstWord && token != kValue ? token : fixed(token) ? token : kFirstWord);
    }
    return known_[hash] = search(tokens, path);
}

std::uint64_t TemplateMiner::form(std::int32_t id) const {
    constexpr std::string_view kJoin = "-_./,'+~";
    std::uint64_t hash = kHashSeed;
    Token before = ~kValue;
    bool says = false;
    for (const Token token : tokens(id)) {
        const bool sign = token != kValue && token < kFirstWord;
        if (sign && kJoin.find(static_cast<char>(token)) != std::string_view::npos) continue;
        const Token as = sign || fixed(token) ? token : kFirstWord;
        if (as != before) hash = mix(hash, as);
        before = as;
        says = says || !sign;
    }
    return says ? hash : 0;
}

std::int32_t TemplateMiner::search(std::span<const Token> tokens, std::uint64_t path) {
    const bool full = templates_.size() >= static_cast<std::size_t>(kMostTemplates) - 1;
    if (full && paths_.find(path) == nullptr) return kMostTemplates - 1;
    std::vector<std::int32_t>& ids = paths_[path];
    std::int32_t best = -1;
    Likeness most;
    for (const std::int32_t id : ids) {
        Likeness found;
        if (!like(tokens, this->tokens(id), found)) continue;
        if (best < 0 || found > most) {
            best = id;
            most = found;
        }
    }
    if (best >= 0 && (most.enough() || ids.size() >= kMostAlike)) {
        const std::size_t first = templates_[static_cast<std::size_t>(best)].first;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (arena_[first + i] != tokens[i]) arena_[first + i] = kValue;
        }
        return best;
    }
    if (full) return kMostTemplates - 1;
    const auto id = static_cast<std::int32_t>(templates_.size());
    templates_.emplace_back(arena_.size(), tokens.size());
    arena_.insert(arena_.end(), tokens.begin(), tokens.end());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool named = i > 1 && tokens[i - 1] == '=' && tokens[i - 2] >= kFirstWord;
        names_.push_back(named ? tokens[i - 2] : 0);
    }
    ids.push_back(id);
    return id;
}

namespace {

constexpr std::size_t kFewestRows = 1024;
constexpr float kKeptOddity = 0.5F;
constexpr std::int64_t kFewestLines = 32;  // of a text in which oddity is told
constexpr std::int64_t kLeastWorth = 64;   // of a row, below zero
constexpr std::int64_t kWorths = 4096;     // more than rows may differ in: 64 words of a query are 3,328

// How many bits a count takes: 0 for 0, 1 for 1, 2 for 2 and 3, ...
std::int64_t bits_of(std::int64_t count) {
    return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(count)));
}

bool blank(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }
bool digit(char byte) { return class_of(byte) == kDigit; }

constexpr std::int32_t kTabColumns = 4;
constexpr std::size_t kShortestId = 4, kLongestId = 40;
constexpr std::size_t kMostDigits = 18;  // of a number that counts

// What stands before a line's first word: blanks, and strokes of drawings.
struct Margin {
    std::size_t bytes = 0;
    std::int32_t columns = 0;
    bool drawn = false;  // branches: "├──", "|--", "+---", "\---", "`--"
};

Margin margin_of(std::string_view line) {
    Margin margin;
    if (!line.empty() && (text::ascii_alpha(line[0]) || text::ascii_digit(line[0]))) return margin;
    for (std::size_t& at = margin.bytes; at < line.size(); ++margin.columns) {
        const std::string_view rest = line.substr(at);
        if (rest[0] == ' ' || rest[0] == '\t') {
            margin.columns += rest[0] == '\t' ? kTabColumns - 1 : 0;
            ++at;
        } else if (rest.starts_with("\xC2\xA0")) {
            at += 2;
        } else if (rest.size() > 2 && (rest.starts_with("\xE2\x94") || rest.starts_with("\xE2\x95"))) {
            const auto stroke = static_cast<unsigned char>(rest[2]);
            margin.drawn = margin.drawn || (rest[1] == '\x94' && stroke >= 0x94U && stroke < 0xA4U);
            at += 3;
        } else if (std::string_view("|`+\\").find(rest[0]) != std::string_view::npos && rest.substr(1, 1) == "-") {
            margin.drawn = true;
            at = std::min(line.find_first_not_of('-', at + 1), line.size());
        } else if (std::string_view("|*/\\").find(rest[0]) != std::string_view::npos &&
                   (rest.size() == 1 || std::string_view(" |/\\*").find(rest[1]) != std::string_view::npos)) {
            ++at;
        } else {
            break;
        }
    }
    return margin;
}

// Whether a line says what the lines below it belong to: it ends with a colon, stands between signs ("== db31 ==",
// "[core]"), or behind "#" and a space.
bool leads(std::string_view said) {
    if (said.size() < 2) return false;
    if (said.back() == ':') return said[0] != '(';  // what goes on with a sentence is no heading
    if (said[0] == '[') return said.find(']') + 1 == said.size();
    if (std::string_view("=-#*+~>").find(said[0]) == std::string_view::npos) return false;
    const std::size_t signs = said.find_first_not_of(said[0]);
    if (signs == std::string_view::npos) return false;
    return said[0] == '#' ? said[signs] == ' ' : signs > 1 && said.back() == said[0];
}

// Writes by how much the numbers of a line differ from those of another; false where more than these differ.
bool read_steps(std::string_view line, const Stamp& stamp, std::string_view other, const Stamp& other_stamp,
                std::vector<std::int64_t>& steps) {
    steps.clear();
    if (stamp.at != other_stamp.at || (stamp.size == 0) != (other_stamp.size == 0)) return false;
    const auto number = [](std::string_view text, std::size_t& at, std::int64_t& value) {
        std::size_t digits = 0;
        for (; at < text.size() && digit(text[at]); ++at, ++digits) {
            if (digits < kMostDigits) value = value * 10 + (text[at] - '0');
        }
        return digits <= kMostDigits;
    };
    std::size_t at = 0, there = 0;
    while (at < line.size() && there < other.size()) {
        if (at == stamp.at && stamp.size > 0) {
            at += stamp.size;
            there += other_stamp.size;
        } else if (digit(line[at]) && digit(other[there])) {
            std::int64_t value = 0, before = 0;
            if (!number(line, at, value) || !number(other, there, before)) return false;
            steps.push_back(value - before);
        } else if (line[at++] != other[there++]) {
            return false;
        } else {  // what is the same up to the next digit or the stamp
            const std::size_t stop = at <= stamp.at ? stamp.at : line.size();
            for (std::size_t same = 8; same == 8 && at + 8 <= stop && there + 8 <= other.size();) {
                const std::uint64_t bytes = text::load8(line.data() + at);
                const std::uint64_t differ = bytes ^ text::load8(other.data() + there);
                const std::uint64_t equal = ~(((differ & ~text::kHighBits) + ~text::kHighBits) | differ);
                same = text::leading(equal & ~text::ascii_digits(bytes) & text::kHighBits);
                at += same;
                there += same;
            }
        }
    }
    return at == line.size() && there == other.size();
}

// Where a long line is cut: after the last space of its second half, else on a character.
std::size_t piece_size(std::string_view line) {
    if (line.size() <= kLongestLine) return line.size();
    for (std::size_t at = kLongestLine; at > kLongestLine / 2; --at) {
        if (line[at - 1] == ' ') return at;
    }
    return std::max(text::floor_char(line, kLongestLine), kLongestLine - 3);  // bytes need not be UTF-8
}

}  // namespace

LineReader::LineReader(std::string_view query, std::size_t most_rows)
    : query_(query), most_rows_(most_rows), asked_lines_(kMostQueryWords) {
    if (most_rows < kFewestRows) throw std::invalid_argument("most_rows must be 1024 or more");
}

std::vector<std::uint64_t> LineReader::forms() const {
    std::vector<std::uint64_t> forms(templates_.size(), 0);
    for (std::size_t id = 0; id < std::min(forms.size(), miner_.size()); ++id)
        forms[id] = miner_.form(static_cast<std::int32_t>(id));
    return forms;
}

std::int32_t LineReader::append(std::string_view bytes, bool last) {
    if (!waiting_.empty()) {  // what ends the waiting line is copied
        const std::size_t held = waiting_.size();
        const std::size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
        const std::size_t taken = std::min(end + 1, bytes.size());
        std::string joined;
        joined.swap(waiting_);
        joined.append(bytes.substr(0, taken));
        const std::size_t used = read_lines(joined, last && taken == bytes.size());
        waiting_ = used < held ? joined.substr(used) : std::string();
        bytes.remove_prefix(used < held ? taken : used - held);
    }
    waiting_.append(bytes.substr(read_lines(bytes, last)));
    const std::int32_t document = document_;
    if (last) {
        if (returned_) end_line(false);
        base_ = line_ = 0;
        met_ = 0;
        words_.told = false;
        ++document_;
    }
    return document;
}

// Reads what is whole of `bytes` and gives how many bytes that is: all of them with `last`, else all but the start of
// a line, of at most kLongestLine bytes.
std::size_t LineReader::read_lines(std::string_view bytes, bool last) {
    std::size_t at = 0, newline = 0, carriage = std::min(bytes.find('\r'), bytes.size());
    has_escapes_ = bytes.find('\x1b') != std::string_view::npos;
    has_dots_ = bytes.find(kDots) != std::string_view::npos;
    const auto pass = [&](std::size_t to) {
        base_ += static_cast<std::int64_t>(to - at);
        at = to;
    };
    while (at < bytes.size()) {
        check_cancelled();
        if (returned_) {
            pass(std::min(bytes.find_first_not_of('\r', at), bytes.size()));
            if (at == bytes.size()) break;
            end_line(bytes[at] != '\n');
            if (bytes[at] == '\n') pass(at + 1);
            continue;
        }
        if (newline <= at) newline = std::min(bytes.find('\n', at), bytes.size());
        if (carriage < at) carriage = std::min(bytes.find('\r', at), bytes.size());
        const std::size_t end = std::min(carriage, newline);
        while (end - at > kLongestLine) {
            const std::size_t size = piece_size(bytes.substr(at, end - at));
            read_piece(bytes.substr(at, size));
            pass(at + size);
        }
        if (end == bytes.size() && !last) break;
        read_piece(bytes.substr(at, end - at));
        pass(end);
        returned_ = end < newline;
        if (!returned_) end_line(false);
        if (end < bytes.size()) pass(end + 1);
    }
    return at;
}

void LineReader::end_line(bool overwritten) {
    if (overwritten && head_ != kNone) {
        for (std::size_t i = head_; i < rows_.size(); ++i) rows_[i].marks |= kOverwritten;
    }
    head_ = kNone;
    returned_ = false;
    ++line_;
    ++all_lines_;
}

// A line as a terminal shows it: without escapes. A view of the line where it has none, else of plain_.
std::string_view LineReader::without_escapes(std::string_view line) {
    std::size_t escape = has_escapes_ ? line.find('\x1b') : std::string_view::npos;
    if (escape == std::string_view::npos) return line;
    plain_.clear();
    std::size_t at = 0;
    for (; escape != std::string_view::npos; escape = line.find('\x1b', at)) {
        plain_.append(line.substr(at, escape - at));
        at = after_escape(line, escape);
    }
    plain_.append(line.substr(at));
    return plain_;
}

// The number of a hash, by first occurrence, counted once more; -1 beyond kMostVariants.
std::int32_t LineReader::counted(std::uint64_t hash, HashTable<std::int32_t>& ids, std::vector<std::int64_t>& counts) {
    if (counts.size() == kMostVariants && ids.find(hash) == nullptr) return -1;
    std::int32_t& id = ids[hash];
    if (id == 0) {
        counts.push_back(0);
        id = static_cast<std::int32_t>(counts.size());
    }
    ++counts[static_cast<std::size_t>(id - 1)];
    return id - 1;
}

// The series that a line goes on in, or begins.
std::int32_t LineReader::series_of(std::string_view line, std::int32_t variant) {
    if (line.size() > kLongestOfOne || variant < 0) return -1;
    const Near* before = nullptr;
    bool follows = false;
    for (std::size_t back = 1; back <= std::min(met_, kNearLines) && before == nullptr; ++back) {
        const Near& near = near_[(met_ - back) % kNearLines];
        if (near.variant == variant && read_steps(line, words_.stamp, near.text, near.stamp, steps_)) before = &near;
    }
    if (before != nullptr) {
        const std::int64_t most = steps_.empty() ? 0 : *std::max_element(steps_.begin(), steps_.end());
        const bool even =
            std::all_of(steps_.begin(), steps_.end(), [&](std::int64_t one) { return one == 0 || one == most; });
        follows = even && (steps_ == before->step || (!before->stepped && (most == 0 || most == 1)));
    } else {
        steps_.clear();
    }
    const std::int32_t series = follows ? before->series : static_cast<std::int32_t>(series_.size());
    if (!follows) {
        if (series_.size() == kMostVariants) return -1;
        series_.push_back(0);
    }
    ++series_[static_cast<std::size_t>(series)];
    Near& mine = near_[met_ % kNearLines];
    mine.text.assign(line);
    mine.stamp = words_.stamp;
    mine.variant = variant;
    mine.series = series;
    mine.stepped = follows;
    mine.step.swap(steps_);
    ++met_;
    return series;
}

// Whether a line has no time, and opens with a name of letters and digits that is new.
bool LineReader::opens_with_id(std::string_view line, std::size_t at) {
    if (words_.stamp.size > 0) return false;
    std::size_t end = at, letters = 0, digits = 0, name = at;  // name: where its letters before the first digit end
    if (at < line.size() && line[at] == '#') ++end;
    letters = end - at;
    for (; end < line.size() && end - at <= kLongestId; ++end) {
        const Class of = class_of(line[end]);
        if ((of != kLetter && of != kDigit) || static_cast<unsigned char>(line[end]) >= 0x80U) break;
        ++(of == kLetter ? letters : digits);
        if (of == kLetter && digits == 0) name = end + 1;
    }
    if (letters == 0 || digits == 0 || end - at < kShortestId || end - at > kLongestId) return false;
    if (end + 1 >= line.size() || line[end] != ' ') return false;
    if (ids_.size() == kMostSeen) ids_.clear();
    if (line[at] != '#' && name - at == letters) end = name;  // of host017 "host": a counter is no id
    return !std::exchange(ids_[hash_bytes(line.substr(at, end - at))], true);
}

void LineReader::read_piece(std::string_view piece) {
    const bool goes_on = head_ != kNone;
    std::size_t first = 0, end = piece.size();
    while (end > 0 && blank(piece[end - 1])) --end;
    if (end == 0) {
        words_.told = false;
        return;
    }
    if (goes_on) {
        while (blank(piece[first])) ++first;
    }
    const std::string_view line = piece.substr(first, end - first);
    const std::uint64_t bytes = hash_bytes(line);
    copies_.prefetch(bytes);
    const std::string_view shown = without_escapes(line);
    const std::size_t indent = std::min(shown.find_first_not_of(" \t"), shown.size());
    const OwnMark mark = has_dots_ ? own_mark(shown.substr(indent)) : OwnMark{shown.substr(indent), 1};
    const std::string_view plain = shown.substr(0, indent + mark.said.size());
    read_words(plain, query_, words_);
    Row row;
    row.start = base_ + static_cast<std::int64_t>(first);
    row.end = base_ + static_cast<std::int64_t>(end);
    row.line = line_;
    row.asked = words_.asked;
    row.marks = words_.marks;
    row.document = document_;
    row.stands_for = mark.stands_for;
    if (mark.said.empty() && !goes_on) row.marks |= kOwn;
    if (words_.finding != 0) row.finding = counted(words_.finding, finding_ids_, findings_);
    if (copies_.size() == kMostSeen) copies_.clear();
    std::int32_t& copies = copies_[bytes];
    row.copies = copies;
    copies = std::min(copies + 1, 1 << 30);

    std::uint64_t fresh = row.asked;
    if (goes_on) {
        Row& head = rows_[head_];
        row.template_id = head.template_id;
        row.variant = head.variant;
        row.margin = head.margin;
        fresh &= ~head.asked;
        head.asked |= row.asked;
        head.marks |= row.marks;
        row.marks |= kContinued;
    } else {
        row.template_id = miner_.add(words_.tokens);
        row.variant = counted(words_.plain, variant_ids_, variants_);
        row.series = series_of(plain, row.variant);
        const Margin margin = margin_of(plain);
        row.margin = margin.drawn ? -1 - margin.columns : margin.columns;
        if (opens_with_id(plain, margin.bytes)) row.marks |= kOpensId;
        if (margin.bytes > 0 && (row.marks & kNumber) != 0) row.cost = cost_of(plain);
        const std::string_view said = plain.substr(margin.bytes);
        if (!said.empty() && digit(said[0])) row.marks |= kOpensNumber;
        if (leads(said)) row.marks |= kLeads;
        if ((row.marks & kFrame) != 0 && is_of_library(said)) row.marks |= kLibrary;
        if ((row.marks & kAnchor) != 0 && said.ends_with(" here") && !is_of_library(said)) row.marks |= kFromHere;
        if (said.ends_with('{') || said.ends_with('[') || said.ends_with('(')) row.marks |= kOpensBlock;
        const auto id = static_cast<std::size_t>(row.template_id);
        row.said = codes_.size();
        if (id < miner_.size()) {
            const std::size_t place = miner_.place(row.template_id), size = miner_.tokens(row.template_id).size();
            for (std::size_t i = 0; i < size; ++i) {
                const LineWords::Value& value = words_.values[i];
                codes_.push_back(value.hash == 0 ? OddValues::kNothing
                                                 : values_.add(place + i, value.hash, value.bytes));
            }
        }
        if (id >= templates_.size()) templates_.resize(id + 1);
        TemplateFacts& facts = templates_[id];
        ++facts.count;
        facts.said = std::max(facts.said, row.stands_for);
        if (words_.stamp.size > 0) {
            const std::string_view stamp = plain.substr(words_.stamp.at, words_.stamp.size);
            if (facts.first_stamp.empty()) facts.first_stamp = stamp;
            facts.last_stamp = stamp;
        }
        head_ = rows_.size();
    }
    for (std::uint64_t bits = fresh; bits != 0; bits &= bits - 1) {
        ++asked_lines_[static_cast<std::size_t>(std::countr_zero(bits))];
    }
    rows_.push_back(row);
    if (rows_.size() > most_rows_) let_go();
}

std::vector<float> LineReader::odd() const {
    const OddValues::Judged odd_of = values_.judge(miner_.names());
    const float most = std::log2(static_cast<float>(std::max<std::int64_t>(all_lines_, kFewestLines)));
    std::vector<std::vector<std::uint8_t>> vary(miner_.size());  // of a template: the places at which values differ
    struct Largest {
        std::uint8_t place;
        std::size_t row;
    };
    std::vector<std::vector<Largest>> largest(miner_.size());  // of a template: where the largest number tells
    for (std::size_t id = 0; id < vary.size(); ++id) {
        const auto of = static_cast<std::int32_t>(id);
        for (std::size_t i = 0; i < miner_.tokens(of).size(); ++i) {
            const std::size_t place = miner_.place(of) + i;
            if (odd_of.varies(place)) vary[id].push_back(static_cast<std::uint8_t>(i));
            if (odd_of.has_largest(place)) largest[id].push_back({static_cast<std::uint8_t>(i), rows_.size()});
        }
    }
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        const auto id = static_cast<std::size_t>(rows_[row].template_id);
        if (id >= largest.size() || (rows_[row].marks & kContinued) != 0) continue;
        for (Largest& one : largest[id]) {
            if ((codes_[rows_[row].said + one.place] & OddValues::kOutgrows) != 0) one.row = row;
        }
    }
    std::vector<bool> is_largest(rows_.size() + 1, false);
    for (const std::vector<Largest>& of : largest) {
        for (const Largest& one : of) is_largest[one.row] = true;
    }
    std::vector<float> result;
    result.reserve(rows_.size());
    for (const Row& row : rows_) {
        if ((row.marks & kContinued) != 0) {
            result.push_back(result.empty() ? 0 : result.back());
            continue;
        }
        const auto id = static_cast<std::size_t>(row.template_id);
        float odd = is_largest[result.size()] ? OddValues::kLargest * most : 0;
        if (id < vary.size()) {
            const std::size_t place = miner_.place(row.template_id);
            for (const std::uint8_t i : vary[id]) odd = std::max(odd, odd_of(place + i, codes_[row.said + i]));
        }
        result.push_back(std::min(odd / most, 1.0F));
    }
    mark_costly(rows_, result);
    return result;
}

void LineReader::let_go() {
    has_let_go_ = true;
    const std::size_t n = rows_.size();
    std::vector<std::int64_t> met(templates_.size()), worth(n);
    const std::vector<float> odd_so_far = odd();
    const auto goes_on = [&](std::size_t i) { return (rows_[i].marks & kContinued) != 0; };
    for (std::size_t i = 0; i < n; ++i) {
        const Row& row = rows_[i];
        const auto id = static_cast<std::size_t>(row.template_id);
        const bool rare = row.variant >= 0 && variants_[static_cast<std::size_t>(row.variant)] <= kKeptHead;
        const std::int64_t before = goes_on(i) ? std::max<std::int64_t>(met[id], 1) - 1 : met[id]++;
        std::int64_t value = goes_on(i) ? 0 : before == 0 ? 40 : rare ? 12 : before < kKeptHead ? 8 : 0;
        value += 16 - std::min<std::int64_t>(bits_of(templates_[id].count), 16);
        if ((row.marks & kError) != 0) value += before < kKeptHead ? 16 : 2;
        if ((row.marks & kTrouble) != 0) value += before < kKeptHead ? 4 : 1;
        if ((row.marks & kFailure) != 0) value += before < kKeptHead ? 8 : 4;
        if (row.finding >= 0 && findings_[static_cast<std::size_t>(row.finding)] <= kKeptHead) value += 12;
        for (std::uint64_t bits = row.asked; bits != 0; bits &= bits - 1) {
            const std::int64_t lines = asked_lines_[static_cast<std::size_t>(std::countr_zero(bits))];
            value += 4 + 2 * (24 - std::min<std::int64_t>(bits_of(lines), 24));
        }
        if ((row.asked & query_.ids()) != 0) value += 60;
        if (odd_so_far[i] >= kKeptOddity) value += 12;
        if ((row.marks & kOverwritten) != 0) value -= 30;
        worth[i] = value;
    }
    std::fill(met.begin(), met.end(), 0);
    for (std::size_t i = n; i-- > 0;) {
        if (goes_on(i)) continue;
        const std::int64_t after = met[static_cast<std::size_t>(rows_[i].template_id)]++;
        if (after < kKeptTail) worth[i] += 8;
    }
    std::vector<std::int64_t> near = worth;  // a row beside one that matters matters a little
    for (std::size_t i = 1; i < n; ++i) {
        if (rows_[i].document != rows_[i - 1].document || rows_[i].line - rows_[i - 1].line > 1) continue;
        near[i] = std::max(near[i], worth[i - 1] / 2);
        near[i - 1] = std::max(near[i - 1], worth[i] / 2);
    }
    for (std::size_t i = 0, head = 0; i < n; ++i) {  // no piece stays without the head of its line
        if (goes_on(i)) {
            near[head] = std::max(near[head], near[i]);
        } else {
            head = i;
        }
    }
    if (head_ != kNone) near[head_] = kWorths;
    // The better half, of equal ones the first: counted by worth, as these are small numbers.
    const auto place = [&](std::size_t i) {
        return static_cast<std::size_t>(std::clamp<std::int64_t>(near[i] + kLeastWorth, 0, kWorths - 1));
    };
    std::vector<std::size_t> alike(kWorths);
    for (std::size_t i = 0; i < n; ++i) ++alike[place(i)];
    const std::size_t half = most_rows_ / 2;
    std::size_t least = kWorths - 1, better = 0;
    while (better + alike[least] < half) better += alike[least--];
    std::size_t equal = half - better, kept = 0, codes = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t here = place(i);
        if (here < least || (here == least && equal == 0)) continue;
        if (here == least) --equal;
        if (i == head_) head_ = kept;
        Row& row = rows_[kept++] = rows_[i];
        const std::size_t id = static_cast<std::size_t>(row.template_id), from = std::exchange(row.said, codes);
        if ((row.marks & kContinued) != 0 || id >= miner_.size()) continue;
        const std::size_t size = miner_.tokens(row.template_id).size();
        std::copy_n(codes_.begin() + static_cast<std::ptrdiff_t>(from), size,
                    codes_.begin() + static_cast<std::ptrdiff_t>(codes));
        codes += size;
    }
    rows_.resize(kept);
    codes_.resize(codes);
}

}  // namespace tersely::content
