// Fuzzes the scanner of JSON, its ranks, and the choice in a tree: any bytes, made valid UTF-8.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "kernels/content/json_rank.hpp"
#include "kernels/content/json_scan.hpp"
#include "kernels/content/tree.hpp"
#include "valid_utf8.hpp"

namespace {

using namespace tersely::content;

bool only_gaps(std::string_view text) { return text.find_first_not_of(" \t\r\n,") == std::string_view::npos; }

void check_units(std::string_view text, const JsonUnits& units) {
    check((units.fault == JsonFault::kNone) == (units.size() > 0), "JSON has units, and nothing else has");
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

void check_choice(const JsonUnits& units, const std::vector<double>& priority, double budget) {
    std::vector<std::int32_t> follows(units.size(), -1);
    std::vector<double> cost(units.size());
    for (std::size_t row = 0; row < units.size(); ++row) {
        if (units.kind[row] == JsonKind::kClose) follows[row] = units.parent[row];
        cost[row] = static_cast<double>(units.end[row] - units.start[row]);
        check(std::isfinite(priority[row]), "priorities are finite");
    }
    const Tree tree{units.parent, follows, {}, {}};
    const std::vector<std::int32_t> order = tree_order(tree, priority, units.size());
    const std::vector<std::uint8_t> in = tree_choose(tree, order, cost, budget, units.size());
    double used = 0;
    for (std::size_t row = 0; row < in.size(); ++row) {
        const std::int32_t parent = units.parent[row];
        check(in[row] == 0 || parent < 0 || in[static_cast<std::size_t>(parent)] != 0,
              "what is in stands in what is in");
        check(follows[row] < 0 || in[row] == in[static_cast<std::size_t>(follows[row])], "what closes goes with it");
        used += in[row] != 0 ? cost[row] : 0;
    }
    check(used <= budget, "a choice costs no more than its budget");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = replace_invalid({reinterpret_cast<const char*>(data), size});
    const JsonUnits units = scan_json(text);
    check_units(text, units);
    const std::vector<std::uint8_t> outliers = json_outliers(text, units);
    std::vector<float> relevance(units.size());
    for (std::size_t row = 0; row < units.size(); ++row) relevance[row] = static_cast<float>(row % 5) / 4;
    check_choice(units, rank_json(units, outliers, {}), static_cast<double>(size) / 3);
    check_choice(units, rank_json(units, outliers, relevance), static_cast<double>(size) / 2);
    return 0;
}
