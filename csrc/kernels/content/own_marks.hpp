// What earlier compressions wrote into lines: how many were left out, how often a line came.
#pragma once

#include <cstdint>
#include <string_view>

namespace tersely::content {

struct OwnMark {
    std::string_view said;        // the line without what we wrote at its end; empty: all of it is ours
    std::int64_t stands_for = 1;  // lines: as many as were left out (0: not said), or as often as it came
};

// Reads the line, without white space around it, as content/logs.py, diff.py and tables.py write it: "… 12 lines",
// "… 1,204 more rows", "… more lines" and "…" are ours; so are " … ×117 to 10:15:30" and " …" at the end of a line.
// O(line).
OwnMark own_mark(std::string_view line);

// The same of a value of JSON, with its key, as content/tree.py writes it: how many values were left out, -1 of one
// that counts none ("…"); 0: it is none of ours. "… 31 more", "… 31" and "…" in arrays; "…": "5 more", "…": 5, "…
// 4-40": "37 more" and "… 4-40": "" in objects. O(1).
std::int64_t own_values(std::string_view value);

// The same of a text between tags ("… 31 more", "…") and of a comment of YAML ("# … 31 more").
std::int64_t own_elements(std::string_view text);

}  // namespace tersely::content
