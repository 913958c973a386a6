// Units of source code in the order of what is kept first.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/content/code_units.hpp"

namespace tersely::content {

// double[n], higher first: signatures (10; each level of definitions around one 0.3 less, a line more 0.02 less; what
// is public, in words, 0.1 more; `impl`, which only holds others, 0.8 less), imports (8), statements of the file (1 to
// 4), first lines of docstrings (5), statements of bodies (1 to 2, those of short bodies more), comments (0.8, 0.5).
// Outside of functions, what repeats in form and words is worth less: imports down to 2, declarations by 0.01,
// statements to 1, and comments have up to 0.3 more for what is their own. With a query, what is no signature or import
// counts at least 9.5 s^2, s the share of the query (query_share.hpp) that the definition around it holds, by the best
// one's; outside of definitions the outermost statement with a body, else the lines without a blank one between, as
// sections of settings are. O(bytes).
std::vector<double> rank_code(const CodeLines& lines, const CodeUnits& units, std::string_view query);

}  // namespace tersely::content
