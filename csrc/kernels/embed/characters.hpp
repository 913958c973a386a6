// What BERT's uncased tokenizer does with each character before it looks for words.
//
// Contract: the reference is the package `tokenizers` (BertNormalizer with clean_text, handle_chinese_chars,
// strip_accents and lowercase, then BertPreTokenizer), whose treatment of every code point is recorded by
// tools/make_wordpiece_tables.py. Per character it is a class and what stands in its place (canonical decomposition
// without nonspacing marks, in lower case); across characters only the order of kMark characters depends on others.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tersely::embed {

enum class CharAction : std::uint8_t {
    kLetter,   // part of a word
    kDropped,  // as if it were not there
    kBreak,    // not there either, but marks on its two sides are not sorted together
    kSpace,    // ends a word
    kAlone,    // punctuation, Chinese characters: a word of one character
    kMark      // part of a word; sorted by combining class among the marks it stands with
};

struct Normalized {
    CharAction action = CharAction::kLetter;
    std::uint8_t size = 1;  // characters in `parts`; parts[0] is defined for kLetter, kAlone and kMark
    char32_t parts[4] = {};
};

// O(1) below U+32400, O(log n) above. `code` <= U+10FFFF.
Normalized normalize(char32_t code);

// Canonical combining class of a character that `normalize` gave; 0 for all but kMark. O(log n).
std::uint8_t combining_class(char32_t code);

}  // namespace tersely::embed
