// Eight bytes of a text at once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tersely::text {

// The first of eight bytes is the lowest of the number, whatever the machine.
inline std::uint64_t load8(const char* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, 8);
    if constexpr (std::endian::native == std::endian::big) {
        std::uint64_t turned = 0;
        for (int i = 0; i < 8; ++i) turned |= (word >> (8 * i) & 0xFFU) << (56 - 8 * i);
        word = turned;
    }
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

// The high bit of each byte that is an ASCII letter.
inline std::uint64_t ascii_letters(std::uint64_t word) {
    const std::uint64_t low = (word | each(0x20)) & ~kHighBits;
    return (low + each(0x80 - 'a')) & ~(low + each(0x80 - 'z' - 1)) & ~word & kHighBits;
}

// The high bit of each byte that is an ASCII letter, a digit or an underscore.
inline std::uint64_t ascii_word_bytes(std::uint64_t word) {
    const std::uint64_t low = word & ~kHighBits;
    const std::uint64_t digits = (low + each(0x80 - '0')) & ~(low + each(0x80 - '9' - 1));
    const std::uint64_t underscores = ~((low ^ each('_')) + each(0x7F));
    return ascii_letters(word) | ((digits | underscores) & ~word & kHighBits);
}

// How many bytes from the first on have their high bit set: 0 to 8.
inline std::size_t leading(std::uint64_t high_bits) {
    return static_cast<std::size_t>(std::countr_zero(~high_bits & kHighBits)) / 8;
}

}  // namespace tersely::text
