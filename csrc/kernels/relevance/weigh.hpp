// Features and their weights -> one score.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tersely::relevance {

// With s_i = sum over the features, in their order and in double, of weight * feature, and m the median of s (the lower
// of the two middle ones): score_i = ln(1 + exp(s_i - m)), rounded to float32: 0 or more, and for what stands out close
// to how much it stands out. `features`: n values a weight, one feature after another, finite. O(n * weights).
std::vector<float> weigh(std::span<const float> features, std::span<const double> weights, std::size_t n);

}  // namespace tersely::relevance
