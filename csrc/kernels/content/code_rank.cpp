#include "kernels/content/code_rank.hpp"

#include <algorithm>

#include "kernels/content/query_share.hpp"
#include "kernels/content/rarity.hpp"
#include "kernels/text/segment.hpp"
#include "kernels/text/terms.hpp"

namespace tersely::content {
namespace {

constexpr double kAsked = 9.5;  // below the signatures
// What is outside of functions has more, at most, for how rare it is in form and words: statements, comments.
constexpr double kOuter = 3, kOuterComment = 0.3;
// What imports and declarations outside of functions have less, at most, and how rare they have to be for all their
// rank.
constexpr double kCommonImport = 6, kCommonName = 0.01, kRare = 0.3;

double rank_of(CodeRole role) {
    switch (role) {
        case CodeRole::kDefinition:
        case CodeRole::kDeclaration:
            return 10;
        case CodeRole::kImport:
            return 8;
        case CodeRole::kDocstring:
            return 5;
        case CodeRole::kStatement:
        case CodeRole::kBranch:
            return 1;
        case CodeRole::kComment:
            return 0.8;
        case CodeRole::kText:
            return 0.5;
        case CodeRole::kAfter:
            return 0;
    }
    return 0;
}

std::size_t index(std::int32_t row) { return static_cast<std::size_t>(row); }

// The first line behind attributes and comments.
std::string_view signature_line(const CodeLines& lines, LineSpan span) {
    while (span.first < span.last &&
           (lines.blank(span.first) || std::string_view("@#/*[").find(lines[span.first][0]) != std::string_view::npos))
        ++span.first;
    return lines[span.first];
}

// By row: what it is asked for with. That is the innermost definition around it; outside of all, the outermost of the
// statements with a body around it, or that it is, else n and its paragraph, lines without a blank one between. Rows
// of definitions outside of all have none (-1).
std::vector<std::int32_t> groups_of(const CodeUnits& units, const std::vector<std::int32_t>& function) {
    const auto n = static_cast<std::int32_t>(units.size());
    std::vector<std::int32_t> group = function;
    std::vector<bool> holds(units.size());
    for (const std::int32_t parent : units.parent) {
        if (parent >= 0) holds[index(parent)] = true;
    }
    std::int32_t before = -1;  // the last row of the paragraph
    for (std::int32_t row = 0; row < n; ++row) {
        const std::int32_t parent = units.parent[index(row)];
        if (group[index(row)] >= 0 || units.role[index(row)] == CodeRole::kDefinition) {
            before = -1;
        } else if (parent >= 0) {
            group[index(row)] = group[index(parent)];
        } else if (holds[index(row)]) {
            group[index(row)] = row;
            before = -1;
        } else {
            const bool goes_on = before >= 0 && units.last[index(before)] + 1 == units.first[index(row)];
            group[index(row)] = goes_on ? group[index(before)] : n + row;
            before = row;
        }
    }
    return group;
}

// By row: how much of the query its group holds, the best 1.
std::vector<double> asked_of(const CodeLines& lines, const CodeUnits& units, const std::vector<std::int32_t>& function,
                             std::string_view query) {
    const std::size_t n = units.size();
    const std::vector<std::int32_t> group = groups_of(units, function);
    std::vector<double> asked(n);
    std::vector<std::int32_t> number(2 * n, -1);  // of each group
    std::vector<std::vector<std::size_t>> rows;   // of each
    const auto put = [&](std::int32_t owner, std::size_t row) {
        std::int32_t& mine = number[index(owner)];
        if (mine < 0) {
            mine = static_cast<std::int32_t>(rows.size());
            rows.emplace_back();
        }
        rows[index(mine)].push_back(row);
    };
    for (std::size_t row = 0; row < n; ++row) {
        if (group[row] >= 0) put(group[row], row);
        if (units.role[row] == CodeRole::kDefinition) put(static_cast<std::int32_t>(row), row);
    }
    text::TermReader reader(lines.text().size());
    std::vector<std::int32_t> ids, terms;
    std::vector<std::int64_t> offsets = {0};
    for (const std::vector<std::size_t>& mine : rows) {
        for (const std::size_t row : mine) {
            reader.append(lines.text(), {lines.start(units.first[row]), lines.end(units.last[row])}, ids);
        }
        offsets.push_back(static_cast<std::int64_t>(ids.size()));
    }
    reader.append(query, {0, query.size()}, terms);
    const std::vector<float> share = query_share(ids, offsets, terms, reader.vocabulary().size());
    const float best = share.empty() ? 0 : *std::max_element(share.begin(), share.end());
    if (best <= 0) return asked;
    for (std::size_t row = 0; row < n; ++row) {
        if (group[row] >= 0) asked[row] = static_cast<double>(share[index(number[index(group[row])])] / best);
    }
    return asked;
}

}  // namespace

std::vector<double> rank_code(const CodeLines& lines, const CodeUnits& units, std::string_view query) {
    const std::size_t n = units.size();
    std::vector<std::int32_t> depth(n), function(n, -1), size(n);  // the innermost definition around, lines of its own
    for (std::size_t row = 0; row < n; ++row) {
        if (units.parent[row] < 0) continue;
        const std::size_t parent = index(units.parent[row]);
        const bool defines = units.role[parent] == CodeRole::kDefinition;
        depth[row] = depth[parent] + (defines ? 1 : 0);
        function[row] = defines ? units.parent[row] : function[parent];
        if (function[row] >= 0) size[index(function[row])] += units.last[row] - units.first[row] + 1;
    }
    const std::vector<double> asked = query.empty() ? std::vector<double>(n) : asked_of(lines, units, function, query);
    std::vector<std::size_t> outer;  // imports, and what is outside of functions
    std::vector<std::string_view> said;
    for (std::size_t row = 0; row < n; ++row) {
        const CodeRole role = units.role[row];
        const bool inside = function[row] >= 0 || role == CodeRole::kDefinition || role == CodeRole::kAfter;
        if (inside && role != CodeRole::kImport) continue;
        const std::size_t start = lines.start(units.first[row]);
        outer.push_back(row);
        said.push_back(lines.text().substr(start, lines.end(units.last[row]) - start));
    }
    std::vector<double> rare(n, -1);  // -1: it is inside
    const std::vector<double> rarities = rarity(said);
    for (std::size_t at = 0; at < outer.size(); ++at) rare[outer[at]] = rarities[at];
    std::vector<double> ranks(n);
    for (std::size_t row = 0; row < n; ++row) {
        const CodeRole role = units.role[row];
        double rank = rank_of(role);
        if (role != CodeRole::kStatement) rank -= 0.3 * std::min(depth[row], 10);
        const bool signature = role == CodeRole::kDefinition || role == CodeRole::kDeclaration;
        if (signature) {
            rank -= 0.02 * std::min(units.last[row] - units.first[row], 50);
            const std::string_view line = signature_line(lines, {units.first[row], units.last[row]});
            if (line.starts_with("impl")) rank -= 0.8;
            if (line.starts_with("pub") || line.starts_with("export")) rank += 0.1;
        } else if (role == CodeRole::kStatement || role == CodeRole::kBranch) {
            rank += function[row] < 0 ? kOuter * rare[row] : 1 / (1 + size[index(function[row])] / 8.0);
        } else if (rare[row] >= 0 && role != CodeRole::kImport) {
            rank += kOuterComment * rare[row];
        }
        if (rare[row] >= 0 && (signature || role == CodeRole::kImport))
            rank -= (signature ? kCommonName : kCommonImport) * (1 - std::min(rare[row] / kRare, 1.0));
        if (!signature && role != CodeRole::kImport) rank = std::max(rank, asked[row] * asked[row] * kAsked);
        ranks[row] = rank;
    }
    return ranks;
}

}  // namespace tersely::content
