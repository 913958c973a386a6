// What an element of markup says: whether it is something in words, and what it has in common with others.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/content/tree.hpp"

namespace tersely::content {

// Whether a unit of markup (its bytes and kind) has two words or more with white space between them, in a text, a
// section or a quoted value; white space between tags and attributes is none. O(bytes).
bool is_phrase(std::string_view bytes, TreeKind kind);

// A hash of the bytes that are no digits: things that are said in turn differ in their numbers. O(bytes).
std::uint64_t template_of(std::string_view bytes);

}  // namespace tersely::content
