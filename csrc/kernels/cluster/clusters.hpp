// Rows whose cosine reaches a threshold, as clusters. Never an n x n matrix.
//
// Rows are taken in descending order of score, ties and missing scores in order of index. Clusters are numbered in
// the order in which their first row is taken; that row, the best of them, is the representative. The threshold is
// decided as in double (similarity/threshold.hpp), so labels do not depend on threads, tiles or instruction set.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/parallel.hpp"
#include "kernels/similarity/rows.hpp"

namespace tersely::cluster {

struct Clusters {
    std::vector<std::int32_t> labels;           // of each row
    std::vector<std::int32_t> representatives;  // of each cluster: a row
    std::vector<std::int32_t> sizes;
};

// A row joins the earlier representative most similar to it that reaches the threshold (ties: the earliest), or becomes
// one. Members are similar to their representative, not through others: no chaining. `scores`: empty, or a finite
// number a row. O(n k d) time for k clusters, O((k + 768) d + n) memory.
Clusters representative(const similarity::Rows& rows, double threshold, std::span<const double> scores,
                        const Workers& workers);

// Whether two rows may be in one cluster; called for rows whose cosine reaches the threshold, from several threads.
using MayJoin = std::function<bool(std::size_t, std::size_t)>;

// The same, but a row joins only a representative of its own group for which `may_join` is true. group: a number from 0
// below the number of rows, one a row. O(n g d) time for groups of g rows, O(d g + n) memory.
Clusters representative(const similarity::Rows& rows, double threshold, std::span<const double> scores,
                        std::span<const std::int32_t> group, const MayJoin& may_join, const Workers& workers);

// Connected components of the pairs that reach the threshold. O(n^2 d) time, O(n d) memory.
Clusters single(const similarity::Rows& rows, double threshold, std::span<const double> scores, const Workers& workers);

// Clusters from the order in which rows are taken and any label of each row's component.
Clusters numbered(std::span<const std::int32_t> order, std::span<const std::int32_t> component);

// Rows by descending score, ties by index; 0, 1, ... where there are no scores.
std::vector<std::int32_t> by_score(std::size_t count, std::span<const double> scores);

}  // namespace tersely::cluster
