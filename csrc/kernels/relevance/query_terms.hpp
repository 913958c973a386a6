// The query's terms with their weights, and how far rows of terms hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/lexical/corpus.hpp"

namespace tersely::relevance {

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

// Sum over the counted terms of weight * tf (k1 + 1) / (tf + k1 (1 - b + b length / mean_length)).
double bm25(const TermCounts& counts, std::span<const float> weight, double length, double mean_length);

}  // namespace tersely::relevance
