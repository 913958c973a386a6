#include "kernels/lexical/corpus.hpp"

#include <cmath>

namespace tersely::lexical {

std::vector<std::int32_t> segment_frequency(const Corpus& corpus) {
    std::vector<std::int32_t> frequency(corpus.vocabulary, 0);
    std::vector<std::int32_t> last(corpus.vocabulary, -1);
    for (std::size_t i = 0; i < corpus.size(); ++i) {
        const auto here = static_cast<std::int32_t>(i);
        for (const std::int32_t id : corpus.row(i)) {
            const auto term = static_cast<std::size_t>(id);
            frequency[term] += last[term] != here ? 1 : 0;
            last[term] = here;
        }
    }
    return frequency;
}

float inverse_frequency(double df, double n) { return static_cast<float>(std::log(1.0 + (n - df + 0.5) / (df + 0.5))); }

std::vector<float> inverse_frequency(const Corpus& corpus) {
    const std::vector<std::int32_t> frequency = segment_frequency(corpus);
    const auto n = static_cast<double>(corpus.size());
    std::vector<float> idf(corpus.vocabulary);
    for (std::size_t term = 0; term < idf.size(); ++term) {
        idf[term] = inverse_frequency(frequency[term], n);
    }
    return idf;
}

}  // namespace tersely::lexical
