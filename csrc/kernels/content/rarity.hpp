// How rare each of some texts is among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tersely::content {

// double[n] in (0, 1]: the mean of 1 / sqrt(m), of m texts that have its form, and of the mean of 1 / n over its words,
// of n texts that have each (0 without words). The form is what stands beside names, numbers and white space; words are
// runs of letters, cut before a capital, without their case. Hashes of 64 bits stand for both. O(bytes) time,
// O(texts + words) memory.
std::vector<double> rarity(std::span<const std::string_view> texts);

// How much of a query stands in each unit.
//
// share_i = (sum of idf^2 over the query's distinct terms that unit i holds) / (the same over those that any unit
// holds), in [0, 1]; 0 where none does. idf = ln(1 + (n - df + 0.5) / (df + 0.5)), df the units that hold the term.
// `ids`, `offsets`: the terms of n units, one after another (text/terms.hpp); `query`: terms of the query, ids of the
// same vocabulary. Sums run in the order of the query in double. O(terms + vocabulary) time, O(vocabulary) memory.
std::vector<float> query_share(std::span<const std::int32_t> ids, std::span<const std::int64_t> offsets,
                               std::span<const std::int32_t> query, std::size_t vocabulary);

}  // namespace tersely::content
