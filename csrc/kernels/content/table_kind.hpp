// Tables among texts that look like something else.
//
// Contract: `look` as it is, or a table where half of the lines stand in columns or are ruled (look_for_columns), nine
// tenths where the look is sure (confidence kSure, and no prose); never of texts with fenced blocks, nor of what is
// certain, nor of kinds that tables do not pass for, nor where the text stands in sentences (lined.hpp). Its confidence
// is that share, kSure at least. Lines that say who wrote them (table_look.hpp) are no prose but a log. O(bytes of the
// first piece).
#pragma once

#include <span>
#include <string_view>

#include "kernels/detect/detect.hpp"

namespace tersely::content {

inline constexpr float kSure = 0.6F;

detect::Detection table_or(detect::Detection look, std::span<const std::string_view> pieces);

}  // namespace tersely::content
