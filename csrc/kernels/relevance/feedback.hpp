// Pseudo-relevance feedback: what the best segments say beside the query's own terms.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/lexical/corpus.hpp"
#include "kernels/relevance/query_terms.hpp"

namespace tersely::relevance {

// Each of the `best` segments gives its terms that the query lacks weight idf / (idf of all its distinct terms) *
// strength[segment]; feedback_i = sum of the weights of segment i's distinct terms / sqrt(its number of terms), scaled
// to a largest value of 1; all zeros where no such term exists. strength >= 0. O(terms) time, O(vocabulary) memory.
void add_feedback(const lexical::Corpus& corpus, std::span<const float> idf, const QueryTerms& query,
                  std::span<const std::size_t> best, std::span<const double> strength, std::span<float> feedback);

}  // namespace tersely::relevance
