// Rows whose cosine reaches a threshold, as clusters. Never an n x n matrix.
//
// Rows are taken in descending order of score, ties and missing scores in order of index. Clusters are numbered in
// the order in which their first row is taken; that row, the best of them, is the representative. The threshold is
// decided as in double (similarity/similarity.hpp), so labels do not depend on threads, tiles or instruction set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/lexical/agreement.hpp"
#include "kernels/parallel.hpp"
#include "kernels/similarity/similarity.hpp"

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

// Clusters from pairs that something else found: an approximate index.

// similarity[k] = cosine of rows i[k] and j[k] in double, as float, or -2 where it is below threshold - 1e-9.
// O(pairs d) time.
void check_pairs(const similarity::Rows& rows, std::span<const std::int32_t> i, std::span<const std::int32_t> j,
                 double threshold, std::span<float> similarity, const Workers& workers);

// Takes rows[0], rows[1], ... in turn: each joins, of the representatives among found[limits[r] .. limits[r + 1]), the
// one with the largest similarity (ties: the lowest cluster), or becomes a representative. labels: -1 for rows that
// have not been taken. Returns the number of clusters; representatives has room for all.
std::int32_t join_found(std::span<const std::int32_t> rows, std::span<const std::int64_t> limits,
                        std::span<const std::int32_t> found, std::span<const float> similarity,
                        std::span<std::int32_t> labels, std::span<std::int32_t> representatives, std::int32_t clusters);

// Components of texts that agree, found without comparing all pairs.

// component[row] = the lowest row that it is connected with by pairs that agree (lexical/agreement.hpp); itself where
// it agrees with none. Exact: two texts agree only if they share more than `share` of their terms, so one of the rarest
// terms of either is common to both (prefix filter: Chaudhuri, Ganti, Kaushik 2006; here with the sizes of Bayardo, Ma,
// Srikant 2007), and every pair that has one is decided by Agreement, unless it is connected already. Texts with the
// same terms and names in the same order are decided once. share: in [0, 1]; term ids: from 0 up.
//
// O(terms log terms) time, and for each text the texts of its guard that share one of its rarest terms; O(terms + ids)
// memory. On the calling thread.
std::vector<std::int32_t> agreeing(std::span<const std::int32_t> guard, const lexical::IdRows& terms,
                                   const lexical::IdRows& names, double share, double order);

// Union-find (Tarjan 1975) over an array of parents.

// A root is its own parent and has the lowest number of its set. Paths are halved on the way.
class Sets {
  public:
    explicit Sets(std::span<std::int32_t> parent) : parent_(parent) {}

    std::int32_t root(std::int32_t of) {
        while (up(of) != of) {
            up(of) = up(up(of));
            of = up(of);
        }
        return of;
    }
    void join(std::int32_t a, std::int32_t b) {
        const auto [low, high] = std::minmax({root(a), root(b)});
        up(high) = low;
    }

  private:
    std::int32_t& up(std::int32_t of) { return parent_[static_cast<std::size_t>(of)]; }
    std::span<std::int32_t> parent_;
};

}  // namespace tersely::cluster
