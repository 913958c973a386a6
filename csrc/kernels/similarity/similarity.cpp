#include "kernels/similarity/similarity.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <string>

#include "kernels/similarity/panels.hpp"
#include "kernels/similarity/threshold.hpp"
#include "kernels/similarity/tiles.hpp"

namespace tersely::similarity {
namespace {

// Writes the products of two panels, and where `mirrored` their transpose too (a product is the same both ways).
void write_panels(const Panels& left, std::size_t left_panel, const Panels& right, std::size_t right_panel, float* out,
                  std::size_t stride, bool mirrored) {
    constexpr std::size_t kRows = simd::kTileRows;
    constexpr std::size_t kPanel = simd::kPanel;
    alignas(64) float products[kRows * kPanel];
    std::uint64_t hits[kRows];
    const std::size_t first = right_panel * kPanel;
    const std::size_t columns = std::min(kPanel, right.rows() - first);
    const std::size_t last = std::min((left_panel + 1) * kPanel, left.rows());
    for (std::size_t row = left_panel * kPanel; row < last; row += kRows) {
        simd::dot_kernels().tile(left.row(row), right.panel(right_panel), left.depth(),
                                 -std::numeric_limits<float>::infinity(), products, hits);
        const std::size_t rows = std::min(kRows, last - row);
        for (std::size_t r = 0; r < rows; ++r) {
            std::copy_n(products + r * kPanel, columns, out + (row + r) * stride + first);
        }
        if (!mirrored) continue;
        for (std::size_t c = 0; c < columns; ++c) {
            float* target = out + (first + c) * stride + row;
            for (std::size_t r = 0; r < rows; ++r) target[r] = products[r * kPanel + c];
        }
    }
}

}  // namespace

void all_similarities(const Rows& x, const Rows* y, float* out, std::size_t stride, const Workers& workers) {
    Panels left(x.count, x.depth);
    pack(x, {}, left, workers);
    Panels other(y != nullptr ? y->count : 0, x.depth);
    if (y != nullptr) pack(*y, {}, other, workers);
    const Panels& right = y != nullptr ? other : left;
    const double work = static_cast<double>(x.count) * static_cast<double>(right.rows() * x.depth);
    const Workers useful = workers.at_most(y != nullptr ? work : work / 2);
    const std::size_t size = block_panels(x.depth, std::max(left.count(), right.count()), useful.threads);
    const std::size_t rows = (left.count() + size - 1) / size;
    const std::size_t columns = (right.count() + size - 1) / size;
    const std::size_t units = y != nullptr ? rows * columns : triangle_units(rows);
    run_units(useful, units, [&](std::size_t unit, int) {
        const auto [row, column] = y != nullptr ? std::pair(unit / columns, unit % columns) : triangle(unit);
        for (std::size_t q = column * size; q < std::min((column + 1) * size, right.count()); ++q) {
            for (std::size_t p = row * size; p < std::min((row + 1) * size, left.count()); ++p) {
                if (y == nullptr && p > q) break;
                write_panels(left, p, right, q, out, stride, y == nullptr && p != q);
            }
        }
    });
}

std::vector<Pair> grouped(std::span<const std::vector<Pair>> lists, std::size_t rows, std::int32_t Pair::* by) {
    std::vector<std::size_t> next(rows + 1);
    for (const std::vector<Pair>& list : lists) {
        for (const Pair& pair : list) ++next[static_cast<std::size_t>(pair.*by) + 1];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<Pair> all(next.back());
    for (const std::vector<Pair>& list : lists) {
        for (const Pair& pair : list) all[next[static_cast<std::size_t>(pair.*by)]++] = pair;
    }
    return all;
}

TooManyPairs::TooManyPairs(std::size_t most)
    : std::length_error("more than max_pairs = " + std::to_string(most) + " pairs reach the threshold") {}

std::vector<Pair> pairs_at_least(const Rows& x, double threshold, std::size_t most, const Workers& workers) {
    Panels packed(x.count, x.depth, screen_head(x, threshold));
    pack(x, {}, packed, workers);
    Threshold decide(x, threshold, workers.threads);
    std::vector<std::vector<Pair>> found(static_cast<std::size_t>(workers.threads));
    std::atomic<std::size_t> total{0};
    visit_pairs(packed, decide.least(), workers, [&](std::size_t i, std::size_t j, float product, int worker) {
        if (!decide.reached(i, j, product, worker)) return;
        if (++total > most) throw TooManyPairs(most);
        found[static_cast<std::size_t>(worker)].push_back(
            {static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), product});
    });
    std::vector<Pair> all = grouped(found, x.count, &Pair::i);
    std::vector<std::vector<Pair>>().swap(found);
    for (auto begin = all.begin(), end = begin; begin != all.end(); begin = end) {
        end = std::find_if(begin, all.end(), [&](const Pair& pair) { return pair.i != begin->i; });
        std::sort(begin, end, [](const Pair& a, const Pair& b) { return a.j < b.j; });
        workers.check(1);
    }
    return all;
}

std::vector<std::uint8_t> has_pair(const Rows& x, double threshold, const Workers& workers) {
    Panels packed(x.count, x.depth, screen_head(x, threshold));
    pack(x, {}, packed, workers);
    Threshold decide(x, threshold, workers.threads);
    std::vector<std::vector<std::uint8_t>> found(static_cast<std::size_t>(workers.threads),
                                                 std::vector<std::uint8_t>(x.count));
    visit_pairs(packed, decide.least(), workers, [&](std::size_t i, std::size_t j, float product, int worker) {
        std::vector<std::uint8_t>& mine = found[static_cast<std::size_t>(worker)];
        if ((mine[i] & mine[j]) == 0 && decide.reached(i, j, product, worker)) mine[i] = mine[j] = 1;
    });
    for (std::size_t worker = 1; worker < found.size(); ++worker) {
        for (std::size_t row = 0; row < x.count; ++row) found[0][row] |= found[worker][row];
    }
    return std::move(found[0]);
}

}  // namespace tersely::similarity
