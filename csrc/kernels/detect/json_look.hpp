// Whether a text, or the start of one, is JSON or a row of JSON values.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tersely::detect {

struct JsonLook {
    bool possible = false;    // nothing in the text cannot stand in JSON, and it starts with { or [
    bool closed = false;      // the last value is complete
    bool own_lines = true;    // each value but the first starts a line
    std::size_t values = 0;   // complete objects and arrays that stand one after another
    std::size_t members = 0;  // colons after strings
};

// Brackets, strings and escapes, the bytes that numbers and literals are made of, and comments. O(bytes).
JsonLook look_for_json(std::string_view text);

struct JsonBlock {
    std::size_t begin, end;  // bytes
};

inline constexpr std::size_t kLongBlock = 1000;  // bytes from which a block is read as what it is

// Objects and arrays among other lines, outside fences of Markdown: each from the start of a line to the end of one, as
// look_for_json knows them; values with white space alone between them are one block. Shorter ones than kLongBlock are
// left out. What is never closed is no block, but with `open` it reaches to the end. O(bytes).
std::vector<JsonBlock> json_blocks(std::string_view text, bool open);

}  // namespace tersely::detect
