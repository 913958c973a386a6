// Literals and comments of source code: where they end.
#pragma once

#include <cstddef>
#include <string_view>

#include "kernels/content/code_shape.hpp"

namespace tersely::content {

inline constexpr std::size_t kOpen = static_cast<std::size_t>(-1);  // it has no end

// Where the Python string ends whose first quote stands at `at`. `formatted`: f-strings, whose expressions in braces
// may hold strings with the same quotes (PEP 701); deeper than a few, braces are text.
std::size_t python_string_end(std::string_view text, std::size_t at, bool formatted, int depth = 0);

// Where the literal or comment at `at` ends, of a language with braces; `at` itself where there is none, kOpen where it
// has no end. `value`: a value may begin here (so "/" begins a regular expression).
std::size_t literal_end(std::string_view text, std::size_t at, CodeLanguage language, bool value, int depth = 0);

}  // namespace tersely::content
