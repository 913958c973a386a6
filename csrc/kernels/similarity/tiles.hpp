// Walks over the products of packed rows, in blocks that stay in the cache.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/similarity/similarity.hpp"
#include "simd/dot.hpp"
#include "simd/screen.hpp"

namespace tersely::similarity {

// Whether asking the screen pays: where much of two panels passed it, the next ones are multiplied unasked, about twice
// as many after each such answer, half as many after a better one. It changes time only, so each worker has its own.
class Patience {
  public:
    bool asks() {
        if (unasked_ == 0) return true;
        --unasked_;
        return false;
    }
    void answered(bool helped) {
        pause_ = helped ? pause_ / 2 : std::min(2 * pause_ + 1, 31);
        unasked_ = pause_;
    }

  private:
    int unasked_ = 0, pause_ = 0;
};

// Calls visit(left row, right row, product) for the products of two panels that are at least `threshold`, rows
// counted over the whole `left` and `right`; with `upper`, only where the left row is the lower one (`left` and `right`
// are the same panels then). Rows of the padding are zero and left out. Where both are screened, what the codes say
// cannot reach the threshold is not computed: a product is at most margin() above the exact one of the packed rows, and
// that at most what simd::ScreenKernels::screen compares.
template <typename Visit>
void visit_panels(const Panels& left, std::size_t left_panel, const Panels& right, std::size_t right_panel,
                  float threshold, bool upper, Patience& patience, Visit&& visit) {
    constexpr std::size_t kRows = simd::kTileRows;
    constexpr std::size_t kPanel = simd::kPanel;
    constexpr int kLines = 4;       // as many rows cost less one by one than a tile of eight
    constexpr int kMostLines = 16;  // where more passed the screen, asking costs more than it saves
    const simd::DotKernels& kernels = simd::dot_kernels();
    alignas(64) float products[kRows * kPanel];
    std::uint64_t hits[kRows];
    const std::size_t columns = std::min(kPanel, right.rows() - right_panel * kPanel);
    const std::uint64_t inside = ~std::uint64_t{0} >> (64 - columns);
    const bool diagonal = upper && left_panel == right_panel;
    const auto wanted = [&](std::size_t row) {  // columns of it
        return diagonal ? inside & (~std::uint64_t{0} << (row - left_panel * kPanel + 1)) : inside;
    };
    const auto visit_row = [&](std::size_t row, std::uint64_t rest, const float* of) {
        for (; rest != 0; rest &= rest - 1) {
            const auto c = static_cast<std::size_t>(std::countr_zero(rest));
            if (of[c] >= threshold) visit(row, right_panel * kPanel + c, of[c]);
        }
    };
    const std::size_t last = std::min((left_panel + 1) * kPanel, left.rows());
    const bool screened = left.screened() && right.screened() && patience.asks();
    const float hopeless = threshold - static_cast<float>(margin(left.depth())) - simd::kScreenSlack;
    int passed = 0;  // rows that the screen let through
    for (std::size_t row = left_panel * kPanel; row < last; row += kRows) {
        const std::size_t end = std::min(row + kRows, last);
        if (screened && passed < kMostLines) {
            if (!kernels.screening->screen(left.coded(row), right.coded(right_panel * kPanel), left.head(),
                                           left.groups(), hopeless, hits))
                continue;
            int lines = 0;
            for (std::size_t r = row; r < end; ++r) lines += (hits[r - row] & wanted(r)) != 0;
            passed += lines <= kLines ? lines : static_cast<int>(kRows);
            if (lines <= kLines) {
                for (std::size_t r = row; r < end; ++r) {
                    const std::uint64_t rest = hits[r - row] & wanted(r);
                    if (rest == 0) continue;
                    kernels.line(left.row(r), right.panel(right_panel), left.depth(), products);
                    visit_row(r, rest, products);
                }
                continue;
            }
        }
        if (!kernels.tile(left.row(row), right.panel(right_panel), left.depth(), threshold, products, hits)) continue;
        for (std::size_t r = row; r < end; ++r) {
            visit_row(r, hits[r - row] & wanted(r), products + (r - row) * kPanel);
        }
    }
    if (screened) patience.answered(passed < kMostLines);
}

// Panels of a block: half a megabyte, and enough blocks for all threads to end at about the same time.
inline std::size_t block_panels(std::size_t depth, std::size_t panels, int threads) {
    const std::size_t fitting =
        (std::size_t{1} << 19U) / (simd::kPanel * sizeof(float) * std::max<std::size_t>(depth, 1));
    const std::size_t sharing = threads > 1 ? panels / (8 * static_cast<std::size_t>(threads)) : panels;
    return std::max<std::size_t>(1, std::min({fitting, sharing, std::size_t{64}}));
}

// Pairs (row, column) of blocks with row <= column.
inline std::size_t triangle_units(std::size_t blocks) { return blocks * (blocks + 1) / 2; }

// The one that has this number.
inline std::pair<std::size_t, std::size_t> triangle(std::size_t number) {
    auto column = static_cast<std::size_t>((std::sqrt(8 * static_cast<double>(number) + 1) - 1) / 2);
    while (column * (column + 1) / 2 > number) --column;
    while ((column + 1) * (column + 2) / 2 <= number) ++column;
    return {number - column * (column + 1) / 2, column};
}

// Calls visit(left, right, product, worker) for all pairs left < right of rows whose product is at least `threshold`.
template <typename Visit>
void visit_pairs(const Panels& rows, float threshold, const Workers& workers, Visit&& visit) {
    const auto count = static_cast<double>(rows.rows());
    const Workers useful = workers.at_most(count * count / 2 * static_cast<double>(rows.depth()));
    const std::size_t size = block_panels(rows.depth(), rows.count(), useful.threads);
    const std::size_t blocks = (rows.count() + size - 1) / size;
    std::vector<Patience> patience(static_cast<std::size_t>(workers.threads));
    run_units(useful, triangle_units(blocks), [&](std::size_t unit, int worker) {
        const auto [above, below] = triangle(unit);
        for (std::size_t right = below * size; right < std::min((below + 1) * size, rows.count()); ++right) {
            const std::size_t end = std::min({(above + 1) * size, rows.count(), right + 1});
            for (std::size_t left = above * size; left < end; ++left) {
                visit_panels(rows, left, rows, right, threshold, true, patience[static_cast<std::size_t>(worker)],
                             [&](std::size_t i, std::size_t j, float product) { visit(i, j, product, worker); });
            }
        }
    });
}

}  // namespace tersely::similarity
