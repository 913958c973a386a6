// Sentence boundaries inside one block.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/text/abbreviations.hpp"
#include "kernels/text/lines.hpp"
#include "kernels/text/segment.hpp"

namespace tersely::text {

// Reading what stands around a possible sentence end. `text` ends where the block ends.

enum class Ender { kNone, kStop, kStrong, kEllipsis, kTight };  // kTight: needs no space behind it

Ender ender(char32_t code);

// Past white space.
std::size_t skip_space(std::string_view text, std::size_t at);

// `span` without the white space at its ends.
Span trim(std::string_view text, Span span);

// Past closing quotes and brackets, emphasis marks and footnote marks ("[12]").
std::size_t skip_closing(std::string_view text, std::size_t at);

// Past " :)" and the like, when they stand alone.
std::size_t skip_emoticon(std::string_view text, std::size_t end);

// The first letter or digit of what follows, past quotes, brackets and dashes (at most 8 marks).
std::size_t first_word(std::string_view text, std::size_t at);

// The word at `at`, ASCII in lower case, at most 24 bytes.
std::string word_at(std::string_view text, std::size_t at);

// Whether ". ", ".." or "." before a closing mark stands at `at`: one more stop of a spaced ellipsis.
bool spaced_stop(std::string_view text, std::size_t at);

// Whether a full stop ends a sentence. `start` is where the sentence starts, `text` ends with the block.

// Whether the single full stop at `stop` may end the sentence before the word at `next`. Where `ordinal_stops` say so,
// one or two digits with a stop are an ordinal ("am 3. Juni"). O(1): looks at most 24 bytes back.
bool stop_ends(std::string_view text, std::size_t start, std::size_t stop, std::size_t next,
               const OrdinalStops& ordinal_stops);

// Whether a stop of full width, U+FF0E, ends nothing: within a number or a name, between letters or digits that are
// none of scripts without spaces ("３．１４"), or behind the number of an item at `start` ("２．はじめに").
bool is_inner_stop(std::string_view text, std::size_t start, std::size_t stop);

// Whether a lower-case word of three letters or more, and no known abbreviation, stands before `mark`.
bool ends_word(std::string_view text, std::size_t start, std::size_t mark);

// "end.Next": whether only a space is missing between `mark` and `next`; no file or host name.
bool lacks_space(std::string_view text, std::size_t start, std::size_t mark, std::size_t next);

// Lists written inside a line: "1. First 2. Second", "a) one b) two", "• one • two".

// Appends `sentence`, cut before each further item when it starts with an item: the same bullet, or
// the next number or letter with the same mark behind it. Pieces carry no white space at their ends.
// O(sentence).
void split_inline_list(std::string_view text, Span sentence, std::vector<Span>& out);

// Appends the sentences of `block`: disjoint, in order, covering all but white space. The rules:
//  - . ! ? and their runs, ellipses, and the enders of CJK, Arabic, Urdu, Devanagari, Armenian,
//    Ethiopic, Myanmar, Khmer and Tibetan text end a sentence; closing quotes, brackets and
//    footnote marks behind them belong to it;
//  - not before a lower-case word, not inside numbers, versions, URLs, file names or initials, not
//    after an abbreviation (abbreviations.hpp), not after an ordinal where `ordinal_stops`;
//  - a line break ends one where the next word would still have fitted on the line (so it was meant), not where the
//    line was merely wrapped. Where half of the block's lines without a mark at their ends go on in small letters,
//    all of it is wrapped, as text from a PDF is, and only a line that is not half as long as the longest was meant;
//  - a line of four bytes or less that says nothing (lines.hpp: "}", "9.", "i") is no sentence: it
//    belongs to the line behind it, at the end of a block to the one before;
//  - Thai, which has no ender, ends at a space after about forty characters;
//  - inline lists ("1. ... 2. ...", bullets) are cut before each item;
//  - nothing is longer than kLongestSegment bytes, or kLongestUnmarked if so many bytes in a row are words without a
//    mark, as in a transcript: longer ones are cut at a line break, a semicolon, a comma or a space, else between
//    characters.
// O(block).
void split_sentences(std::string_view text, const Block& block, const OrdinalStops& ordinal_stops,
                     std::vector<Span>& out);

// Cuts [span.begin, span.end) into pieces of at most `limit` bytes at the best break in each window.
void split_long(std::string_view text, Span span, std::size_t limit, std::vector<Span>& out);

// Clause borders inside one sentence.

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
