// Fuzzes relevance, centrality and selection over small random corpora that meet the border's checks.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "check.hpp"
#include "kernels/lexical/corpus.hpp"
#include "kernels/relevance/columns.hpp"
#include "kernels/relevance/features.hpp"
#include "kernels/select/budgeted.hpp"

namespace {

using namespace tersely;

// One tree over columns with a border each.
constexpr std::array<float, 2> kBorders{0.25F, 0.5F};
constexpr std::array<std::int32_t, relevance::kColumns + 1> kFirst = [] {
    std::array<std::int32_t, relevance::kColumns + 1> first{};
    for (std::size_t c = 1; c <= relevance::kColumns; ++c) first[c] = c == 1 ? 1 : 2;
    return first;
}();
constexpr std::array<std::uint8_t, 4> kAsked{0, 1, relevance::kColumns - 1, 0};
constexpr std::array<std::uint8_t, 4> kBins{0, 0, 0, 1};
constexpr std::array<std::int8_t, 16> kLeaves{-128, 127, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
const relevance::Forest kTree{kBorders, kFirst, kAsked, kBins, kLeaves, 0.01};

struct Case {
    std::size_t n, vocabulary;
    std::vector<std::int32_t> ids, document, block, heading, group;
    std::vector<std::int64_t> offsets = {0}, cost, titles;
    std::vector<std::uint8_t> pinned;
    std::vector<float> cosine;

    explicit Case(FuzzedDataProvider& in)
        : n(in.ConsumeIntegralInRange<std::size_t>(0, 24)), vocabulary(in.ConsumeIntegralInRange<std::size_t>(1, 12)) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint8_t what = in.ConsumeIntegral<std::uint8_t>();
            const bool new_document = i == 0 || (what & 1U) != 0;
            document.push_back(i == 0 ? 0 : document.back() + (new_document ? 1 : 0));
            block.push_back(i == 0 ? 0 : block.back() + (new_document || (what & 2U) != 0 ? 1 : 0));
            heading.push_back(new_document ? -1 : in.ConsumeIntegralInRange(-1, static_cast<std::int32_t>(i) - 1));
            if (heading.back() >= 0 && document[static_cast<std::size_t>(heading.back())] != document.back()) {
                heading.back() = -1;
            }
            group.push_back((what & 4U) != 0 ? in.ConsumeIntegralInRange(0, static_cast<std::int32_t>(n) - 1) : -1);
            pinned.push_back((what & 24U) == 24U ? 1 : 0);
            cost.push_back(in.ConsumeIntegralInRange(0, 40));
            cosine.push_back(in.ConsumeFloatingPointInRange<float>(-1, 1));
            add_row(in);
        }
        add_row(in);  // the query
        const std::size_t documents = n == 0 ? 0 : static_cast<std::size_t>(document.back()) + 1;
        titles.assign(documents, in.ConsumeBool() ? static_cast<std::int64_t>(n) : -1);
    }

    void add_row(FuzzedDataProvider& in) {
        for (std::size_t left = in.ConsumeIntegralInRange<std::size_t>(0, 8); left > 0; --left) {
            ids.push_back(in.ConsumeIntegralInRange(0, static_cast<std::int32_t>(vocabulary) - 1));
        }
        offsets.push_back(static_cast<std::int64_t>(ids.size()));
    }

    lexical::Corpus corpus() const { return {ids, offsets, vocabulary, document, block, heading}; }
};

void check_scores(const std::vector<float>& scores, std::size_t n, float most, const char* promise) {
    check(scores.size() == n, promise);
    for (const float score : scores) check(std::isfinite(score) && score >= 0 && score <= most, promise);
}

bool in(select::Status status) { return status > select::Status::kRedundant; }

std::int64_t cost_of(const Case& of, const std::vector<select::Status>& status) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < of.n; ++i) sum += in(status[i]) ? of.cost[i] : 0;
    return sum;
}

// Without rules a choice is the selection, of any number of targets; with all of them pins stay.
void check_choice(const Case& of, select::Problem problem, const std::vector<select::Status>& selected) {
    const std::vector<std::uint8_t> none(of.n);
    if (problem.pinned.empty()) problem.pinned = none;
    select::Rules rules;
    rules.price = problem.cost;
    const select::Choice plain(problem, rules);
    for (const std::int64_t target : {problem.budget / 2, problem.budget}) {
        const auto chosen = plain.choose(target, plain.hold(target, problem.pinned, false));
        check(target != problem.budget || chosen == selected, "a choice without rules is the selection");
    }
    const auto last = static_cast<std::int64_t>(of.n) - 1;
    const std::vector<std::int64_t> runs = {0, std::max<std::int64_t>(last, 0)};
    const std::vector<std::int64_t> head_cost = {3, 1};
    const std::vector<std::int32_t> head_above = {-1, 0};
    const std::vector<std::int32_t> head_of(of.n, 1);
    rules.gist = problem.score;
    rules.gist_room = problem.budget / 3;
    rules.essential = of.pinned;
    rules.auxiliary = of.pinned;
    rules.leading = runs;
    rules.leading_share = 0.5;
    if (last >= 0) rules.fences = runs;
    rules.start = std::span(of.offsets).first(of.n);
    rules.end = std::span(of.offsets).subspan(1, of.n);
    rules.fill = true;
    rules.head_cost = head_cost;
    rules.head_above = head_above;
    rules.head_of = head_of;
    for (const bool ranked : {false, true}) {
        problem.ranked = ranked;
        const select::Choice choice(problem, rules);
        const auto chosen = choice.choose(problem.budget, choice.hold(problem.budget, problem.pinned, false));
        for (std::size_t i = 0; i < of.n; ++i) check(problem.pinned[i] == 0 || in(chosen[i]), "pins stay");
        check(choice.tally(chosen).kept >= cost_of(of, chosen), "headings are paid for beside units");
    }
}

void check_selection(const Case& of, select::Problem problem) {
    const std::vector<select::Status> status = select_budgeted(problem);
    check(status.size() == of.n, "every segment has a status");
    std::map<std::int32_t, bool> group_in;
    for (std::size_t i = 0; i < of.n; ++i) {
        check(problem.pinned.empty() || of.pinned[i] == 0 || in(status[i]), "pinned segments are in");
        if (!problem.heading.empty() && of.heading[i] >= 0 && in(status[i])) {
            check(in(status[static_cast<std::size_t>(of.heading[i])]), "the heading of a segment comes with it");
        }
        if (problem.group.empty() || of.group[i] < 0) continue;
        const bool whole = group_in.try_emplace(of.group[i], in(status[i])).first->second == in(status[i]);
        check(whole, "a group is all in or all out");
    }
    const std::int64_t budget = problem.budget;
    check_choice(of, problem, status);
    problem.budget = 0;  // leaves the pinned units
    const std::int64_t pins = problem.pinned.empty() ? 0 : cost_of(of, select_budgeted(problem));
    check(cost_of(of, status) <= std::max(budget, pins), "what is chosen besides the pins fits the budget");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider in(data, size);
    select::Problem problem;
    problem.budget = in.ConsumeIntegralInRange(0, 300);
    problem.context = in.ConsumeIntegralInRange(0, 3);
    problem.redundancy = in.ConsumeProbability<float>();
    const std::uint8_t parts = in.ConsumeIntegral<std::uint8_t>();
    const Case made(in);

    const lexical::Corpus corpus = made.corpus();
    const std::vector<std::uint8_t> classes(made.vocabulary, parts);
    const std::vector<float> idf = lexical::inverse_frequency(corpus);
    const relevance::Question question{made.n, made.titles, classes, parts, made.cosine};
    const std::vector<float> features = relevance::features(corpus, question, idf);
    const std::vector<double> weights(relevance::kFeatures, 1.0);
    std::vector<double> sum = relevance::weighted_sum(features, weights, made.n);
    const std::vector<std::int32_t> length(made.n, parts);
    const std::vector<float> columns = relevance::columns(corpus, question, idf, features, sum, length);
    check(columns.size() == made.n * relevance::kColumns, "a value a column and segment");
    check(std::all_of(columns.begin(), columns.end(), [](float value) { return std::isfinite(value); }),
          "columns are finite");
    relevance::add_forest(kTree, columns, sum);
    const std::vector<float> score = relevance::above_median(sum);
    check_scores(score, made.n, 100.0F, "relevance is finite and not negative");
    check_scores(idf, made.vocabulary, 100.0F, "idf is finite and not negative");
    check_scores(lexical::centrality(corpus, classes).score, made.n, 1.75F, "centrality lies in [0, 1.7]");

    problem.score = score;
    problem.cost = made.cost;
    problem.document = made.document;
    if ((parts & 1U) != 0) problem.pinned = made.pinned;
    if ((parts & 2U) != 0) problem.group = made.group;
    if ((parts & 4U) != 0) problem.heading = made.heading;
    if ((parts & 8U) != 0) {
        problem.term_ids = made.ids;
        problem.term_offsets = made.offsets;
        problem.term_weight = idf;
    }
    check_selection(made, problem);
    return 0;
}
