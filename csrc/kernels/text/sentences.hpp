// Sentence boundaries inside one block.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/text/abbreviations.hpp"
#include "kernels/text/blocks.hpp"

namespace tersely::text {

// Appends the sentences of `block`: disjoint, in order, covering all but white space. The rules:
//  - . ! ? and their runs, ellipses, and the enders of CJK, Arabic, Urdu, Devanagari, Armenian,
//    Ethiopic, Myanmar, Khmer and Tibetan text end a sentence; closing quotes, brackets and
//    footnote marks behind them belong to it;
//  - not before a lower-case word, not inside numbers, versions, URLs, file names or initials, not
//    after an abbreviation (abbreviations.hpp), not after an ordinal where `ordinal_stops`;
//  - a line break ends one where the next word would still have fitted on the line (so it was
//    meant), not where the line was merely wrapped;
//  - Thai, which has no ender, ends at a space after about forty characters;
//  - inline lists ("1. ... 2. ...", bullets) are cut before each item;
//  - nothing is longer than kLongestSegment bytes: longer ones are cut at a line break, a
//    semicolon, a comma or a space, else between characters.
// O(block).
void split_sentences(std::string_view text, const Block& block, const OrdinalStops& ordinal_stops,
                     std::vector<Span>& out);

// Cuts [span.begin, span.end) into pieces of at most `limit` bytes at the best break in each window.
void split_long(std::string_view text, Span span, std::size_t limit, std::vector<Span>& out);

}  // namespace tersely::text
