// Strings of JSON and comments beside values: where they end, and where strings may be cut.
#pragma once

#include <cstddef>
#include <string_view>

namespace tersely::content {

// Behind the closing quote of the string that opens at `at`; 0 where it does not end, or holds a control character or
// something behind a backslash that is no escape. O(length), eight bytes at a time.
std::size_t string_end(std::string_view text, std::size_t at);

// Behind the comment that opens at `at`, "//" with the end of its line or "/*" with "*/"; `at` where none does, or it
// does not end. O(length).
std::size_t comment_end(std::string_view text, std::size_t at);

// Where a piece of about `size` bytes ends that begins at `from` in a string which ends at `last` (its closing quote):
// behind a space in its second half where there is one, never inside an escape, a pair of surrogate escapes or a
// character; `last` where no more than half a piece would be left over.
std::size_t piece_end(std::string_view text, std::size_t from, std::size_t last, std::size_t size);

}  // namespace tersely::content
