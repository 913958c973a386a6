// Bytes and parts of a line, as the marks of detection look at them.
//
// Contract: letters and digits are ASCII's; a line given to starts_with_any is not empty, nor is a start.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "kernels/text/unicode.hpp"

namespace tersely::detect {

using View = std::string_view;
using ByteSet = std::array<bool, 256>;

using text::ascii_alpha;
using text::ascii_digit;
using text::ascii_lower;
using text::ascii_upper;

constexpr ByteSet bytes_of(View bytes) {
    ByteSet set{};
    for (const char byte : bytes) set[static_cast<unsigned char>(byte)] = true;
    return set;
}

constexpr bool in(const ByteSet& set, char byte) { return set[static_cast<unsigned char>(byte)]; }

// The first byte from `at` on that is in the set, or not in it; the line's size where there is none.
inline std::size_t find_in(View line, const ByteSet& set, std::size_t at = 0) {
    while (at < line.size() && !in(set, line[at])) ++at;
    return at;
}
inline std::size_t find_out(View line, const ByteSet& set, std::size_t at = 0) {
    while (at < line.size() && in(set, line[at])) ++at;
    return at;
}

inline bool has(View line, View part) { return line.find(part) != View::npos; }

inline bool starts_with_any(View line, std::span<const View> starts) {
    return std::any_of(starts.begin(), starts.end(),
                       [&](View start) { return start[0] == line[0] && line.starts_with(start); });
}

}  // namespace tersely::detect
