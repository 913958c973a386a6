// Whether the first lines of a text have the same number of cells.
#pragma once

#include <cstddef>
#include <string_view>

namespace tersely::detect {

struct TableLook {
    char delimiter = 0;     // , ; tab or |; 0: no table
    std::size_t cells = 0;  // of most rows
    float agreement = 0;    // share of the rows that have so many
    std::size_t rows = 0;   // read
};

// Whether what stands before the bars of the first lines says who wrote them, as tools do that run several programs
// ("web  | started"): all lines but one have a bar, and there are four of them to a name; the first name comes again,
// as that of a column would not. Such lines are no table. O(bytes of 64 lines).
bool says_who(std::string_view text);

// Whether a line is a remark beside a table: "# x", "##x", ";x".
bool is_remark(std::string_view line);

// Reads rows from the first line that is no remark behind "#" up to the end of `text`, or 64 of them; a quoted cell may
// hold delimiters and line breaks (RFC 4180). O(bytes).
TableLook look_for_table(std::string_view text);

// How many columns stand below each other in the first lines, parted by white space alone: one more than the gaps, runs
// of places in the first 256 bytes where nine of ten lines have a space, with text before and after in half of them.
// A rule of dashes below one of the first three lines tells them too, two of its runs as well ("------- ----": 3 is the
// answer). Up to 64 lines that are not blank are read, of which the first ones may be something else; 0: fewer than
// three columns, or than four lines. O(bytes of these lines).
std::size_t look_for_columns(std::string_view text);

}  // namespace tersely::detect
