// Byte scans over text, compiled once per instruction set and chosen at run time. All of them are
// exact: every instruction set gives the same answer. Reads stay inside [text, text + size).
#pragma once

#include <cstddef>

namespace tersely::simd {

struct ByteKernels {
    // Number of characters (bytes that are not UTF-8 continuation bytes).
    std::size_t (*count_chars)(const char* text, std::size_t size);
    // First byte that can end a sentence or a line, or start a character that can ('.', '!', '?',
    // '\n', '\r', or a lead byte D6 D8 DB E0 E1 E2 E3 EF); `size` where there is none.
    std::size_t (*find_mark)(const char* text, std::size_t size);
};

// The best kernels for this CPU, or those TERSELY_ISA names (scalar, avx2, avx512, avx512vnni, neon), read once.
// Throws std::runtime_error for an unknown name or a set this CPU does not have.
const ByteKernels& byte_kernels();

// The name of that instruction set.
const char* isa();

}  // namespace tersely::simd
