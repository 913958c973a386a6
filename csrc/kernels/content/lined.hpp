// Whether a text stands in lines, as what tools write does, or in sentences.
#pragma once

#include <string_view>

namespace tersely::content {

// False where half or more of the bytes read are lines of prose: seven words or more, of which four fifths are letters
// with at most punctuation around them, and which end as sentences do, or have 50 bytes
// and go on in a line that starts with a small letter, which counts with them, or have 200 bytes; and for texts of
// fewer than three lines. One that begins and ends as the one before it, and is another, is no prose: a tool says the
// same of many things. Of long texts seven pieces of 2 KB are read, the
// first and last among them: O(1).
bool is_lined(std::string_view text);

}  // namespace tersely::content
