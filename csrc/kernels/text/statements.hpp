// What sentences do beside telling of something: forbid, explain, thank, go on from the one before.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/text/segment.hpp"

namespace tersely::text {

enum class Statement : std::uint8_t {
    kTells,     // none of the following
    kForbids,   // words of a prohibition ("must not be", "forbidden", "vietato"), one that permits with one behind it
                // that denies ("darf ... nicht"), orders that open with a denial ("Never ...", "No abrir
                // ..."), allergies and what must not be taken
    kExplains,  // a cause ("caused by", "la causa"), a remedy ("Workaround", "behoben"), what was found or decided,
                // what a version will do, an order to set a name to a value; what somebody is asked to do ("please",
                // "TODO", "@ann "), or has to by a day
    kGreets,    // opens with thanks or a greeting, is short and tells no number
    kRefers,    // is short and opens with a pronoun for what the sentence before names ("It did not help.")
    kAround,    // of mail (mail.hpp)
    kOlder,
};

// What each segment (bytes of `text`) of prose, a list or a talk is, the first that it is, in the order above (parts of
// mail before all); in English, German, Dutch, French, Spanish, Italian, Portuguese, Polish, Russian, Chinese, Japanese
// and Korean. Of a word's letters the first may be a capital. O(bytes).
std::vector<Statement> statements(std::string_view text, const Segments& rows);

// Whether a sentence opens with a word that takes something from the one before ("However", "Unless", "ただし").
bool opens_exception(std::string_view sentence);

// Whether a turn of a talk opens with words that take back what was said before ("No wait, ...").
bool takes_back(std::string_view turn);

}  // namespace tersely::text
