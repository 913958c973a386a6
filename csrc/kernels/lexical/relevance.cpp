#include "kernels/lexical/relevance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tersely::lexical {
namespace {

constexpr double kNeighbour = 0.2;
constexpr double kBlock = 0.5;
constexpr double kDocument = 0.2;
constexpr double kTitle = 0.5;
constexpr double kFeedback = 0.2;
constexpr std::size_t kFeedbackSegments = 2;
constexpr double kSaturation = 1.2;  // BM25 k1
constexpr double kLength = 0.75;     // BM25 b

// Adds up the weights of the distinct terms of a set of rows.
class DistinctSum {
  public:
    explicit DistinctSum(std::span<const float> weight) : weight_(weight), stamp_(weight.size(), 0) {}

    void start() { ++set_; }

    // The weights of the row's terms that the set did not have yet.
    double add(std::span<const std::int32_t> row) {
        double sum = 0;
        for (const std::int32_t id : row) {
            const auto term = static_cast<std::size_t>(id);
            if (weight_[term] <= 0 || stamp_[term] == set_) continue;
            stamp_[term] = set_;
            sum += weight_[term];
        }
        return sum;
    }

    double of(std::span<const std::int32_t> row) {
        start();
        return add(row);
    }

  private:
    std::span<const float> weight_;
    std::vector<std::uint64_t> stamp_;  // the last set a term was counted in
    std::uint64_t set_ = 0;
};

double mean_length(const Corpus& corpus) {
    const double terms = static_cast<double>(corpus.offsets[corpus.size()]);
    return std::max(terms / static_cast<double>(std::max<std::size_t>(corpus.size(), 1)), 1e-9);
}

// (share + BM25) / 2 of each segment, both over the query's weight.
std::vector<double> matches(const Corpus& corpus, std::span<const float> weight, double total) {
    std::vector<double> match(corpus.size(), 0.0);
    std::vector<std::int32_t> count(corpus.vocabulary, 0);
    std::vector<std::size_t> seen;
    const double mean = mean_length(corpus);
    for (std::size_t i = 0; i < corpus.size(); ++i) {
        const auto row = corpus.row(i);
        seen.clear();
        for (const std::int32_t id : row) {
            const auto term = static_cast<std::size_t>(id);
            if (weight[term] > 0 && count[term]++ == 0) seen.push_back(term);
        }
        if (seen.empty()) continue;
        const double norm = kSaturation * (1 - kLength + kLength * static_cast<double>(row.size()) / mean);
        double share = 0;
        double bm25 = 0;
        for (const std::size_t term : seen) {
            share += weight[term];
            const double times = count[term];
            bm25 += weight[term] * times * (kSaturation + 1) / (times + norm);
            count[term] = 0;
        }
        match[i] = (share + bm25) / (2 * total);
    }
    return match;
}

// Adds factor * the share of the query that each run of equal `group` values holds.
void add_groups(const Corpus& corpus, std::span<const std::int32_t> group, double factor, DistinctSum& distinct,
                double total, std::vector<double>& score) {
    for (std::size_t first = 0; first < corpus.size();) {
        std::size_t stop = first;
        double sum = 0;
        distinct.start();
        for (; stop < corpus.size() && group[stop] == group[first]; ++stop) sum += distinct.add(corpus.row(stop));
        for (std::size_t i = first; i < stop; ++i) score[i] += factor * sum / total;
        first = stop;
    }
}

// The share of headings above and title, counted once for all segments that follow one heading.
void add_titles(const Corpus& corpus, DistinctSum& distinct, double total, std::span<const std::int64_t> title_row,
                std::vector<double>& score) {
    double sum = 0;
    for (std::size_t i = 0; i < corpus.size(); ++i) {
        const bool same =
            i > 0 && corpus.heading[i] == corpus.heading[i - 1] && corpus.document[i] == corpus.document[i - 1];
        if (!same) {
            distinct.start();
            sum = 0;
            for (std::int32_t at = corpus.heading[i]; at >= 0; at = corpus.heading[static_cast<std::size_t>(at)]) {
                sum += distinct.add(corpus.row(static_cast<std::size_t>(at)));
            }
            const std::int64_t title = title_row[static_cast<std::size_t>(corpus.document[i])];
            if (title >= 0) sum += distinct.add(corpus.row(static_cast<std::size_t>(title)));
        }
        score[i] += kTitle * sum / total;
    }
}

// The two best segments; ties to the lowest index.
std::array<std::size_t, kFeedbackSegments> best_two(const std::vector<double>& score) {
    std::array<std::size_t, kFeedbackSegments> best{0, score.size() > 1 ? 1U : 0U};
    if (score[best[1]] > score[best[0]]) std::swap(best[0], best[1]);
    for (std::size_t i = 2; i < score.size(); ++i) {
        if (score[i] > score[best[0]]) {
            best = {i, best[0]};
        } else if (score[i] > score[best[1]]) {
            best[1] = i;
        }
    }
    return best;
}

void add_feedback(const Corpus& corpus, std::span<const float> idf, std::span<const float> weight,
                  std::vector<double>& score) {
    if (corpus.size() < 3) return;
    std::vector<float> feedback(corpus.vocabulary, 0.0F);
    DistinctSum all(idf);
    DistinctSum each(idf);
    for (const std::size_t i : best_two(score)) {
        const double sum = all.of(corpus.row(i));
        if (sum <= 0) continue;
        each.start();
        for (const std::int32_t& id : corpus.row(i)) {
            const auto term = static_cast<std::size_t>(id);
            const double part = each.add({&id, 1});  // 0 where the row had the term already
            if (weight[term] <= 0) feedback[term] += static_cast<float>(part / sum * score[i]);
        }
    }
    DistinctSum distinct(feedback);
    std::vector<double> gain(corpus.size());
    double largest = 0;
    for (std::size_t i = 0; i < corpus.size(); ++i) {
        const auto row = corpus.row(i);
        gain[i] = row.empty() ? 0 : distinct.of(row) / std::sqrt(static_cast<double>(row.size()));
        largest = std::max(largest, gain[i]);
    }
    if (largest <= 0) return;
    for (std::size_t i = 0; i < corpus.size(); ++i) score[i] += kFeedback * gain[i] / largest;
}

}  // namespace

std::vector<float> relevance(const Corpus& corpus, std::size_t query_row, std::span<const std::int64_t> title_row) {
    const std::size_t n = corpus.size();
    const std::vector<float> idf = inverse_frequency(corpus);
    std::vector<float> weight(corpus.vocabulary, 0.0F);
    for (const std::int32_t id : corpus.row(query_row)) {
        const auto term = static_cast<std::size_t>(id);
        weight[term] = idf[term] * idf[term];
    }
    DistinctSum distinct(weight);
    const double total = distinct.of(corpus.row(query_row));
    std::vector<float> result(n, 0.0F);
    if (total <= 0 || n == 0) return result;

    const std::vector<double> match = matches(corpus, weight, total);
    std::vector<double> score = match;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        if (corpus.document[i] != corpus.document[i + 1]) continue;
        score[i] += kNeighbour * match[i + 1];
        score[i + 1] += kNeighbour * match[i];
    }
    add_groups(corpus, corpus.block, kBlock, distinct, total, score);
    add_groups(corpus, corpus.document, kDocument, distinct, total, score);
    add_titles(corpus, distinct, total, title_row, score);
    if (*std::max_element(score.begin(), score.end()) <= 0) return result;
    add_feedback(corpus, idf, weight, score);
    for (std::size_t i = 0; i < n; ++i) result[i] = static_cast<float>(score[i]);
    return result;
}

}  // namespace tersely::lexical
