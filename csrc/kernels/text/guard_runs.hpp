// The runs that guards are read from (guards.hpp): where they end, and what they look like. Each is O(length).
#pragma once

#include <cstddef>
#include <string_view>

#include "kernels/text/segment.hpp"

namespace tersely::text {

bool in_word(char32_t code);  // letters, digits and marks of scripts with spaces
bool in_run(char32_t code);   // these, and the marks of numbers and code
bool is_apostrophe(char32_t code);

// The end of the run at `at`; a comma between digits is in it.
std::size_t run_end(std::string_view text, std::size_t at);
// The same for a run of ASCII letters; 0 for any other run.
std::size_t plain_run_end(std::string_view text, std::size_t at);
// The end of the word at `at`, not beyond the character that reaches `end`.
std::size_t word_end(std::string_view text, std::size_t at, std::size_t end);

// A run without the marks around it that belong to the sentence.
Span trimmed(std::string_view text, Span run);

// What a run holds. code: a mark that plain words do not have, a stop between words, or a dash in front.
struct Shape {
    bool word = false, digit = false, code = false;
};
Shape shape_of(std::string_view run);
bool has_word(std::string_view run);  // shape_of(run).word; O(marks before the first word)

bool all_upper(std::string_view word);      // two capitals or more and no other letter
bool inner_capital(std::string_view word);  // a capital behind a small letter
bool is_initials(std::string_view run);     // "U.S", "e.g": single ASCII letters and full stops
bool is_bullet(std::string_view run);       // '>' and '+' only
bool is_comparison(std::string_view run);   // marks that compare or measure: "<=", "->", "€"; not "-", "##", "=="

// "n't" with its n before `end`: the end of it; 0 where there is none.
std::size_t contraction_end(std::string_view text, std::size_t end);

}  // namespace tersely::text
