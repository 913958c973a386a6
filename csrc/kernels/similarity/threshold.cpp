#include "kernels/similarity/threshold.hpp"

#include <cmath>
#include <limits>

#include "kernels/similarity/panels.hpp"

namespace tersely::similarity {

Threshold::Threshold(const Rows& rows, double threshold, int workers) : exact_(threshold - 1e-9) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    least_ = std::nextafter(static_cast<float>(exact_ - margin(rows.depth)), -kInfinity);
    certain_ = std::nextafter(static_cast<float>(exact_ + margin(rows.depth)), kInfinity);
    cosines_.reserve(static_cast<std::size_t>(workers));
    for (int worker = 0; worker < workers; ++worker) cosines_.emplace_back(rows);
}

bool Threshold::exactly(std::size_t i, std::size_t j, int worker) {
    return cosines_[static_cast<std::size_t>(worker)](i, j) >= exact_;
}

}  // namespace tersely::similarity
