#include "kernels/content/table_rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "kernels/detect/table_look.hpp"
#include "kernels/parallel.hpp"

namespace tersely::content {
namespace {

using View = std::string_view;

constexpr std::size_t kColumns = 64;
constexpr std::size_t kValues = 16;
constexpr std::size_t kLooked = 12288;  // bytes in which the delimiter is looked for
constexpr double kFar = 2.5;
constexpr double kRare = 0.05;

View trimmed(View cell) {
    while (!cell.empty() && (cell.front() == ' ' || cell.front() == '"')) cell.remove_prefix(1);
    while (!cell.empty() && (cell.back() == ' ' || cell.back() == '"' || cell.back() == '\r')) cell.remove_suffix(1);
    return cell;
}

bool number_of(View cell, double& value) {
    if (!cell.empty() && cell.front() == '+') cell.remove_prefix(1);
    if (!cell.empty() && cell.back() == '%') cell.remove_suffix(1);
    if (cell.empty() || cell.size() > 40) return false;
    const auto [rest, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return error == std::errc() && rest == cell.data() + cell.size() && std::isfinite(value);
}

std::uint64_t hash_of(View cell) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char byte : cell) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
    return hash;
}

struct Column {
    double cells = 0, numbers = 0, mean = 0, squares = 0;
    std::array<std::uint64_t, kValues> values{};
    std::array<double, kValues> times{};
    std::size_t distinct = 0;  // kValues + 1: more than are counted

    std::size_t place(std::uint64_t hash) const {
        std::size_t at = 0;
        while (at < std::min(distinct, kValues) && values[at] != hash) ++at;
        return at;
    }

    void add(View cell) {
        ++cells;
        double value = 0;
        if (number_of(cell, value)) {
            ++numbers;
            const double off = value - mean;
            mean += off / numbers;
            squares += off * (value - mean);
        }
        if (distinct > kValues) return;
        const std::uint64_t hash = hash_of(cell);
        const std::size_t at = place(hash);
        if (at == distinct) {
            ++distinct;
            if (at == kValues) return;
            values[at] = hash;
        }
        ++times[at];
    }

    double outlier(View cell) const {
        double value = 0;
        if (numbers >= 0.8 * cells && distinct > 2) {
            if (!number_of(cell, value)) return kFar;
            const double deviation = std::sqrt(squares / numbers);
            const double far = deviation > 0 ? std::abs(value - mean) / deviation : 0;
            return far > kFar && std::isfinite(far) ? far : 0;
        }
        if (distinct > kValues || distinct < 2) return 0;
        const std::size_t at = place(hash_of(cell));
        const double share = at < kValues ? times[at] / cells : 1;
        return share < kRare ? kFar * std::log(kRare / share) : 0;
    }
};

// Calls each(column, cell) for the cells of the row at `at`, and moves `at` to the next row; returns the row's end.
template <typename Each>
std::size_t read_row(View text, std::size_t& at, char delimiter, Each each) {
    const bool quotes = delimiter != '|';
    std::size_t column = 0;
    std::size_t cell = at;
    bool quoted = false;
    bool starts = true;
    std::size_t i = at;
    for (; i < text.size(); ++i) {
        const char byte = text[i];
        if (byte == '"' && quotes) {
            if (quoted || starts || text[i - 1] == '"') quoted = !quoted;
            starts = false;
        } else if (quoted) {
            continue;
        } else if (byte == '\n') {
            break;
        } else if (byte == delimiter) {
            each(column++, trimmed(text.substr(cell, i - cell)));
            cell = i + 1;
            starts = true;
        } else {
            starts = false;
        }
    }
    each(column, trimmed(text.substr(cell, i - cell)));
    at = std::min(i + 1, text.size());
    return i > 0 && i > cell && text[i - 1] == '\r' ? i - 1 : i;
}

bool blank(View line) {
    return std::all_of(line.begin(), line.end(), [](char byte) { return byte == ' ' || byte == '\t' || byte == '\r'; });
}

char delimiter_of(View text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != View::npos && text[first] == '|') return '|';
    const char found = detect::look_for_table(text.substr(0, kLooked)).delimiter;
    return found != 0 ? found : ',';
}

}  // namespace

TableRows table_rows(View text, char delimiter) {
    TableRows rows;
    rows.delimiter = delimiter != 0 ? delimiter : delimiter_of(text);
    std::vector<Column> columns;
    for (std::size_t at = 0; at < text.size();) {
        check_cancelled();
        const std::size_t start = at;
        const bool header = rows.start.empty();
        const std::size_t end = read_row(text, at, rows.delimiter, [&](std::size_t column, View cell) {
            if (header || column >= kColumns) return;
            if (columns.size() <= column) columns.resize(column + 1);
            columns[column].add(cell);
        });
        if (blank(text.substr(start, end - start))) continue;
        rows.start.push_back(static_cast<std::int64_t>(start));
        rows.end.push_back(static_cast<std::int64_t>(end));
    }
    rows.outlier.resize(rows.start.size());
    for (std::size_t row = 1; row < rows.start.size(); ++row) {
        auto at = static_cast<std::size_t>(rows.start[row]);
        double most = 0;
        read_row(text, at, rows.delimiter, [&](std::size_t column, View cell) {
            if (column < columns.size()) most = std::max(most, columns[column].outlier(cell));
        });
        rows.outlier[row] = static_cast<float>(std::min(most, 1e6));
    }
    return rows;
}

}  // namespace tersely::content
