// Where the rows and cells of a table in text are: CSV and its kin, pipes, columns by white space, key=value lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/detect/detect.hpp"

namespace tersely::content {

inline constexpr char kColumns = ' ';  // a delimiter: columns that stand below each other

enum class RowRole : std::uint8_t { kRow, kHead, kRule, kText };

struct TableLayout {
    char delimiter = ',';
    std::vector<std::int64_t> start, end;  // bytes of each row that is not blank, without its line end
    std::vector<RowRole> role;
    std::vector<std::int32_t> head;   // a row: the last row of its header, of a row of a header the one above; or -1
    std::vector<std::int32_t> table;  // a row: tables with the same header are one; -1 for text between them
    std::vector<std::int32_t> block;  // a row: which entry of `borders`
    std::vector<std::vector<std::uint32_t>> borders;  // kColumns: in which character each column begins, ascending
    std::vector<std::uint32_t>
        words;  // kColumns: of each entry, not 0: columns are words, the last the rest of the line
    std::int32_t tables = 0;

    std::size_t size() const { return start.size(); }
};

struct TableCell {
    std::size_t column;
    std::string_view value;
};

// `delimiter`: as above, 0: found out. That is a pipe where the first lines begin with one or are ruled by dashes and
// "+", else the one of , ; tab | whose number agrees over the first rows (detect/looks.hpp), else
// kColumns where columns are found, else a comma.
//
// Delimited: a quoted cell may hold delimiters, line breaks and doubled quotes (RFC 4180); quotes mean nothing beside
// pipes. Rows of "-+|=:" alone are rules. The header is what stands above a rule among the first three rows, and it,
// else the first row and those that name columns with it (header_rows). Between pipes, lines without one are text.
// kColumns: blocks between blank lines (all is one block where most are of one line) of at least kFewestRows lines. A
// border is where at most a tenth of a block's lines (one in short ones) have no blank, of at least half that reach so
// far. Where fewer than kAligned of the lines keep to three columns, columns are words, as many as nine tenths of the
// lines have. First lines that do not keep to the columns are text; the header is what stands above a rule of dashes,
// or a first line of nearly as many words as columns, without numbers above columns that have some, or in capitals.
// `header`: whether there is one at all. O(bytes) time; memory O(rows).
TableLayout table_layout(std::string_view text, char delimiter, bool header);

// The cells of a row, without white space and quotes around them; at most kMostCells.
inline constexpr std::size_t kMostCells = 256;
void read_cells(std::string_view text, const TableLayout& layout, std::size_t row, std::vector<TableCell>& cells);

// How much of a text is a table drawn with pipes, or columns by white space: the share of its lines that begin with "|"
// or "+-", where over four fifths do, else of those in blocks of at least kFewestRows lines of which seven tenths keep
// to three columns or more and fill half of them, if at most half of these end like sentences or code. Of columns that
// are words, three must be of one kind (number, text) in nine tenths of the lines, one of these numbers or of few
// values, and at most half may say the same everywhere. O(bytes).
inline constexpr double kAligned = 0.7;
inline constexpr std::size_t kFewestRows = 4;
float look_for_columns(std::string_view text);

// How many rows of a delimited table are its header: spreadsheets name columns in several rows, where a name spans
// some.

inline constexpr std::size_t kMostHeaderRows = 3;

// One, and each row behind while it names columns: no cell of it is a number (a year is a name), and either its first
// cell is blank, as is that of the rows above or half of their other cells or more; or it fills all other cells that
// are blank above it, half of them or more. At least one row with a first cell follows. O(bytes of those rows).
std::size_t header_rows(std::string_view text, const TableLayout& layout);

// The rows of a table in text, and how much each stands out (records.hpp: worth).

struct TableRows {
    TableLayout layout;
    std::vector<float> standing;  // of a row, in [0, 1): how much it stands out in its table; 0 for all but rows
};

// Columns are compared by their places. O(bytes), three passes.
TableRows table_rows(std::string_view text, char delimiter, bool header);

// Tables among texts that look like something else.
//
// Contract: `look` as it is, or a table where half of the lines stand in columns or are ruled (look_for_columns), nine
// tenths where the look is sure (confidence kSure, and no prose); never of texts with fenced blocks, nor of what is
// certain, nor of kinds that tables do not pass for, nor where the text stands in sentences (is_lined,
// line_reader.hpp). Its confidence is that share, kSure at least. Lines that say who wrote them (looks.hpp) are no
// prose but a log. O(bytes of the first piece).

inline constexpr float kSure = 0.6F;

detect::Detection table_or(detect::Detection look, std::span<const std::string_view> pieces);

}  // namespace tersely::content
