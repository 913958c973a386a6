// Lines of key=value.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/content/table_layout.hpp"

namespace tersely::content {

// The share of the lines that have three key=value or more. O(bytes).
float look_for_pairs(std::string_view text);

// Adds the cells of a line, without quotes around them, each with its name. O(bytes).
void read_pairs(std::string_view line, std::vector<TableCell>& cells);

}  // namespace tersely::content
