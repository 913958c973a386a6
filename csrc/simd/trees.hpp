// Sums of the leaves of oblivious trees, compiled once per instruction set and chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tersely::simd {

inline constexpr std::size_t kTreeRows = 32;  // rows that are asked together

struct TreeKernels {
    // bins[i] = the number of borders below values[i], of kTreeRows values; at most 255 borders.
    void (*find_bins)(const float* borders, std::size_t count, const float* values, std::uint8_t* bins);
    // sums[i] = the sum over the trees of row i's leaf, of kTreeRows rows. Tree t asks, for k from 0 to 3, whether
    // bins[kTreeRows * column[4 t + k] + i] is over bin[4 t + k]; the answers, the first one as the highest bit,
    // number its leaf of the 16 at leaf + 16 t. Fewer than 2^24 trees.
    void (*sum_leaves)(const std::uint8_t* bins, const std::uint8_t* column, const std::uint8_t* bin,
                       const std::int8_t* leaf, std::size_t trees, std::int32_t* sums);
};

// The kernels of the instruction set that byte_kernels() (bytes.hpp) names.
const TreeKernels& tree_kernels();

}  // namespace tersely::simd
