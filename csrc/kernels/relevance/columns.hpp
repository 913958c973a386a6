// What the forest sees of a segment: its features, and how it stands beside the others of the call.
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

// Trees that correct the weighted sum of the features.

inline constexpr std::size_t kTreeDepth = 4;
inline constexpr std::size_t kTreeLeaves = std::size_t{1} << kTreeDepth;

// Oblivious trees: all nodes of a level ask the same. A value's bin is the number of borders of its column below it.
// Tree t asks, for k from 0 to 3, whether the bin of column[4 t + k] is over bin[4 t + k]; the answers, the first one
// as the highest bit, number its leaf.
struct Forest {
    std::span<const float> borders;        // ascending in each column, finite, at most 255 a column
    std::span<const std::int32_t> first;   // where the borders of each column begin, and their number
    std::span<const std::uint8_t> column;  // of each test
    std::span<const std::uint8_t> bin;     // of each test
    std::span<const std::int8_t> leaf;     // 16 a tree
    double scale = 0;                      // what 1 in a leaf is worth

    std::size_t trees() const { return leaf.size() / kTreeLeaves; }
};

// score[i] += scale * the sum of the leaves of row i: sums of integers, so the same bits everywhere. `columns`: n
// values a column, one column after another. O(n (trees + columns)).
void add_forest(const Forest& forest, std::span<const float> columns, std::span<double> score);

// Features and their weights -> one score.

// s_i: the sum over the features, in their order and in double, of weight * feature. `features`: n values a weight, one
// feature after another, finite. O(n * weights).
std::vector<double> weighted_sum(std::span<const float> features, std::span<const double> weights, std::size_t n);

// With m the median of s (the lower of the two middle ones): ln(1 + exp(s_i - m)), rounded to float32: 0 or more, and
// for what stands out close to how much it stands out. O(n).
std::vector<float> above_median(std::span<const double> sum);

}  // namespace tersely::relevance
