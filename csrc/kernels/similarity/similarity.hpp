// Cosine similarity of all rows, and the pairs that reach a threshold.
//
// Contract: a similarity is the product of two packed rows (panels.hpp; one chain of fused multiply-adds), the same
// bits for every thread count, tile and instruction set; a zero row has similarity 0 to everything; a row with a NaN or
// an infinity throws NotFinite. Absolute error at most margin(depth).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "kernels/parallel.hpp"
#include "kernels/similarity/rows.hpp"

namespace tersely::similarity {

// out[i * stride + j] = similarity of row i of x with row j of y (nullptr: of x). O(n m d) time, O((n + m) d) memory.
void all_similarities(const Rows& x, const Rows* y, float* out, std::size_t stride, const Workers& workers);

struct Pair {
    std::int32_t i, j;
    float similarity;
};

// The pairs of all lists by i (or j), which is below `rows`, those of one i in the order in which they are given.
// O(pairs + rows).
std::vector<Pair> grouped(std::span<const std::vector<Pair>> lists, std::size_t rows, std::int32_t Pair::* by);

struct TooManyPairs : std::length_error {
    explicit TooManyPairs(std::size_t most);
};

// The pairs i < j whose cosine reaches the threshold (threshold.hpp), by i, then j. Throws TooManyPairs when there are
// more than `most`. O(n^2 d) time, O(n d + pairs) memory.
std::vector<Pair> pairs_at_least(const Rows& x, double threshold, std::size_t most, const Workers& workers);

// 1 for each row whose cosine with some other row reaches the threshold, 0 for the others. O(n^2 d) time, O(n (d +
// threads)) memory.
std::vector<std::uint8_t> has_pair(const Rows& x, double threshold, const Workers& workers);

}  // namespace tersely::similarity
