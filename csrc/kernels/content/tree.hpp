// Units in a tree, under a budget: what is kept stands in what is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tersely::content {

struct Tree {
    std::span<const std::int32_t> parent;   // a row above, which this one needs; -1: none
    std::span<const std::int32_t> follows;  // a row above that this one is in or out with (what closes it); -1: none
    std::span<const std::int32_t> group;    // equal values >= 0: all in or all out; may be empty
    std::span<const std::uint8_t> pinned;   // non-zero: in, with all it needs, whatever it costs; may be empty
};

// Rows that follow none, the highest priority first, a parent before what needs it, ties by row: a parent's priority
// counts as the least number above all of those below it; a group's as its best. `priority`: finite. The first `most`
// of them. O(n + most log most).
std::vector<std::int32_t> tree_order(const Tree& tree, std::span<const double> priority, std::size_t most);

// What is in under a budget of estimated tokens: pinned rows, then in `order` each row whose parent is in and that
// fits, with what follows it; a group with all parents of its members. 1 for in. `cost`: >= 0, of a row without those
// that follow it. `most`: rows taken besides pins. O(n), and O(depth) a row of a group or pin.
std::vector<std::uint8_t> tree_choose(const Tree& tree, std::span<const std::int32_t> order,
                                      std::span<const double> cost, double budget, std::size_t most);

}  // namespace tersely::content
