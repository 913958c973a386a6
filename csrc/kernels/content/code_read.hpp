// Source code read by its own marks, where no parser is at hand: indentation for Python, braces for the rest.
#pragma once

#include <string_view>

#include "kernels/content/code_shape.hpp"

namespace tersely::content {

// Python, by the rules of its tokens: logical lines (brackets, strings, backslashes), and blocks by indentation. For
// text that Python parses this is what its parser says: statements, bodies on lines of their own, `else` and the like
// part of the statement before. Not sure: brackets or strings without an end, indentation that does not match.
CodeShape read_indents(const CodeLines& lines);

// Whether a text is Python beyond doubt: its marks add up as above, no two operands stand side by side as words of
// prose and of most other languages do, only words of Python open blocks, and there is a block, a "from ... import", a
// string in three quotes before other statements, or a name that is a tuple or dict on several lines. O(bytes).
bool is_python(const CodeLines& lines);

// Languages with braces. Strings, characters, comments, and the literals of their own (templates and regular
// expressions of JavaScript, raw strings of Go, Rust and C++, lifetimes of Rust) are passed over. A body is what stands
// between braces on several lines, of JavaScript between "[" and "]", too. A statement ends with ";", a closing brace
// that nothing continues, a comma at the end of a line, in Go and JavaScript with a line that does not go on; in a
// switch with the next case. What #if leaves open (`extern "C" {`) begins with it and holds what follows its #endif; of
// branches that differ in what is open, the first decides. Not sure: brackets that do not match, or are open behind an
// #if that no #else or other #if matches, strings or comments without an end.
CodeShape read_braces(const CodeLines& lines, CodeLanguage language);

// What is written in no such language: a line is a statement, with those that a backslash joins; deeper lines below it
// are its body, and a line as deep as it that begins with a closing bracket, "else", "end" and the like ends that.
CodeShape read_layout(const CodeLines& lines);

// All: O(bytes). Any bytes are safe. Other languages are read by their layout where they have no braces that match.
inline CodeShape read_code(const CodeLines& lines, CodeLanguage language) {
    if (language == CodeLanguage::kPython) return read_indents(lines);
    CodeShape shape = read_braces(lines, language);
    if (language != CodeLanguage::kOther || (shape.sure && !shape.folds.empty())) return shape;
    CodeShape layout = read_layout(lines);
    layout.sure = shape.sure;
    return layout;
}

}  // namespace tersely::content
