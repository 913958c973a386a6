#include <algorithm>
#include <mutex>
#include <numeric>

#include "kernels/cluster/clusters.hpp"
#include "kernels/cluster/sets.hpp"
#include "kernels/similarity/panels.hpp"
#include "kernels/similarity/similarity.hpp"
#include "kernels/similarity/threshold.hpp"
#include "kernels/similarity/tiles.hpp"

namespace tersely::cluster {
Clusters single(const similarity::Rows& rows, double threshold, std::span<const double> scores,
                const Workers& workers) {
    constexpr std::size_t kBatch = 4096;  // pairs a worker holds before it takes the lock
    similarity::Panels packed(rows.count, rows.depth, similarity::screen_head(rows, threshold));
    similarity::pack(rows, {}, packed, workers);
    similarity::Threshold decide(rows, threshold, workers.threads);
    std::vector<std::int32_t> component(rows.count);
    std::iota(component.begin(), component.end(), 0);
    Sets sets(component);
    std::mutex lock;
    std::vector<std::vector<similarity::Pair>> held(static_cast<std::size_t>(workers.threads));
    const auto join_held = [&](int worker) {
        std::vector<similarity::Pair>& pairs = held[static_cast<std::size_t>(worker)];
        const std::lock_guard guard(lock);
        for (const auto& [i, j, product] : pairs) {
            if (sets.root(i) == sets.root(j)) continue;  // before deciding: among copies all are close calls
            if (decide.reached(static_cast<std::size_t>(i), static_cast<std::size_t>(j), product, worker))
                sets.join(i, j);
        }
        pairs.clear();
    };
    similarity::visit_pairs(packed, decide.least(), workers,
                            [&](std::size_t i, std::size_t j, float product, int worker) {
                                std::vector<similarity::Pair>& pairs = held[static_cast<std::size_t>(worker)];
                                pairs.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), product});
                                if (pairs.size() >= kBatch) join_held(worker);
                            });
    for (int worker = 0; worker < workers.threads; ++worker) join_held(worker);
    for (std::size_t i = 0; i < rows.count; ++i) component[i] = sets.root(static_cast<std::int32_t>(i));
    return numbered(by_score(rows.count, scores), component);
}

}  // namespace tersely::cluster
