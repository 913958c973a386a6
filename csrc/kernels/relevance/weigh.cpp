#include "kernels/relevance/weigh.hpp"

#include <algorithm>
#include <cmath>

namespace tersely::relevance {
namespace {

// ln(1 + exp(x)) without overflow.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

}  // namespace

std::vector<double> weighted_sum(std::span<const float> features, std::span<const double> weights, std::size_t n) {
    std::vector<double> sum(n, 0.0);
    for (std::size_t f = 0; f < weights.size(); ++f) {
        const auto column = features.subspan(f * n, n);
        for (std::size_t i = 0; i < n; ++i) sum[i] += weights[f] * column[i];
    }
    return sum;
}

std::vector<float> above_median(std::span<const double> sum) {
    std::vector<float> score(sum.size());
    if (sum.empty()) return score;
    std::vector<double> sorted(sum.begin(), sum.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sum.size() - 1) / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    std::transform(sum.begin(), sum.end(), score.begin(),
                   [m = *middle](double s) { return static_cast<float>(softplus(s - m)); });
    return score;
}

}  // namespace tersely::relevance
