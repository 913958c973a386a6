#include "kernels/text/inline_list.hpp"

#include <string>

#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {
namespace {

struct Marker {
    int value = 0;  // number, or 1 for "a"
    bool letter = false;
    std::string_view tail;  // ".", ")" or ".)"
};

// The marker "12.)" at the start of `text`; value 0 where there is none.
Marker read_marker(std::string_view text) {
    Marker marker;
    std::size_t at = 0;
    while (at < text.size() && at < 3 && ascii_digit(text[at])) marker.value = marker.value * 10 + (text[at++] - '0');
    if (at == 0 && !text.empty() && ascii_lower(text[0])) {
        marker.letter = true;
        marker.value = text[0] - 'a' + 1;
        at = 1;
    }
    const std::size_t tail = at;
    while (at < text.size() && at - tail < 2 && (text[at] == '.' || text[at] == ')')) ++at;
    if (at == 0 || at == tail || at >= text.size() || text[at] != ' ') return {};
    marker.tail = text.substr(tail, at - tail);
    return marker;
}

bool is_bullet(char32_t code) { return code == 0x2022 || code == 0x2043 || code == 0x25CF || code == 0x25AA; }

}  // namespace

void split_inline_list(std::string_view text, Span sentence, std::vector<Span>& out) {
    const std::string_view all = text.substr(0, sentence.end);
    std::string needle;
    Marker marker;
    const Decoded first = decode(all, sentence.begin);
    if (is_bullet(first.code)) {
        needle = std::string(all.substr(sentence.begin, first.length));
    } else {
        marker = read_marker(all.substr(sentence.begin));
        if (marker.value == 0) return out.push_back(sentence);
    }
    while (true) {
        if (marker.value > 0) {
            ++marker.value;
            if (marker.letter && marker.value > 26) break;
            needle.assign(1, ' ');
            if (marker.letter) {
                needle.push_back(static_cast<char>('a' + marker.value - 1));
            } else {
                needle += std::to_string(marker.value);
            }
            needle += marker.tail;
            needle.push_back(' ');
        }
        std::size_t found = all.find(needle, sentence.begin + 1);
        if (found == std::string_view::npos) break;
        std::size_t end = found;
        if (marker.value > 0) ++found;
        while (end > sentence.begin && ascii_space(all[end - 1])) --end;
        if (end > sentence.begin) out.push_back({sentence.begin, end});
        sentence.begin = found;
    }
    out.push_back(sentence);
}

}  // namespace tersely::text
