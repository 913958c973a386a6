// Trees that correct the weighted sum of the features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tersely::relevance {

inline constexpr std::size_t kTreeDepth = 4;
inline constexpr std::size_t kTreeLeaves = std::size_t{1} << kTreeDepth;

// Oblivious trees: all nodes of a level ask the same. A value's bin is the number of borders of its column below it.
// Tree t asks, for k from 0 to 3, whether the bin of column[4 t + k] is over bin[4 t + k]; the answers, the first one
// as the highest bit, number its leaf.
struct Forest {
    std::span<const float> borders;        // ascending in each column, finite, at most 255 a column
    std::span<const std::int32_t> first;   // where the borders of each column begin, and their number
    std::span<const std::uint8_t> column;  // of each test
    std::span<const std::uint8_t> bin;     // of each test
    std::span<const std::int8_t> leaf;     // 16 a tree
    double scale = 0;                      // what 1 in a leaf is worth

    std::size_t trees() const { return leaf.size() / kTreeLeaves; }
};

// score[i] += scale * the sum of the leaves of row i: sums of integers, so the same bits everywhere. `columns`: n
// values a column, one column after another. O(n (trees + columns)).
void add_forest(const Forest& forest, std::span<const float> columns, std::span<double> score);

}  // namespace tersely::relevance
