#include "kernels/embed/wordpiece.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <stdexcept>

#include "kernels/text/eight_bytes.hpp"
#include "kernels/text/utf8.hpp"
#include "kernels/text/word_set.hpp"
#include "simd/prefetch.hpp"

namespace tersely::embed {

namespace {

using enum CharAction;

struct ClassRun {
    char32_t first, last;
    CharAction action;
};
struct Replacement {
    char32_t from, to;
};
struct Expansion {
    char32_t from;
    char32_t parts[4];
};
struct MarkOrder {
    char32_t code;
    std::uint8_t combining_class;
};

#include "kernels/embed/wordpiece_tables.inc"

constexpr char32_t kLimit = 0x32400;  // above are tags, private use and noncharacters: all stand for themselves
constexpr std::size_t kPage = 256;
constexpr std::uint32_t kExpanded = 1U << 24U;  // the value is an index into kExpansions
constexpr unsigned kActionBits = 25;

// An entry: the action, kExpanded, and in 24 bits what stands in the character's place, 0 for itself.
struct Pages {
    std::array<std::uint16_t, kLimit / kPage> page{};  // page 0: letters that stand for themselves
    std::vector<std::uint32_t> entries = std::vector<std::uint32_t>(kPage);

    Pages() {
        for (const ClassRun& run : kClassRuns) {
            for (char32_t code = run.first; code <= run.last && code < kLimit; ++code) {
                at(code) |= static_cast<std::uint32_t>(run.action) << kActionBits;
            }
        }
        for (const Replacement& pair : kReplacements) at(pair.from) |= static_cast<std::uint32_t>(pair.to);
        for (std::size_t i = 0; i < std::size(kExpansions); ++i) {
            at(kExpansions[i].from) |= kExpanded | static_cast<std::uint32_t>(i);
        }
    }

    std::uint32_t& at(char32_t code) {
        std::uint16_t& own = page[code / kPage];
        if (own == 0) {
            own = static_cast<std::uint16_t>(entries.size() / kPage);
            entries.resize(entries.size() + kPage);
        }
        return entries[own * kPage + code % kPage];
    }
    std::uint32_t operator[](char32_t code) const { return entries[page[code / kPage] * kPage + code % kPage]; }
};

const Pages& pages() {
    static const Pages instance;
    return instance;
}

// Hangul syllables decompose by arithmetic (The Unicode Standard, section 3.12).
constexpr char32_t kSyllables = 0xAC00, kSyllableCount = 11172, kVowels = 21, kTails = 28;

Normalized hangul(char32_t index) {
    const char32_t tail = index % kTails;
    return {kLetter,
            static_cast<std::uint8_t>(tail == 0 ? 2 : 3),
            {0x1100 + index / (kVowels * kTails), 0x1161 + index / kTails % kVowels, 0x11A7 + tail}};
}

CharAction action_above_limit(char32_t code) {
    const ClassRun* found = std::lower_bound(std::begin(kClassRuns), std::end(kClassRuns), code,
                                             [](const ClassRun& run, char32_t value) { return run.last < value; });
    return found != std::end(kClassRuns) && found->first <= code ? found->action : kLetter;
}

}  // namespace

Normalized normalize(char32_t code) {
    if (code - kSyllables < kSyllableCount) return hangul(code - kSyllables);
    if (code >= kLimit) return {action_above_limit(code), 1, {code}};
    const std::uint32_t entry = pages()[code];
    const auto action = static_cast<CharAction>(entry >> kActionBits);
    const std::uint32_t value = entry & (kExpanded - 1);
    if ((entry & kExpanded) == 0) return {action, 1, {value == 0 ? code : static_cast<char32_t>(value)}};
    Normalized expanded{action, 0, {}};
    for (const char32_t part : kExpansions[value].parts) {
        if (part != 0) expanded.parts[expanded.size++] = part;
    }
    return expanded;
}

std::uint8_t combining_class(char32_t code) {
    const MarkOrder* found = std::lower_bound(std::begin(kMarkOrder), std::end(kMarkOrder), code,
                                              [](const MarkOrder& mark, char32_t value) { return mark.code < value; });
    return found != std::end(kMarkOrder) && found->code == code ? found->combining_class : 0;
}

namespace {

constexpr std::uint32_t kWordRoot = 0, kRestRoot = 1;
constexpr std::string_view kContinues = "##";
constexpr std::string_view kUnknown = "[UNK]";
constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15ULL;
constexpr std::uint64_t kLong = 1ULL << 63U;
constexpr std::size_t kShort = 7;  // bytes of a word that is its own key

std::uint64_t key_of(const WordBytes& word) {
    if (word.size <= kShort) return word.eights[0];
    std::uint64_t value = word.size;
    for (std::size_t i = 0; i * 8 < word.size; ++i) value = text::mix(value ^ word.eights[i]);
    return value | kLong;
}

std::size_t slot_of(std::uint64_t key) { return static_cast<std::size_t>(text::mix(key)); }

WordBytes copied(std::string_view word) {
    WordBytes bytes;
    for (const char byte : word) bytes.push_back(byte);
    bytes.end();
    return bytes;
}

std::uint32_t edge_key(std::uint32_t node, char byte) { return node << 8U | static_cast<unsigned char>(byte); }

}  // namespace

Words::Words(std::string_view lines) {
    if (lines.size() > kMostBytes) {
        throw std::invalid_argument("words take " + std::to_string(lines.size()) + " bytes; at most " +
                                    std::to_string(kMostBytes) + " are allowed");
    }
    lines_ = lines;
    if (!lines.ends_with('\n')) lines_ += '\n';
    const std::size_t end_of_words = lines.empty() ? 0 : lines_.size();
    lines_.append(8, '\0');  // so that eight bytes can be read at any of them
    const auto most = static_cast<std::size_t>(std::count(lines_.begin(), lines_.end(), '\n'));
    edges_.resize(std::bit_ceil(most * 4));
    piece_of_.assign(2, -1);
    std::vector<Slot> whole;
    for (std::size_t at = 0; at < end_of_words; ++count_) {
        const std::size_t end = lines_.find('\n', at);
        const std::string_view word = std::string_view(lines_).substr(at, end - at);
        const auto fail = [this](const char* what) {
            throw std::invalid_argument("line " + std::to_string(count_ + 1) + " of words " + what);
        };
        if (word.empty()) fail("is empty");
        if (word.find('\0') != std::string_view::npos) fail("has a NUL");
        const auto id = static_cast<std::int32_t>(count_);
        const bool rest = word.starts_with(kContinues) && word.size() > kContinues.size();
        if (!add_piece(rest ? word.substr(kContinues.size()) : word, rest ? kRestRoot : kWordRoot, id)) {
            fail("repeats an earlier one");
        }
        if (word == kUnknown) unknown_ = id;
        if (!rest && word.size() <= WordBytes::kMost) {
            whole.push_back({key_of(copied(word)), id, static_cast<std::uint32_t>(at)});
        }
        at = end + 1;
    }
    if (unknown_ < 0) throw std::invalid_argument("words must contain [UNK]");
    whole_.resize(std::bit_ceil(whole.size() * 5 / 4 + 1));
    for (const Slot& word : whole) add_whole(word);
}

void Words::add_whole(const Slot& word) {
    const std::size_t mask = whole_.size() - 1;
    std::size_t at = slot_of(word.key) & mask;
    while (whole_[at].key != 0) at = (at + 1) & mask;
    whole_[at] = word;
}

std::int32_t Words::find(const WordBytes& word) const {
    const std::uint64_t key = key_of(word);
    const std::size_t mask = whole_.size() - 1;
    for (std::size_t at = slot_of(key) & mask; whole_[at].key != 0; at = (at + 1) & mask) {
        if (whole_[at].key == key && (word.size <= kShort || stands_at(word, whole_[at].line))) return whole_[at].id;
    }
    return -1;
}

// Reads no further than eight bytes past the end of the line: `word` holds no line feed, so that is where they differ.
bool Words::stands_at(const WordBytes& word, std::uint32_t line) const {
    const char* there = lines_.data() + line;
    const std::size_t whole = word.size / 8;
    for (std::size_t i = 0; i < whole; ++i) {
        if (text::load<std::uint64_t>(there + i * 8) != word.eights[i]) return false;
    }
    const std::uint64_t left = (std::uint64_t{1} << word.size % 8 * 8) - 1;
    return (text::load<std::uint64_t>(there + whole * 8) & left) == word.eights[whole] && there[word.size] == '\n';
}

Piece Words::longest(std::string_view rest, bool at_start) const {
    std::uint32_t node = at_start ? kWordRoot : kRestRoot, best = 0;
    std::size_t size = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        const std::uint32_t child = edges_[slot(edge_key(node, rest[i]))].child;
        if (child == 0) break;
        node = child & ~kEndsWord;
        if (child == node) continue;
        best = node;
        size = i + 1;
    }
    return {size > 0 ? piece_of_[best] : -1, size};
}

// False where the piece is there already.
bool Words::add_piece(std::string_view piece, std::uint32_t root, std::int32_t id) {
    std::uint32_t node = root;
    for (std::size_t i = 0; i < piece.size(); ++i) {
        if (2 * piece_of_.size() > edges_.size()) grow();
        const std::uint32_t key = edge_key(node, piece[i]);
        Edge& edge = edges_[slot(key)];
        if (edge.child == 0) {
            edge = {key, static_cast<std::uint32_t>(piece_of_.size())};
            piece_of_.push_back(-1);
        }
        node = edge.child & ~kEndsWord;
        if (i + 1 < piece.size()) continue;
        if (edge.child != node) return false;
        edge.child |= kEndsWord;
        piece_of_[node] = id;
    }
    return true;
}

std::size_t Words::slot(std::uint32_t key) const {
    const std::size_t mask = edges_.size() - 1;
    std::size_t at = key * kMultiplier >> 32U & mask;
    while (edges_[at].child != 0 && edges_[at].key != key) at = (at + 1) & mask;
    return at;
}

void Words::grow() {
    LargeTable<Edge> larger(edges_.size() * 2);
    larger.swap(edges_);
    for (const Edge& edge : larger) {
        if (edge.child != 0) edges_[slot(edge.key)] = edge;
    }
}

namespace {

using text::decode;
using text::Decoded;

constexpr std::array<std::string_view, 5> kSpecial = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};

// The characters of a word as they come, each run of marks in canonical order.
class WordBuffer {
  public:
    void push(char32_t code, std::uint8_t order) {
        if (size_ == WordPiece::kLongestWord) {
            too_long_ = true;
            return;
        }
        std::size_t at = size_++;
        if (order == 0) {
            run_ = size_;
        } else {
            for (; at > run_ && order_[at - 1] > order; --at) {
                codes_[at] = codes_[at - 1];
                order_[at] = order_[at - 1];
            }
        }
        codes_[at] = code;
        order_[at] = order;
    }
    void end_run() { run_ = size_; }
    bool too_long() const { return too_long_; }
    WordBytes utf8() const {
        WordBytes out;
        for (std::size_t i = 0; i < size_; ++i) text::append_utf8(out, codes_[i]);
        out.end();
        return out;
    }

  private:
    std::array<char32_t, WordPiece::kLongestWord> codes_;
    std::array<std::uint8_t, WordPiece::kLongestWord> order_;
    std::size_t size_ = 0, run_ = 0;
    bool too_long_ = false;
};

// How many of the eight bytes, from the first on, are ASCII letters or digits; `eight` keeps those, in lower case.
std::size_t keep_letters(std::uint64_t& eight) {
    const std::uint64_t letters = text::ascii_letters(eight);
    const std::size_t size = text::leading(letters | text::ascii_digits(eight));
    eight |= letters >> 2U;  // 0x80 >> 2 is what lower case letters have and upper case ones have not
    if (size < 8) eight &= (std::uint64_t{1} << 8 * size) - 1;
    return size;
}

}  // namespace

WordPiece::WordPiece(std::string_view lines) : words_(lines) {
    ascii_.fill(Ascii::kOther);
    for (unsigned char byte = 0; byte < 0x80; ++byte) {
        const Normalized given = normalize(byte);
        if (given.action == CharAction::kLetter) ascii_[byte] = Ascii::kLetter;
        if (given.action == CharAction::kSpace) ascii_[byte] = Ascii::kSpace;
        if (given.action == CharAction::kAlone) ascii_[byte] = Ascii::kAlone;
        alone_[byte] = given.action == CharAction::kAlone ? id_of_alone(byte) : words_.unknown();
    }
    for (const std::string_view word : kSpecial) {
        const Piece whole = words_.longest(word, true);
        if (whole.size == word.size()) special_.emplace_back(word, whole.id);
    }
}

// The ids of a text in the making. Words wait until some have come together: what is known of one is fetched from
// memory while the next are read.
class WordPiece::Lookups {
  public:
    Lookups(const WordPiece& pieces, KnownWords& known, std::vector<std::int32_t>& ids)
        : pieces_(pieces), known_(known), ids_(ids) {}

    std::size_t waiting() const { return size_; }
    void add(std::int32_t id) {
        items_[size_] = {.id = id};
        if (++size_ == kTogether) look_up();
    }
    void add(const WordBytes& word) {
        if (word.size == 0) return;  // of marks alone, which are dropped
        if (word.size > KnownWords::kMostBytes) {
            look_up();
            pieces_.append_ids(word, ids_);
            return;
        }
        const std::uint64_t first = word.eights[0];
        const std::uint64_t last = word.size < 8 ? 0 : word.eights[1];
        const std::uint64_t mixed = (first ^ last * 0xBF58476D1CE4E5B9ULL) * 0x9E3779B97F4A7C15ULL;
        KnownWords::Pair* pair = &known_.pairs_[static_cast<std::size_t>(mixed >> 32U) & (KnownWords::kPairs - 1)];
        simd::prefetch(pair);
        items_[size_] = {first, last, pair, word.size};
        if (++size_ == kTogether) look_up();
    }
    void look_up() {
        for (std::size_t i = 0; i < size_; ++i) {
            if (items_[i].pair == nullptr) {
                ids_.push_back(items_[i].id);
            } else {
                append(items_[i]);
            }
        }
        size_ = 0;
    }

  private:
    struct Item {
        std::uint64_t first = 0, last = 0;  // of a word
        KnownWords::Pair* pair = nullptr;   // where it is, if it is known; null: a token
        std::size_t bytes = 0;              // of the word
        std::int32_t id = 0;                // of the token
    };
    void append(const Item& item) {
        const auto is = [&](const KnownWords::Word& one) { return one.first == item.first && one.last == item.last; };
        KnownWords::Word &newer = item.pair->newer, &older = item.pair->older;
        if (!is(newer) && is(older)) std::swap(newer, older);
        if (is(newer)) {
            ids_.insert(ids_.end(), newer.ids.begin(), newer.ids.begin() + newer.size);
            return;
        }
        WordBytes word;
        word.eights[0] = item.first;
        word.eights[1] = item.last;
        word.size = item.bytes;
        const std::size_t before = ids_.size();
        pieces_.append_ids(word, ids_);
        const std::size_t size = ids_.size() - before;
        const auto met = ids_.end() - static_cast<std::ptrdiff_t>(size);
        if (size > KnownWords::kMostIds || *std::max_element(met, ids_.end()) > KnownWords::kLargestId) return;
        older = newer;
        newer = {item.first, item.last, static_cast<std::uint16_t>(size), {}};
        std::transform(met, ids_.end(), newer.ids.begin(),
                       [](std::int32_t id) { return static_cast<std::uint16_t>(id); });
    }

    const WordPiece& pieces_;
    KnownWords& known_;
    std::vector<std::int32_t>& ids_;
    std::array<Item, kTogether> items_;
    std::size_t size_ = 0;
};

std::size_t WordPiece::append(std::string_view text, std::size_t from, std::size_t enough, KnownWords& known,
                              std::vector<std::int32_t>& ids) const {
    const std::size_t before = ids.size();
    std::size_t at = from;
    Lookups lookups(*this, known, ids);
    while (at < text.size() && ids.size() + lookups.waiting() - before < enough) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte == ' ') {
            ++at;
        } else if (ascii_[byte] == Ascii::kLetter) {
            at = read_ascii_word(text, at, lookups);
        } else if (ascii_[byte] == Ascii::kAlone && byte != '[') {
            lookups.add(alone_[byte]);
            ++at;
        } else {
            at = read_other(text, at, lookups);
        }
    }
    lookups.look_up();
    return at;
}

// Eight bytes at a time; what turns out not to be plain ASCII is read again, character by character.
std::size_t WordPiece::read_ascii_word(std::string_view text, std::size_t at, Lookups& lookups) const {
    WordBytes word;
    for (std::size_t part = 0; word.size < kLongestWord; ++part) {
        const std::size_t left = text.size() - at - word.size;
        word.eights[part] = text::load_first(text.data() + at + word.size, std::min<std::size_t>(8, left), left);
        const std::size_t letters = keep_letters(word.eights[part]);
        word.size += letters;
        if (letters == 8) continue;
        const std::size_t end = at + word.size;
        const bool other = end < text.size() && ascii_[static_cast<unsigned char>(text[end])] == Ascii::kOther;
        if (other || word.size > kLongestWord) break;
        lookups.add(word);
        return end;
    }
    return read_word(text, at, lookups);
}

std::int32_t WordPiece::id_of_alone(char32_t code) const {
    WordBytes word;
    text::append_utf8(word, code);
    word.end();
    const std::int32_t id = words_.find(word);
    return id >= 0 ? id : words_.unknown();
}

// What is neither an ASCII letter or digit nor plain ASCII punctuation.
std::size_t WordPiece::read_other(std::string_view text, std::size_t at, Lookups& lookups) const {
    if (text[at] == '[') {
        for (const auto& [word, id] : special_) {
            if (!text.substr(at).starts_with(word)) continue;
            lookups.add(id);
            return at + word.size();
        }
    }
    const Decoded here = decode(text, at);
    const Normalized given = normalize(here.code);
    if (given.action == CharAction::kLetter || given.action == CharAction::kMark) return read_word(text, at, lookups);
    if (given.action == CharAction::kAlone) lookups.add(id_of_alone(given.parts[0]));
    return at + here.length;
}

std::size_t WordPiece::read_word(std::string_view text, std::size_t at, Lookups& lookups) const {
    WordBuffer word;
    while (at < text.size()) {
        const Decoded here = decode(text, at);
        const Normalized given = normalize(here.code);
        if (given.action == CharAction::kSpace || given.action == CharAction::kAlone) break;
        at += here.length;
        if (given.action == CharAction::kBreak) word.end_run();
        if (given.action != CharAction::kLetter && given.action != CharAction::kMark) continue;
        const bool may_be_mark = given.action == CharAction::kMark || given.size > 1;
        for (std::size_t i = 0; i < given.size; ++i) {
            word.push(given.parts[i], may_be_mark ? combining_class(given.parts[i]) : std::uint8_t{0});
        }
    }
    if (word.too_long()) {
        lookups.add(words_.unknown());
    } else {
        lookups.add(word.utf8());
    }
    return at;
}

void WordPiece::append_ids(const WordBytes& bytes, std::vector<std::int32_t>& ids) const {
    const std::int32_t whole = words_.find(bytes);
    if (whole >= 0) {
        ids.push_back(whole);
        return;
    }
    const std::size_t before = ids.size();
    const std::string_view word = bytes.view();
    for (std::size_t at = 0; at < word.size();) {
        const Piece piece = words_.longest(word.substr(at), at == 0);
        if (piece.id < 0) {
            ids.resize(before);
            ids.push_back(words_.unknown());
            return;
        }
        ids.push_back(piece.id);
        at += piece.size;
    }
}

}  // namespace tersely::embed
