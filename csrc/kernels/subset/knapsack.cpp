#include "kernels/subset/knapsack.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace tersely::subset {
namespace {

std::vector<std::int32_t> by_density(std::span<const double> values, std::span<const double> costs) {
    std::vector<std::int32_t> order;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] > 0) order.push_back(static_cast<std::int32_t>(i));
    }
    const auto of = [&](std::int32_t i) {
        return density(values[static_cast<std::size_t>(i)], costs[static_cast<std::size_t>(i)]);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return of(a) > of(b); });
    return order;
}

}  // namespace

double density(double value, double cost) {
    if (cost > 0) return value / cost;
    return value > 0 ? std::numeric_limits<double>::infinity() : 0;
}

double fractional_fill(std::span<const double> values, std::span<const double> costs, double room) {
    double sum = 0;
    room = std::max(room, 0.0);
    for (const std::int32_t i : by_density(values, costs)) {
        const auto at = static_cast<std::size_t>(i);
        const double share = costs[at] > 0 ? std::min(1.0, room / costs[at]) : 1;
        sum += values[at] * share;
        room -= costs[at] * share;
    }
    return sum;
}

Chosen knapsack(std::span<const double> values, std::span<const double> costs, double budget,
                std::span<const std::int32_t> pinned) {
    Chosen pins;
    std::vector<double> rest(values.begin(), values.end());  // 0: not to be chosen
    const auto take = [&](Chosen& chosen, std::int32_t i) {
        const auto at = static_cast<std::size_t>(i);
        chosen.items.push_back(i);
        chosen.gains.push_back(values[at]);
        chosen.value += values[at];
        chosen.cost += costs[at];
    };
    for (const std::int32_t i : pinned) {
        take(pins, i);
        rest[static_cast<std::size_t>(i)] = 0;
    }
    const double room = budget - pins.cost;
    std::int32_t best = -1;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        if (costs[i] > room) rest[i] = 0;
        if (rest[i] > 0 && (best < 0 || rest[i] > rest[static_cast<std::size_t>(best)]))
            best = static_cast<std::int32_t>(i);
    }
    const std::vector<std::int32_t> order = by_density(rest, costs);
    const auto fill = [&](Chosen chosen, std::int32_t first) {
        if (first >= 0) take(chosen, first);
        for (const std::int32_t i : order) {
            if (i != first && chosen.cost + costs[static_cast<std::size_t>(i)] <= budget) take(chosen, i);
        }
        return chosen;
    };
    Chosen chosen = fill(pins, -1);
    if (best >= 0 && pins.value + rest[static_cast<std::size_t>(best)] > chosen.value) chosen = fill(pins, best);
    chosen.upper_bound = std::max(chosen.value, pins.value + fractional_fill(rest, costs, room));
    return chosen;
}

}  // namespace tersely::subset
