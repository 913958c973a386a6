// Rows and items under a budget: by value per cost, by relevance, by what they cover.
//
// What a selection of items gives back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/parallel.hpp"
#include "kernels/similarity/similarity.hpp"

namespace tersely::subset {

struct Chosen {
    std::vector<std::int32_t> items;  // in the order of choice, pinned ones first
    std::vector<double> gains;        // what each added to the value when it was chosen
    double value = 0;                 // of all
    double cost = 0;
    double upper_bound = 0;  // no selection within the budget that has the pinned items is worth more
};

// Items under a budget.

// Value per cost, as items are ordered by: infinite where something costs nothing.
double density(double value, double cost);

// The most that items can add within `room` when the last one may be taken in part (Dantzig 1957). `values` below 0
// count as 0. O(n log n).
double fractional_fill(std::span<const double> values, std::span<const double> costs, double room);

// Greedy by value per cost with completion (an item that does not fit is passed over), or the best single item,
// completed the same way, where that is worth more: at least half of the best possible value (Dantzig 1957).
// Worthless items are left out; ties go to the lowest index; pinned items are in, whatever they cost (the caller
// checks). upper_bound: fractional_fill. values and costs are finite, costs not negative. O(n log n).
Chosen knapsack(std::span<const double> values, std::span<const double> costs, double budget,
                std::span<const std::int32_t> pinned);

// Maximal marginal relevance (Carbonell and Goldstein 1998).

// Chooses `count` rows (all where there are fewer), pinned ones first: the next is the one with the largest
// weight * relevance - (1 - weight) * (largest similarity to a chosen row); the first one, where nothing is pinned, the
// most relevant. That number is its gain. Computed in double from float similarities (similarity.hpp), ties to the
// lowest index. `relevance`: a finite number a row. value, cost and upper_bound are not set.
// O(count n d) time, O(n d) memory.
Chosen marginal_relevance(const similarity::Rows& rows, std::span<const double> relevance, std::size_t count,
                          double weight, std::span<const std::int32_t> pinned, const Workers& workers);

// How well each row is covered by the chosen ones, and what another one would add.

// All similarities, or the largest few of each row. `gain` and `add` cost a pass over one row of them.
class Coverage {
  public:
    // `weights`: a number a row; empty: 1. neighbors 0: all similarities are kept.
    Coverage(const similarity::Rows& rows, std::span<const double> weights, std::size_t neighbors,
             const Workers& workers);

    std::size_t size() const { return covered_.size(); }
    double gain(std::size_t item) const;
    void add(std::size_t item);
    const std::vector<float>& covered() const { return covered_; }
    // Back to what was covered at some time.
    void restore(const std::vector<float>& covered) { covered_ = covered; }

  private:
    void keep_neighbors(const similarity::Rows& rows, std::size_t neighbors, const Workers& workers);

    std::vector<double> weights_;       // empty: all are 1
    std::vector<float> covered_;        // largest similarity of each row to a chosen one, at least 0
    std::unique_ptr<float[]> all_;      // n x n, or
    std::vector<std::size_t> offsets_;  // for each item: the rows that keep it,
    std::vector<std::int32_t> rows_;    // ascending,
    std::vector<float> similarities_;   // and how similar they are
};

// Facility location: rows that stand for all the others.

struct Facility {
    std::span<const double> weights;       // of each row: how much covering it is worth; finite, >= 0; empty: 1
    std::span<const double> costs;         // of each row; finite, >= 0; empty: 1
    double budget = 0;                     // of the costs, pinned ones included
    std::span<const std::int32_t> pinned;  // distinct rows; in, whatever they cost (the caller checks)
    std::size_t neighbors = 0;             // similarities kept of each row, the largest; 0: all
};

// Chooses rows S for a large value f(S) = sum over rows i of weight_i * max(0, largest similarity of i to one of S).
//
// f is monotone and submodular. Lazy greedy (Minoux 1978) by gain per cost with completion; with costs, the best single
// row, completed the same way, instead where that is worth more. Guarantee: without costs, at least 1 - 1/e of the best
// value (Nemhauser, Wolsey and Fisher 1978); with costs, at least (1 - 1/e) / 2 (Leskovec et al. 2007; Tang et al. 2021
// show 0.405). upper_bound: for any S, f(best) <= f(S) + the most that rows could add to S within the budget if gains
// did not shrink (fractional_fill); the smaller of that for the pinned rows and for the answer.
//
// Similarities are float (similarity.hpp), 0 where negative or left out by `neighbors` (the value and the bound are
// then those of what is kept); sums are double, sixteen partial sums over rows in order. Ties to the lowest index;
// rows that add nothing are left out. Memory: 4 n^2 bytes, with neighbors 24 n * neighbors. Time: O(n^2 d) for the
// similarities, O(n^2) (with neighbors O(n * neighbors)) for first gains, few evaluations a choice and for the bound.
Chosen facility_location(const similarity::Rows& rows, const Facility& problem, const Workers& workers);

}  // namespace tersely::subset
