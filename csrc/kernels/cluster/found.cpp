#include "kernels/cluster/found.hpp"

#include <algorithm>

namespace tersely::cluster {

void check_pairs(const similarity::Rows& rows, std::span<const std::int32_t> i, std::span<const std::int32_t> j,
                 double threshold, std::span<float> similarity, const Workers& workers) {
    constexpr std::size_t kPairs = 4096;  // of a unit
    const double work = static_cast<double>(i.size()) * static_cast<double>(rows.depth) * 8;
    const auto check = [&](std::size_t unit, int) {
        similarity::Cosine cosine(rows);
        for (std::size_t k = unit * kPairs; k < std::min((unit + 1) * kPairs, i.size()); ++k) {
            const double exact = cosine(static_cast<std::size_t>(i[k]), static_cast<std::size_t>(j[k]));
            similarity[k] = exact >= threshold - 1e-9 ? static_cast<float>(exact) : -2.0F;
        }
    };
    run_units(workers.at_most(work), (i.size() + kPairs - 1) / kPairs, check);
}

std::int32_t join_found(std::span<const std::int32_t> rows, std::span<const std::int64_t> limits,
                        std::span<const std::int32_t> found, std::span<const float> similarity,
                        std::span<std::int32_t> labels, std::span<std::int32_t> representatives,
                        std::int32_t clusters) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
        std::int32_t best = -1;
        float most = -2;
        for (auto k = static_cast<std::size_t>(limits[r]); k < static_cast<std::size_t>(limits[r + 1]); ++k) {
            const std::int32_t cluster = labels[static_cast<std::size_t>(found[k])];
            if (cluster < 0 || representatives[static_cast<std::size_t>(cluster)] != found[k]) continue;
            if (similarity[k] > most || (similarity[k] == most && cluster < best)) {
                most = similarity[k];
                best = cluster;
            }
        }
        if (best < 0) {
            best = clusters++;
            representatives[static_cast<std::size_t>(best)] = rows[r];
        }
        labels[static_cast<std::size_t>(rows[r])] = best;
    }
    return clusters;
}

}  // namespace tersely::cluster
