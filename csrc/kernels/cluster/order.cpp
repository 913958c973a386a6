#include <algorithm>
#include <numeric>

#include "kernels/cluster/clusters.hpp"

namespace tersely::cluster {

std::vector<std::int32_t> by_score(std::size_t count, std::span<const double> scores) {
    std::vector<std::int32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    if (scores.empty()) return order;
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
    });
    return order;
}

Clusters numbered(std::span<const std::int32_t> order, std::span<const std::int32_t> component) {
    Clusters made;
    made.labels.resize(component.size());
    std::vector<std::int32_t> number(component.size(), -1);
    for (const std::int32_t row : order) {
        std::int32_t& mine = number[static_cast<std::size_t>(component[static_cast<std::size_t>(row)])];
        if (mine < 0) {
            mine = static_cast<std::int32_t>(made.sizes.size());
            made.representatives.push_back(row);
            made.sizes.push_back(0);
        }
        made.labels[static_cast<std::size_t>(row)] = mine;
        ++made.sizes[static_cast<std::size_t>(mine)];
    }
    return made;
}

}  // namespace tersely::cluster
