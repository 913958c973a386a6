#include "kernels/content/tree_rank.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "kernels/content/records.hpp"
#include "kernels/parallel.hpp"

namespace tersely::content {
namespace {

constexpr double kBrought = 0.9999;  // of what is in a container: that brings it, and it is not taken alone

bool opens(TreeKind kind) { return kind == TreeKind::kObject || kind == TreeKind::kArray; }
bool part(TreeKind kind) { return kind == TreeKind::kClose || kind == TreeKind::kPiece; }

// Numbers for hashes, by first occurrence. Open addressing at a load of at most one half.
class Numbers {
  public:
    Numbers() : slots_(64) {}
    std::int32_t operator[](std::uint64_t hash) {
        if (static_cast<std::size_t>(size_ + 1) * 2 > slots_.size()) grow();
        Slot& slot = find(hash | 1U);
        if (slot.key == 0) slot = {hash | 1U, size_++};
        return slot.number;
    }
    std::size_t size() const { return static_cast<std::size_t>(size_); }

  private:
    struct Slot {
        std::uint64_t key = 0;
        std::int32_t number = 0;
    };
    Slot& find(std::uint64_t key) {
        std::size_t at = (key * 0x9E3779B97F4A7C15ULL) >> 20U & (slots_.size() - 1);
        while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
        return slots_[at];
    }
    void grow() {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.key != 0) find(slot.key) = slot;
        }
    }
    std::vector<Slot> slots_;
    std::int32_t size_ = 0;
};

std::uint64_t joined(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t sum = (a ^ (b + 0x9E3779B97F4A7C15ULL + (a << 6U) + (a >> 2U))) * 0xFF51AFD7ED558CCDULL;
    return sum ^ (sum >> 32U);
}

// Containers of JSON whose values are records; the last entry is that of the roots.
std::vector<std::uint8_t> lists_of(const TreeUnits& units, std::int32_t roots) {
    const std::size_t n = units.size();
    std::vector<std::uint8_t> list(n + 1);
    for (std::size_t row = 0; row < n; ++row) {
        list[row] =
            units.kind[row] == TreeKind::kArray || (units.kind[row] == TreeKind::kObject && units.count[row] >= kMap);
    }
    list[n] = roots > 1;
    for (std::size_t row = 0; row < n; ++row) {  // a map has containers only
        const std::int32_t parent = units.parent[row];
        if (parent < 0 || opens(units.kind[row]) || units.kind[row] == TreeKind::kClose) continue;
        const auto above = static_cast<std::size_t>(parent);
        if (units.kind[above] == TreeKind::kObject) list[above] = 0;
    }
    return list;
}

// Which units are records, and in which list; which record each unit lies in.
struct Records {
    std::vector<std::uint8_t> is_record;  // a unit
    std::vector<std::uint64_t> path;      // a unit
    std::vector<std::int32_t> inside;     // a unit: the number of the record that it is or lies in, -1: none
    std::vector<std::int32_t> list;       // a record
    std::vector<std::int32_t> row;        // a record
    std::size_t lists = 0;
};

Records records_of(const TreeUnits& units, std::int32_t roots) {
    const std::size_t n = units.size();
    Records found;
    found.is_record.resize(n);
    found.path.resize(n);
    found.inside.assign(n, -1);
    std::vector<std::uint8_t> lists;
    if (!units.markup) lists = lists_of(units, roots);
    Numbers siblings;  // of one name in one container
    std::vector<std::int32_t> met;
    Numbers paths;
    std::vector<std::uint8_t> repeated;  // a path
    for (std::size_t row = 0; row < n; ++row) {
        const std::int32_t parent = units.parent[row];
        const std::size_t above = parent < 0 ? n : static_cast<std::size_t>(parent);
        const std::uint64_t over = parent < 0 ? 1 : found.path[above];
        if (!units.markup) {
            check_cancelled();
            const bool record = lists[above] != 0 && !part(units.kind[row]);
            found.is_record[row] = record;
            found.path[row] = joined(over, record ? 2 : units.key[row]);
            continue;
        }
        found.path[row] = joined(over, units.key[row]);
        if (units.key[row] == 0 || part(units.kind[row])) continue;
        const auto path = static_cast<std::size_t>(paths[found.path[row]]);
        if (path >= repeated.size()) repeated.push_back(0);
        const std::uint64_t here = joined(static_cast<std::uint64_t>(parent) + 2, units.key[row]);
        const auto sibling = static_cast<std::size_t>(siblings[here]);
        if (sibling >= met.size()) met.push_back(0);
        if (++met[sibling] > 1) repeated[path] = 1;
    }
    Numbers numbers;
    for (std::size_t row = 0; row < n; ++row) {
        const std::int32_t parent = units.parent[row];
        if (units.markup && units.key[row] != 0 && !part(units.kind[row]))
            found.is_record[row] = repeated[static_cast<std::size_t>(paths[found.path[row]])];
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

std::string_view bare(std::string_view value) {
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    return value;
}

std::string_view piece(std::string_view text, std::int64_t start, std::int64_t end) {
    return text.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start));
}

// The record that a unit is a cell of: of a record that is a container, the one around it.
std::int32_t record_of_cell(const TreeUnits& units, const Records& records, std::size_t row) {
    if (records.is_record[row] == 0 || units.kind[row] == TreeKind::kScalar || units.kind[row] == TreeKind::kHead)
        return records.inside[row];
    const std::int32_t parent = units.parent[row];
    return parent < 0 ? -1 : records.inside[static_cast<std::size_t>(parent)];
}

// Calls each(row, record, path, name, value) for all cells of records.
template <typename Each>
void each_cell(std::string_view text, const TreeUnits& units, const Records& records, Each each) {
    for (std::size_t row = 0; row < units.size(); ++row) {
        if (part(units.kind[row])) continue;
        const bool container = opens(units.kind[row]);
        const std::int32_t record = record_of_cell(units, records, row);
        if (units.markup) {  // that a container has such an element; its values are cells of their own
            const std::int32_t parent = units.parent[row];
            const std::int32_t around = parent < 0 ? -1 : records.inside[static_cast<std::size_t>(parent)];
            if (around < 0 || units.key[row] == 0) continue;
            std::string_view name = piece(text, units.start[row] + 1, units.end[row]);
            name = name.substr(0, name.find_first_of(" \t\r\n/>"));
            each(row, around, joined(records.path[row], 3), name, std::string_view("{"));
            continue;
        }
        if (record >= 0 && !(container && records.is_record[row] != 0)) {
            const std::int64_t key_end = units.value_start[row];
            std::string_view name = piece(text, units.start[row], key_end);
            name = bare(name.substr(0, name.find_last_of('"') + 1));
            std::string_view value = piece(text, key_end, units.end[row]);
            if (container) {
                value = value.substr(0, 1);
            } else if (units.kind[row] == TreeKind::kHead) {
                const auto last = row + static_cast<std::size_t>(units.count[row]);
                value = piece(text, key_end + 1, units.end[last]);
            }
            each(row, record, records.path[row], name, bare(value));
        }
        if (container && units.value[row] != 0 && records.is_record[row] != 0) {  // which keys it has
            const auto* bytes = reinterpret_cast<const char*>(&units.value[row]);
            each(row, records.inside[row], joined(records.path[row], 3), std::string_view(),
                 std::string_view(bytes, sizeof(std::uint64_t)));
        }
    }
    for (const TreeCell& cell : units.cells) {
        const auto row = static_cast<std::size_t>(cell.row);
        if (records.inside[row] < 0) continue;
        const std::string_view name = piece(text, cell.name, cell.name_end);
        std::uint64_t path = records.path[row];
        for (const char byte : name) path = joined(path, static_cast<unsigned char>(byte));
        each(row, records.inside[row], cell.attribute ? path : records.path[row], name,
             piece(text, cell.start, cell.end));
    }
}

// Which units of records that stand out come first, and how much they do; 0 of the others.
struct Odd {
    std::vector<float> lead;           // a unit
    std::vector<std::uint8_t> record;  // a record
};

Odd odd_units(std::string_view text, const TreeUnits& units, const Records& records) {
    const std::size_t n = units.size();
    Odd odd;
    odd.lead.resize(n);
    odd.record.resize(records.row.size());
    if (records.row.empty()) return odd;
    RecordColumns columns;
    for (std::size_t list = 0; list < records.lists; ++list) columns.add_list();
    for (const std::int32_t list : records.list) columns.add_record(static_cast<std::size_t>(list));
    Numbers numbers;
    const auto column_of = [&](std::int32_t record, std::uint64_t path, std::string_view name) {
        const auto list = static_cast<std::size_t>(records.list[static_cast<std::size_t>(record)]);
        const auto known = numbers.size();
        const auto column = static_cast<std::size_t>(numbers[joined(path, list)]);
        if (column == known) columns.add_column(list, name);
        return column;
    };
    std::vector<std::uint32_t> cell_columns;  // in the order of the cells
    each_cell(text, units, records,
              [&](std::size_t, std::int32_t record, std::uint64_t path, std::string_view name, std::string_view value) {
                  cell_columns.push_back(static_cast<std::uint32_t>(column_of(record, path, name)));
                  columns.add(cell_columns.back(), value);
              });
    columns.settle();
    Standing standing(records.row.size());
    std::vector<float> worth(n);
    std::vector<float> present(n);
    std::vector<std::int8_t> names(n);
    std::size_t cell = 0;
    each_cell(text, units, records,
              [&](std::size_t row, std::int32_t record, std::uint64_t, std::string_view, std::string_view value) {
                  const std::size_t column = cell_columns[cell++];
                  const float one = columns.worth(column, value);
                  standing.add(static_cast<std::size_t>(record), one);
                  if (record != records.inside[row]) {  // that the record around it has it
                      present[row] = one;
                      return;
                  }
                  worth[row] = std::max(worth[row], one);
                  const auto naming =
                      columns.names_of(static_cast<std::size_t>(records.list[static_cast<std::size_t>(record)]));
                  for (std::size_t i = 0; i < naming.size(); ++i) {
                      if (naming[i] == column) names[row] = static_cast<std::int8_t>(2 - i);
                  }
              });
    std::vector<float> stands = standing.settle(records.list, records.lists);
    for (std::size_t record = stands.size(); record-- > 0;) {
        odd.record[record] = stands[record] > 0;
        const std::int32_t parent = units.parent[static_cast<std::size_t>(records.row[record])];
        const std::int32_t around = parent < 0 ? -1 : records.inside[static_cast<std::size_t>(parent)];
        if (around < 0) continue;
        float& outer = stands[static_cast<std::size_t>(around)];
        outer = std::max(outer, 0.9F * stands[record]);
    }
    const auto tells = [&](std::int32_t record, float one) {
        const auto number = static_cast<std::size_t>(record);
        return odd.record[number] != 0 && one >= std::min(kOdd, 0.5F * standing.worth(number));
    };
    std::vector<std::int32_t> met(stands.size());  // elements for which a record stands out
    std::vector<float> brought(n);                 // of odd containers, for what is in them
    for (std::size_t row = 0; row < n; ++row) {
        if (units.kind[row] == TreeKind::kClose) continue;
        const std::int32_t parent = units.parent[row];
        const auto place = static_cast<float>(units.place[row]);
        if (parent >= 0 && brought[static_cast<std::size_t>(parent)] > 0) {
            const float from = brought[static_cast<std::size_t>(parent)];
            const bool rest = units.kind[row] == TreeKind::kPiece && names[static_cast<std::size_t>(parent)] == 0;
            odd.lead[row] = rest ? 0.5F * from / (1 + place) : 0.97F * from;
            brought[row] = odd.lead[row];
        }
        const std::int32_t around = parent < 0 ? -1 : records.inside[static_cast<std::size_t>(parent)];
        if (present[row] > 0 && around >= 0 && tells(around, present[row])) {
            const auto number = static_cast<std::size_t>(around);  // the first before what others have more of
            const float share = met[number] == 0 ? 0.98F : 0.5F / static_cast<float>(met[number]);
            ++met[number];
            odd.lead[row] = std::max(odd.lead[row], share * stands[number]);
            brought[row] = odd.lead[row];
        }
        const std::int32_t record = records.inside[row];
        if (record < 0 || part(units.kind[row])) continue;
        const float stand = stands[static_cast<std::size_t>(record)];
        if (stand <= 0) continue;
        if (records.is_record[row] != 0) odd.lead[row] = std::max(odd.lead[row], stand);
        float lead = 0;
        if (names[row] > 0) {
            lead = (names[row] == 2 ? 0.99F : 0.985F) * stand;
            if (units.kind[row] == TreeKind::kHead) brought[row] = lead;
        }
        if (tells(record, worth[row]) && !(records.is_record[row] != 0 && opens(units.kind[row]))) {
            lead = std::max(lead, 0.98F * stand);
            brought[row] = std::max(brought[row], lead);
        }
        odd.lead[row] = std::max(odd.lead[row], lead);
    }
    return odd;
}

}  // namespace

TreeRanks rank_tree(std::string_view text, const TreeUnits& units, std::span<const float> relevance) {
    const std::size_t n = units.size();
    const auto roots = static_cast<std::int32_t>(
        std::count_if(units.parent.begin(), units.parent.end(), [](std::int32_t parent) { return parent < 0; }));
    Records records = records_of(units, roots);
    const Odd odd = odd_units(text, units, records);
    std::vector<bool> attributed(n);
    for (const TreeCell& cell : units.cells) {
        if (cell.attribute) attributed[static_cast<std::size_t>(cell.row)] = true;
    }
    std::vector<double> weight(n);
    std::vector<double> priority(n);
    for (std::size_t row = 0; row < n; ++row) {
        const std::int32_t parent = units.parent[row];
        const double inherited = parent < 0 ? 1 : weight[static_cast<std::size_t>(parent)];
        const std::int32_t place = units.place[row];
        const std::int32_t count = parent < 0 ? roots : units.count[static_cast<std::size_t>(parent)];
        double share = 1;
        if (units.kind[row] == TreeKind::kPiece) {
            share = 0.3 / (1 + place);
        } else if (records.is_record[row] == 0) {
            share = parent < 0 ? (units.markup && units.key[row] == 0 ? 0.1 : 1)
                               : 0.95 * (1 - 0.2 * place / std::max(count, 1));
            if (units.kind[row] == TreeKind::kHead) share *= 0.7;
        } else if (place > 0) {
            const auto low = static_cast<double>(place & -place);
            share = 0.5 * low / static_cast<double>(std::bit_floor(static_cast<std::uint32_t>(std::max(count, 1))));
            if (place + 1 == count) share = std::max(share, 0.6);
            if (odd.record[static_cast<std::size_t>(records.inside[row])] != 0) share = std::max(share, 0.7);
        }
        weight[row] = inherited * share;
        const bool empty = opens(units.kind[row]) && units.count[row] > 0 &&
                           (units.markup ? !attributed[row] : records.is_record[row] != 0);
        if (units.markup && units.kind[row] == TreeKind::kClose) continue;
        priority[row] = empty ? 0 : odd.lead[row] > 0 ? 1 + odd.lead[row] : weight[row];  // it is what is in it
    }
    std::vector<std::int32_t> needs = units.parent;
    for (std::size_t row = 0; units.markup && row < n; ++row) {
        if (needs[row] < 0 || units.key[row] == 0) continue;
        const std::int32_t around = records.inside[static_cast<std::size_t>(needs[row])];
        needs[row] = around < 0 ? -1 : records.row[static_cast<std::size_t>(around)];
    }
    const auto raise = [&](std::vector<double>& values, double share) {  // what is needed by what needs it
        for (std::size_t row = n; row-- > 0;) {
            if (needs[row] < 0 || (units.markup && units.kind[row] == TreeKind::kClose)) continue;
            double& above = values[static_cast<std::size_t>(needs[row])];
            above = std::max(above, share * values[row]);
        }
    };
    if (relevance.empty()) {
        raise(priority, kBrought);
        return {std::move(priority), std::move(needs), std::move(records.is_record)};
    }
    std::vector<double> best(relevance.begin(), relevance.end());
    raise(best, 1);
    std::vector<double> near(n);
    for (std::size_t row = 0; row < n; ++row) {
        const std::int32_t parent = units.parent[row];
        const double inherited = parent < 0 ? 0 : near[static_cast<std::size_t>(parent)];
        const double own = relevance[row];
        near[row] = records.is_record[row] != 0 ? std::max({own, 0.9 * best[row], 0.6 * inherited})
                                                : std::max(own, 0.9 * inherited);
        if (units.markup && units.kind[row] == TreeKind::kClose) continue;
        priority[row] = 0.5 * priority[row] + 3 * near[row] * near[row];
    }
    raise(priority, kBrought);
    return {std::move(priority), std::move(needs), std::move(records.is_record)};
}

}  // namespace tersely::content
