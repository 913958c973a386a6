// JSON in units: what an outline of it may keep or leave out, by place in the text.
//
// Contract:
//  - a text is one value (RFC 8259), or JSON lines: values that stand on lines of their own; a byte order mark before
//    it is passed over, as section 8.1 allows; so is what programs write beside: NaN, Infinity and -Infinity, a comma
//    before what closes, comments from "//" to the end of the line and between "/*" and "*/";
//  - units are half-open, non-empty, in source order and disjoint; between them stand white space, commas and comments
//    only; a comment before a comma, or before what closes, is the end of the unit before it, so a comma comes first;
//  - a value is one unit, with its key where it has one ("key": value), or several:
//      an object or array is what opens it (with its key), its values, and what closes it; where it holds scalars only,
//      is not an object in an array, and is no longer than kWholeContainer bytes, it is one unit;
//      a string longer than kWholeString, or kWholeOpaque where it is opaque, is a head of about
//      kStringHead bytes (with its key), pieces of about kStringPiece, and the closing quote; no cut parts an escape, a
//      pair of surrogate escapes or a character;
//  - `place` counts the values of a container, the roots of a text, or the pieces of a string, from 0; `count` is how
//    many a container has;
//  - what is not JSON, or nests deeper than kDeepest, gives no units and says why and where.
// One pass, O(bytes) time, O(units + depth) memory. Any bytes are safe.
#pragma once

#include <cstddef>
#include <string_view>

#include "kernels/content/tree.hpp"

namespace tersely::content {

// Whether a value says nothing in words: hashes, random ids, base64, coordinates.

inline constexpr std::size_t kOpaque = 16;  // bytes from which a value can be opaque

// Contract. A word is three to forty ASCII letters with nothing but letters between two signs (anything that is no
// letter or digit; a backslash takes the letter behind it); so is a byte beyond ASCII, and an escape "\uXXXX". Opaque
// is what has kOpaque bytes or more, four letters (dates have fewer) or four times kOpaque bytes, and words in less
// than an eighth of it. O(bytes).
bool is_opaque(std::string_view value);

// Strings of JSON and comments beside values: where they end, and where strings may be cut.

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

inline constexpr std::size_t kDeepest = 512;  // of containers in each other; Python's own reader stops near 1,000
inline constexpr std::size_t kWholeContainer = 48;
inline constexpr std::size_t kWholeString = 96;
inline constexpr std::size_t kWholeOpaque = 48;
inline constexpr std::size_t kStringHead = 24;
inline constexpr std::size_t kStringPiece = 120;

TreeUnits scan_json(std::string_view text);

}  // namespace tersely::content
