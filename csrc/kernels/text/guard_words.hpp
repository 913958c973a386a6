// Words that turn a statement into another one while its vector hardly moves.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>

namespace tersely::text {

// The class of a folded and, where it is plain ASCII letters, stemmed word (terms.hpp): "" for most words.
//  - "not": negations of some twenty languages;
//  - digits: a number word from two up, in English, German, French and Spanish;
//  - else one end of a pair that is easily mixed up ("before", "disable", "less"), or a colour, month, day of the week
//    or the like. Words of one meaning share a class. The other end of a pair has none ("after"): a text with it
//    differs all the same from one with the first.
// O(length).
std::string_view guard_class(const std::string& word);

// The folded words of class "not", as they are: guard_class takes stems.
const std::unordered_set<std::string_view>& negations();

// A word without case and accents (unicode.hpp), and in the form that guard_class takes. O(length).
std::string folded(std::string_view word);
std::string looked_up(std::string_view word);

// Whether a negation of a script without spaces begins at `at`. O(1).
bool negates_at(std::string_view text, std::size_t at);

// Whether a folded word is a common one of German, French, Spanish, Italian, Portuguese or Dutch that names nothing.
bool is_function_word(std::string_view folded);

// Whether a word behind a number is its unit ("5 MB"): symbols and English words, in any case.
bool is_unit(std::string_view word);

}  // namespace tersely::text
