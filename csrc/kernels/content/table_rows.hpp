// The rows of a table in text, and how much each stands out (table_layout.hpp: where they are; records.hpp: worth).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/content/table_layout.hpp"

namespace tersely::content {

struct TableRows {
    TableLayout layout;
    std::vector<float> standing;  // of a row, in [0, 1): how much it stands out in its table; 0 for all but rows
};

// Columns are compared by their places, pairs by their keys. O(bytes), three passes.
TableRows table_rows(std::string_view text, char delimiter, bool header);

}  // namespace tersely::content
