// Byte scans over text, compiled once per instruction set and chosen at run time. All of them are
// exact: every instruction set gives the same answer. Reads stay inside [text, text + size) but where they say more.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tersely::simd {

inline constexpr std::size_t kMaskBlock = 64;

// A bit for each of at most kMaskBlock bytes, the first one lowest; how many of some there are.
struct ByteMasks {
    std::uint64_t letters;                // ASCII
    std::uint64_t wide;                   // 0x80 and above
    std::uint64_t digits;                 // ASCII
    std::uint64_t spaces;                 // ' '
    std::uint64_t underscores;            // '_'
    std::uint64_t signs;                  // '!' to '~' that are none of these
    std::uint64_t coding;                 // signs and '_' but " # ' ) , - . / : ? `
    std::uint64_t openers;                // ( : [
    std::uint64_t colons;                 // :
    std::uint64_t telling;                // ( = * `
    std::uint8_t lettered;                // letters and wide
    std::uint8_t spaced, counted, coded;  // spaces, digits, coding
};

struct ByteKernels {
    // Number of characters (bytes that are not UTF-8 continuation bytes).
    std::size_t (*count_chars)(const char* text, std::size_t size);
    // First byte that can end a sentence or a line, or start a character that can ('.', '!', '?',
    // '\n', '\r', or a lead byte D6 D8 DB E0 E1 E2 E3 EF); `size` where there is none.
    std::size_t (*find_mark)(const char* text, std::size_t size);
    // The masks of text[0, size), size <= kMaskBlock. Reads kMaskBlock bytes.
    void (*masks)(const char* text, std::size_t size, ByteMasks* masks);
};

// The best kernels for this CPU, or those TERSELY_ISA names (scalar, avx2, avx512, avx512vnni, neon), read once.
// Throws std::runtime_error for an unknown name or a set this CPU does not have.
const ByteKernels& byte_kernels();

// The name of that instruction set.
const char* isa();

}  // namespace tersely::simd
