#include "kernels/relevance/forest.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace tersely::relevance {
namespace {

constexpr std::size_t kRows = 256;  // at a time, so that their bins stay in the cache

void find_bins(const Forest& forest, std::span<const float> columns, std::size_t n, std::size_t begin, std::size_t rows,
               std::vector<std::uint8_t>& bins) {
    for (std::size_t c = 0; c + 1 < forest.first.size(); ++c) {
        const auto from = static_cast<std::size_t>(forest.first[c]);
        const auto borders = forest.borders.subspan(from, static_cast<std::size_t>(forest.first[c + 1]) - from);
        const auto values = columns.subspan(c * n + begin, rows);
        std::uint8_t* out = bins.data() + c * kRows;
        std::fill_n(out, rows, std::uint8_t{0});
        for (const float border : borders) {
            for (std::size_t i = 0; i < rows; ++i) out[i] = static_cast<std::uint8_t>(out[i] + (values[i] > border));
        }
    }
}

}  // namespace

void add_forest(const Forest& forest, std::span<const float> columns, std::span<double> score) {
    const std::size_t n = score.size();
    std::vector<std::uint8_t> bins((forest.first.size() - 1) * kRows);
    std::array<std::uint8_t, kRows> leaf{};
    std::array<std::int32_t, kRows> sum{};
    for (std::size_t begin = 0; begin < n; begin += kRows) {
        const std::size_t rows = std::min(kRows, n - begin);
        find_bins(forest, columns, n, begin, rows, bins);
        sum.fill(0);
        for (std::size_t t = 0; t < forest.trees(); ++t) {
            leaf.fill(0);
            for (std::size_t k = t * kTreeDepth; k < (t + 1) * kTreeDepth; ++k) {
                const std::uint8_t* bin = bins.data() + std::size_t{forest.column[k]} * kRows;
                const std::uint8_t asked = forest.bin[k];
                for (std::size_t i = 0; i < rows; ++i) {
                    leaf[i] = static_cast<std::uint8_t>(2 * leaf[i] + (bin[i] > asked ? 1 : 0));
                }
            }
            const std::int8_t* value = forest.leaf.data() + t * kTreeLeaves;
            for (std::size_t i = 0; i < rows; ++i) sum[i] += value[leaf[i]];
        }
        for (std::size_t i = 0; i < rows; ++i) score[begin + i] += forest.scale * sum[i];
    }
}

}  // namespace tersely::relevance
