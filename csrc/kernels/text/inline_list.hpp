// Lists written inside a line: "1. First 2. Second", "a) one b) two", "• one • two".
#pragma once

#include <string_view>
#include <vector>

#include "kernels/text/segment.hpp"

namespace tersely::text {

// Appends `sentence`, cut before each further item when it starts with an item: the same bullet, or
// the next number or letter with the same mark behind it. Pieces carry no white space at their ends.
// O(sentence).
void split_inline_list(std::string_view text, Span sentence, std::vector<Span>& out);

}  // namespace tersely::text
