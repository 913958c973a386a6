#include "kernels/relevance/weigh.hpp"

#include <algorithm>
#include <cmath>

namespace tersely::relevance {
namespace {

// ln(1 + exp(x)) without overflow.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

}  // namespace

std::vector<float> weigh(std::span<const float> features, std::span<const double> weights, std::size_t n) {
    std::vector<double> sum(n, 0.0);
    for (std::size_t f = 0; f < weights.size(); ++f) {
        const auto column = features.subspan(f * n, n);
        for (std::size_t i = 0; i < n; ++i) sum[i] += weights[f] * column[i];
    }
    std::vector<float> score(n);
    if (n == 0) return score;
    std::vector<double> sorted = sum;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((n - 1) / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    for (std::size_t i = 0; i < n; ++i) score[i] = static_cast<float>(softplus(sum[i] - *middle));
    return score;
}

}  // namespace tersely::relevance
