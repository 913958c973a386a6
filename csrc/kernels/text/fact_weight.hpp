// How hard facts are to recover once they are gone, and how much they say in their text.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/text/facts.hpp"

namespace tersely::text {

// In [0.3, 3], 1 for a name of two words. What nobody can guess, look up or infer from what is around it weighs most;
// of its digits, up to four count:
//  - NUMBER: 0.3 for one or two digits alone, 0.5 for a year (1600 to 2099), 0.5 + 0.4 a digit for other digits alone,
//    0.75 + 0.45 a digit for those with a unit, currency, sign or separator;
//  - DATE: 0.5 for a day of the week or a month, 1.5 + 0.25 a digit for others;
//  - NAME: 0.4 for one word, 1 for several, 1.2 with one or two digits, 2.5 with more ("QX-123");
//  - IDENTIFIER: 2 + 0.25 a digit; PATH, PATH_LINE, URL 3; VERSION 2.25; ERROR 2; code and DECISION 1.5; OBLIGATION 1;
//    QUOTE and NEGATION 0.7.
// Measured with `python -m benchmarks.strategies.facts`: the facts that are left, by kind. O(length).
float fact_weight(FactKind kind, std::string_view fact);

// What facts weigh in the text they stand in: their weight times log2((n + 4) / (u + 2)), where u of its n segments
// have a fact of the same kind and weight (in steps of 0.05). A number in a page of numbers says little, the only URL
// much. The 4 and the 2 are measured with `python -m benchmarks.strategies.facts --parts planted`. `kind`, `segment`
// (in [0, n), ascending), `weight` (fact_weight): of each fact. O(facts).
std::vector<float> weights_in_text(std::span<const std::uint8_t> kind, std::span<const std::int32_t> segment,
                                   std::span<const float> weight, std::size_t n);

// What each of `segments` segments holds: the sum over its distinct facts of their weight in the text by the number of
// times that the fact is stated. `texts`: of the documents; `facts`: from FactReader::finish, with keys in [0, keys).
// Sums in row order. O(facts + segments).
std::vector<float> weights_of_segments(const std::vector<std::string_view>& texts, const std::vector<FactRow>& facts,
                                       std::int32_t keys, std::size_t segments);

}  // namespace tersely::text
