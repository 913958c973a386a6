// Clusters from pairs that something else found: an approximate index.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cluster/clusters.hpp"

namespace tersely::cluster {

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

}  // namespace tersely::cluster
