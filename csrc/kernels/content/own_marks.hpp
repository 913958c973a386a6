// What earlier compressions wrote into lines: how many were left out, how often a line came.
#pragma once

#include <cstdint>
#include <string_view>

namespace tersely::content {

struct OwnMark {
    std::string_view said;        // the line without what we wrote at its end; empty: all of it is ours
    std::int64_t stands_for = 1;  // lines: as many as were left out, or as often as it came
};

// Reads the line, without white space around it, as content/logs.py, diff.py and tables.py write it: "… 12 lines",
// "… 1,204 more rows", "… more lines" and "…" are ours; so are " … ×117 to 10:15:30" and " …" at the end of a line.
// O(line).
OwnMark own_mark(std::string_view line);

}  // namespace tersely::content
