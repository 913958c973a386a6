// Relevance of segments to a query, without a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/lexical/corpus.hpp"

namespace tersely::lexical {

// Scores every segment (>= 0, float32, higher is better). A query term weighs idf^2, as in tf-idf cosine;
// W is the sum over the query's distinct terms.
//   match_i   = (share_i + bm25_i) / 2
//   share_i   = weight of the query's terms in the segment / W
//   bm25_i    = BM25 of the segment with these weights (k1 1.2, b 0.75, length in terms) / W
//   score_i   = match_i + 0.2 (match_{i-1} + match_{i+1})    neighbours of the same document
//             + 0.5 share of the segment's block              a paragraph answers together
//             + 0.2 share of its document
//             + 0.5 share of its headings and document title
//             + 0.2 feedback_i                                 in [0, 1]
// feedback: terms of the two best segments so far that the query lacks, idf-weighted, over the root
// of the segment's length, scaled to a largest value of 1 (pseudo-relevance feedback); from three segments on.
// A query without terms, or whose terms no segment, heading or title holds, gives all zeros.
// title_row[d]: row of document d's title terms, or -1. Sums run in row order in double.
// O(terms) time; O(vocabulary + segments) memory.
std::vector<float> relevance(const Corpus& corpus, std::size_t query_row, std::span<const std::int64_t> title_row);

}  // namespace tersely::lexical
