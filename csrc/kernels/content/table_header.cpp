#include "kernels/content/table_header.hpp"

#include <algorithm>
#include <vector>

namespace tersely::content {
namespace {

bool digit(char byte) { return byte >= '0' && byte <= '9'; }

bool is_amount(std::string_view cell) {
    if (cell.find_first_of("0123456789") == std::string_view::npos) return false;
    const bool year = cell.size() == 4 && std::all_of(cell.begin(), cell.end(), digit) &&
                      (cell.starts_with("19") || cell.starts_with("20"));
    const auto of_number = [](char byte) {
        return digit(byte) || std::string_view("$%()+-.,: /").find(byte) != std::string_view::npos;
    };
    return !year && std::all_of(cell.begin(), cell.end(), of_number);
}

}  // namespace

std::size_t header_rows(std::string_view text, const TableLayout& layout) {
    std::vector<TableCell> cells;
    std::vector<bool> named(kMostCells, false);
    std::size_t columns = 0;
    const auto name_columns = [&] {
        for (const TableCell& cell : cells) {
            if (!cell.value.empty()) named[cell.column] = true;
            columns = std::max(columns, cell.column + 1);
        }
    };
    read_cells(text, layout, 0, cells);
    name_columns();
    std::size_t rows = 1;
    while (rows < kMostHeaderRows && rows + 1 < layout.size() && layout.role[rows] == RowRole::kRow && columns > 2) {
        read_cells(text, layout, rows, cells);
        std::size_t nameless = 0, filled = 0;
        for (std::size_t column = 1; column < columns; ++column) nameless += named[column] ? 0U : 1U;
        bool amounts = false, any = false;
        for (const TableCell& cell : cells) {
            amounts = amounts || is_amount(cell.value);
            any = any || !cell.value.empty();
            if (cell.column > 0 && cell.column < columns && !named[cell.column] && !cell.value.empty()) ++filled;
        }
        const bool half = 2 * nameless >= columns - 1;
        const bool begins = !cells.empty() && !cells.front().value.empty();
        if (amounts || !any || (begins ? !half || filled < nameless : named[0] && !half)) break;
        name_columns();
        ++rows;
    }
    if (rows == 1) return 1;
    read_cells(text, layout, rows, cells);
    return cells.empty() || cells.front().value.empty() ? 1 : rows;
}

}  // namespace tersely::content
