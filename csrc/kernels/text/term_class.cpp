#include "kernels/text/term_class.hpp"

#include <algorithm>
#include <array>

namespace tersely::text {
namespace {

// Folded and stemmed, as terms are. "may" is left out: it is more often the verb.
constexpr std::array<std::string_view, 22> kMonths = {
    "apr",  "april", "aug", "august", "dec", "december", "feb", "februari", "jan", "januari", "jul",
    "juli", "jun",   "mar", "march",  "nov", "november", "oct", "october",  "sep", "sept",    "september"};
constexpr std::array<std::string_view, 44> kNumbers = {
    "billion",  "doubl",   "dozen",    "eight",   "eighteen", "eighti",  "eleven", "fifteen",  "fifti",
    "first",    "fiv",     "forti",    "four",    "fourteen", "half",    "hundr",  "million",  "nin",
    "nineteen", "nineti",  "once",     "one",     "percent",  "quarter", "second", "seven",    "seventeen",
    "seventi",  "several", "six",      "sixteen", "sixti",    "ten",     "third",  "thirteen", "thirti",
    "thousand", "thre",    "trillion", "tripl",   "twelv",    "twenti",  "twic",   "two"};
static_assert(std::is_sorted(kMonths.begin(), kMonths.end()) && std::is_sorted(kNumbers.begin(), kNumbers.end()));

bool digit(char letter) { return letter >= '0' && letter <= '9'; }

bool is_year(std::string_view term) {
    if (term.size() == 5 && term.back() == 's') term.remove_suffix(1);
    if (term.size() != 4 || !std::all_of(term.begin(), term.end(), digit)) return false;
    return term[0] == '1' || (term[0] == '2' && term[1] == '0');
}

// 2024-01-31, 31/1/2024, 10:30: digits in groups with a date's or a clock's separators. A decimal point is neither.
bool is_date(std::string_view term) {
    return std::all_of(term.begin(), term.end(), [](char c) { return digit(c) || c == '-' || c == '/' || c == ':'; }) &&
           std::any_of(term.begin(), term.end(), [](char c) { return !digit(c); });
}

}  // namespace

std::uint8_t term_class(std::string_view term) {
    if (term.empty()) return 0;
    if (digit(term[0])) {
        return static_cast<std::uint8_t>(kQuantity | (is_year(term) || is_date(term) ? kTime : 0));
    }
    if (std::binary_search(kMonths.begin(), kMonths.end(), term)) return kTime;
    return std::binary_search(kNumbers.begin(), kNumbers.end(), term) ? kQuantity : 0;
}

}  // namespace tersely::text
