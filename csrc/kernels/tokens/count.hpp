// Tokens of texts.
//
// Contract: len(tiktoken.Encoding.encode_ordinary(text)) of the table's encoding: special tokens in a text are ordinary
// text. A text is cut into pieces (pieces.hpp); a piece that is a token is one, any other is merged, once
// for each spelling, as far as they are remembered (Known: a spelling gives way to another at its place).
// Texts are valid UTF-8 and must not change while a Counter lives. O(bytes) but for what count.hpp says.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/text/eight_bytes.hpp"
#include "kernels/tokens/pieces.hpp"

namespace tersely::tokens {

// The tokens of an encoding in a file that is used as it lies in memory.
//
// The file (tools/make_token_tables.py), numbers little-endian:
//   0   "TERSEBPE"
//   8   u32 x 6: format 1, the pattern (pieces.hpp), tokens, bytes of strings, slots, bytes of the longest token
//   32  the SHA-256 of the encoding's rank file, whose lines are the tokens in the order of the strings
//   64  strings: a zero, then each token by rank as a byte of length and its bytes; zeros up to a multiple of 64
//   ..  u32 slots of a hash table with linear probing: the low 21 bits say where in the strings the length of a token
//       stands, the others are the lowest of its hash; 0: empty
// A token begins later in the strings the higher its rank, so that place is what ranks are compared by.
// std::invalid_argument for anything else. Opening looks at the header alone; a lookup costs a hash and, on
// average, 1.8 slots (4 where there is none), and stays inside the file whatever is in it.

// Bytes that are looked up, and their hash.
struct Key {
    const char* bytes = nullptr;
    std::size_t size = 0;
    std::uint64_t first = 0, last = 0;  // eight bytes, or all and zeros; the last eight of more than eight, else 0
    std::uint64_t mixed = 0;

    Key() = default;
    // `room`: bytes that may be read from `at` on, `length` or more.
    Key(const char* at, std::size_t length, std::size_t room)
        : bytes(at), size(length), first(load_first(at, length, room)), last(length > 8 ? load8(at + length - 8) : 0) {
        constexpr std::uint64_t kMix = 0xBF58476D1CE4E5B9U;
        mixed = (size * 0x9E3779B97F4A7C15U ^ first) * kMix;
        mixed ^= mixed >> 32U;
        for (std::size_t i = 8; i + 8 < size; i += 8) {
            mixed = (mixed ^ load8(bytes + i)) * kMix;
            mixed ^= mixed >> 32U;
        }
        mixed = (mixed ^ last) * 0x94D049BB133111EBU;
        mixed ^= mixed >> 29U;
    }
};

class TokenTable {
  public:
    static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
    static constexpr std::size_t kLongest = 255;  // bytes that a token may have

    explicit TokenTable(std::string_view file);  // which outlives the table and is aligned to four bytes
    Pattern pattern() const { return pattern_; }
    std::size_t size() const { return tokens_; }
    std::size_t longest() const { return longest_; }

    // A number that is larger the higher the token's rank; kNone where there is no such token.
    std::uint32_t find(const Key& key) const {
        std::uint64_t place = place_of(key);
        for (std::uint32_t probe = 0; probe < slots_; ++probe) {
            const std::uint32_t slot = load_slot(place);
            if (slot == 0) return kNone;
            if (slot >> 21U == (key.mixed & 0x7FFU) && stands_at(key, slot & kPlace)) return slot & kPlace;
            if (++place == slots_) place = 0;
        }
        return kNone;
    }

    // Where a lookup begins, and the token that it compares first.
    const char* first_slot(const Key& key) const { return slot_bytes_ + 4 * place_of(key); }
    const char* first_token(const Key& key) const {
        return strings_.data() + std::min<std::size_t>(load_slot(place_of(key)) & kPlace, strings_.size());
    }

  private:
    std::uint64_t place_of(const Key& key) const { return (key.mixed >> 32U) * slots_ >> 32U; }
    static constexpr std::uint32_t kPlace = (1U << 21U) - 1;

    std::uint32_t load_slot(std::uint64_t place) const {
        std::uint32_t slot = 0;
        std::memcpy(&slot, slot_bytes_ + 4 * place, 4);
        return slot;
    }
    bool stands_at(const Key& key, std::uint32_t at) const {
        if (strings_.size() < at + 1 + key.size) return false;
        const char* token = strings_.data() + at;
        if (static_cast<unsigned char>(*token++) != key.size) return false;
        if (key.size > 16) return std::memcmp(token, key.bytes, key.size) == 0;
        const std::size_t room = strings_.size() - at - 1;
        return load_first(token, std::min<std::size_t>(key.size, 8), room) == key.first &&
               (key.size <= 8 || load8(token + key.size - 8) == key.last);
    }

    Pattern pattern_ = Pattern::kO200k;
    std::string_view strings_;
    const char* slot_bytes_ = nullptr;
    std::uint64_t slots_ = 0;
    std::size_t tokens_ = 0, longest_ = 0;
};

// Byte pairs of a piece merged into tokens.
//
// Contract: as tiktoken merges. The parts of a piece are its bytes at first; while some two neighbours together are a
// token, those whose token has the lowest rank become one part, the first of equal ones first. The tokens are the parts
// that are left. (A piece that is a token itself is one, whatever its pairs give: that is the caller's to look up.)
//  - Up to kFew bytes: the lowest pair of every eight is known, and looked for anew where one changes. Above it: a
//    heap, O(size log size).
//  - More than kWindow bytes are merged in windows, so O(size) for all but made up input, where windows have to grow:
//    O(size log size) at most. It is exact: parts t1..tk are what merging gives if, and only if, merging each two
//    neighbours alone gives just them, as no merge of two neighbours' bytes depends on what is outside until one
//    crosses their ends, and the first that did would do so when they are alone, too. So the tokens of a window hold up
//    to one that the window that begins with it gives as its first token again; where it does not, the window doubles,
//    and must begin with the same token as before, or all is merged anew in larger windows. Memory: that of a window.
//    The windows merged last are remembered: those of a run of one character, or of few, are merged once.

// The ranks of the pairs that met: a cache of a fixed size, for one table.
class Pairs {
  public:
    Pairs() : of_bytes_(std::size_t{1} << 16U, kUnknown), all_(std::size_t{1} << kBits) {}

  private:
    friend class Merger;
    static constexpr unsigned kBits = 14;
    static constexpr std::uint32_t kUnknown = TokenTable::kNone - 1;  // larger than any rank
    struct Pair {  // bytes that were looked up: up to seven, and how many
        std::uint64_t bytes = 0;
        std::uint32_t rank = 0;
    };
    Pair& at(std::uint64_t bytes) { return all_[bytes * 0x9E3779B97F4A7C15U >> (64 - kBits)]; }

    std::vector<std::uint32_t> of_bytes_;  // the ranks of two bytes: each byte of a piece asks for one
    std::vector<Pair> all_;                // of longer ones; a pair gives way to another at its place
};

class Merger {
  public:
    static constexpr std::size_t kFew = 64;       // bytes
    static constexpr std::size_t kWindow = kFew;  // bytes

    Merger(const TokenTable& table, Pairs& pairs) : table_(&table), pairs_(&pairs) {}
    // Tokens of a piece of one byte or more. Throws Cancelled.
    std::size_t count(std::string_view piece, std::size_t window = kWindow);

  private:
    struct Merged {
        std::string_view piece;
        std::vector<std::uint32_t> starts;  // of its tokens, and its end
    };
    std::size_t count_in_windows(std::string_view piece, std::size_t window);
    const std::vector<std::uint32_t>& merge(std::string_view window);
    void merge_few(std::string_view piece);
    void merge_many(std::string_view piece);
    std::uint32_t rank(std::string_view piece, std::size_t first, std::size_t end);
    std::uint32_t rank_of_bytes(std::string_view piece, std::size_t first);

    const TokenTable* table_;
    Pairs* pairs_;
    std::size_t rounds_ = 0;
    std::array<Merged, 4> merged_;  // windows of the piece that is counted, merged last
    std::size_t merges_ = 0;
    std::vector<std::uint32_t> starts_;           // of the window that is being merged
    std::vector<std::uint32_t> next_, previous_;  // of the part that begins at a byte
    std::vector<std::uint32_t> ranks_;            // of it with the next one
    std::vector<std::uint64_t> heap_;             // ranks and places, stale ones among them
};

// What is known of spellings of up to 16 bytes and of pairs in longer ones, whichever texts they come from: a cache of
// a fixed size that may be handed from one Counter of a table to the next.
class Known {
  public:
    Known() : all_(kSpellings), merged_(kMerged) {}

  private:
    friend class Counter;
    static constexpr std::size_t kSpellings = std::size_t{1} << 14U, kMerged = std::size_t{1} << 15U;
    struct Spelling {
        std::uint64_t first = 0, last = 0;
        std::uint32_t size = 0, tokens = 0;

        bool is(const Key& key) const { return first == key.first && last == key.last && size == key.size; }
    };
    std::vector<Spelling> all_;                 // by hash; a spelling gives way to another at its place
    std::vector<Spelling> merged_;              // those that are no tokens, so that common words do not drive them out
    std::array<std::uint8_t, 1100> numbers_{};  // tokens of two digits, and of three from 100 on; 0: not asked for yet
    Pairs pairs_;
};

// Where pieces of a text end, and how many tokens it has up to there: what counting it finds on its way, by which
// parts of it, and what it is a part of, are counted without looking at most of it again. Of all ends these are the
// first one 16 bytes or more behind the one before, those before and behind a line feed, and the last.
struct Marks {
    std::vector<std::uint32_t> end;     // bytes, ascending
    std::vector<std::uint32_t> tokens;  // up to each end
};

class Counter {
  public:
    Counter(const TokenTable& table, Known& known) : table_(&table), known_(&known), merger_(table, known.pairs_) {}
    std::size_t count(std::string_view text);
    // The same, and the marks of a text of less than 4 GB.
    std::size_t count(std::string_view text, Marks& marks);
    // What `count` says of text[begin, end), given the marks of the text: none, or all. O(pieces near both ends,
    // white space at its end and the logarithm of the marks between this part and the one asked for before), O(end -
    // begin) without marks or at the most.
    std::size_t count_part(std::string_view text, std::size_t begin, std::size_t end, const Marks& marks);
    // What `count` says of `joined`, in which a text for each of `marks` stands at `starts`, of so many bytes. Cost:
    // that of `count_part` for each.
    std::size_t count_joined(std::string_view joined, std::span<const std::size_t> starts,
                             std::span<const std::size_t> sizes, std::span<const Marks> marks);

  private:
    struct Marked {  // a text with marks, in another
        std::size_t start;
        const Marks* marks;
        std::size_t settled;  // pieces that end up to here, from its start on, end there in the other text, too
    };
    static constexpr std::size_t kLong = 1024, kLongest = 2048;  // spellings, bytes of one that is remembered
    struct Long {  // a spelling of more than 16 bytes that is no token, where it was met last
        const char* at = nullptr;
        std::uint32_t size = 0, tokens = 0;
    };
    template <Pattern pattern, bool marked>
    std::size_t count_text(std::string_view text, Marks* marks);
    template <Pattern pattern>
    std::size_t count_through(std::string_view text, std::size_t& at, std::size_t stop, const Marked& within);
    std::size_t count_through(std::string_view text, std::size_t& at, std::size_t stop, const Marked& within);
    std::vector<std::uint32_t>::const_iterator near_in(const std::vector<std::uint32_t>& ends, std::size_t from) const;
    bool ends_piece(std::string_view part, const Marks& marks) const;
    std::size_t piece_tokens(std::string_view text, std::size_t at, std::size_t end);
    std::uint32_t new_tokens(const Key& key);
    std::size_t number_tokens(std::string_view text, std::size_t at, std::size_t size);
    std::size_t long_tokens(std::string_view text, std::size_t at, std::size_t end);
    std::size_t short_tokens(const Key& key);

    const TokenTable* table_;
    Known* known_;
    Merger merger_;
    std::vector<Long> long_;  // made when the first is met
    std::size_t near_ = 0;    // among the marks asked for last: the next part is mostly near
};

}  // namespace tersely::tokens
