// Clause borders inside one sentence.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/text/segment.hpp"

namespace tersely::text {

// Appends the clauses of `sentence`: disjoint, in order, without white space at their ends, covering all but white
// space. A sentence is cut
//  - at white space behind one of , ; : ) ] } | (and a closing quotation mark; not at a comma between digits), and
//    before ( [ or a dash that stands alone; behind the commas, colons and brackets of CJK and Arabic text; before an
//    em dash. What is cut off has at least 6 bytes, and so has what is left;
//  - at white space before a word that opens a clause or a phrase (conjunctions, relative pronouns and prepositions of
//    English, conjunctions and relative pronouns of German, French and Spanish; in small letters), where what is cut
//    off and the rest of the sentence have at least 20 bytes: shorter pieces say too little.
// What marks do is the same in every language; no word is looked at in any other way. O(sentence).
void split_clauses(std::string_view text, Span sentence, std::vector<Span>& out);

}  // namespace tersely::text
