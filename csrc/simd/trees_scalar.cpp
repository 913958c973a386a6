#include "simd/trees.hpp"

namespace {

using tersely::simd::kTreeRows;

void find_bins(const float* borders, std::size_t count, const float* values, std::uint8_t* bins) {
    for (std::size_t i = 0; i < kTreeRows; ++i) bins[i] = 0;
    for (std::size_t b = 0; b < count; ++b) {
        const float border = borders[b];
        for (std::size_t i = 0; i < kTreeRows; ++i) bins[i] = static_cast<std::uint8_t>(bins[i] + (values[i] > border));
    }
}

void sum_leaves(const std::uint8_t* bins, const std::uint8_t* column, const std::uint8_t* bin, const std::int8_t* leaf,
                std::size_t trees, std::int32_t* sums) {
    for (std::size_t i = 0; i < kTreeRows; ++i) sums[i] = 0;
    for (std::size_t t = 0; t < trees; ++t) {
        std::uint8_t at[kTreeRows] = {};
        for (std::size_t k = 4 * t; k < 4 * t + 4; ++k) {
            const std::uint8_t* row = bins + kTreeRows * column[k];
            const std::uint8_t asked = bin[k];
            for (std::size_t i = 0; i < kTreeRows; ++i) {
                at[i] = static_cast<std::uint8_t>(2 * at[i] + (row[i] > asked ? 1 : 0));
            }
        }
        for (std::size_t i = 0; i < kTreeRows; ++i) sums[i] += leaf[16 * t + at[i]];
    }
}

}  // namespace

namespace tersely::simd {
extern const TreeKernels kTrees_scalar;
const TreeKernels kTrees_scalar = {find_bins, sum_leaves};
}  // namespace tersely::simd
