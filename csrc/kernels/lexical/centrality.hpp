// Importance of segments without a query.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/lexical/corpus.hpp"

namespace tersely::lexical {

struct Centrality {
    std::vector<float> score, apart;  // of each segment
};

// Scores every segment, float32: `score` in [0, 1.7], `apart` in (0, 1]:
//   central_i = sum of c_t ln(1 + df_t) over its distinct terms / (its terms + 4), scaled to a largest value of 1,
//               df_t = segments that hold the term, those of one mould counted once,
//               c_t = 0.75 for words that texts of all kinds have (text::kCommonWord), else 1: how much of what it says
//               the context keeps coming back to, per term (SumBasic, Nenkova and Vanderwende 2005, with logarithms);
//               the 4 keeps fragments of one or two words from winning
//   mould_i   = its terms in order without quantities, times and what varies: terms that less than q = max(4, n / 32)
//               segments hold (those with the same terms in the same order counted once, as in df'_t). All its terms
//               where more than half as many vary as are left, or some do and less than three are left, or none are, or
//               less than q segments have that mould
//   score_i   = (central_i + 0.7 min(1, told_i / 8) / (1 + before_i / 400)) / max(1, documents_i - 1) / again_i
//               told_i = its distinct terms that are not such words, before_i = terms before it in its document,
//               documents_i = documents that have a segment with its very terms: reports, news and papers say first
//               what matters, but greetings do not; what stands in three documents or more is their frame;
//               again_i = min(k, 2) (1 + ln(m / 3)) for the k-th in its document of the m segments of its mould, 1
//               where m < 4: what repeats is told once, and where much repeats, what is unlike it comes first
//   apart_i   = exp(-(sum of ln df'_t over those terms that are no quantity or time) / (how many they are + 2)):
//               how far its words stand alone, so that nothing else tells what it says; 1 without such terms
// A segment without terms scores 0. Redundancy is the selection's business. `term_class`: bits of text::TermClass, one
// a vocabulary entry. O(terms) time, O(terms + vocabulary) memory; sums in row order, in double.
Centrality centrality(const Corpus& corpus, std::span<const std::uint8_t> term_class);

}  // namespace tersely::lexical
