// Importance of segments without a query.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/lexical/corpus.hpp"

namespace tersely::lexical {

// Scores every segment in [0, 1.5], float32:
//   central_i  = sum over distinct terms of w_t / sqrt(terms + 8), scaled to a largest value of 1, where
//                w_t = ln(1 + df_t) * idf_t: what the context keeps coming back to, not what it says
//                everywhere (the centroid method, Radev et al. 2004, over segments)
//   score_i    = central_i + 0.3 (1 - position in document) + 0.2 if 5 < terms < 40
// A segment without terms scores 0. Redundancy is the selection's business.
// O(terms) time, O(vocabulary + segments) memory; sums in row order, in double.
std::vector<float> centrality(const Corpus& corpus);

}  // namespace tersely::lexical
