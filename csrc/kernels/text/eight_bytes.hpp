// Eight bytes of a text at once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tersely::text {

// Here, in tables of tokens, in hashes and in the vector code numbers are read from bytes as the machine has them.
static_assert(std::endian::native == std::endian::little, "tersely needs a little-endian machine");

// The first of eight bytes is the lowest of the number.
inline std::uint64_t load8(const char* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, 8);
    return word;
}

// The first `size` bytes of up to eight, as if zeros followed. `room`: bytes that may be read, `size` or more.
inline std::uint64_t load_first(const char* bytes, std::size_t size, std::size_t room) {
    if (room >= 8) {
        const std::uint64_t word = load8(bytes);
        return size >= 8 ? word : word & ((std::uint64_t{1} << (8 * size)) - 1);
    }
    char padded[8] = {};
    for (std::size_t i = 0; i < size; ++i) padded[i] = bytes[i];
    return load8(padded);
}

constexpr std::uint64_t kHighBits = 0x8080808080808080U;

constexpr std::uint64_t each(std::uint64_t byte) { return byte * 0x0101010101010101U; }

// The high bit of each byte that lies in [first, last], both ASCII.
constexpr std::uint64_t between(std::uint64_t word, char first, char last) {
    const auto least = static_cast<std::uint64_t>(0x80 - first), above = static_cast<std::uint64_t>(0x7F - last);
    const std::uint64_t low = word & ~kHighBits;
    return (low + each(least)) & ~(low + each(above)) & ~word & kHighBits;
}

constexpr std::uint64_t ascii_letters(std::uint64_t word) { return between(word | each(0x20), 'a', 'z'); }
constexpr std::uint64_t ascii_digits(std::uint64_t word) { return between(word, '0', '9'); }

// How many bytes from the first on have their high bit set: 0 to 8.
inline std::size_t leading(std::uint64_t high_bits) {
    return static_cast<std::size_t>(std::countr_zero(~high_bits & kHighBits)) / 8;
}

}  // namespace tersely::text
