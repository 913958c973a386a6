// Whether a value says nothing in words: hashes, random ids, base64, coordinates.
#pragma once

#include <cstddef>
#include <string_view>

namespace tersely::content {

inline constexpr std::size_t kOpaque = 16;  // bytes from which a value can be opaque

// Contract. A word is three to forty ASCII letters with nothing but letters between two signs (anything that is no
// letter or digit; a backslash takes the letter behind it); so is a byte beyond ASCII, and an escape "\uXXXX". Opaque
// is what has kOpaque bytes or more, four letters (dates have fewer) or four times kOpaque bytes, and words in less
// than an eighth of it. O(bytes).
bool is_opaque(std::string_view value);

}  // namespace tersely::content
