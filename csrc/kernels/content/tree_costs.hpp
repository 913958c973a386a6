// Trees of lines with costs: plans of databases, profiles of calls.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kernels/content/line_reader.hpp"

namespace tersely::content {

// The first share ("61.2%") or time with a unit that a line says, in milliseconds; of databases' plans ("actual
// time=0.03..0.04 rows=2 loops=410") all loops. 0: none. O(bytes).
float cost_of(std::string_view line);

// Raises `odd`, of rows, to 1 and less for what costs most in a tree: down from its root, the child that costs most
// each time, while that is half of what its parent does. A tree is lines of a document by their margins. O(rows).
void mark_costly(std::span<const Row> rows, std::vector<float>& odd);

}  // namespace tersely::content
