#include "kernels/content/code_rank.hpp"

#include <algorithm>

#include "kernels/content/query_share.hpp"
#include "kernels/text/segment.hpp"
#include "kernels/text/terms.hpp"

namespace tersely::content {
namespace {

constexpr double kAsked = 9.5;  // below the signatures
constexpr double kOuter = 3;    // what a statement outside of functions has more

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

// By row: how much of the query the definition that it stands in holds, the best 1.
std::vector<double> asked_of(const CodeLines& lines, const CodeUnits& units, const std::vector<std::int32_t>& function,
                             std::string_view query) {
    const std::size_t n = units.size();
    std::vector<double> asked(n);
    std::vector<std::int32_t> number(n + 1, -1);  // of each definition among those that hold something; last: none
    std::vector<std::vector<std::size_t>> rows;   // of each
    const auto put = [&](std::int32_t owner, std::size_t row) {
        std::int32_t& mine = number[owner < 0 ? n : index(owner)];
        if (mine < 0) {
            mine = static_cast<std::int32_t>(rows.size());
            rows.emplace_back();
        }
        rows[index(mine)].push_back(row);
    };
    for (std::size_t row = 0; row < n; ++row) {
        put(function[row], row);
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
        if (function[row] >= 0) asked[row] = static_cast<double>(share[index(number[index(function[row])])] / best);
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
            rank += function[row] < 0 ? kOuter : 1 / (1 + size[index(function[row])] / 8.0);
        }
        if (!signature && role != CodeRole::kImport) rank = std::max(rank, asked[row] * asked[row] * kAsked);
        ranks[row] = rank;
    }
    return ranks;
}

}  // namespace tersely::content
