#include "kernels/lexical/centrality.hpp"

#include <algorithm>
#include <cmath>

namespace tersely::lexical {
namespace {

constexpr double kPosition = 0.3;
constexpr double kFullSentence = 0.2;
constexpr double kShortPenalty = 8;

}  // namespace

std::vector<float> centrality(const Corpus& corpus) {
    const std::size_t n = corpus.size();
    const std::vector<std::int32_t> frequency = segment_frequency(corpus);
    const std::vector<float> idf = inverse_frequency(corpus);
    std::vector<float> weight(corpus.vocabulary);
    for (std::size_t term = 0; term < weight.size(); ++term) {
        weight[term] = static_cast<float>(std::log(1.0 + frequency[term]) * idf[term]);
    }
    std::vector<double> central(n, 0.0);
    std::vector<std::int64_t> last(corpus.vocabulary, -1);
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto row = corpus.row(i);
        for (const std::int32_t id : row) {
            const auto term = static_cast<std::size_t>(id);
            if (last[term] == static_cast<std::int64_t>(i)) continue;
            last[term] = static_cast<std::int64_t>(i);
            central[i] += weight[term];
        }
        central[i] /= std::sqrt(static_cast<double>(row.size()) + kShortPenalty);
        largest = std::max(largest, central[i]);
    }
    std::vector<float> score(n, 0.0F);
    for (std::size_t first = 0; first < n;) {
        std::size_t stop = first;
        while (stop < n && corpus.document[stop] == corpus.document[first]) ++stop;
        for (std::size_t i = first; i < stop; ++i) {
            const std::size_t terms = corpus.row(i).size();
            if (terms == 0) continue;
            const double position = static_cast<double>(i - first) / static_cast<double>(stop - first);
            double value = largest > 0 ? central[i] / largest : 0;
            value += kPosition * (1 - position);
            value += terms > 5 && terms < 40 ? kFullSentence : 0;
            score[i] = static_cast<float>(value);
        }
        first = stop;
    }
    return score;
}

}  // namespace tersely::lexical
