#include "kernels/content/tree_records.hpp"

#include <algorithm>
#include <utility>

#include "kernels/content/own_marks.hpp"
#include "kernels/content/records.hpp"
#include "kernels/parallel.hpp"

namespace tersely::content {
namespace {

// Containers of JSON whose values are records; the last entry is that of the roots.
std::vector<std::uint8_t> lists_of(const TreeUnits& units, std::int32_t roots, const std::vector<std::int64_t>& own) {
    const std::size_t n = units.size();
    std::vector<std::uint8_t> list(n + 1);
    for (std::size_t row = 0; row < n; ++row) {
        list[row] =
            units.kind[row] == TreeKind::kArray || (units.kind[row] == TreeKind::kObject && units.count[row] >= kMap);
    }
    list[n] = roots > 1;
    for (std::size_t row = 0; row < n; ++row) {  // a map has containers only
        const std::int32_t parent = units.parent[row];
        if (parent < 0 || opens(units.kind[row]) || units.kind[row] == TreeKind::kClose || own[row] != 0) continue;
        const auto above = static_cast<std::size_t>(parent);
        if (units.kind[above] == TreeKind::kObject) list[above] = 0;
    }
    return list;
}

// Of each unit.
std::vector<std::int64_t> own_of(std::string_view text, const TreeUnits& units) {
    std::vector<std::int64_t> own(units.size());
    for (std::size_t row = 0; row < own.size(); ++row) {
        if (units.kind[row] != TreeKind::kScalar) continue;
        const std::string_view value = piece(text, units.start[row], units.end[row]);
        own[row] = units.markup ? own_elements(value) : own_values(value);
    }
    return own;
}

}  // namespace

std::string_view name_of_element(std::string_view text, const TreeUnits& units, std::size_t row) {
    const std::string_view tag = piece(text, units.start[row] + 1, units.end[row]);
    return tag.substr(0, tag.find_first_of(" \t\r\n/>"));
}

bool failed_root(std::string_view text, const TreeUnits& units, std::size_t row) {
    return units.markup && units.parent[row] < 0 && units.key[row] != 0 &&
           says_failure(name_of_element(text, units, row), "{");
}

Records records_of(std::string_view text, const TreeUnits& units, std::int32_t roots) {
    const std::size_t n = units.size();
    Records found;
    found.own = own_of(text, units);
    found.is_record.resize(n);
    found.path.resize(n);
    found.inside.assign(n, -1);
    std::vector<std::uint8_t> lists;
    if (!units.markup) lists = lists_of(units, roots, found.own);
    Numbers siblings;  // of one name in one container
    std::vector<std::int32_t> met;
    Numbers paths;
    std::vector<std::uint8_t> repeated;        // a path
    std::vector<std::int32_t> path_of(n, -1);  // an element
    for (std::size_t row = 0; row < n; ++row) {
        const std::int32_t parent = units.parent[row];
        const std::size_t above = parent < 0 ? n : static_cast<std::size_t>(parent);
        const std::uint64_t over = parent < 0 ? 1 : found.path[above];
        if (!units.markup) {
            check_cancelled();
            const bool record = lists[above] != 0 && !part(units.kind[row]) && found.own[row] == 0;
            found.is_record[row] = record;
            found.path[row] = joined(over, record ? 2 : units.key[row]);
            continue;
        }
        found.path[row] = units.kind[row] == TreeKind::kAttribute ? over : joined(over, units.key[row]);
        if (units.key[row] == 0 || part(units.kind[row])) continue;
        const auto path = static_cast<std::size_t>(paths[found.path[row]]);
        path_of[row] = static_cast<std::int32_t>(path);
        if (path >= repeated.size()) repeated.push_back(0);
        const std::uint64_t here = joined(static_cast<std::uint64_t>(parent) + 2, units.key[row]);
        const auto sibling = static_cast<std::size_t>(siblings[here]);
        if (sibling >= met.size()) met.push_back(0);
        if (++met[sibling] > 1) repeated[path] = 1;
        found.is_record[row] = failed_root(text, units, row);
    }
    const auto repeats = [&](std::size_t row) { return repeated[static_cast<std::size_t>(path_of[row])] != 0; };
    for (const TreeCell& cell : units.cells) {  // those of which an attribute says that they failed
        if (!units.markup || !cell.attribute) continue;
        const auto row = static_cast<std::size_t>(cell.row);
        const auto of = units.kind[row] == TreeKind::kAttribute ? static_cast<std::size_t>(units.parent[row]) : row;
        if (path_of[of] < 0 || repeats(of) || found.is_record[of] != 0) continue;
        if (says_failure(piece(text, cell.name, cell.name_end), piece(text, cell.start, cell.end)))
            found.is_record[of] = 1;
    }
    Numbers numbers;
    for (std::size_t row = 0; row < n; ++row) {
        const std::int32_t parent = units.parent[row];
        if (path_of[row] >= 0 && repeats(row)) found.is_record[row] = 1;
        if (found.is_record[row] != 0) {
            found.inside[row] = static_cast<std::int32_t>(found.row.size());
            found.row.push_back(static_cast<std::int32_t>(row));
            found.list.push_back(numbers[found.path[row]]);
        } else if (parent >= 0) {
            found.inside[row] = found.inside[static_cast<std::size_t>(parent)];
        }
    }
    found.lists = numbers.size();
    return found;
}

}  // namespace tersely::content
