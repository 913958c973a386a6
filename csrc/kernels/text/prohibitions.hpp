// Segments that say what must not be done.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/text/segment.hpp"

namespace tersely::text {

inline constexpr float kProhibitionWeight = 8;  // beside text::weights_of_segments: as much as counts of these

// uint8[n]: 1 for segments (bytes of `text`) with words of a prohibition: those of one by themselves ("must not be",
// "forbidden", "vietato"), one that permits with one behind it that denies ("darf ... nicht"), and orders that open
// with a denial ("Never ...", "Do not ..."), in English, German, Dutch, French, Spanish, Italian, Portuguese, Polish,
// Russian, Chinese, Japanese and Korean. As written: in small letters, but for the first of an order. O(bytes).
std::vector<std::uint8_t> prohibitions(std::string_view text, const Segments& rows);

}  // namespace tersely::text
