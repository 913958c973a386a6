// Source code read by its own marks, where no parser is at hand: indentation for Python, braces for the rest.
#pragma once

#include <string_view>

#include "kernels/content/code_shape.hpp"

namespace tersely::content {

// Python, by the rules of its tokens: logical lines (brackets, strings, backslashes), and blocks by indentation. For
// text that Python parses this is what its parser says: statements, bodies on lines of their own, `else` and the like
// part of the statement before. Not sure: brackets or strings without an end, indentation that does not match.
CodeShape read_indents(const CodeLines& lines);

// Languages with braces. Strings, characters, comments, and the literals of their own (templates and regular
// expressions of JavaScript, raw strings of Go, Rust and C++, lifetimes of Rust) are passed over. A body is what stands
// between braces on several lines, of JavaScript between "[" and "]", too. A statement ends with ";", a closing brace
// that nothing continues, a comma at the end of a line, in Go and JavaScript with a line that does not go on; in a
// switch with the next case. Not sure: brackets that do not match, strings or comments without an end.
CodeShape read_braces(const CodeLines& lines, CodeLanguage language);

// Both: O(bytes). Any bytes are safe.
inline CodeShape read_code(const CodeLines& lines, CodeLanguage language) {
    return language == CodeLanguage::kPython ? read_indents(lines) : read_braces(lines, language);
}

}  // namespace tersely::content
