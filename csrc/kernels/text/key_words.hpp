// Lists of words that guards and facts are told by.
//
// Words that turn a statement into another one while its vector hardly moves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include "kernels/text/word_set.hpp"

namespace tersely::text {

std::unordered_set<std::string_view> words_of(std::string_view list);

// The class of a folded and, where it is plain ASCII letters, stemmed word (terms.hpp): "" for most words.
//  - "not": negations of some thirty languages;
//  - digits: a number word from two up, in as many;
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
// The digits of the number from two up that is spelled out at `at` in a script without spaces; "": none. O(1).
std::string_view number_at(std::string_view text, std::size_t at);

// Letters that some languages have and few others.
enum LanguageLetters : std::uint8_t { kAnyLetters = 1, kCzechLetters = 2, kPolishLetters = 4, kTurkishLetters = 8 };

// Where a word denies by what it is made of, if its line has one of these letters, else 0: "ne-" of Czech, Slovak and
// their neighbours, "nie-" of Polish, "не-", what verbs of Turkish have in them. Words that merely begin so are among
// them: a guard too many keeps two texts apart that say nearly the same. `word`: a byte or more. O(word).
std::uint8_t denial_within(std::string_view word);
// Which of them a line has. O(line).
std::uint8_t letters_of(std::string_view line);

// Whether a folded word is a common one of German, French, Spanish, Italian, Portuguese or Dutch that names nothing.
bool is_function_word(std::string_view folded);

// Whether a word behind a number is its unit ("5 MB"): symbols and English words, in any case.
bool is_unit(std::string_view word);

// Words that make a fact of what stands around them (facts.hpp), and endings that tell what a name is of.

// What a word is used for; bits of one number.
enum WordUse : std::uint32_t {
    kNegates = 1U << 0U,      // "not", "without", "except": some thirty languages
    kObliges = 1U << 1U,      // "must", "required", "muss", "doit", "debe"
    kObligesTo = 1U << 2U,    // before "to": "have", "need", "ought"
    kDecides = 1U << 3U,      // "decided", "agreed", "chose"
    kDecidesTo = 1U << 4U,    // before "to": "resolved", "plan"
    kWe = 1U << 5U,           // before "will", "shall"
    kWill = 1U << 6U,         //
    kTo = 1U << 7U,           //
    kGoing = 1U << 8U,        // before "with": "go", "going", "went"
    kWith = 1U << 9U,         //
    kMonth = 1U << 10U,       // with a capital, in English
    kWeekday = 1U << 11U,     // with a capital, in English
    kCommon = 1U << 12U,      // no name by itself: stop words, words that like to start a sentence
    kTitle = 1U << 13U,       // "Dr", "Mrs"
    kErrorLevel = 1U << 14U,  // before a colon and a message: "error", "fatal", "panic"
    kExits = 1U << 15U,       // before a code: "exit", "exited"
    kCurrency = 1U << 16U,    // before a number: "USD"
    kErrorType = 1U << 17U,   // "ValueError", "NullPointerException"
    kLogLevel = 1U << 18U,    // "ERROR", "FATAL": the rest of a log line is its message
    kLinks = 1U << 19U,       // between words of one name: "of", "de", "van"
    kCamel = 1U << 20U,       // "camelCase"
    kFileName = 1U << 21U,    // "Makefile": a file that needs no ending
};

// The uses of a word as it is written. O(length).
std::uint32_t word_use(std::string_view word);
// The same of a word of small ASCII letters, quicker.
std::uint32_t small_word_use(std::string_view word);

// Whether the name ends in Error, Exception, Warning, Fault, Panic or Failure and says of what.
bool is_error_type(std::string_view name);

// Whether a run is a host name, in small letters, under a domain that is common ("docs.example.org").
bool is_host(std::string_view run);

// Length of the unit or counter (0: none) of Chinese, Japanese or Korean at the start of `rest`.
std::size_t east_asian_unit(std::string_view rest);
// ... of a date or time: year, month, day, hour, minute, second.
std::size_t east_asian_date_unit(std::string_view rest);

}  // namespace tersely::text
