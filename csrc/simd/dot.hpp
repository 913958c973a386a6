// Dot products of packed rows, compiled once per instruction set and chosen at run time.
//
// Contract: a packed panel holds kPanel rows of `depth` floats, column by column: element k of row r stands at
// [k * kPanel + r]. A dot product is one chain of fused multiply-adds, sum = fma(left[k], right[k], sum) for
// k = 0, 1, ... from sum = 0, so that every instruction set, tile and thread gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tersely::simd {

inline constexpr std::size_t kPanel = 48;     // rows of a packed panel
inline constexpr std::size_t kPackRows = 16;  // rows that are packed together; divides kPanel
inline constexpr std::size_t kSums = 16;      // partial sums of what is summed in double
inline constexpr std::size_t kTileRows = 8;   // rows of the left panel that one tile takes; divides kPanel

struct ScreenKernels;

struct DotKernels {
    // The products of rows left[0 .. kTileRows) with the kPanel rows of `right`. Bit c of hits[r] is set where
    // product (r, c) is at least `threshold`; out[r * kPanel + c] is defined at least where it is set. Returns
    // whether any is. `left` may point at any row of a panel whose index is a multiple of kTileRows.
    bool (*tile)(const float* left, const float* right, std::size_t depth, float threshold, float* out,
                 std::uint64_t* hits);
    // The products of one row of a panel with the kPanel rows of `right`, the bits that `tile` gives.
    void (*line)(const float* left, const float* right, std::size_t depth, float* out);
    // What rules most products out before `tile` computes them; nullptr where that would not be faster.
    const ScreenKernels* screening;
    // Sum of x[i] * y[i] in double: kSums partial sums (i mod kSums), then pairwise halves, no fused operations.
    double (*dot)(const double* x, const double* y, std::size_t size);
    // out[i] = x[i], exact.
    void (*widen)(const float* x, std::size_t size, double* out);
    // out[i] = float(x[i] * factor), 0 where that is below 2^-63 (what is smaller adds less than rounding does, and its
    // products would be denormal, which many CPUs take a hundred times longer for).
    void (*scale)(const double* x, std::size_t size, double factor, float* out);
    // Transposes: words[i * kPanel + r] = rows[r * stride + i] for i < size, r < kPackRows; words of 4 bytes.
    void (*interleave)(const void* rows, std::size_t stride, std::size_t size, void* words);
    // Sum of weights[i] * max(0, x[i] - least[i]) in double, in the order of `dot`; nullptr: all weights are 1.
    double (*excess)(const float* x, const float* least, const double* weights, std::size_t size);
};

// The kernels of the instruction set that byte_kernels() (bytes.hpp) names.
const DotKernels& dot_kernels();

}  // namespace tersely::simd
