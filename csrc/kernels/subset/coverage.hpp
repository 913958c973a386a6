// How well each row is covered by the chosen ones, and what another one would add.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/parallel.hpp"
#include "kernels/similarity/rows.hpp"

namespace tersely::subset {

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

}  // namespace tersely::subset
