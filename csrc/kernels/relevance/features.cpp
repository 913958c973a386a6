#include "kernels/relevance/features.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "kernels/parallel.hpp"

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

namespace {

using lexical::Corpus;

constexpr double kNeighbour = 0.2;
constexpr double kBlock = 0.5;
constexpr double kDocumentShare = 0.2;
constexpr double kTitle = 0.5;
constexpr std::size_t kBest = 2;
constexpr std::size_t kBestWide = 5;
constexpr std::size_t kDocumentBest = 3;
constexpr double kLeastDeviation = 1e-6;  // of cosines: below it they are all the same, up to rounding

// The columns under construction.
class Columns {
  public:
    explicit Columns(std::size_t rows) : rows_(rows), values_(rows * kFeatures, 0.0F) {}
    std::span<float> operator[](Feature feature) { return std::span(values_).subspan(feature * rows_, rows_); }
    std::vector<float> take() { return std::move(values_); }

  private:
    std::size_t rows_;
    std::vector<float> values_;
};

// What the lexical columns share.
struct Context {
    const Corpus& corpus;
    const Question& question;
    std::span<const float> idf;
    const QueryTerms& query;
    std::vector<std::size_t> blocks;
    std::vector<std::size_t> documents;

    std::int64_t title_of(std::size_t segment) const {
        return question.title_row[static_cast<std::size_t>(corpus.document[segment])];
    }
    bool has_documents() const { return documents.size() > 2; }
};

// kShare, kBm25, and match.
std::vector<double> match_segments(const Context& context, Columns& columns) {
    const Corpus& corpus = context.corpus;
    const double mean = static_cast<double>(corpus.offsets[corpus.size()]) / static_cast<double>(corpus.size());
    std::vector<double> match(corpus.size());
    TermCounts counts(context.query.weight);
    for (std::size_t i = 0; i < corpus.size(); ++i) {
        check_cancelled();
        const auto row = corpus.row(i);
        counts.clear();
        counts.add(row);
        if (counts.seen().empty()) continue;
        const double held = share(context.query, counts);
        const double ranked =
            bm25(counts, context.query.weight, static_cast<double>(row.size()), mean) / context.query.total;
        columns[kShare][i] = static_cast<float>(held);
        columns[kBm25][i] = static_cast<float>(ranked / (kSaturation + 1));
        match[i] = (held + ranked) / 2;
    }
    return match;
}

// previous[i] and next[i]: the value of the neighbour in the same document.
void add_neighbours(std::span<const std::int32_t> document, std::span<const double> value, std::span<float> previous,
                    std::span<float> next) {
    for (std::size_t i = 1; i < value.size(); ++i) {
        if (document[i] != document[i - 1]) continue;
        previous[i] = static_cast<float>(value[i - 1]);
        next[i - 1] = static_cast<float>(value[i]);
    }
}

// out[i]: the largest value in i's run.
void add_largest(std::span<const std::size_t> starts, std::span<const double> value, std::span<float> out) {
    for (std::size_t r = 0; r + 1 < starts.size(); ++r) {
        const auto begin = static_cast<std::ptrdiff_t>(starts[r]);
        const auto end = static_cast<std::ptrdiff_t>(starts[r + 1]);
        const double largest = *std::max_element(value.begin() + begin, value.begin() + end);
        std::fill(out.begin() + begin, out.begin() + end, static_cast<float>(largest));
    }
}

// Adds factor * the share of the query that each run of segments holds.
void add_run_share(const Context& context, std::span<const std::size_t> starts, double factor,
                   std::vector<double>& strength) {
    each_run_share(context.corpus, context.query, starts, [&](std::size_t first, std::size_t last, double held) {
        for (std::size_t i = first; i < last; ++i) strength[i] += factor * held;
    });
}

// kHeadings, counted once for all segments that follow one heading.
void add_headings(const Context& context, std::span<float> headings) {
    const Corpus& corpus = context.corpus;
    TermCounts counts(context.query.weight);
    for (std::size_t i = 0; i < corpus.size(); ++i) {
        if (i > 0 && corpus.heading[i] == corpus.heading[i - 1] && corpus.document[i] == corpus.document[i - 1]) {
            headings[i] = headings[i - 1];
            continue;
        }
        counts.clear();
        for (std::int32_t at = corpus.heading[i]; at >= 0; at = corpus.heading[static_cast<std::size_t>(at)]) {
            counts.add(corpus.row(static_cast<std::size_t>(at)));
        }
        const std::int64_t title = context.title_of(i);
        if (title >= 0) counts.add(corpus.row(static_cast<std::size_t>(title)));
        headings[i] = static_cast<float>(share(context.query, counts));
    }
}

// kLead and kFirst.
void add_leads(const Context& context, std::span<float> lead, std::span<float> first) {
    const Corpus& corpus = context.corpus;
    TermCounts counts(context.query.weight);
    for (std::size_t d = 0; d + 1 < context.documents.size(); ++d) {
        const std::size_t begin = context.documents[d];
        counts.clear();
        counts.add(corpus.row(begin));
        const std::int64_t title = context.title_of(begin);
        if (title >= 0) counts.add(corpus.row(static_cast<std::size_t>(title)));
        for (std::size_t i = begin; i < context.documents[d + 1]; ++i) {
            lead[i] = static_cast<float>(share(context.query, counts));
            if (context.has_documents()) first[i] = static_cast<float>(1.0 / static_cast<double>(1 + i - begin));
        }
    }
}

// kDocument: documents are what is ranked, so a term weighs by how few of them hold it.
void rank_documents(const Context& context, std::span<float> ranked) {
    if (!context.has_documents()) return;
    const Corpus& corpus = context.corpus;
    const std::size_t documents = context.documents.size() - 1;
    std::vector<double> held(corpus.vocabulary, 0.0);
    TermCounts counts(context.query.weight);
    const auto count = [&](std::size_t d) {
        counts.clear();
        for (std::size_t i = context.documents[d]; i < context.documents[d + 1]; ++i) counts.add(corpus.row(i));
    };
    for (std::size_t d = 0; d < documents; ++d) {
        count(d);
        for (const std::size_t term : counts.seen()) held[term] += 1;
    }
    std::vector<float> weight(corpus.vocabulary, 0.0F);
    double total = 0;
    for (const std::size_t term : context.query.terms) {
        weight[term] = lexical::inverse_frequency(held[term], static_cast<double>(documents));
        total += weight[term];
    }
    const double terms = static_cast<double>(corpus.offsets[corpus.size()]);
    const double mean = std::max(terms, 1.0) / static_cast<double>(documents);
    for (std::size_t d = 0; d < documents; ++d) {
        count(d);
        const std::size_t begin = context.documents[d];
        const std::size_t end = context.documents[d + 1];
        const auto length = static_cast<double>(corpus.offsets[end] - corpus.offsets[begin]);
        const double score = bm25(counts, weight, length, mean) / total / (kSaturation + 1);
        for (std::size_t i = begin; i < end; ++i) ranked[i] = static_cast<float>(score);
    }
}

void find_answers(const Corpus& corpus, const Question& question, std::span<float> answer) {
    if (question.answer == 0) return;
    for (std::size_t i = 0; i < corpus.size(); ++i) {
        const auto row = corpus.row(i);
        const bool found = std::any_of(row.begin(), row.end(), [&](std::int32_t id) {
            return (question.term_class[static_cast<std::size_t>(id)] & question.answer) != 0;
        });
        answer[i] = found ? 1.0F : 0.0F;
    }
}

// The `count` strongest segments, ties to the lowest index.
std::vector<std::size_t> strongest(std::span<const double> strength, std::size_t count) {
    std::vector<std::size_t> rows(strength.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    const std::size_t taken = std::min(count, rows.size());
    std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(taken), rows.end(),
                      [&](std::size_t a, std::size_t b) {
                          return strength[a] > strength[b] || (strength[a] == strength[b] && a < b);
                      });
    rows.resize(taken);
    return rows;
}

void add_lexical(const Context& context, Columns& columns) {
    const Corpus& corpus = context.corpus;
    const std::vector<double> match = match_segments(context, columns);
    add_neighbours(corpus.document, match, columns[kPrevious], columns[kNext]);
    add_largest(context.blocks, match, columns[kBlockBest]);
    add_headings(context, columns[kHeadings]);
    add_leads(context, columns[kLead], columns[kFirst]);
    rank_documents(context, columns[kDocument]);

    std::vector<double> strength = match;
    for (std::size_t i = 0; i < corpus.size(); ++i) {
        strength[i] += kNeighbour * (static_cast<double>(columns[kPrevious][i]) + columns[kNext][i]);
        strength[i] += kTitle * columns[kHeadings][i];
    }
    add_run_share(context, context.blocks, kBlock, strength);
    add_run_share(context, context.documents, kDocumentShare, strength);
    const std::vector<std::size_t> best = strongest(strength, kBestWide);
    add_feedback(corpus, context.idf, context.query, std::span(best).first(std::min(kBest, best.size())), strength,
                 columns[kFeedback]);
    add_feedback(corpus, context.idf, context.query, best, strength, columns[kFeedbackWide]);
    const double largest = strength[best[0]];
    if (largest <= 0) return;
    for (double& value : strength) value /= largest;
    add_bridges(corpus, context.idf, context.query, context.question.title_row, strength, columns[kBridge],
                columns[kNamed]);
}

// (value - mean) / standard deviation; zeros where all are the same.
std::vector<double> standard_scores(std::span<const float> values) {
    std::vector<double> scores(values.begin(), values.end());
    const auto n = static_cast<double>(values.size());
    const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / n;
    double squares = 0;
    for (double& score : scores) {
        score -= mean;
        squares += score * score;
    }
    const double deviation = std::sqrt(squares / n);
    for (double& score : scores) score = deviation > kLeastDeviation ? score / deviation : 0.0;
    return scores;
}

void add_cosines(const Context& context, Columns& columns) {
    const std::vector<double> cosine = standard_scores(context.question.cosine);
    const auto given = columns[kCosine];
    std::transform(cosine.begin(), cosine.end(), given.begin(), [](double score) { return static_cast<float>(score); });
    add_neighbours(context.corpus.document, cosine, columns[kCosinePrevious], columns[kCosineNext]);
    add_largest(context.blocks, cosine, columns[kCosineBlock]);
    if (!context.has_documents()) return;
    std::vector<double> sorted = cosine;
    for (std::size_t d = 0; d + 1 < context.documents.size(); ++d) {
        const std::size_t begin = context.documents[d];
        const std::size_t size = context.documents[d + 1] - begin;
        const std::size_t taken = std::min(kDocumentBest, size);
        const auto first = sorted.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto middle = first + static_cast<std::ptrdiff_t>(taken);
        std::partial_sort(first, middle, first + static_cast<std::ptrdiff_t>(size), std::greater<>());
        const double mean = std::accumulate(first, middle, 0.0) / static_cast<double>(taken);
        for (std::size_t i = begin; i < begin + size; ++i) {
            columns[kCosineDocument][i] = static_cast<float>(mean);
            columns[kCosineLead][i] = given[begin];
        }
    }
}

}  // namespace

std::vector<float> features(const Corpus& corpus, const Question& question, std::span<const float> idf) {
    Columns columns(corpus.size());
    if (corpus.size() == 0) return columns.take();
    const QueryTerms query = query_terms(corpus, idf, question.row, question.title_row);
    const Context context{corpus, question, idf, query, run_starts(corpus.block), run_starts(corpus.document)};
    if (query.total > 0) add_lexical(context, columns);
    find_answers(corpus, question, columns[kAnswer]);
    if (!question.cosine.empty()) add_cosines(context, columns);
    return columns.take();
}

}  // namespace tersely::relevance
