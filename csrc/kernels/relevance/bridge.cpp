#include "kernels/relevance/bridge.hpp"

#include <algorithm>
#include <vector>

#include "kernels/relevance/runs.hpp"

namespace tersely::relevance {
namespace {

// The strongest segment that holds a term, and the strongest in another document than that one's.
struct Strongest {
    float first = 0;
    float second = 0;
    std::int32_t document = -1;  // of the first

    void meet(float strength, std::int32_t in) {
        if (in == document) {
            first = std::max(first, strength);
        } else if (strength > first) {
            *this = {strength, first, in};
        } else {
            second = std::max(second, strength);
        }
    }
    double outside(std::int32_t here) const { return here == document ? second : first; }
};

std::vector<std::size_t> name_of(std::span<const std::int32_t> row) {
    std::vector<std::size_t> name;
    for (const std::int32_t id : row) {
        const auto term = static_cast<std::size_t>(id);
        if (std::find(name.begin(), name.end(), term) == name.end()) name.push_back(term);
        if (name.size() == kNameTerms) break;
    }
    return name;
}

}  // namespace

void add_bridges(const lexical::Corpus& corpus, std::span<const float> idf, const QueryTerms& query,
                 std::span<const std::int64_t> title_row, std::span<const double> strength, std::span<float> bridge,
                 std::span<float> named) {
    const std::vector<std::size_t> starts = run_starts(corpus.document);
    if (starts.size() <= 2) return;
    std::vector<Strongest> strongest(corpus.vocabulary);
    for (std::size_t i = 0; i < corpus.size(); ++i) {
        if (strength[i] <= 0) continue;
        for (const std::int32_t id : corpus.row(i)) {
            strongest[static_cast<std::size_t>(id)].meet(static_cast<float>(strength[i]), corpus.document[i]);
        }
    }
    for (std::size_t d = 0; d + 1 < starts.size(); ++d) {
        const std::size_t first = starts[d];
        const std::int64_t title = title_row[static_cast<std::size_t>(corpus.document[first])];
        const std::vector<std::size_t> name = name_of(corpus.row(title >= 0 ? static_cast<std::size_t>(title) : first));
        double sum = 0;
        for (const std::size_t term : name) sum += idf[term];
        if (sum <= 0) continue;
        double reached = 0;
        double held = 0;
        for (const std::size_t term : name) {
            if (query.weight[term] > 0) {
                held += idf[term] / sum;
            } else {
                reached += idf[term] / sum * strongest[term].outside(corpus.document[first]);
            }
        }
        for (std::size_t i = first; i < starts[d + 1]; ++i) {
            bridge[i] = static_cast<float>(reached);
            named[i] = static_cast<float>(held);
        }
    }
}

}  // namespace tersely::relevance
