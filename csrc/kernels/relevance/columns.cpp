#include "kernels/relevance/columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "kernels/text/terms.hpp"
#include "simd/trees.hpp"

namespace tersely::relevance {

namespace {

using lexical::Corpus;
using Pair = std::pair<std::int32_t, std::int32_t>;

constexpr double kLeastDeviation = 1e-6;
constexpr std::size_t kThree = 3;

// The columns under construction.
struct Table {
    std::size_t rows;
    std::vector<float> values;
    std::span<float> operator[](std::size_t column) { return std::span(values).subspan(column * rows, rows); }
};

float largest_of(std::span<const float> values) { return *std::max_element(values.begin(), values.end()); }

void copy_features(std::span<const float> features, Table& table) {
    std::size_t column = 0;
    for (const Feature feature : kAsTheyAre) {
        const auto given = features.subspan(feature * table.rows, table.rows);
        std::copy(given.begin(), given.end(), table[column++].begin());
    }
    for (const Feature feature : kOverLargest) {
        const auto given = features.subspan(feature * table.rows, table.rows);
        const float largest = largest_of(given);
        const auto out = table[column++];
        if (largest <= 0) continue;
        for (std::size_t i = 0; i < table.rows; ++i) out[i] = given[i] / largest;
    }
    const auto cosine = features.subspan(kCosine * table.rows, table.rows);
    const float nearest = largest_of(cosine);
    const float most = largest_of(features.subspan(kShare * table.rows, table.rows));
    for (std::size_t i = 0; i < table.rows; ++i) {
        table[kCosineBelow][i] = cosine[i] - nearest;
        table[kMostHeld][i] = most;
    }
}

// Rows by falling sum, ties to the lowest.
std::vector<std::size_t> ranked(std::span<const double> sum) {
    std::vector<std::size_t> order(sum.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sum[a] > sum[b]; });
    return order;
}

void place_sums(std::span<const double> sum, std::span<const std::size_t> order, std::span<const std::int32_t> length,
                Table& table) {
    const std::size_t n = sum.size();
    const auto count = static_cast<double>(n);
    const double median = sum[order[n - 1 - (n - 1) / 2]];
    const double mean = std::accumulate(sum.begin(), sum.end(), 0.0) / count;
    double squares = 0;
    for (const double s : sum) squares += (s - mean) * (s - mean);
    const double deviation = std::sqrt(squares / count);
    const double scale = deviation > kLeastDeviation ? 1 / deviation : 0;
    const double characters = std::max(1.0, std::accumulate(length.begin(), length.end(), 0.0));
    double above = 0;
    for (std::size_t place = 0; place < n; ++place) {
        const std::size_t i = order[place];
        table[kAboveMedian][i] = static_cast<float>(sum[i] - median);
        table[kStandard][i] = static_cast<float>((sum[i] - mean) * scale);
        table[kRank][i] = static_cast<float>(place);
        table[kTextAbove][i] = static_cast<float>((above + length[i] / 2.0) / characters);
        table[kBelowBest][i] = static_cast<float>(sum[i] - sum[order[0]]);
        table[kSize][i] = static_cast<float>(length[i] / (characters / count));
        above += length[i];
    }
}

// The largest sum of each run of segments.
std::vector<double> largest_of(std::span<const std::size_t> starts, std::span<const double> sum) {
    std::vector<double> largest(starts.size() - 1);
    for (std::size_t r = 0; r + 1 < starts.size(); ++r) {
        largest[r] = *std::max_element(sum.begin() + static_cast<std::ptrdiff_t>(starts[r]),
                                       sum.begin() + static_cast<std::ptrdiff_t>(starts[r + 1]));
    }
    return largest;
}

void place_around(const Corpus& corpus, std::span<const double> sum, double best, double least,
                  std::span<const std::size_t> blocks, std::span<const std::size_t> documents, Table& table) {
    const std::size_t n = sum.size();
    for (std::size_t i = 0; i < n; ++i) {
        const bool after = i > 0 && corpus.document[i - 1] == corpus.document[i];
        const bool before = i + 1 < n && corpus.document[i + 1] == corpus.document[i];
        table[kPreviousBelow][i] = static_cast<float>((after ? sum[i - 1] : least) - best);
        table[kNextBelow][i] = static_cast<float>((before ? sum[i + 1] : least) - best);
    }
    const auto place = [&](std::span<const std::size_t> starts, std::span<const double> largest, Column below,
                           Column inside) {
        for (std::size_t r = 0; r + 1 < starts.size(); ++r) {
            for (std::size_t i = starts[r]; i < starts[r + 1]; ++i) {
                table[below][i] = static_cast<float>(largest[r] - best);
                table[inside][i] = static_cast<float>(sum[i] - largest[r]);
            }
        }
    };
    place(blocks, largest_of(blocks, sum), kBlockBelow, kInBlock);
    const std::vector<double> largest = largest_of(documents, sum);
    place(documents, largest, kDocumentBelow, kInDocument);
    const std::vector<std::size_t> order = ranked(largest);
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        const std::size_t begin = documents[order[rank]];
        const std::size_t size = documents[order[rank] + 1] - begin;
        for (std::size_t i = begin; i < begin + size; ++i) {
            table[kDocumentRank][i] = static_cast<float>(rank);
            table[kPlace][i] = static_cast<float>(i - begin);
            table[kPlaceShare][i] = static_cast<float>(i - begin) / static_cast<float>(size);
        }
    }
}

// What the terms of segments are by themselves.
void rate_terms(const Corpus& corpus, const Question& question, const QueryTerms& query, std::span<const float> idf,
                Table& table) {
    const auto out = table[kOwnTerms];
    std::vector<std::size_t> last(corpus.vocabulary, corpus.size());  // the segment a term was last met in
    for (std::size_t i = 0; i < corpus.size(); ++i) {
        double sum = 0;
        double distinct = 0;
        unsigned classes = 0;
        for (const std::int32_t id : corpus.row(i)) {
            const auto term = static_cast<std::size_t>(id);
            if (last[term] == i) continue;
            last[term] = i;
            distinct += 1;
            classes |= question.term_class[term];
            if (query.weight[term] <= 0) sum += idf[term];
        }
        if (distinct > 0) out[i] = static_cast<float>(sum / distinct);
        table[kQuantity][i] = (classes & text::kQuantity) != 0 ? 1.0F : 0.0F;
        table[kTime][i] = (classes & text::kTime) != 0 ? 1.0F : 0.0F;
        table[kAsked][i] = static_cast<float>(question.answer);
    }
}

// Shares of the query that segments hold, and hold beside the best ones.
void match_terms(const Corpus& corpus, const QueryTerms& query, std::span<const float> idf,
                 std::span<const std::size_t> order, Table& table) {
    TermCounts counts(query.weight);
    std::vector<std::size_t> rarest_first(query.terms);
    std::sort(rarest_first.begin(), rarest_first.end(), [&](std::size_t a, std::size_t b) { return idf[a] > idf[b]; });
    const float rarest = rarest_first.empty() ? 0.0F : idf[rarest_first.front()];
    const auto lacking = [&](std::size_t best) {  // the query's weights without what the best segments hold
        counts.clear();
        for (std::size_t place = 0; place < std::min(best, order.size()); ++place) counts.add(corpus.row(order[place]));
        std::vector<float> weight = query.weight;
        for (const std::size_t term : counts.seen()) weight[term] = 0;
        return weight;
    };
    const std::vector<float> beyond_best = lacking(1);
    const std::vector<float> beyond_three = lacking(kThree);
    const auto left = [&](std::span<const float> weight) {
        double sum = 0;
        for (const std::size_t term : query.terms) sum += weight[term];
        return static_cast<float>(sum / query.total);
    };
    std::fill(table[kLeftByBest].begin(), table[kLeftByBest].end(), left(beyond_best));
    std::fill(table[kLeftByThree].begin(), table[kLeftByThree].end(), left(beyond_three));
    for (std::size_t i = 0; i < corpus.size(); ++i) {
        counts.clear();
        counts.add(corpus.row(i));
        float held = 0;
        double best = 0;
        double three = 0;
        for (const std::size_t term : counts.seen()) {
            held = std::max(held, idf[term]);
            best += beyond_best[term];
            three += beyond_three[term];
        }
        const auto missing =
            std::find_if(rarest_first.begin(), rarest_first.end(), [&](std::size_t term) { return counts[term] <= 0; });
        const float missed = missing == rarest_first.end() ? 0.0F : idf[*missing];
        table[kRarest][i] = held / rarest;
        table[kRarestMissed][i] = missed / rarest;
        table[kMatched][i] = static_cast<float>(counts.seen().size()) / static_cast<float>(query.terms.size());
        table[kBeyondBest][i] = static_cast<float>(best / query.total);
        table[kBeyondThree][i] = static_cast<float>(three / query.total);
    }
}

void share_runs(const Corpus& corpus, const QueryTerms& query, std::span<const std::size_t> starts,
                std::span<float> out) {
    each_run_share(corpus, query, starts, [&](std::size_t first, std::size_t last, double held) {
        std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(first), last - first, static_cast<float>(held));
    });
}

// Pairs of neighbours in the query that stand side by side in a segment, each counted once.
void match_phrases(const Corpus& corpus, const QueryTerms& query, std::size_t query_row,
                   std::span<const std::size_t> documents, Table& table) {
    std::vector<Pair> pairs;
    const auto asked = corpus.row(query_row);
    for (std::size_t k = 0; k + 1 < asked.size(); ++k) pairs.emplace_back(asked[k], asked[k + 1]);
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    std::vector<std::size_t> last(pairs.size(), corpus.size());  // the segment a pair was last met in
    const auto out = table[kPhrases];
    for (std::size_t i = 0; i < corpus.size(); ++i) {
        const auto row = corpus.row(i);
        for (std::size_t k = 0; k + 1 < row.size(); ++k) {
            if (query.weight[static_cast<std::size_t>(row[k])] <= 0) continue;
            const Pair pair{row[k], row[k + 1]};
            const auto found = std::lower_bound(pairs.begin(), pairs.end(), pair);
            if (found == pairs.end() || *found != pair) continue;
            const auto at = static_cast<std::size_t>(found - pairs.begin());
            if (last[at] != i) out[i] += 1;
            last[at] = i;
        }
    }
    const float most = largest_of(out);
    if (most <= 0) return;
    for (float& count : out) count /= most;
    for (std::size_t d = 0; d + 1 < documents.size(); ++d) {
        const auto held = out.subspan(documents[d], documents[d + 1] - documents[d]);
        const auto filled = table[kDocumentPhrases].subspan(documents[d], held.size());
        std::fill(filled.begin(), filled.end(), largest_of(held));
    }
}

}  // namespace

std::vector<float> columns(const Corpus& corpus, const Question& question, std::span<const float> idf,
                           std::span<const float> features, std::span<const double> sum,
                           std::span<const std::int32_t> length) {
    Table table{corpus.size(), std::vector<float>(corpus.size() * kColumns, 0.0F)};
    if (corpus.size() == 0) return {};
    const std::vector<std::size_t> blocks = run_starts(corpus.block);
    const std::vector<std::size_t> documents = run_starts(corpus.document);
    const std::vector<std::size_t> order = ranked(sum);
    copy_features(features, table);
    place_sums(sum, order, length, table);
    place_around(corpus, sum, sum[order.front()], sum[order.back()], blocks, documents, table);
    std::copy(question.cosine.begin(), question.cosine.end(), table[kCosineItself].begin());
    const QueryTerms query = query_terms(corpus, idf, question.row, question.title_row);
    rate_terms(corpus, question, query, idf, table);
    if (query.total <= 0) return std::move(table.values);
    match_terms(corpus, query, idf, order, table);
    share_runs(corpus, query, documents, table[kDocumentShare]);
    share_runs(corpus, query, blocks, table[kBlockShare]);
    match_phrases(corpus, query, question.row, documents, table);
    const auto bridge = features.subspan(kBridge * table.rows, table.rows);
    for (std::size_t i = 0; i < table.rows; ++i) table[kHop][i] = bridge[i] * table[kLeftByBest][i];
    return std::move(table.values);
}

static_assert(kTreeDepth == 4 && kTreeLeaves == 16, "what the kernels are written for");

void add_forest(const Forest& forest, std::span<const float> columns, std::span<double> score) {
    constexpr std::size_t kRows = simd::kTreeRows;
    const simd::TreeKernels& kernels = simd::tree_kernels();
    const std::size_t n = score.size();
    std::vector<std::uint8_t> bins((forest.first.size() - 1) * kRows);
    std::array<float, kRows> values{};  // the last rows may be fewer: what stands behind them is not looked at
    std::array<std::int32_t, kRows> sums{};
    for (std::size_t begin = 0; begin < n; begin += kRows) {
        const std::size_t rows = std::min(kRows, n - begin);
        for (std::size_t c = 0; c + 1 < forest.first.size(); ++c) {
            const auto from = static_cast<std::size_t>(forest.first[c]);
            const auto borders = forest.borders.subspan(from, static_cast<std::size_t>(forest.first[c + 1]) - from);
            std::copy_n(columns.data() + c * n + begin, rows, values.data());
            kernels.find_bins(borders.data(), borders.size(), values.data(), bins.data() + c * kRows);
        }
        kernels.sum_leaves(bins.data(), forest.column.data(), forest.bin.data(), forest.leaf.data(), forest.trees(),
                           sums.data());
        for (std::size_t i = 0; i < rows; ++i) score[begin + i] += forest.scale * sums[i];
    }
}

namespace {

// ln(1 + exp(x)) without overflow.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

}  // namespace

std::vector<double> weighted_sum(std::span<const float> features, std::span<const double> weights, std::size_t n) {
    std::vector<double> sum(n, 0.0);
    for (std::size_t f = 0; f < weights.size(); ++f) {
        const auto column = features.subspan(f * n, n);
        for (std::size_t i = 0; i < n; ++i) sum[i] += weights[f] * column[i];
    }
    return sum;
}

std::vector<float> above_median(std::span<const double> sum) {
    std::vector<float> score(sum.size());
    if (sum.empty()) return score;
    std::vector<double> sorted(sum.begin(), sum.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sum.size() - 1) / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    std::transform(sum.begin(), sum.end(), score.begin(),
                   [m = *middle](double s) { return static_cast<float>(softplus(s - m)); });
    return score;
}

}  // namespace tersely::relevance
