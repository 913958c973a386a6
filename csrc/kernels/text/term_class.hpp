// What kind of thing a term is, as far as its letters tell: what a question may ask for, and what says little.
#pragma once

#include <cstdint>
#include <string_view>

namespace tersely::text {

enum TermClass : std::uint8_t {
    kQuantity = 1,    // begins with a digit, or an English word for a number ("seven", "million", "percent")
    kTime = 2,        // a year (1000 to 2099, "1990s" too), a date or time of day with separators, an English month
    kCommonWord = 4,  // one of the English words that texts of all kinds have: "hope", "please", "really", "cookies"
};

// Bits of TermClass; `term` as the vocabulary holds it (folded and stemmed). O(length).
std::uint8_t term_class(std::string_view term);

}  // namespace tersely::text
