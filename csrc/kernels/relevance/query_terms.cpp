#include "kernels/relevance/query_terms.hpp"

namespace tersely::relevance {

QueryTerms query_terms(const lexical::Corpus& corpus, std::span<const float> idf, std::size_t row,
                       std::span<const std::int64_t> title_row) {
    QueryTerms query;
    query.weight.assign(corpus.vocabulary, 0.0F);
    for (const std::int32_t id : corpus.row(row)) {
        const auto term = static_cast<std::size_t>(id);
        if (query.weight[term] > 0) continue;
        query.weight[term] = idf[term] * idf[term];
        query.terms.push_back(term);
    }
    TermCounts counts(query.weight);
    counts.add(corpus.ids.first(static_cast<std::size_t>(corpus.offsets[corpus.size()])));  // all segments
    for (const std::int64_t title : title_row) {
        if (title >= 0) counts.add(corpus.row(static_cast<std::size_t>(title)));
    }
    for (const std::size_t term : query.terms) query.weight[term] = counts[term] > 0 ? query.weight[term] : 0;
    std::erase_if(query.terms, [&](std::size_t term) { return query.weight[term] <= 0; });
    for (const std::size_t term : query.terms) query.total += query.weight[term];
    return query;
}

double share(const QueryTerms& query, const TermCounts& counts) {
    double sum = 0;
    for (const std::size_t term : counts.seen()) sum += query.weight[term];
    return query.total > 0 ? sum / query.total : 0;
}

double bm25(const TermCounts& counts, std::span<const float> weight, double length, double mean_length) {
    const double norm = kSaturation * (1 - kLength + kLength * length / mean_length);
    double sum = 0;
    for (const std::size_t term : counts.seen()) {
        sum += weight[term] * counts[term] * (kSaturation + 1) / (counts[term] + norm);
    }
    return sum;
}

}  // namespace tersely::relevance
