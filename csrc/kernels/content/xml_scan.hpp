// XML data in units: what an outline of it may keep or leave out, by place in the text.
//
// Contract:
//  - units are half-open, non-empty, in source order and disjoint; between them stands white space only;
//  - an element is its start tag (kObject), what is in it, and its end tag (kClose); without elements in it, and no
//    longer than kWholeElement bytes, it is one unit (kScalar), as are empty elements;
//  - a start tag of more than kWholeTag bytes with two attributes or more, or an empty element of more than
//    kWholeElement, is its name (kObject, kScalar) and a kAttribute each, the last with the tag's end; of a long one
//    a head, as of text, and pieces;
//  - text between tags, and what stands in a CDATA section, is one unit up to kWholeText bytes (kScalar), else a head
//    of about kTextHead bytes, of what is opaque (json_scan.hpp) kOpaqueHead, (kHead) and pieces of about kTextPiece
//    (kPiece), the section's end a kClose; no cut parts a reference or a character;
//  - "<" that opens words up to a ">", as in "<line number>", is text: no end tag has its name, and none of it a "=";
//  - comments, processing instructions and declarations are units of their own (kScalar, key 0), as are end tags
//    without a start; elements that do not end (a text may be cut off anywhere) have no kClose;
//    one of a name with more than four start tags to an end tag holds no other of its name;
//  - `key` is a hash of an element's name, 0 for what is no element; `place` counts what stands in an element, `count`
//    how many that are; `cells` are attributes and texts;
//  - a text without any element, or one that nests deeper than kDeepest, gives no units and says why.
// One pass, O(bytes) time, O(units + cells + depth) memory. Any bytes are safe; nothing is resolved or fetched.
#pragma once

#include <cstddef>
#include <string_view>

#include "kernels/content/tree.hpp"

namespace tersely::content {

inline constexpr std::size_t kWholeElement = 80;
inline constexpr std::size_t kWholeTag = 48;
inline constexpr std::size_t kWholeText = 240;
inline constexpr std::size_t kTextHead = 160;
inline constexpr std::size_t kOpaqueHead = 32;
inline constexpr std::size_t kTextPiece = 120;

TreeUnits scan_xml(std::string_view text);

}  // namespace tersely::content
