// Facility location: rows that stand for all the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/parallel.hpp"
#include "kernels/similarity/rows.hpp"
#include "kernels/subset/chosen.hpp"

namespace tersely::subset {

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
