#include "kernels/lexical/centrality.hpp"

#include <algorithm>
#include <cmath>

namespace tersely::lexical {
namespace {

constexpr double kPosition = 0.7;
constexpr double kShortPenalty = 4;

}  // namespace

std::vector<float> centrality(const Corpus& corpus) {
    const std::size_t n = corpus.size();
    const std::vector<std::int32_t> frequency = segment_frequency(corpus);
    std::vector<float> weight(corpus.vocabulary);
    for (std::size_t term = 0; term < weight.size(); ++term) {
        weight[term] = static_cast<float>(std::log(1.0 + frequency[term]));
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
        central[i] /= static_cast<double>(row.size()) + kShortPenalty;
        largest = std::max(largest, central[i]);
    }
    std::vector<float> score(n, 0.0F);
    for (std::size_t first = 0; first < n;) {
        std::size_t stop = first;
        while (stop < n && corpus.document[stop] == corpus.document[first]) ++stop;
        for (std::size_t i = first; i < stop; ++i) {
            if (corpus.row(i).empty()) continue;
            const double position = static_cast<double>(i - first) / static_cast<double>(stop - first);
            score[i] = static_cast<float>(central[i] / largest + kPosition * (1 - position));
        }
        first = stop;
    }
    return score;
}

}  // namespace tersely::lexical
