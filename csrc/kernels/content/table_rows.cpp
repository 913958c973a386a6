#include "kernels/content/table_rows.hpp"

#include <string>
#include <unordered_map>

#include "kernels/content/records.hpp"
#include "kernels/parallel.hpp"

namespace tersely::content {
namespace {

// The columns of tables, by place or by key.
class Columns {
  public:
    explicit Columns(std::size_t tables) : by_place_(tables) {
        for (std::size_t table = 0; table < tables; ++table) values.add_list();
    }

    std::size_t of(std::size_t table, const TableCell& cell, const std::vector<std::string>& names) {
        if (!cell.name.empty()) {
            const auto [entry, added] = by_key_.try_emplace(std::string(cell.name), 0);
            if (added) entry->second = values.add_column(table, cell.name);
            return entry->second;
        }
        std::vector<std::size_t>& places = by_place_[table];
        for (std::size_t place = places.size(); place <= cell.column; ++place)
            places.push_back(values.add_column(table, place < names.size() ? names[place] : std::string()));
        return places[cell.column];
    }

    RecordColumns values;

  private:
    std::vector<std::vector<std::size_t>> by_place_;
    std::unordered_map<std::string, std::size_t> by_key_;
};

}  // namespace

TableRows table_rows(std::string_view text, char delimiter, bool header) {
    TableRows rows;
    rows.layout = table_layout(text, delimiter, header);
    const TableLayout& layout = rows.layout;
    rows.standing.resize(layout.size());
    Columns columns(static_cast<std::size_t>(layout.tables));
    std::vector<TableCell> cells;
    const auto each_record = [&](auto each) {
        for (std::size_t row = 0; row < layout.size(); ++row) {
            check_cancelled();
            if (layout.role[row] != RowRole::kRow || layout.table[row] < 0) continue;
            read_cells(text, layout, row, cells);
            each(row, static_cast<std::size_t>(layout.table[row]));
        }
    };
    std::vector<std::vector<std::string>> names(static_cast<std::size_t>(layout.tables));
    for (std::size_t row = 0; row < layout.size(); ++row) {
        if (layout.role[row] != RowRole::kHead || layout.table[row] < 0) continue;
        std::vector<std::string>& of_table = names[static_cast<std::size_t>(layout.table[row])];
        read_cells(text, layout, row, cells);
        for (const TableCell& cell : cells) {
            if (cell.column >= of_table.size()) of_table.resize(cell.column + 1);
            if (of_table[cell.column].empty()) of_table[cell.column] = cell.value;
        }
    }
    std::vector<std::int32_t> list;
    std::vector<std::size_t> record_rows;
    each_record([&](std::size_t row, std::size_t table) {
        columns.values.add_record(table);
        list.push_back(static_cast<std::int32_t>(table));
        record_rows.push_back(row);
        for (const TableCell& cell : cells) columns.values.add(columns.of(table, cell, names[table]), cell.value);
    });
    columns.values.settle();
    Standing standing(list.size());
    std::size_t record = 0;
    each_record([&](std::size_t, std::size_t table) {
        for (const TableCell& cell : cells) {
            std::uint64_t reason = 0;
            const float worth = columns.values.worth(columns.of(table, cell, names[table]), cell.value, &reason);
            standing.add(record, worth, reason);
        }
        ++record;
    });
    const std::vector<float> found = standing.settle(list, static_cast<std::size_t>(layout.tables));
    for (std::size_t i = 0; i < found.size(); ++i) rows.standing[record_rows[i]] = found[i];
    return rows;
}

}  // namespace tersely::content
