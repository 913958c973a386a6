// What is chosen together, and what says the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tersely::select {

// Groups of segments that are in or out together; a segment without a group (-1) is a unit of its own.
// Units are numbered by their lowest segment. O(n).
struct Units {
    Units(std::span<const std::int32_t> group, std::size_t n);  // group: empty, or n values in [-1, n)

    std::int32_t count() const { return static_cast<std::int32_t>(first.size()) - 1; }
    std::span<const std::int32_t> members(std::int32_t unit) const {  // ascending
        const auto at = static_cast<std::size_t>(unit);
        return std::span(order).subspan(first[at], first[at + 1] - first[at]);
    }

    std::vector<std::int32_t> of;    // unit of each segment
    std::vector<std::size_t> first;  // unit -> range of order
    std::vector<std::int32_t> order;
};

// For each row of terms, the first row with the same ids in the same order (itself where there is none, or
// where it is empty). Exact; O(terms) expected.
std::vector<std::int32_t> first_alike(std::span<const std::int32_t> ids, std::span<const std::int64_t> offsets);

// For each piece of text, the first that is the same but for white space at its ends, itself where there is none.
// Compared with none: what `alone` marks, and what is indented, by the two bytes or less that stand `before` it.
// Exact; O(bytes) expected.
std::vector<std::int32_t> first_equal(std::span<const std::string_view> pieces,
                                      std::span<const std::string_view> before, std::span<const std::uint8_t> alone);

// What a choice costs as its units are priced, and the cheapest unit that is left out and says what no kept one does;
// -1: there is none. Kept are those of status `first_kept` or more; `same`: of first_equal, or empty. O(n).
struct Tally {
    std::int64_t kept = 0, cheapest_left = -1;
};
Tally tally(std::span<const std::uint8_t> status, std::span<const std::int64_t> cost,
            std::span<const std::int32_t> same, std::uint8_t first_kept);

}  // namespace tersely::select
