// Documents that other documents lead to: the second step of a question that takes two.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/lexical/corpus.hpp"
#include "kernels/relevance/query_terms.hpp"

namespace tersely::relevance {

// A document's name: the first kNameTerms distinct terms of its title, or of its first segment without one.
inline constexpr std::size_t kNameTerms = 3;

// With the idf of a name's terms over their sum as parts of 1:
//   named_i  = the parts that the query holds
//   bridge_i = sum over the other parts of the largest strength of a segment in another document that holds the term
// for every segment i of the document. All zeros where there is one document. strength in [0, 1]. O(terms) time,
// O(vocabulary) memory.
void add_bridges(const lexical::Corpus& corpus, std::span<const float> idf, const QueryTerms& query,
                 std::span<const std::int64_t> title_row, std::span<const double> strength, std::span<float> bridge,
                 std::span<float> named);

}  // namespace tersely::relevance
