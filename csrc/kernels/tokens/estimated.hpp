// Tokens of units by their length, where they are too many to be counted.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace tersely::tokens {

// int64[n], rounded up: `density` for a character and one more, `gap` where white space of more than a character is
// before a unit, `marker` where others need it. Columns as of a table of segments. Raises std::invalid_argument for
// columns of other lengths, and headings that are no rows. O(n).
inline std::vector<std::int64_t> estimated_costs(std::span<const std::int64_t> start, std::span<const std::int64_t> end,
                                                 std::span<const std::int32_t> heading, double density, double gap,
                                                 double marker) {
    const std::size_t n = start.size();
    if (end.size() != n || heading.size() != n) throw std::invalid_argument("all columns must have one length");
    std::vector<bool> needed(n);
    for (const std::int32_t row : heading) {
        if (row >= static_cast<std::int64_t>(n)) throw std::invalid_argument("heading must be rows");
        if (row >= 0) needed[static_cast<std::size_t>(row)] = true;
    }
    std::vector<std::int64_t> costs(n);
    for (std::size_t i = 0; i < n; ++i) {
        double cost = static_cast<double>(end[i] - start[i] + 1) * density;
        if (i > 0 && start[i] - end[i - 1] > 1) cost += gap;
        if (needed[i]) cost += marker;
        costs[i] = static_cast<std::int64_t>(std::ceil(cost));
    }
    return costs;
}

}  // namespace tersely::tokens
