// What the lexical kernels read: segments as rows of term ids, and where each segment stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/text/statements.hpp"

namespace tersely::lexical {

// Rows 0..size-1 are the segments, in document order; further rows (query, titles) may follow.
// Preconditions (checked at the border): offsets ascend from 0 to ids.size(), every id lies in
// [0, vocabulary), document and block ascend, heading[i] is -1 or below i and in the same document.
struct Corpus {
    std::span<const std::int32_t> ids;
    std::span<const std::int64_t> offsets;
    std::size_t vocabulary;
    std::span<const std::int32_t> document;
    std::span<const std::int32_t> block;
    std::span<const std::int32_t> heading;

    std::size_t size() const { return document.size(); }
    std::span<const std::int32_t> row(std::size_t i) const {
        const auto begin = static_cast<std::size_t>(offsets[i]);
        return ids.subspan(begin, static_cast<std::size_t>(offsets[i + 1]) - begin);
    }
};

// For each row of terms, the first row with the same ids in the same order (itself where there is none, or
// where it is empty). Exact; O(terms) expected.
std::vector<std::int32_t> first_alike(std::span<const std::int32_t> ids, std::span<const std::int64_t> offsets);

// Number of segments that hold each term; of those that are `alike` (as first_alike gives it; empty: none is) the
// first alone counts. O(terms).
std::vector<std::int32_t> segment_frequency(const Corpus& corpus, std::span<const std::int32_t> alike = {});

// idf = ln(1 + (n - df + 0.5) / (df + 0.5)): BM25's, never negative (Robertson and Zaragoza 2009, with Lucene's + 1).
// Rounded to float32, so the last bit of the C library's log does not show.
float inverse_frequency(double df, double n);

// That of each term among the segments. O(terms).
std::vector<float> inverse_frequency(const Corpus& corpus);

// Importance of segments without a query.

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

// What segments are worth per token without a query.

// worth_i = score_i + 4.75 min(6, apart_i (1.5 log2((n + 16) / 16) + facts_i)) / (tokens_i + 8), float32, n segments:
// what the context comes back to, and what nothing else in it tells, in bits: standing alone says the more, the more
// there is to stand beside. `score`, `apart`: from `centrality`; `facts`: text::weights_of_segments, and 8 of what
// forbids; 0.6 is added for that and for what explains, a twentieth is left of a greeting, 0.7 of what refers back, two
// fifths of older mail, a tenth of what stands around a mail. tokens_i: a 4.5th of `characters`. The 8 tokens keep a
// fact alone in its line from winning. Fitted with `python -m benchmarks.strategies.facts --half tuned`, so that
// `python -m benchmarks.quality --parts summaries --half tuned` loses nothing. O(segments).
std::vector<float> importance(std::span<const float> score, std::span<const float> apart, std::span<const float> facts,
                              std::span<const text::Statement> statements, std::span<const double> characters);

}  // namespace tersely::lexical
