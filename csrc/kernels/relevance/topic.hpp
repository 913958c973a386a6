// What the probabilities of being on the topic of a query are made of (python/tersely/engine/worth.py).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/lexical/corpus.hpp"
#include "kernels/relevance/features.hpp"

namespace tersely::relevance {

// A term of the query weighs its idf, the weights of the distinct ones add up to 1; "terms" = ln(1 + their number).
enum TopicOfDocument : std::size_t {
    kTopicShare,     // weight of the query's terms in the document or its title, times "terms"
    kTopicBest,      // the largest such weight of one segment or the title, times "terms"
    kTopicPairs,     // weight of the query's pairs of neighbouring terms that are neighbours in the document: a pair
                     // weighs 1 - segments with its rarer term / (segments + 1), the distinct ones add up to 1
    kTopicSegments,  // ln of their number, 0 without any
    kTopicTerms,     // "terms"
    kTopicCosine,    // the largest of its segments' cosines; this and the next are 0 without vectors
    kTopicCosines,   // mean of the three largest
    kTopicOfDocument,
};

enum TopicOfSegment : std::size_t {
    kTopicWhole,         // of its document: 0, for the caller to fill in
    kTopicSegmentShare,  // weight of the query's terms in it, times "terms"
    kTopicNear,          // the larger such weight, as it is, of the segments before and after it in the document
    kTopicSegmentCosine,
    kTopicOfSegment,
};

struct Topic {
    std::vector<double> documents;     // documents x kTopicOfDocument, one document after another
    std::vector<double> segments;      // segments x kTopicOfSegment; empty where they are not wanted
    std::vector<std::int32_t> counts;  // documents x 2: its segments; how often terms of the query stand in it
};

// Documents are as many as question.title_row has entries. Sums run in ascending order of terms, in double.
// O(terms log terms of the query + n) time, O(vocabulary + n) memory.
Topic topic(const lexical::Corpus& corpus, const Question& question, bool segments);

// Parts of one text that are texts of their own, as search results are that somebody joined by blank lines.

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
