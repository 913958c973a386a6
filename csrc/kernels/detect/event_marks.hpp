// What a line says of events: when, how bad, where in which file.
#pragma once

#include <cstdint>
#include <string_view>

namespace tersely::detect {

// kStamp, kLevel, kAnchor, kBuild, kFrame, kTraceHead, kHunk and kDiffHead of line_marks.hpp. `line`: without white
// space around it, not empty; `numbers`: whether it has a digit. O(bytes).
std::uint32_t event_marks(std::string_view line, bool indented, bool numbers);

}  // namespace tersely::detect
