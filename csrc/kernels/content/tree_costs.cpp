#include "kernels/content/tree_costs.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "kernels/content/decimal.hpp"
#include "kernels/text/unicode.hpp"

namespace tersely::content {
namespace {

bool is_letter(char byte) { return text::ascii_alpha(byte) || static_cast<unsigned char>(byte) >= 0x80; }

}  // namespace

float cost_of(std::string_view line) {
    constexpr std::string_view kLoops = "loops=", kDigits = "0123456789";
    double value = 0, loops = 1;
    const auto number = [&](std::size_t at, double& into) {  // its end
        std::size_t end = std::min(line.find_first_not_of("0123456789.", at), line.size());
        if (end > at && line[end - 1] == '.') --end;
        into = 0;
        read_decimal(line.substr(at, end - at), into);
        return std::max(end, at + 1);
    };
    if (const std::size_t actual = line.find("actual time="); actual != std::string_view::npos) {
        const std::size_t last = line.find("..", actual), many = line.find(kLoops, actual);
        if (last != std::string_view::npos) number(last + 2, value);
        if (many != std::string_view::npos) number(many + kLoops.size(), loops);
        return static_cast<float>(value * loops);
    }
    for (std::size_t at = line.find_first_of(kDigits); at < line.size(); at = line.find_first_of(kDigits, at)) {
        const bool names = at > 0 && (is_letter(line[at - 1]) || line[at - 1] == ':');
        at = number(at, value);
        if (names || at >= line.size()) continue;
        const std::string_view behind = line.substr(std::min(line.find_first_not_of(' ', at), line.size()));
        if (behind.starts_with('%')) return static_cast<float>(value);
        const std::string_view unit = behind.substr(0, behind.find_first_of(" )],-|"));
        for (const auto& [name, size] : {std::pair{"s", 1e3}, {"sec", 1e3}, {"ms", 1.0}, {"us", 1e-3}, {"ns", 1e-6}}) {
            if (unit == name) return static_cast<float>(value * size);
        }
    }
    return 0;
}

void mark_costly(std::span<const Row> rows, std::vector<float>& odd) {
    constexpr std::size_t kNone = ~std::size_t{0};
    constexpr std::size_t kFewest = 6, kShortest = 3;  // lines of a tree with costs, and of its way down
    constexpr float kStep = 0.02F;                     // that a line is less odd than the one below it
    struct Node {
        std::size_t root, costly, size = 1;  // costly: the child that costs most; size of a root's tree
    };
    std::vector<Node> nodes(rows.size());
    std::vector<std::size_t> above;
    const auto margin = [](const Row& row) { return std::max(row.margin, -1 - row.margin); };
    for (std::size_t first = 0, end = 0; first < rows.size(); first = end) {
        std::size_t root = kNone;
        above.clear();
        for (end = first; end < rows.size() && rows[end].document == rows[first].document; ++end) {
            const Row& row = rows[end];
            while (!above.empty() && margin(rows[above.back()]) >= margin(row)) above.pop_back();
            if (row.cost <= 0 || (row.marks & kContinued) != 0) continue;
            nodes[end] = {above.empty() ? end : nodes[above.back()].root, kNone};
            if (above.empty()) {
                root = root == kNone || row.cost > rows[root].cost ? end : root;
            } else {
                std::size_t& most = nodes[above.back()].costly;
                if (most == kNone || row.cost > rows[most].cost) most = end;
                ++nodes[nodes[end].root].size;
            }
            above.push_back(end);
        }
        if (root == kNone || nodes[root].size < kFewest) continue;
        std::vector<std::size_t> way{root};
        for (std::size_t next = nodes[root].costly; next != kNone; next = nodes[next].costly) {
            if (2 * rows[next].cost < rows[way.back()].cost) break;
            way.push_back(next);
        }
        if (way.size() < kShortest) continue;
        float told = 1;
        for (std::size_t i = way.size(); i-- > 0; told -= kStep) odd[way[i]] = std::max({odd[way[i]], told, 0.5F});
    }
}

}  // namespace tersely::content
