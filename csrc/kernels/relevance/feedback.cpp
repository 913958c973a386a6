#include "kernels/relevance/feedback.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tersely::relevance {

void add_feedback(const lexical::Corpus& corpus, std::span<const float> idf, const QueryTerms& query,
                  std::span<const std::size_t> best, std::span<const double> strength, std::span<float> feedback) {
    std::vector<double> weight(corpus.vocabulary, 0.0);
    TermCounts counts(idf);
    for (const std::size_t i : best) {
        counts.clear();
        counts.add(corpus.row(i));
        double sum = 0;
        for (const std::size_t term : counts.seen()) sum += idf[term];
        for (const std::size_t term : counts.seen()) {
            if (query.weight[term] <= 0) weight[term] += idf[term] / sum * strength[i];
        }
    }
    std::vector<double> gain(corpus.size(), 0.0);
    std::vector<std::size_t> last(corpus.vocabulary, corpus.size());  // the segment a term was last met in
    double largest = 0;
    for (std::size_t i = 0; i < corpus.size(); ++i) {
        const auto row = corpus.row(i);
        if (row.empty()) continue;
        for (const std::int32_t id : row) {
            const auto term = static_cast<std::size_t>(id);
            if (last[term] == i) continue;
            last[term] = i;
            gain[i] += weight[term];
        }
        gain[i] /= std::sqrt(static_cast<double>(row.size()));
        largest = std::max(largest, gain[i]);
    }
    if (largest <= 0) return;
    for (std::size_t i = 0; i < corpus.size(); ++i) feedback[i] = static_cast<float>(gain[i] / largest);
}

}  // namespace tersely::relevance
