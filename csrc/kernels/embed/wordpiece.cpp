#include "kernels/embed/wordpiece.hpp"

#include <algorithm>

#include "kernels/embed/characters.hpp"
#include "kernels/text/eight_bytes.hpp"
#include "kernels/text/utf8.hpp"
#include "simd/prefetch.hpp"

namespace tersely::embed {
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
