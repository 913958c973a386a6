// Maximal marginal relevance (Carbonell and Goldstein 1998).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/parallel.hpp"
#include "kernels/similarity/rows.hpp"
#include "kernels/subset/chosen.hpp"

namespace tersely::subset {

// Chooses `count` rows (all where there are fewer), pinned ones first: the next is the one with the largest
// weight * relevance - (1 - weight) * (largest similarity to a chosen row); the first one, where nothing is pinned, the
// most relevant. That number is its gain. Computed in double from float similarities (similarity.hpp), ties to the
// lowest index. `relevance`: a finite number a row. value, cost and upper_bound are not set.
// O(count n d) time, O(n d) memory.
Chosen marginal_relevance(const similarity::Rows& rows, std::span<const double> relevance, std::size_t count,
                          double weight, std::span<const std::int32_t> pinned, const Workers& workers);

}  // namespace tersely::subset
