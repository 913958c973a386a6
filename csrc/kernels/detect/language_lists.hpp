// How what speaks for a language is written down: lists of words and of starts of lines, each with its weight.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/detect/languages.hpp"

namespace tersely::detect {

// Words are parted by a space. Where one stands: "word" first in a line, "word*" anywhere but behind "." and "$",
// "word(" and "word:" first and before these signs, "word$" last, ".word" behind ".", ":word" behind ":" or "->".
// "~x" behind that: in a line that ends with x. Starts are parted by a line feed.
struct List {
    Language language;
    std::uint8_t weight;
    std::string_view entries;
};

}  // namespace tersely::detect
