#include "kernels/select/units.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <numeric>

#include "kernels/parallel.hpp"
#include "kernels/text/marks.hpp"

namespace tersely::select {

Units::Units(std::span<const std::int32_t> group, std::size_t n) : of(n, -1), order(n) {
    std::vector<std::int32_t> unit_of_group(group.empty() ? 0 : n, -1);
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t mine = group.empty() ? -1 : group[i];
        std::int32_t unit = mine < 0 ? -1 : unit_of_group[static_cast<std::size_t>(mine)];
        if (unit < 0) {
            unit = static_cast<std::int32_t>(sizes.size());
            sizes.push_back(0);
            if (mine >= 0) unit_of_group[static_cast<std::size_t>(mine)] = unit;
        }
        of[i] = unit;
        ++sizes[static_cast<std::size_t>(unit)];
    }
    first.assign(sizes.size() + 1, 0);
    std::partial_sum(sizes.begin(), sizes.end(), first.begin() + 1);
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < n; ++i) order[next[static_cast<std::size_t>(of[i])]++] = static_cast<std::int32_t>(i);
}

std::vector<std::int32_t> first_alike(std::span<const std::int32_t> ids, std::span<const std::int64_t> offsets) {
    const std::size_t n = offsets.size() - 1;
    const auto row_of = [&](std::size_t i) {
        const auto begin = static_cast<std::size_t>(offsets[i]);
        return ids.subspan(begin, static_cast<std::size_t>(offsets[i + 1]) - begin);
    };
    std::vector<std::int32_t> alike(n);
    std::vector<std::int32_t> slots(std::bit_ceil(2 * n + 1), -1);  // firsts, by hash, linear probing
    for (std::size_t i = 0; i < n; ++i) {
        alike[i] = static_cast<std::int32_t>(i);
        const auto row = row_of(i);
        if (row.empty()) continue;
        std::uint64_t key = row.size();
        for (const std::int32_t id : row) key = (key ^ static_cast<std::uint64_t>(id)) * 0x9E3779B97F4A7C15ULL;
        std::size_t at = (key >> 20U) & (slots.size() - 1);
        const auto same = [&](std::int32_t other_row) {
            const auto other = row_of(static_cast<std::size_t>(other_row));
            return std::equal(other.begin(), other.end(), row.begin(), row.end());
        };
        while (slots[at] >= 0 && !same(slots[at])) {
            at = (at + 1) & (slots.size() - 1);
        }
        if (slots[at] < 0) slots[at] = static_cast<std::int32_t>(i);
        alike[i] = slots[at];
    }
    return alike;
}

std::vector<std::int32_t> first_equal(std::span<const std::string_view> pieces,
                                      std::span<const std::string_view> before, std::span<const std::uint8_t> alone) {
    static constexpr std::array<std::string_view, 6> kIndents = {"  ", "\n ", "\t\t", "\n\t", " \t", "\t "};
    const std::size_t n = pieces.size();
    std::vector<std::string_view> bare(n);
    std::vector<std::int32_t> equal(n);
    std::vector<std::int32_t> slots(std::bit_ceil(2 * n + 1), -1);  // firsts, by hash, linear probing
    for (std::size_t i = 0; i < n; ++i) {
        check_cancelled();
        equal[i] = static_cast<std::int32_t>(i);
        if (alone[i] != 0 || std::find(kIndents.begin(), kIndents.end(), before[i]) != kIndents.end()) continue;
        const text::Span span = text::trim(pieces[i], {0, pieces[i].size()});
        bare[i] = pieces[i].substr(span.begin, span.end - span.begin);
        std::size_t at = std::hash<std::string_view>()(bare[i]) & (slots.size() - 1);
        while (slots[at] >= 0 && bare[static_cast<std::size_t>(slots[at])] != bare[i]) {
            at = (at + 1) & (slots.size() - 1);
        }
        if (slots[at] < 0) slots[at] = static_cast<std::int32_t>(i);
        equal[i] = slots[at];
    }
    return equal;
}

Tally tally(std::span<const std::uint8_t> status, std::span<const std::int64_t> cost,
            std::span<const std::int32_t> same, std::uint8_t first_kept) {
    std::vector<bool> said(same.size(), false);
    for (std::size_t i = 0; i < same.size(); ++i) {
        if (status[i] >= first_kept) said[static_cast<std::size_t>(same[i])] = true;
    }
    Tally result;
    for (std::size_t i = 0; i < status.size(); ++i) {
        if (status[i] >= first_kept) {
            result.kept += cost[i];
        } else if (same.empty() || !said[static_cast<std::size_t>(same[i])]) {
            if (result.cheapest_left < 0 || cost[i] < result.cheapest_left) result.cheapest_left = cost[i];
        }
    }
    return result;
}

}  // namespace tersely::select
