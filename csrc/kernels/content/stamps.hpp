// Time stamps at the head of a line.
#pragma once

#include <cstddef>
#include <string_view>

namespace tersely::content {

struct Stamp {
    std::size_t at = 0, size = 0;  // bytes of the line; size 0: there is none
};

inline constexpr std::size_t kStampReach = 80;    // bytes of a line in which a time may start
inline constexpr std::size_t kLongestStamp = 48;  // bytes

// The first time of day ("10:15:30", "203615" after six digits) with the date, fraction and zone around it:
// ISO 8601, syslog, Apache, "17/06/09 20:10:40", "Sun Dec 04 04:47:44 2005", "04/Dec/2005:04:47:44 +0000".
// O(1): looks at the first bytes only.
Stamp find_stamp(std::string_view line);

}  // namespace tersely::content
