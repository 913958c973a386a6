// Looks at a piece of text: whether it is JSON, or a table.
//
// Whether a text, or the start of one, is JSON or a row of JSON values.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tersely::detect {

struct JsonLook {
    bool possible = false;    // nothing in the text cannot stand in JSON, and it starts with { or [
    bool closed = false;      // the last value is complete
    bool own_lines = true;    // each value but the first starts a line
    std::size_t values = 0;   // complete objects and arrays that stand one after another
    std::size_t members = 0;  // colons after strings
};

// Brackets, strings and escapes, the bytes that numbers and literals are made of, and comments. O(bytes).
JsonLook look_for_json(std::string_view text);

struct JsonBlock {
    std::size_t begin, end;  // bytes
};

inline constexpr std::size_t kLongBlock = 1000;  // bytes from which a block is read as what it is

// Objects and arrays among other lines, outside fences of Markdown: each from the start of a line to the end of one, as
// look_for_json knows them; values with white space alone between them are one block. Shorter ones than kLongBlock are
// left out. What is never closed is no block, but with `open` it reaches to the end. O(bytes).
std::vector<JsonBlock> json_blocks(std::string_view text, bool open);

// Whether the first lines of a text have the same number of cells.

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
