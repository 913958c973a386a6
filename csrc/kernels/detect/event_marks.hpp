// What a line says of events: when, how bad, where in which file.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/detect/line_bytes.hpp"

namespace tersely::detect {

// kStamp, kLevel, kAnchor, kBuild, kFrame, kTraceHead, kHunk and kDiffHead of line_marks.hpp. `line`: without white
// space around it, not empty, at most kMostBytes, which `bytes` has looked at. O(bytes).
std::uint32_t event_marks(std::string_view line, const LineBytes& bytes, bool indented);

}  // namespace tersely::detect
