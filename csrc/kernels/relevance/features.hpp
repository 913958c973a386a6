// What each segment has to do with a query, in numbers. Fitted weights add them up (weigh.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/lexical/corpus.hpp"

namespace tersely::relevance {

// The columns, in the order of the weights. Each lies in [0, 1], but for the cosines: these are standard scores,
// (cosine - mean) / standard deviation over all segments, because models differ in where their cosines lie.
// A query term weighs idf^2; the query's weight is that of its distinct terms that occur in a segment or title.
enum Feature : std::size_t {
    kShare,         // weight of the query's terms in the segment / the query's weight
    kBm25,          // BM25 of the segment with these weights (k1 1.2, b 0.75) / the query's weight / (k1 + 1)
    kPrevious,      // match = (share + (k1 + 1) bm25) / 2 of the segment before, in the same document
    kNext,          // match of the segment after
    kHeadings,      // share of the headings above and the document's title together
    kLead,          // share of the document's first segment and title together
    kFirst,         // 1 / (1 + place in the document); 0 where there is one document
    kBlockBest,     // the best match in its block
    kDocument,      // BM25 of the document among the documents, as kBm25; 0 where there is one
    kAnswer,        // 1 where a term is of a class that the question asks for (a date for "when")
    kFeedback,      // terms of the 2 best segments which the query lacks (feedback.hpp)
    kFeedbackWide,  // the same of the 5 best
    kBridge,        // how well segments of other documents that match name this document (bridge.hpp)
    kNamed,         // how much of this document's name the query holds
    kCosine,        // with the query's vector; this and what follows are 0 without vectors
    kCosinePrevious,
    kCosineNext,
    kCosineBlock,     // the largest in its block
    kCosineDocument,  // mean of its document's three largest; 0 where there is one document
    kCosineLead,      // of the document's first segment; 0 where there is one document
    kReranked,        // 0: room for what a reranker says
    kFeatures
};

struct Question {
    std::size_t row = 0;                       // of the query's terms
    std::span<const std::int64_t> title_row;   // a row of terms for each document's title, or -1
    std::span<const std::uint8_t> term_class;  // bits of text::TermClass, one a vocabulary entry
    std::uint8_t answer = 0;                   // classes the question asks for
    std::span<const float> cosine;             // of each segment's vector with the query's, finite; or empty
};

// size() x kFeatures, one feature after another. All zeros where the query has no term that occurs and there are no
// vectors. "Best" segments: the largest first impression,
//   match + 0.2 (match before + match after) + 0.5 share of the block + 0.2 share of the document + 0.5 kHeadings,
// ties to the lowest index. Sums run in row order in double. O(terms) time; O(vocabulary + segments) memory.
// `idf`: lexical::inverse_frequency of the corpus.
std::vector<float> features(const lexical::Corpus& corpus, const Question& question, std::span<const float> idf);

}  // namespace tersely::relevance
