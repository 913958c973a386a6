// Whether a text, or the start of one, is JSON or a row of JSON values.
#pragma once

#include <cstddef>
#include <string_view>

namespace tersely::detect {

struct JsonLook {
    bool possible = false;    // nothing in the text cannot stand in JSON, and it starts with { or [
    bool closed = false;      // the last value is complete
    bool own_lines = true;    // each value but the first starts a line
    std::size_t values = 0;   // complete objects and arrays that stand one after another
    std::size_t members = 0;  // colons after strings
};

// Brackets, strings and escapes, and the bytes that numbers and literals are made of. O(bytes).
JsonLook look_for_json(std::string_view text);

}  // namespace tersely::detect
