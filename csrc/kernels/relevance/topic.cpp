#include "kernels/relevance/topic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

namespace tersely::relevance {

namespace {

constexpr std::size_t kLargest = 3;  // cosines of a document
constexpr double kLeastWeight = 1e-9;

// Rows ascending and each once.
template <typename T>
void sort_unique(std::vector<T>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

// The query's terms, and what of them rows of terms hold.
class Held {
  public:
    Held(const lexical::Corpus& corpus, std::span<const std::int32_t> query) : place_(corpus.vocabulary, -1) {
        std::vector<std::int32_t> terms(query.begin(), query.end());
        sort_unique(terms);
        const std::vector<std::int32_t> frequency = lexical::segment_frequency(corpus);
        double total = 0.0;
        for (const std::int32_t term : terms) {
            const auto at = static_cast<std::size_t>(term);
            place_[at] = static_cast<std::int32_t>(weight_.size());
            weight_.push_back(lexical::inverse_frequency(frequency[at], static_cast<double>(corpus.size())));
            total += weight_.back();
        }
        for (double& weight : weight_) weight /= std::max(total, kLeastWeight);
        for (std::size_t i = 1; i < query.size(); ++i) pairs_.emplace_back(query[i - 1], query[i]);
        sort_unique(pairs_);
        total = 0.0;
        for (const auto& [one, other] : pairs_) {
            const std::int32_t rarer =
                std::min(frequency[static_cast<std::size_t>(one)], frequency[static_cast<std::size_t>(other)]);
            pair_weight_.push_back(1.0 - static_cast<double>(rarer) / static_cast<double>(corpus.size() + 1));
            total += pair_weight_.back();
        }
        for (double& weight : pair_weight_) weight /= std::max(total, kLeastWeight);
    }

    std::size_t terms() const { return weight_.size(); }

    // Reads a row of the document; its weight.
    double read(std::span<const std::int32_t> row) {
        row_.clear();
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::int32_t place = place_[static_cast<std::size_t>(row[i])];
            if (place < 0) continue;
            ++times_;
            row_.push_back(place);
            if (i > 0 && place_[static_cast<std::size_t>(row[i - 1])] >= 0) read_pair({row[i - 1], row[i]});
        }
        sort_unique(row_);
        document_.insert(document_.end(), row_.begin(), row_.end());
        return sum(row_);
    }

    // What the rows since the last call hold together: their weight, that of their pairs, and how many terms.
    struct Whole {
        double share;
        double pairs;
        std::int32_t times;
    };
    Whole finish() {
        sort_unique(document_);
        sort_unique(found_);
        double pairs = 0.0;
        for (const std::ptrdiff_t pair : found_) pairs += pair_weight_[static_cast<std::size_t>(pair)];
        const Whole whole{sum(document_), pairs, times_};
        document_.clear();
        found_.clear();
        times_ = 0;
        return whole;
    }

  private:
    void read_pair(std::pair<std::int32_t, std::int32_t> pair) {
        const auto at = std::lower_bound(pairs_.begin(), pairs_.end(), pair);
        if (at != pairs_.end() && *at == pair) found_.push_back(at - pairs_.begin());
    }

    double sum(const std::vector<std::int32_t>& places) const {
        double total = 0.0;
        for (const std::int32_t place : places) total += weight_[static_cast<std::size_t>(place)];
        return total;
    }

    std::vector<std::int32_t> place_;  // of each term of the vocabulary among the query's distinct ones, or -1
    std::vector<double> weight_;
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs_;
    std::vector<double> pair_weight_;  // of each pair: "de la" says less than a name; they add up to 1
    std::vector<std::int32_t> row_;
    std::vector<std::int32_t> document_;
    std::vector<std::ptrdiff_t> found_;
    std::int32_t times_ = 0;
};

// The largest of some cosines, and the mean of the three largest; 0 where there are none.
std::pair<double, double> largest(std::span<const float> cosines) {
    if (cosines.empty()) return {0.0, 0.0};
    std::array<float, kLargest> best{};
    const auto end = std::partial_sort_copy(cosines.begin(), cosines.end(), best.begin(), best.end(), std::greater<>{});
    double total = 0.0;
    for (auto at = best.begin(); at != end; ++at) total += *at;
    return {best.front(), total / static_cast<double>(end - best.begin())};
}

}  // namespace

Topic topic(const lexical::Corpus& corpus, const Question& question, bool segments) {
    const std::size_t n = corpus.size();
    const std::size_t many = question.title_row.size();
    Held held(corpus, corpus.row(question.row));
    const double terms = std::log1p(static_cast<double>(held.terms()));
    Topic found;
    found.documents.reserve(many * kTopicOfDocument);
    found.counts.reserve(many * 2);
    std::vector<double> share(segments ? n : 0);
    std::size_t row = 0;
    for (std::size_t d = 0; d < many; ++d) {
        const std::size_t first = row;
        double best = 0.0;
        for (; row < n && static_cast<std::size_t>(corpus.document[row]) == d; ++row) {
            const double own = held.read(corpus.row(row));
            best = std::max(best, own);
            if (segments) share[row] = own;
        }
        if (const std::int64_t title = question.title_row[d]; title >= 0) {
            best = std::max(best, held.read(corpus.row(static_cast<std::size_t>(title))));
        }
        const Held::Whole whole = held.finish();
        const bool vectors = !question.cosine.empty();
        const auto [cosine, cosines] =
            largest(vectors ? question.cosine.subspan(first, row - first) : std::span<const float>{});
        const double count = std::log(static_cast<double>(std::max<std::size_t>(row - first, 1)));
        const std::array<double, kTopicOfDocument> columns = {
            whole.share * terms, best * terms, whole.pairs, count, terms, cosine, cosines};
        found.documents.insert(found.documents.end(), columns.begin(), columns.end());
        found.counts.push_back(static_cast<std::int32_t>(row - first));
        found.counts.push_back(whole.times);
    }
    if (!segments) return found;
    found.segments.assign(n * kTopicOfSegment, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        double* columns = found.segments.data() + i * kTopicOfSegment;
        columns[kTopicSegmentShare] = share[i] * terms;
        if (i > 0 && corpus.document[i - 1] == corpus.document[i]) columns[kTopicNear] = share[i - 1];
        if (i + 1 < n && corpus.document[i + 1] == corpus.document[i]) {
            columns[kTopicNear] = std::max(columns[kTopicNear], share[i + 1]);
        }
        if (!question.cosine.empty()) columns[kTopicSegmentCosine] = question.cosine[i];
    }
    return found;
}

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
