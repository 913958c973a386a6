// Parts of one text that are texts of their own, as search results are that somebody joined by blank lines.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/lexical/corpus.hpp"

namespace tersely::relevance {

// Fewer blocks, or shorter ones, say too little.
inline constexpr std::size_t kLeastParts = 4;
inline constexpr std::size_t kLeastSegments = 2;  // of a part, on average

// Neighbours of one text go on with its subject, so they share more words than any two blocks do; texts of their own do
// not (lexical cohesion: Hearst 1997, "TextTiling"). With cohesion = mean similarity of neighbours / mean similarity of
// the other pairs, parts are texts of their own from kLeastCohesion (less: kinds of blocks take turns) to below
// kMostCohesion.
inline constexpr double kLeastCohesion = 0.4;
inline constexpr double kMostCohesion = 1.1;

// For each segment the number of its part, from 0, ascending: parts are blocks. Empty where there are several
// documents, headings, too few blocks, or one text. The similarity of two blocks is the cosine of their distinct terms,
// a term weighing idf^2 among the blocks; a term of one block alone counts in the length of its vector only. Sums run
// in row order in double. O(terms) time, O(terms + vocabulary) memory.
std::vector<std::int32_t> own_texts(const lexical::Corpus& corpus);

}  // namespace tersely::relevance
