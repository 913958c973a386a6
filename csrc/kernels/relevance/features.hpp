// What each segment has to do with a query, in numbers. Fitted weights add them up (columns.hpp).
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
    kFeedback,      // terms of the 2 best segments which the query lacks
    kFeedbackWide,  // the same of the 5 best
    kBridge,        // how well segments of other documents that match name this document
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

// The query's terms with their weights, and how far rows of terms hold them.

inline constexpr double kSaturation = 1.2;  // BM25 k1
inline constexpr double kLength = 0.75;     // BM25 b

// Counts how often each of a query's terms stands in rows, without touching the rest of the vocabulary.
class TermCounts {
  public:
    explicit TermCounts(std::span<const float> weight) : weight_(weight), count_(weight.size(), 0) {}
    void add(std::span<const std::int32_t> row) {
        for (const std::int32_t id : row) {
            const auto term = static_cast<std::size_t>(id);
            if (weight_[term] > 0 && count_[term]++ == 0) seen_.push_back(term);
        }
    }
    void clear() {
        for (const std::size_t term : seen_) count_[term] = 0;
        seen_.clear();
    }
    // Terms with a weight, by first occurrence since the last clear().
    std::span<const std::size_t> seen() const { return seen_; }
    double operator[](std::size_t term) const { return count_[term]; }

  private:
    std::span<const float> weight_;
    std::vector<std::int32_t> count_;
    std::vector<std::size_t> seen_;
};

struct QueryTerms {
    std::vector<float> weight;       // per vocabulary entry: idf^2 of the query's terms that occur in a segment or
                                     // title, else 0
    std::vector<std::size_t> terms;  // those with a weight, in the query's order
    double total = 0;                // sum of their weights
};

QueryTerms query_terms(const lexical::Corpus& corpus, std::span<const float> idf, std::size_t row,
                       std::span<const std::int64_t> title_row);

// Weight of the counted terms / the query's weight; 0 for a query without terms.
double share(const QueryTerms& query, const TermCounts& counts);

// Calls see(first, behind the last, share) for each run of segments: the share of the query that they hold together.
template <typename See>
void each_run_share(const lexical::Corpus& corpus, const QueryTerms& query, std::span<const std::size_t> starts,
                    See see) {
    TermCounts counts(query.weight);
    for (std::size_t r = 0; r + 1 < starts.size(); ++r) {
        counts.clear();
        for (std::size_t i = starts[r]; i < starts[r + 1]; ++i) counts.add(corpus.row(i));
        see(starts[r], starts[r + 1], share(query, counts));
    }
}

// Sum over the counted terms of weight * tf (k1 + 1) / (tf + k1 (1 - b + b length / mean_length)).
double bm25(const TermCounts& counts, std::span<const float> weight, double length, double mean_length);

// Runs of equal values: the segments of one block or of one document.

// Where each run of equal values begins, then the number of values. O(n).
inline std::vector<std::size_t> run_starts(std::span<const std::int32_t> values) {
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i == 0 || values[i] != values[i - 1]) starts.push_back(i);
    }
    starts.push_back(values.size());
    return starts;
}

// Documents that other documents lead to: the second step of a question that takes two.

// A document's name: the first kNameTerms distinct terms of its title, or of its first segment without one.
inline constexpr std::size_t kNameTerms = 3;

// With the idf of a name's terms over their sum as parts of 1:
//   named_i  = the parts that the query holds
//   bridge_i = sum over the other parts of the largest strength of a segment in another document that holds the term
// for every segment i of the document. All zeros where there is one document. strength in [0, 1]. O(terms) time,
// O(vocabulary) memory.
void add_bridges(const lexical::Corpus& corpus, std::span<const float> idf, const QueryTerms& query,
                 std::span<const std::int64_t> title_row, std::span<const double> strength, std::span<float> bridge,
                 std::span<float> named);

// Pseudo-relevance feedback: what the best segments say beside the query's own terms.

// Each of the `best` segments gives its terms that the query lacks weight idf / (idf of all its distinct terms) *
// strength[segment]; feedback_i = sum of the weights of segment i's distinct terms / sqrt(its number of terms), scaled
// to a largest value of 1; all zeros where no such term exists. strength >= 0. O(terms) time, O(vocabulary) memory.
void add_feedback(const lexical::Corpus& corpus, std::span<const float> idf, const QueryTerms& query,
                  std::span<const std::size_t> best, std::span<const double> strength, std::span<float> feedback);

}  // namespace tersely::relevance
