#include "kernels/content/table_pairs.hpp"

#include <algorithm>

#include "kernels/parallel.hpp"

namespace tersely::content {
namespace {

constexpr std::size_t kFewestPairs = 3;

bool ends_pair(char byte) { return byte == ' ' || byte == '\t' || byte == '\r'; }

bool is_name(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_';
}

std::string_view without_quotes(std::string_view cell) {
    const auto around = [](char byte) { return ends_pair(byte) || byte == '"'; };
    while (!cell.empty() && around(cell.front())) cell.remove_prefix(1);
    while (!cell.empty() && around(cell.back())) cell.remove_suffix(1);
    return cell;
}

std::size_t pairs_in(std::string_view line) {
    std::size_t pairs = 0;
    for (std::size_t i = 1; i + 1 < line.size(); ++i) {
        if (line[i] != '=' || !(is_name(line[i - 1]))) continue;
        std::size_t begin = i;
        while (begin > 0 && !ends_pair(line[begin - 1]) && line[begin - 1] != '=' && line[begin - 1] != '"') --begin;
        if (begin == 0 || ends_pair(line[begin - 1])) ++pairs;
    }
    return pairs;
}

}  // namespace

float look_for_pairs(std::string_view text) {
    std::size_t lines = 0;
    std::size_t paired = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        check_cancelled();
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        begin = end + 1;
        if (std::all_of(line.begin(), line.end(), ends_pair)) continue;
        ++lines;
        paired += pairs_in(line) >= kFewestPairs ? 1U : 0U;
    }
    return lines < kFewestRows ? 0 : static_cast<float>(paired) / static_cast<float>(lines);
}

void read_pairs(std::string_view line, std::vector<TableCell>& cells) {
    for (std::size_t at = 0; at < line.size() && cells.size() < kMostCells;) {
        if (ends_pair(line[at])) {
            ++at;
            continue;
        }
        const std::size_t begin = at;
        std::size_t equals = std::string_view::npos;
        bool quoted = false;
        for (; at < line.size() && (quoted || !ends_pair(line[at])); ++at) {
            if (line[at] == '"' && line[at - (at > 0 ? 1 : 0)] != '\\') quoted = !quoted;
            if (line[at] == '=' && equals == std::string_view::npos && !quoted) equals = at;
        }
        if (equals == std::string_view::npos || equals == begin) continue;
        cells.push_back(
            {0, line.substr(begin, equals - begin), without_quotes(line.substr(equals + 1, at - equals - 1))});
    }
}

}  // namespace tersely::content
