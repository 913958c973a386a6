#include "kernels/content/line_words.hpp"

#include <algorithm>
#include <array>

#include "kernels/content/marks.hpp"
#include "kernels/content/outcomes.hpp"

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
constexpr std::size_t kQuoteReach = 256;  // bytes in which a quote must close

Class class_of(char byte) { return kClasses[static_cast<unsigned char>(byte)]; }

std::uint64_t mix(std::uint64_t hash, std::uint64_t more) {
    hash = (hash ^ more) * 0x9E3779B97F4A7C15ULL;
    return hash ^ (hash >> 32U);
}

struct Word {
    std::size_t end = 0;
    std::uint64_t hash = 0;
    std::uint64_t only_run = 0;  // hash of its run where it is one run of letters
    std::uint32_t marks = 0;
    std::uint64_t asked = 0;
    std::size_t slashes = 0;
    std::size_t runs = 0;
    std::size_t named = 0;  // where a name such as TypeError ends
    bool capitals = true;   // has no small letter
    bool number = false;    // has a digit
    bool zero = false;      // is "0"
};

// Letters of a run hashed in lower case; `plural`: the hash without a last s.
struct Run {
    std::size_t end;
    std::uint64_t hash, singular;
    bool capitals;
};

Run read_run(std::string_view line, std::size_t at, Class of) {
    std::uint64_t hash = kHashSeed, before = kHashSeed;
    std::size_t end = at;
    unsigned char small = 0;
    while (end < line.size() && class_of(line[end]) == of) {
        before = hash;
        const auto byte = static_cast<unsigned char>(line[end]);
        small |= byte;
        hash = hash_byte(hash, static_cast<unsigned char>(of == kLetter ? byte | 0x20U : byte));
        ++end;
    }
    const bool plural = of == kLetter && end - at > 3 && (line[end - 1] | 0x20) == 's';
    return {end, hash, plural ? before : hash, (small & 0x20U) == 0};
}

Word read_word(std::string_view line, std::size_t begin, const QueryWords* query) {
    Word word;
    std::size_t at = begin;
    std::uint64_t hash = kHashSeed, joined = 0;
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
            word.capitals = word.capitals && run.capitals;
            if (size > 1 && size < 13) word.marks |= word_marks(run.hash);
            if (size > 5 && name_marks(line.substr(at, size)) != 0) word.named = run.end;
            if (query != nullptr && size > 1) word.asked |= query->find(run.singular);
        } else {
            word.zero = word.runs == 0 && run.end - at == 1 && line[at] == '0';
            word.number = true;
            if (query != nullptr && run.end - at > 2) word.asked |= query->find(run.hash);
        }
        word.only_run = word.runs == 0 && here == kLetter ? run.hash : 0;
        ++word.runs;
        at = run.end;
    }
    word.end = at;
    word.hash = hash;
    word.zero = word.zero && word.runs == 1;
    if (word.runs == 0) word.hash = static_cast<unsigned char>(line[begin]);  // "-", "***": punctuation
    if (query != nullptr && word.runs > 1) word.asked |= query->find(hash);
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
    return first > 0 && rest.starts_with("from ") && rest.find(":in ") != std::string_view::npos;
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

QueryWords::QueryWords(std::string_view query) : slots_(kSlots) {
    for (std::size_t at = 0; at < query.size();) {
        const Class here = class_of(query[at]);
        if (here == kSpace || here == kBreak) {
            ++at;
            continue;
        }
        const Word word = read_word(query, at, nullptr);
        if (word.runs > 1 || word.number) add(word.hash, (word.number || word.runs > 1) && word.end - at >= 4);
        for (std::size_t inner = at; inner < word.end;) {
            const Class kind = class_of(query[inner]);
            if (kind == kJoin) {
                ++inner;
                continue;
            }
            const Run run = read_run(query, inner, kind);
            const std::size_t size = run.end - inner;
            if (kind == kLetter ? size > 2 : size > 2 && word.runs == 1) add(run.singular, kind == kDigit && size > 3);
            inner = run.end;
        }
        at = word.end;
    }
}

void QueryWords::add(std::uint64_t hash, bool id) {
    if (count_ == kMostQueryWords || find(hash) != 0) return;
    std::size_t at = slot(hash);
    while (slots_[at].second != 0) at = (at + 1) % kSlots;
    slots_[at] = {hash, 1ULL << count_};
    if (id) ids_ |= 1ULL << count_;
    ++count_;
}

void read_words(std::string_view line, const QueryWords& query, LineWords& words) {
    words.tokens.clear();
    words.asked = 0;
    words.plain = kHashSeed;
    words.stamp = find_stamp(line);
    const QueryWords* asked = query.empty() ? nullptr : &query;
    std::uint32_t marks = is_frame(line) ? kFrame : 0U;
    std::size_t quote_end = 0;  // in a quote: where it ends
    bool no_quotes = false, first_word = true;
    Outcomes outcomes(line, words.stamp.at + words.stamp.size);
    for (std::size_t at = 0; at < line.size();) {
        if (at == words.stamp.at && words.stamp.size > 0) {
            words.tokens.push_back(kValue);
            at += words.stamp.size;
            continue;
        }
        const bool quoted = at < quote_end;
        const Class here = class_of(line[at]);
        if (here == kSpace) {
            ++at;
        } else if (here == kBreak) {
            const char mark = line[at];
            outcomes.add_break();
            if (!quoted && (mark == '"' || mark == '\'' || mark == '`') && !no_quotes) {
                quote_end = after_quote(line, at);
                no_quotes = quote_end == 0 && mark == '"';
                if (quote_end > 0) words.tokens.push_back(kValue);
            } else if (!quoted) {
                const bool closes = mark == ')' || mark == ']' || mark == '}' || mark == '>';
                if (closes && at > 0 && class_of(line[at - 1]) == kBreak)
                    words.tokens.push_back(kValue);  // "()": a value left out
                words.tokens.push_back(static_cast<unsigned char>(mark));
                words.plain = mix(words.plain, static_cast<unsigned char>(mark));
            }
            ++at;
        } else {
            const Word word = read_word(line, at, asked);
            const bool place = anchor_after(line, at, word.end) > 0;
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
                                   word.capitals && word.only_run != 0, named, first_word, quoted, place});
            first_word = false;
            if (word.number) marks |= kNumber;
            const bool value = word.number || word.slashes > 1 || line[at] == '/' || word.end - at > kLongestWord;
            if (!quoted) {
                const Token token =
                    word.runs == 0
                        ? word.hash
                        : std::max<Token>((word.hash & ~1ULL) | ((word.marks & kBitsOfLines) != 0 ? 1ULL : 0ULL),
                                          kFirstWord);
                words.tokens.push_back(value ? kValue : token);
                words.plain = mix(words.plain, word.only_run);
            }
            at = std::max(word.end, at + 1);
        }
    }
    words.marks = marks | outcomes.marks();
    words.finding = outcomes.finding();
}

}  // namespace tersely::content
