// Items under a budget.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/subset/chosen.hpp"

namespace tersely::subset {

// Value per cost, as items are ordered by: infinite where something costs nothing.
double density(double value, double cost);

// The most that items can add within `room` when the last one may be taken in part (Dantzig 1957). `values` below 0
// count as 0. O(n log n).
double fractional_fill(std::span<const double> values, std::span<const double> costs, double room);

// Greedy by value per cost with completion (an item that does not fit is passed over), or the best single item,
// completed the same way, where that is worth more: at least half of the best possible value (Dantzig 1957).
// Worthless items are left out; ties go to the lowest index; pinned items are in, whatever they cost (the caller
// checks). upper_bound: fractional_fill. values and costs are finite, costs not negative. O(n log n).
Chosen knapsack(std::span<const double> values, std::span<const double> costs, double budget,
                std::span<const std::int32_t> pinned);

}  // namespace tersely::subset
