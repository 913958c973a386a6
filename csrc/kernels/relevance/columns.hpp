// What the forest (forest.hpp) sees of a segment: its features, and how it stands beside the others of the call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/lexical/corpus.hpp"
#include "kernels/relevance/features.hpp"

namespace tersely::relevance {

// Features that are columns as they are, and those that are columns over their largest value in the call.
inline constexpr std::array kAsTheyAre{kFirst,  kDocument,       kBridge,      kNamed,          kFeedback,
                                       kCosine, kCosinePrevious, kCosineBlock, kCosineDocument, kCosineLead};
inline constexpr std::array kOverLargest{kShare,    kBm25,     kPrevious,     kNext,   kBlockBest,
                                         kDocument, kFeedback, kFeedbackWide, kBridge, kNamed};

// The other columns, after those. s: the weighted sum of the features; "rank" and "best" by s, ties to the lowest row.
enum Column : std::size_t {
    kAboveMedian = kAsTheyAre.size() + kOverLargest.size(),  // s - the lower of its middle values
    kStandard,         // (s - mean) / standard deviation; 0 where all are the same
    kRank,             // segments with a higher s
    kTextAbove,        // share of the characters that stand in better segments, half of its own included
    kBelowBest,        // s - the largest s of the call, and the same for:
    kPreviousBelow,    // the segment before (the least s without one in the document)
    kNextBelow,        // the segment after
    kBlockBelow,       // the best of its block
    kDocumentBelow,    // the best of its document
    kInBlock,          // s - the best of its block
    kInDocument,       // s - the best of its document
    kDocumentRank,     // documents with a better best segment
    kCosineBelow,      // kCosine - its largest
    kSize,             // characters over their mean
    kPlace,            // segments before it in its document
    kPlaceShare,       // the same over the segments of the document
    kCosineItself,     // as given, not as a standard score; 0 without vectors
    kQuantity,         // 1 where a term is a number (text::TermClass)
    kTime,             // 1 where a term is a date or a time
    kAsked,            // the classes that the question asks for, as a number
    kOwnTerms,         // mean idf of its distinct terms, those of the query counted as 0
    kRarest,           // the largest idf of the query's terms that it holds / that of the query's terms
    kRarestMissed,     // the same of those that it lacks
    kMatched,          // share of the query's distinct terms that it holds
    kBeyondBest,       // share (features.hpp) of those that it holds and the best segment lacks
    kBeyondThree,      // and the best three lack
    kLeftByBest,       // share of the query that the best segment lacks, the same for all segments
    kLeftByThree,      // that the best three lack
    kMostHeld,         // the largest kShare of the call
    kHop,              // kBridge * kLeftByBest: the way to another document matters where something is missing
    kDocumentShare,    // share of its document
    kBlockShare,       // share of its block
    kPhrases,          // pairs of neighbouring terms of the query that it holds / the most that any segment does
    kDocumentPhrases,  // the largest kPhrases of its document
    kColumns
};

// size() x kColumns, one column after another. `features`: of features.hpp; `sum`: s; `length`: characters of the
// segments. No transcendental functions, so equal input gives equal bits. O(terms + n log n) time, O(vocabulary + n)
// memory.
std::vector<float> columns(const lexical::Corpus& corpus, const Question& question, std::span<const float> idf,
                           std::span<const float> features, std::span<const double> sum,
                           std::span<const std::int32_t> length);

}  // namespace tersely::relevance
