// Guards: what must not differ between two texts that are taken for one.
//
// Contract. A text is read in runs of word characters and of the marks that numbers and code hold (guards.hpp;
// a character of a script without spaces is no part of a run), without the full stops, colons, dashes and
// slashes at its ends. In text order:
//  - exact guards, as they are written: a run with a digit (numbers with sign, currency, exponent, comparison; dates,
//    times, versions), with the unit behind it where it ends in a digit; a run with a mark of code in it ("a_b",
//    "/etc/x", "--flag", "C++", "a.b") or an inner capital; words of two capitals and more; a lone capital that does
//    not start a sentence; a lone consonant; comparison signs; a run of digits of a script without spaces. "U.S." is
//    "US"; a number word gives the digits ("two": 2).
//  - class guards: what guard_class (key_words.hpp) says of a word, in any case; "n't" is "not"; of equal ones in a
//    row one stays, but each "not" counts. Negations of scripts without spaces are found as strings, those that are
//    a part of a word by it and the letters of its line (denial_within).
//  - names: the terms (terms.hpp) of every other word that starts with a capital letter; stop words have none, and
//    at the start of a sentence function words of other languages neither (key_words.hpp). Not part of the guards of
//    a text: a name must be among the other text's terms, in any case (agreement.hpp).
// Two texts have one guard id if and only if their exact guards are the same sequence and their class guards are, too.
// Ids are numbered by first occurrence. Any valid UTF-8. O(text) time, O(guards) memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/text/segment.hpp"
#include "kernels/text/terms.hpp"

namespace tersely::text {

// The runs that guards are read from: where they end, and what they look like. Each is O(length).

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

class GuardReader {
  public:
    explicit GuardReader(std::size_t bytes) : terms_(bytes), spellings_(kFewestSlots), signatures_(kFewestSlots) {}

    // The guard id of a text; appends its terms and the terms of its names.
    std::int32_t append(std::string_view text, std::vector<std::int32_t>& terms, std::vector<std::int32_t>& names);
    // By guard id: exact guards, then class guards, each with a mark before it ('=' or '~') and a line end behind.
    const Vocabulary& signatures() const { return signatures_; }
    const Vocabulary& vocabulary() const { return terms_.vocabulary(); }

  private:
    std::size_t read_run(std::string_view text, std::size_t at, std::vector<std::int32_t>& names);
    void read_exact(std::string_view text, Span run, std::size_t whole);
    std::size_t read_word(std::string_view text, Span word, std::vector<std::int32_t>& names);
    struct Known {                // of a spelling
        std::string_view name;    // guard_class
        std::uint8_t denies = 0;  // denial_within
    };
    Known look_up(std::string_view word);
    std::uint8_t line_letters(std::string_view text, std::size_t at);  // of the line at `at`, which ascends
    void emit_class(std::string_view name);
    void emit_exact(std::string_view run);

    TermReader terms_;
    Vocabulary spellings_;
    std::vector<Known> known_;  // of each spelling
    Vocabulary signatures_;
    std::string exact_, logic_;   // guards of the text that is read
    std::size_t last_class_ = 0;  // where the last class guard begins in logic_
    std::size_t line_end_ = 0;    // of the line whose letters were looked at last
    std::uint8_t letters_ = 0;    // these
    bool starts_ = true;          // no word since the start of the text, a sentence or a line
};

}  // namespace tersely::text
