// YAML in units: a line each, what it stands in by its indentation. Not for all that YAML can say.
//
// Contract:
//  - units are half-open, in source order and disjoint: lines without the white space at their ends; blank ones are
//    none;
//  - an item ("- ...") and a document ("---") are a kObject with what stands in them, keys with nothing behind the
//    colon, too; without anything in them, and for "key: value", a kScalar; `key` is a hash of the key, of "-" or of
//    "---", 0 of comments;
//  - lines that go on a value (a block of text, a plain value of several lines) are kPiece below it, which is a kHead,
//    of an item the kObject; a value in quotes or brackets is of one unit with its key, however many lines it has;
//  - `cells` are values: of a key (its own text), of an item (an attribute, by the key that it opens with);
//  - a text with tabs in its indentation, a quote or bracket that does not end, or a line in sixteen that is none of
//    these, gives no units (kInvalid); one
//    that nests deeper than kDeepest neither (kTooDeep).
// One pass, O(bytes) time, O(units + depth) memory. Any bytes are safe; nothing is resolved: anchors, tags and escapes
// are text.
#pragma once

#include <string_view>

#include "kernels/content/tree.hpp"

namespace tersely::content {

TreeUnits scan_yaml(std::string_view text);

}  // namespace tersely::content
