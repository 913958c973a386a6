// Features and their weights -> one score.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tersely::relevance {

// s_i: the sum over the features, in their order and in double, of weight * feature. `features`: n values a weight, one
// feature after another, finite. O(n * weights).
std::vector<double> weighted_sum(std::span<const float> features, std::span<const double> weights, std::size_t n);

// With m the median of s (the lower of the two middle ones): ln(1 + exp(s_i - m)), rounded to float32: 0 or more, and
// for what stands out close to how much it stands out. O(n).
std::vector<float> above_median(std::span<const double> sum);

}  // namespace tersely::relevance
