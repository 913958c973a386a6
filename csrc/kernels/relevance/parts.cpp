#include "kernels/relevance/parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tersely::relevance {
namespace {

std::vector<std::int32_t> number_blocks(const lexical::Corpus& corpus) {
    std::vector<std::int32_t> part(corpus.size(), 0);
    for (std::size_t i = 1; i < corpus.size(); ++i) {
        part[i] = part[i - 1] + (corpus.block[i] != corpus.block[i - 1] ? 1 : 0);
    }
    return part;
}

// The distinct terms of each part, one part after another.
struct Terms {
    std::vector<std::size_t> id;
    std::vector<std::size_t> end;  // of each part
    std::vector<std::int32_t> parts_with;
};

Terms distinct_terms(const lexical::Corpus& corpus, const std::vector<std::int32_t>& part) {
    Terms terms;
    terms.parts_with.assign(corpus.vocabulary, 0);
    std::vector<std::int32_t> last(corpus.vocabulary, -1);
    for (std::size_t i = 0; i < corpus.size(); ++i) {
        if (i > 0 && part[i] != part[i - 1]) terms.end.push_back(terms.id.size());
        for (const std::int32_t id : corpus.row(i)) {
            const auto term = static_cast<std::size_t>(id);
            if (last[term] == part[i]) continue;
            last[term] = part[i];
            terms.id.push_back(term);
            ++terms.parts_with[term];
        }
    }
    terms.end.push_back(terms.id.size());
    return terms;
}

// Mean similarity of neighbours over that of the other pairs; 0 where no others have a word in common.
double cohesion(const lexical::Corpus& corpus, const Terms& terms) {
    struct Met {
        double sum = 0;
        double last = 0;
        std::size_t part = 0;  // the last one, counted from 1
    };
    const std::size_t parts = terms.end.size();
    const auto count = static_cast<double>(parts);
    std::vector<Met> met(corpus.vocabulary);
    std::vector<double> weights(parts + 1);  // idf squared, by the number of parts that have a term
    for (std::size_t with = 1; with <= parts; ++with) {
        const double idf = lexical::inverse_frequency(static_cast<double>(with), count);
        weights[with] = idf * idf;
    }
    double squares = 0;
    double neighbours = 0;
    std::size_t begin = 0;
    for (std::size_t p = 0; p < parts; ++p) {
        const auto weight = [&](std::size_t at) {
            return weights[static_cast<std::size_t>(terms.parts_with[terms.id[at]])];
        };
        double length = 0;
        for (std::size_t at = begin; at < terms.end[p]; ++at) length += weight(at) * weight(at);
        for (std::size_t at = begin; at < terms.end[p]; ++at) {
            if (terms.parts_with[terms.id[at]] < 2) continue;
            const double value = weight(at) / std::sqrt(length);
            Met& term = met[terms.id[at]];
            if (term.part == p) neighbours += term.last * value;  // the part before, counted from 1; 0: none yet
            squares += value * value;
            term = {term.sum + value, value, p + 1};
        }
        begin = terms.end[p];
    }
    double all = -squares;
    for (const Met& term : met) all += term.sum * term.sum;
    const double others = all / 2 - neighbours;
    const double pairs = count * (count - 1) / 2 - (count - 1);
    return others > 0 ? (neighbours / (count - 1)) / (others / pairs) : 0;
}

}  // namespace

std::vector<std::int32_t> own_texts(const lexical::Corpus& corpus) {
    if (corpus.size() == 0 || corpus.document.front() != corpus.document.back()) return {};
    if (std::any_of(corpus.heading.begin(), corpus.heading.end(), [](std::int32_t row) { return row >= 0; })) return {};
    std::vector<std::int32_t> part = number_blocks(corpus);
    const auto parts = static_cast<std::size_t>(part.back()) + 1;
    if (parts < kLeastParts || corpus.size() < kLeastSegments * parts) return {};
    const double found = cohesion(corpus, distinct_terms(corpus, part));
    if (found < kLeastCohesion || found >= kMostCohesion) part.clear();
    return part;
}

}  // namespace tersely::relevance
