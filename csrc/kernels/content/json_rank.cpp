#include "kernels/content/json_rank.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "kernels/parallel.hpp"

namespace tersely::content {
namespace {

bool opens(JsonKind kind) { return kind == JsonKind::kObject || kind == JsonKind::kArray; }

// Containers of whose values some stand for the others; the last entry is that of the roots.
std::vector<std::uint8_t> sampled_containers(const JsonUnits& units) {
    const std::size_t n = units.size();
    std::vector<std::uint8_t> sampled(n + 1);
    for (std::size_t row = 0; row < n; ++row) {
        sampled[row] =
            units.kind[row] == JsonKind::kArray || (units.kind[row] == JsonKind::kObject && units.count[row] >= kMap);
    }
    sampled[n] = 1;
    for (std::size_t row = 0; row < n; ++row) {  // a map has containers only
        const std::int32_t parent = units.parent[row];
        if (parent < 0 || opens(units.kind[row]) || units.kind[row] == JsonKind::kClose) continue;
        const auto above = static_cast<std::size_t>(parent);
        if (units.kind[above] == JsonKind::kObject) sampled[above] = 0;
    }
    return sampled;
}

std::int32_t root_count(const JsonUnits& units) {
    std::int32_t count = 0;
    for (std::size_t row = 0; row < units.size(); ++row) count += units.parent[row] < 0 ? 1 : 0;
    return count;
}

struct Column {
    std::int32_t rows = 0, different = 0, numbers = 0;
    double sum = 0, squares = 0;
};

struct Value {
    std::int32_t rows = 0;
};

// Numbers for hashes, by first occurrence. Open addressing at a load of at most one half.
class Numbers {
  public:
    explicit Numbers(std::size_t most) : slots_(std::bit_ceil(most * 2 + 2)) {}
    std::int32_t operator[](std::uint64_t hash) {
        const std::uint64_t key = hash | 1U;
        std::size_t at = (key * 0x9E3779B97F4A7C15ULL) >> 20U & (slots_.size() - 1);
        while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
        if (slots_[at].key == 0) slots_[at] = {key, size_++};
        return slots_[at].number;
    }
    std::size_t size() const { return static_cast<std::size_t>(size_); }

  private:
    struct Slot {
        std::uint64_t key = 0;
        std::int32_t number = 0;
    };
    std::vector<Slot> slots_;
    std::int32_t size_ = 0;
};

std::uint64_t joined(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t sum = (a ^ (b + 0x9E3779B97F4A7C15ULL + (a << 6U) + (a >> 2U))) * 0xFF51AFD7ED558CCDULL;
    return sum ^ (sum >> 32U);
}

// A unit as an entry of a table: the element it belongs to, which column, which value.
struct Cell {
    std::size_t row;
    std::size_t element;
    std::int32_t column, value;
};

struct Cells {
    std::vector<Cell> cells;
    std::size_t columns = 0, values = 0;
};

Cells cells_of(const JsonUnits& units) {
    const std::size_t n = units.size();
    const std::vector<std::uint8_t> sampled = sampled_containers(units);
    const std::int32_t roots = root_count(units);
    const auto large = [&](std::int32_t container) {
        const std::size_t entry = container < 0 ? n : static_cast<std::size_t>(container);
        return sampled[entry] != 0 && (container < 0 ? roots : units.count[entry]) >= kSampled;
    };
    Cells found;
    Numbers columns(n);
    Numbers values(n);
    for (std::size_t row = 0; row < n; ++row) {
        check_cancelled();
        if (units.kind[row] == JsonKind::kClose || units.kind[row] == JsonKind::kPiece) continue;
        const std::int32_t parent = units.parent[row];
        std::int32_t container = parent;
        std::size_t element = row;
        if (!large(container)) {
            if (parent < 0 || !large(units.parent[static_cast<std::size_t>(parent)])) continue;
            element = static_cast<std::size_t>(parent);
            container = units.parent[element];
        }
        const std::uint64_t key = element == row ? 0 : units.key[row];
        const std::uint64_t column = joined(static_cast<std::uint64_t>(container) + 2, key);
        found.cells.push_back({row, element, columns[column], values[joined(column, units.value[row])]});
    }
    found.columns = columns.size();
    found.values = values.size();
    return found;
}

bool read_number(std::string_view text, const JsonUnits& units, std::size_t row, double& number) {
    const char* first = text.data() + units.value_start[row];
    const char* last = text.data() + units.end[row];
    const auto [end, error] = std::from_chars(first, last, number);
    return error == std::errc() && end == last && std::isfinite(number);
}

}  // namespace

std::vector<std::uint8_t> json_outliers(std::string_view text, const JsonUnits& units) {
    std::vector<std::uint8_t> outliers(units.size());
    const Cells found = cells_of(units);
    std::vector<Column> columns(found.columns);
    std::vector<Value> values(found.values);
    for (const Cell& cell : found.cells) {
        check_cancelled();
        Column& column = columns[static_cast<std::size_t>(cell.column)];
        Value& value = values[static_cast<std::size_t>(cell.value)];
        ++column.rows;
        column.different += value.rows == 0 ? 1 : 0;
        ++value.rows;
    }
    const auto few = [](const Column& column) { return column.different * 4 <= column.rows; };
    double number = 0;
    for (const Cell& cell : found.cells) {
        check_cancelled();
        Column& column = columns[static_cast<std::size_t>(cell.column)];
        if (few(column) || column.rows < kSampled || !read_number(text, units, cell.row, number)) continue;
        ++column.numbers;
        column.sum += number;
    }
    for (const Cell& cell : found.cells) {
        check_cancelled();
        Column& column = columns[static_cast<std::size_t>(cell.column)];
        if (column.numbers == 0 || column.numbers < column.rows) continue;
        if (!read_number(text, units, cell.row, number)) continue;
        const double off = number - column.sum / column.numbers;
        column.squares += off * off;
    }
    for (const Cell& cell : found.cells) {
        check_cancelled();
        const Column& column = columns[static_cast<std::size_t>(cell.column)];
        if (column.rows < kSampled) continue;
        const bool rare = few(column) && values[static_cast<std::size_t>(cell.value)].rows * 20 <= column.rows;
        bool far = false;
        if (column.squares > 0 && read_number(text, units, cell.row, number)) {
            const double off = number - column.sum / column.numbers;
            far = off * off > 16 * column.squares / column.numbers;
        }
        if (rare || far) outliers[cell.element] = 1;
    }
    return outliers;
}

std::vector<double> rank_json(const JsonUnits& units, std::span<const std::uint8_t> outliers,
                              std::span<const float> relevance) {
    const std::size_t n = units.size();
    const std::vector<std::uint8_t> sampled = sampled_containers(units);
    const std::int32_t roots = root_count(units);
    std::vector<double> weight(n);
    for (std::size_t row = 0; row < n; ++row) {
        const std::int32_t parent = units.parent[row];
        const std::size_t above = parent < 0 ? n : static_cast<std::size_t>(parent);
        const double inherited = parent < 0 ? 1 : weight[above];
        const std::int32_t place = units.place[row];
        const std::int32_t count = parent < 0 ? roots : units.count[above];
        double share = 1;
        if (units.kind[row] == JsonKind::kPiece) {
            share = 0.3 / (1 + place);
        } else if (sampled[above] == 0) {
            share = 0.95 * (1 - 0.2 * place / std::max(count, 1));
            if (units.kind[row] == JsonKind::kHead) share *= 0.7;
        } else if (place > 0) {
            const auto low = static_cast<double>(place & -place);
            share = 0.5 * low / static_cast<double>(std::bit_floor(static_cast<std::uint32_t>(std::max(count, 1))));
            if (place + 1 == count) share = std::max(share, 0.6);
            if (outliers[row] != 0) share = std::max(share, 0.7);
        }
        weight[row] = inherited * share;
    }
    if (relevance.empty()) return weight;
    std::vector<float> best(relevance.begin(), relevance.end());
    for (std::size_t row = n; row-- > 0;) {
        const std::int32_t parent = units.parent[row];
        if (parent >= 0)
            best[static_cast<std::size_t>(parent)] = std::max(best[static_cast<std::size_t>(parent)], best[row]);
    }
    std::vector<double> near(n);
    for (std::size_t row = 0; row < n; ++row) {
        const std::int32_t parent = units.parent[row];
        const std::size_t above = parent < 0 ? n : static_cast<std::size_t>(parent);
        const double inherited = parent < 0 ? 0 : near[above];
        const double own = relevance[row];
        // A text of one root is no sample: a match does not bring all of it.
        const bool record = sampled[above] != 0 && (parent >= 0 || roots > 1);
        near[row] = record ? std::max({own, 0.9 * best[row], 0.6 * inherited}) : std::max(own, 0.9 * inherited);
        weight[row] += 3 * near[row] * near[row];
    }
    return weight;
}

}  // namespace tersely::content
