#include "kernels/content/line_rarity.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/content/marks.hpp"
#include "kernels/parallel.hpp"

namespace tersely::content {
namespace {

constexpr std::int32_t kAlike = 4;   // from which lines that hold others, beside none that do not, are a list
constexpr float kRare = 0.5F;        // for rarity
constexpr float kSeldom = 0.2F;      // for how seldom a text is in its column
constexpr float kPlace = 0.1F;       // for where it stands
constexpr float kSurprising = 0.4F;  // surprise from which a line's record is named
constexpr float kFirst = 0.1F;       // for the first of a column
constexpr float kDiffer = 0.9F;      // share of a column's lines whose texts differ, from which they are names

// What is left of a line without words in quotes, and without digits.
std::uint64_t form_of(std::string_view line) {
    std::uint64_t hash = kHashSeed;
    char quote = 0;
    for (const char byte : line) {
        if (quote != 0) {
            if (byte == quote) quote = 0;
        } else if (byte == '"') {
            quote = byte;
        } else if (byte < '0' || byte > '9') {
            hash = hash_byte(hash, static_cast<unsigned char>(byte));
        }
    }
    return hash;
}

std::uint64_t hash_of(std::string_view bytes) {
    std::uint64_t hash = kHashSeed;
    for (const char byte : bytes) hash = hash_byte(hash, static_cast<unsigned char>(byte));
    return hash;
}

// Columns of lines, and which texts they have; -1 of pieces.
struct Columns {
    std::vector<std::int32_t> column, said;      // a unit: its column; its text in that
    std::vector<std::int32_t> lines, differing;  // a column: lines, texts
    std::vector<std::int32_t> times;             // a text of a column: lines that have it

    Columns(std::string_view text, const TreeUnits& units) : column(units.size(), -1), said(units.size(), -1) {
        std::vector<bool> keyed(units.size());
        for (const TreeCell& cell : units.cells) {
            if (!cell.attribute || cell.name_end - cell.name > 1) keyed[static_cast<std::size_t>(cell.row)] = true;
        }
        std::vector<std::int32_t> holders(units.size());  // of what a line holds, what holds something itself
        for (std::size_t row = 0; row < units.size(); ++row) {
            if (units.parent[row] >= 0 && opens(units.kind[row]))
                ++holders[static_cast<std::size_t>(units.parent[row])];
        }
        Numbers columns, texts;
        for (std::size_t row = 0; row < units.size(); ++row) {
            check_cancelled();
            if (part(units.kind[row])) continue;
            const std::string_view line = piece(text, units.start[row], units.end[row]);
            const std::int32_t parent = units.parent[row];
            const auto above = parent < 0 ? 0 : static_cast<std::size_t>(column[static_cast<std::size_t>(parent)]) + 1;
            const std::int32_t beside = parent < 0 ? 0 : units.count[static_cast<std::size_t>(parent)];
            const bool item = line.starts_with('-');
            const bool formed = !keyed[row] && line.find_first_of("\"[") != std::string_view::npos;
            std::uint64_t name = units.key[row];
            if (formed) {
                name = form_of(line);
            } else if (item && keyed[row]) {
                name = hash_of(line.substr(0, line.find(':')));
            } else if (beside >= kAlike && holders[static_cast<std::size_t>(parent)] == beside) {
                name = 0;  // a list of what has names
            }
            const auto number = columns[joined(above, name)];
            if (static_cast<std::size_t>(number) == lines.size()) {
                lines.push_back(0);
                differing.push_back(0);
            }
            const auto here = texts[joined(static_cast<std::uint64_t>(number), hash_of(line))];
            if (static_cast<std::size_t>(here) == times.size()) {
                times.push_back(0);
                ++differing[static_cast<std::size_t>(number)];
            }
            ++lines[static_cast<std::size_t>(number)];
            ++times[static_cast<std::size_t>(here)];
            column[row] = number;
            said[row] = here;
        }
    }
};

struct LineRarity {
    std::vector<float> worth;          // a unit, 0 of pieces
    std::vector<float> surprise;       // a unit
    std::vector<std::int32_t> naming;  // a record: the unit that names it, -1: none
};

LineRarity line_rarity(std::string_view text, const TreeUnits& units, const Records& records) {
    const Columns all(text, units);
    const std::size_t n = units.size();
    const auto log_of = [](std::int32_t count) { return std::log2(static_cast<float>(count)); };
    float total = 0;
    std::vector<float> mean(all.lines.size());
    for (std::size_t row = 0; row < n; ++row) {
        if (all.column[row] < 0) continue;
        ++total;
        const auto column = static_cast<std::size_t>(all.column[row]);
        mean[column] += log_of(all.lines[column]) - log_of(all.times[static_cast<std::size_t>(all.said[row])]);
    }
    LineRarity found{std::vector<float>(n), std::vector<float>(n), std::vector<std::int32_t>(records.row.size(), -1)};
    const float most = std::log2(std::max(total, 2.0F));
    std::vector<bool> met(all.lines.size());
    for (std::size_t row = 0; row < n; ++row) {
        if (all.column[row] < 0) continue;
        const auto column = static_cast<std::size_t>(all.column[row]);
        const std::int32_t lines = all.lines[column];
        const float here = log_of(lines);
        const float own = here - log_of(all.times[static_cast<std::size_t>(all.said[row])]);
        if (lines > 1) found.surprise[row] = std::max(own - mean[column] / static_cast<float>(lines), 0.0F) / here;
        const float rarity = 1 - here / most;
        found.worth[row] = kRare * rarity + kSeldom * own / most + found.surprise[row] + (met[column] ? 0 : kFirst);
        met[column] = true;
        const std::int32_t record = records.inside[row];
        if (record < 0 || lines < 2 || found.naming[static_cast<std::size_t>(record)] >= 0) continue;
        if (static_cast<float>(all.differing[column]) >= kDiffer * static_cast<float>(lines))
            found.naming[static_cast<std::size_t>(record)] = static_cast<std::int32_t>(row);
    }
    return found;
}

}  // namespace

void rank_lines(std::string_view text, const TreeUnits& units, const Records& records, const std::vector<float>& lead,
                double brought, std::vector<double>& priority) {
    const LineRarity rarity = line_rarity(text, units, records);
    for (std::size_t row = 0; row < units.size(); ++row) {
        if (part(units.kind[row]) || lead[row] > 0 || records.own[row] != 0) continue;
        const bool says = units.count[row] == 0 || text[static_cast<std::size_t>(units.start[row])] == '-';
        if (says) priority[row] = rarity.worth[row] + kPlace * priority[row];
        const std::int32_t record = records.inside[row];
        if (record < 0 || rarity.surprise[row] < kSurprising) continue;
        const std::int32_t name = rarity.naming[static_cast<std::size_t>(record)];
        if (name < 0) continue;
        double& named = priority[static_cast<std::size_t>(name)];
        named = std::max(named, brought * priority[row]);
    }
}

}  // namespace tersely::content
