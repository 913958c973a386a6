// The rows of a table in text: CSV and its kin, Markdown's pipe tables.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tersely::content {

struct TableRows {
    char delimiter = ',';
    std::vector<std::int64_t> start, end;  // bytes of each row that is not blank, without its line end
    std::vector<float> outlier;            // how far it is from the others, >= 0
};

// `delimiter`: between cells; 0: the one whose number agrees best over the first rows (detect/table_look.hpp), a
// pipe where the first line starts with one, else a comma. A quoted cell may hold delimiters, line breaks and doubled
// quotes (RFC 4180); quotes mean nothing where the delimiter is a pipe.
//
// outlier of a row: the largest over the first 64 columns of
//  - |x - mean| / deviation of a number, in columns of which at least four fifths are numbers, where it is over 2.5;
//  - 2.5 ln(0.05 / share) of a value that stands in fewer than 5% of the rows, in columns of at most 16 values;
// the first row, a header, has 0 and counts for nothing. O(bytes), two passes.
TableRows table_rows(std::string_view text, char delimiter);

}  // namespace tersely::content
