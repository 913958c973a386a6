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
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "kernels/text/eight_bytes.hpp"
#include "kernels/tokens/pieces.hpp"

namespace tersely::tokens {

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
        if constexpr (std::endian::native == std::endian::big) {
            slot = slot >> 24U | (slot >> 8U & 0xFF00U) | (slot & 0xFF00U) << 8U | slot << 24U;
        }
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

}  // namespace tersely::tokens
