#include "kernels/content/own_marks.hpp"

#include <algorithm>
#include <cstddef>

namespace tersely::content {
namespace {

using View = std::string_view;

constexpr View kDots = "\xE2\x80\xA6";                  // "…"
constexpr View kCut = " \xE2\x80\xA6";                  // " …": the rest of a line is left out
constexpr View kTimes = " \xE2\x80\xA6 \xC3\x97";       // " … ×"
constexpr std::size_t kLongestTime = 64;                // of " to 10:15:30"
constexpr std::int64_t kMost = std::int64_t{1} << 40U;  // lines that a mark may stand for

// The number at the start of `text`, with commas, which is cut off; 0: there is none.
std::int64_t take_number(View& text) {
    std::int64_t number = 0;
    std::size_t at = 0;
    for (; at < text.size() && ((text[at] >= '0' && text[at] <= '9') || (at > 0 && text[at] == ',')); ++at) {
        if (text[at] != ',') number = std::min(number * 10 + (text[at] - '0'), kMost);
    }
    text.remove_prefix(at);
    return number;
}

}  // namespace

OwnMark own_mark(View line) {
    if (line.starts_with(kDots)) {
        View rest = line.substr(kDots.size());
        if (rest.empty() || rest == " more lines") return {{}, 0};
        rest.remove_prefix(rest.front() == ' ' ? 1 : 0);
        const std::int64_t many = take_number(rest);
        const bool known = rest == " line" || rest == " lines" || rest == " more row" || rest == " more rows";
        if (many > 0 && known) return {{}, many};
    }
    OwnMark mark{line, 1};
    if (mark.said.ends_with(kCut)) mark.said.remove_suffix(kCut.size());
    const std::size_t at = mark.said.rfind(kTimes);
    if (at == View::npos || at == 0) return mark;
    View rest = mark.said.substr(at + kTimes.size());
    const std::int64_t times = take_number(rest);
    if (times > 0 && (rest.empty() || (rest.starts_with(" to ") && rest.size() <= kLongestTime))) {
        mark = {mark.said.substr(0, at), times};
    }
    return mark;
}

std::int64_t own_values(View value) {
    constexpr std::size_t kLongest = 64;
    const auto skip = [&value](View what) {
        if (!value.starts_with(what)) return false;
        value.remove_prefix(what.size());
        return true;
    };
    if (value.size() > kLongest || !skip("\"") || !skip(kDots)) return 0;
    if (value == "\"") return -1;
    std::int64_t first = 0;
    std::int64_t last = 0;
    if (skip(" ")) {
        first = take_number(value);
        if (first > 0 && (value == "\"" || value == " more\"")) return first;
        if (first == 0 || !skip("-")) return 0;
        last = take_number(value);
    }
    if (!skip("\":")) return 0;
    while (skip(" ")) continue;
    if (first > 0) return last >= first && value.starts_with('"') ? last - first + 1 : 0;
    const bool words = skip("\"");
    const std::int64_t many = take_number(value);
    return value == (words ? " more\"" : "") ? many : 0;
}

std::int64_t own_elements(View text) {
    if (text.starts_with("# ")) text.remove_prefix(2);
    if (!text.starts_with(kDots)) return 0;
    text.remove_prefix(kDots.size());
    if (text.empty()) return -1;
    if (!text.starts_with(' ')) return 0;
    text.remove_prefix(1);
    const std::int64_t many = take_number(text);
    return text.empty() || text == " more" ? many : 0;
}

}  // namespace tersely::content
