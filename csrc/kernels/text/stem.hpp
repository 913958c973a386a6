// Light stemmers: endings of English words, endings and articles of words in other scripts.
#pragma once

#include <string>

namespace tersely::text {

// Takes plural, past, progressive and adverb endings off a lower-case ASCII word of four letters or
// more, in place ("parties" -> "party", "running" -> "run", "quickly" -> "quick"). Never leaves fewer than
// three letters; other words stay as they are. O(1).
void stem(std::string& word);

// Takes what inflection adds off a folded word that is all of one script, in place; other words stay as they are. False
// for a stop word (terms.hpp). Spelling first, then stop words, then endings:
//  - Arabic: vowel marks and tatweel go, forms of alef, ya, kaf and ta marbuta become one; "and" or "so" may be
//    written onto a stop word; then the article goes, with "and", "in", "as", "then" or "for" before it, and "and"
//    alone; then an ending of two letters and one of one letter. Leaves two letters or more, three behind "and" alone;
//  - Devanagari: nukta goes, chandrabindu is anusvara; vowel signs and nasal marks at the end, "iy" before them; leaves
//    two letters or more;
//  - Cyrillic: the longest of the Russian endings of nouns and adjectives, as folded (й is и); leaves three letters or
//    more;
//  - Greek and Hebrew: nothing.
// O(1): a term has at most kLongestTerm bytes.
bool stem_script(std::string& word);

}  // namespace tersely::text
