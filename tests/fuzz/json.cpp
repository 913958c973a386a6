// Fuzzes the scanner of JSON, its ranks, and a choice of nested units: any bytes, made valid UTF-8.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "kernels/content/json_scan.hpp"
#include "kernels/content/tree_rank.hpp"
#include "kernels/select/budgeted.hpp"
#include "valid_utf8.hpp"

namespace {

using namespace tersely::content;

bool only_gaps(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t behind = std::string_view(" \t\r\n,").find(text[at]) < 5 ? at + 1 : comment_end(text, at);
        if (behind == at) return false;
        at = behind;
    }
    return true;
}

void check_units(std::string_view text, const TreeUnits& units) {
    check((units.fault == TreeFault::kNone) == (units.size() > 0), "JSON has units, and nothing else has");
    if (units.size() == 0) return;
    std::size_t covered = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // the mark that the contract passes over
    for (std::size_t row = 0; row < units.size(); ++row) {
        const auto start = static_cast<std::size_t>(units.start[row]);
        const auto end = static_cast<std::size_t>(units.end[row]);
        check(covered <= start && start < end && end <= text.size(), "units are non-empty, sorted and disjoint");
        check(only_gaps(text.substr(covered, start - covered)), "gaps hold white space and commas only");
        check(valid_length(text, start) > 0, "units start on characters");
        const std::int32_t parent = units.parent[row];
        check(parent >= -1 && parent < static_cast<std::int32_t>(row), "parents stand above");
        check(parent < 0 || units.place[row] <= units.count[static_cast<std::size_t>(parent)],
              "places lie in the count");
        covered = end;
    }
    check(only_gaps(text.substr(covered)), "nothing but white space is left over");
}

void check_choice(const TreeUnits& units, const std::vector<double>& priority, std::int64_t budget) {
    std::vector<std::int32_t> group(units.size(), -1);
    std::vector<std::int32_t> document(units.size(), 0);
    std::vector<std::int64_t> cost(units.size());
    std::vector<float> score(units.size());
    for (std::size_t row = 0; row < units.size(); ++row) {
        if (units.kind[row] == TreeKind::kClose) {
            group[row] = group[static_cast<std::size_t>(units.parent[row])] = units.parent[row];
        }
        cost[row] = units.end[row] - units.start[row];
        check(std::isfinite(priority[row]), "priorities are finite");
        score[row] = static_cast<float>(priority[row]);
    }
    tersely::select::Problem problem;
    problem.score = score;
    problem.cost = cost;
    problem.budget = budget;
    problem.group = group;
    problem.document = document;
    problem.heading = units.parent;
    problem.ranked = true;
    const std::vector<tersely::select::Status> in = tersely::select::select_budgeted(problem);
    const auto kept = [&](std::size_t row) { return in[row] > tersely::select::Status::kRedundant; };
    std::int64_t used = 0;
    for (std::size_t row = 0; row < in.size(); ++row) {
        const std::int32_t parent = units.parent[row];
        check(!kept(row) || parent < 0 || kept(static_cast<std::size_t>(parent)), "what is in stands in what is in");
        check(group[row] < 0 || kept(row) == kept(static_cast<std::size_t>(group[row])), "what closes goes with it");
        used += kept(row) ? cost[row] : 0;
    }
    check(used <= budget, "a choice costs no more than its budget");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = replace_invalid({reinterpret_cast<const char*>(data), size});
    const TreeUnits units = scan_json(text);
    check_units(text, units);
    std::vector<float> relevance(units.size());
    for (std::size_t row = 0; row < units.size(); ++row) relevance[row] = static_cast<float>(row % 5) / 4;
    check_choice(units, rank_tree(text, units, {}).priority, static_cast<std::int64_t>(size) / 3);
    check_choice(units, rank_tree(text, units, relevance).priority, static_cast<std::int64_t>(size) / 2);
    return 0;
}
