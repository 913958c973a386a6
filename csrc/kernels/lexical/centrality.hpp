// Importance of segments without a query.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/lexical/corpus.hpp"

namespace tersely::lexical {

// Scores every segment in [0, 1.7], float32:
//   central_i  = sum of ln(1 + df_t) over its distinct terms / (its terms + 4), scaled to a largest value
//                of 1, df_t = segments that hold the term: how much of what it says the context keeps
//                coming back to, per term (SumBasic, Nenkova and Vanderwende 2005, with logarithms); the
//                4 keeps fragments of one or two words from winning
//   score_i    = central_i + 0.7 (1 - position in its document, from 0 to below 1): reports, news and papers say
//                first what matters
// A segment without terms scores 0. Redundancy is the selection's business.
// O(terms) time, O(vocabulary + segments) memory; sums in row order, in double.
std::vector<float> centrality(const Corpus& corpus);

}  // namespace tersely::lexical
