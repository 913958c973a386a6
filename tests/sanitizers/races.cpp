// Concurrent callers of every kernel that starts threads, for ThreadSanitizer (ci/tsan.sh): on the same rows and on
// different ones, calls that are cancelled or throw among them. All must give what one thread gives alone.
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "check.hpp"
#include "kernels/cluster/clusters.hpp"
#include "kernels/similarity/similarity.hpp"
#include "kernels/subset/subset.hpp"

namespace {

using namespace tersely;

constexpr std::size_t kRows = 1000;
constexpr std::size_t kDepth = 1024;  // enough for packing to start threads too
constexpr int kCallers = 4;
constexpr double kThreshold = 0.5;

struct Matrix {
    std::vector<float> values;

    explicit Matrix(unsigned seed) : values(kRows * kDepth) {
        std::mt19937 random(seed);
        std::normal_distribution<float> normal;
        for (std::size_t row = 0; row < kRows; ++row) {
            const std::size_t like = row % 400;  // copies are close calls; the others lie around the threshold
            for (std::size_t k = 0; k < kDepth; ++k) {
                const float old = values[like * kDepth + k];
                values[row * kDepth + k] = row % 3 == 0 && like != row ? 2 * old : old + normal(random);
            }
        }
    }
    similarity::Rows rows() const {
        return {reinterpret_cast<const std::byte*>(values.data()),
                similarity::Format::kSingle,
                kRows,
                kDepth,
                static_cast<std::ptrdiff_t>(kDepth * sizeof(float)),
                sizeof(float)};
    }
};

struct Answers {
    std::vector<float> own, other;
    std::vector<std::int32_t> i, j;
    std::vector<std::int32_t> labels, components;
    std::vector<std::int32_t> facilities, relevant;
    bool operator==(const Answers&) const = default;
};

Answers answers(const Matrix& x, const Matrix& y, int threads) {
    const similarity::Rows rows = x.rows();
    const similarity::Rows others = y.rows();
    const std::thread::id caller = std::this_thread::get_id();
    double told = 0;
    const auto poll = [&](double share) {
        check(std::this_thread::get_id() == caller, "the calling thread is asked");
        check(share >= 0 && share <= 1, "shares lie between 0 and 1");
        told += share;  // a race if another thread were to ask
        return true;
    };
    const Workers workers{threads, poll};
    Answers found;
    found.own.resize(kRows * kRows);
    similarity::all_similarities(rows, nullptr, found.own.data(), kRows, workers);
    found.other.resize(kRows * kRows);
    similarity::all_similarities(rows, &others, found.other.data(), kRows, workers);
    for (const double threshold : {kThreshold, 1.0}) {  // at 1 every copy is decided in double
        for (const auto& [i, j, product] : similarity::pairs_at_least(rows, threshold, kRows * kRows, workers)) {
            found.i.push_back(i);
            found.j.push_back(j);
        }
    }
    std::vector<double> scores(kRows);
    for (std::size_t row = 0; row < kRows; ++row) scores[row] = static_cast<double>(row % 11);
    found.labels = cluster::representative(rows, kThreshold, scores, workers).labels;
    for (const double threshold : {1.0, 0.05}) {  // few pairs; and more than a worker holds before it joins them
        const auto labels = cluster::single(rows, threshold, scores, workers).labels;
        found.components.insert(found.components.end(), labels.begin(), labels.end());
    }
    subset::Facility problem;
    problem.budget = 20;
    found.facilities = subset::facility_location(rows, problem, workers).items;
    problem.neighbors = 10;
    const auto kept = subset::facility_location(rows, problem, workers).items;
    found.facilities.insert(found.facilities.end(), kept.begin(), kept.end());
    found.relevant = subset::marginal_relevance(rows, scores, 20, 0.5, {}, workers).items;
    return found;
}

template <typename Error, typename Call>
void must_throw(Call&& call, const char* promise) {
    try {
        call();
    } catch (const Error&) {
        return;
    }
    check(false, promise);
}

// A poll may stop the work, and any thread's exception ends it.
void failures(const Matrix& good, const Matrix& bad, int threads) {
    const similarity::Rows rows = good.rows();
    const Workers stopped{threads, [](double) { return false; }};
    const Workers workers{threads, {}};
    const auto pairs = [&](const similarity::Rows& of, std::size_t most, const Workers& with) {
        return [&of, most, &with] { similarity::pairs_at_least(of, kThreshold, most, with); };
    };
    must_throw<Cancelled>(pairs(rows, kRows * kRows, stopped), "a poll stops the pairs");
    must_throw<Cancelled>([&] { cluster::representative(rows, kThreshold, {}, stopped); }, "a poll stops the clusters");
    must_throw<similarity::TooManyPairs>(pairs(rows, 50, workers), "too many pairs throw");
    const similarity::Rows with_nan = bad.rows();
    must_throw<similarity::NotFinite>(pairs(with_nan, kRows * kRows, workers), "a NaN throws");
    must_throw<similarity::NotFinite>([&] { cluster::representative(with_nan, kThreshold, {}, workers); },
                                      "a NaN throws from the clusters");
}

}  // namespace

int main() {
    const std::array<Matrix, 2> matrices = {Matrix(1), Matrix(2)};
    Matrix bad(3);
    for (const std::size_t row : {5, 600, 900}) bad.values[row * kDepth + 7] = std::nanf("");
    std::array<Answers, 2> expected;
    for (std::size_t k = 0; k < 2; ++k) expected[k] = answers(matrices[k], matrices[1 - k], 1);
    check(expected[0].i.size() > 500 && expected[0].facilities.size() > 20, "the case says something");

    std::atomic<int> right{0};
    std::vector<std::thread> callers;
    for (int caller = 0; caller < kCallers; ++caller) {
        callers.emplace_back([&, caller] {
            const auto k = static_cast<std::size_t>(caller % 2);
            if (caller == 3) failures(matrices[k], bad, 3);
            check(answers(matrices[k], matrices[1 - k], 2 + caller % 3) == expected[k], "the answers of one thread");
            ++right;
        });
    }
    for (std::thread& caller : callers) caller.join();
    std::printf("%d callers at once, same answers: %zu pairs, %zu chosen\n", right.load(), expected[0].i.size(),
                expected[0].facilities.size());
    return right.load() == kCallers ? 0 : 1;
}
