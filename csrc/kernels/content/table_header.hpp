// How many rows of a delimited table are its header: spreadsheets name columns in several rows, where a name spans
// some.
#pragma once

#include <cstddef>
#include <string_view>

#include "kernels/content/table_layout.hpp"

namespace tersely::content {

inline constexpr std::size_t kMostHeaderRows = 3;

// One, and each row behind while it names columns: no cell of it is a number (a year is a name), and either its first
// cell is blank, as is that of the rows above or half of their other cells or more; or it fills all other cells that
// are blank above it, half of them or more. At least one row with a first cell follows. O(bytes of those rows).
std::size_t header_rows(std::string_view text, const TableLayout& layout);

}  // namespace tersely::content
