#include "kernels/relevance/forest.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "simd/trees.hpp"

namespace tersely::relevance {

static_assert(kTreeDepth == 4 && kTreeLeaves == 16, "what the kernels are written for");

void add_forest(const Forest& forest, std::span<const float> columns, std::span<double> score) {
    constexpr std::size_t kRows = simd::kTreeRows;
    const simd::TreeKernels& kernels = simd::tree_kernels();
    const std::size_t n = score.size();
    std::vector<std::uint8_t> bins((forest.first.size() - 1) * kRows);
    std::array<float, kRows> values{};  // the last rows may be fewer: what stands behind them is not looked at
    std::array<std::int32_t, kRows> sums{};
    for (std::size_t begin = 0; begin < n; begin += kRows) {
        const std::size_t rows = std::min(kRows, n - begin);
        for (std::size_t c = 0; c + 1 < forest.first.size(); ++c) {
            const auto from = static_cast<std::size_t>(forest.first[c]);
            const auto borders = forest.borders.subspan(from, static_cast<std::size_t>(forest.first[c + 1]) - from);
            std::copy_n(columns.data() + c * n + begin, rows, values.data());
            kernels.find_bins(borders.data(), borders.size(), values.data(), bins.data() + c * kRows);
        }
        kernels.sum_leaves(bins.data(), forest.column.data(), forest.bin.data(), forest.leaf.data(), forest.trees(),
                           sums.data());
        for (std::size_t i = 0; i < rows; ++i) score[begin + i] += forest.scale * sums[i];
    }
}

}  // namespace tersely::relevance
