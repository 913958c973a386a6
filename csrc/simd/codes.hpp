// Sums of rows coded in 4 bits, compiled once per instruction set and chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tersely::simd {

inline constexpr std::size_t kCodeBlock = 32;   // bytes of a row that are summed together; rows are multiples of it
inline constexpr std::size_t kRowsAhead = 8;    // rows that are fetched from memory before they are needed
inline constexpr std::size_t kMemoryLine = 64;  // bytes of memory that are fetched together

struct CodeKernels {
    // Adds rows ids[0], ids[1], ... in this order to `sums`: row r is the `width` bytes at codes + r * width, and
    // byte b gives sums[b] += scales[r] * ((byte & 15) - 8) and sums[width + b] += scales[r] * ((byte >> 4) - 8), each
    // a product rounded to float32, then a sum rounded to float32 (no fused operations): every instruction set gives
    // the same bits.
    void (*add_rows)(const std::uint8_t* codes, std::size_t width, const float* scales, const std::int32_t* ids,
                     std::size_t count, float* sums);
};

// The kernels of the instruction set that byte_kernels() (bytes.hpp) names.
const CodeKernels& code_kernels();

}  // namespace tersely::simd
