// What a line says of a stack: a frame of it, or what was thrown and why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tersely::detect {

// kFrame and kTraceHead of line_marks.hpp. `line`: without white space around it, not empty. `placed`: whether it
// names a place; `anchor`: where the number of its first path:12 ends, npos without one. O(bytes).
//
// Frames as Python, Java and Kotlin, JavaScript (V8, SpiderMonkey), Go, Rust, C#, Ruby, PHP, Perl, Lua, Elixir, Julia,
// Dart, Swift, gdb and the sanitizers print them.
std::uint32_t trace_marks(std::string_view line, bool indented, bool placed, std::size_t anchor);

// Whether it is a frame of Python, which the lines of the source stand below.
bool is_python_frame(std::string_view line);

}  // namespace tersely::detect
