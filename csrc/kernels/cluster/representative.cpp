#include <algorithm>

#include "kernels/cluster/clusters.hpp"
#include "kernels/similarity/panels.hpp"
#include "kernels/similarity/similarity.hpp"
#include "kernels/similarity/threshold.hpp"
#include "kernels/similarity/tiles.hpp"

namespace tersely::cluster {
namespace {

using similarity::Panels;

constexpr std::size_t kStep = 16 * simd::kPanel;  // rows compared with all representatives before one of them joins

struct Best {
    float similarity = -2;
    std::int32_t cluster = -1;
    void offer(float other, std::int32_t of) {
        if (other > similarity || (other == similarity && of < cluster)) *this = {other, of};
    }
};

// What one worker found about the rows of a step.
struct Found {
    std::vector<Best> best;               // of each row, among the representatives of earlier steps
    std::vector<similarity::Pair> pairs;  // i < j in the step
};

class Clustering {
  public:
    Clustering(const similarity::Rows& rows, double threshold, std::span<const double> scores, const Workers& workers)
        : rows_(rows),
          workers_(workers),
          order_(by_score(rows.count, scores)),
          decide_(rows, threshold, workers.threads),
          representatives_(rows.count > kStep ? rows.count : 0, rows.depth, true),
          found_(static_cast<std::size_t>(workers.threads)) {
        made_.labels.resize(rows.count);
    }

    Clusters run() {
        for (std::size_t first = 0; first < rows_.count; first += kStep) {
            const auto step = std::span(order_).subspan(first, std::min(kStep, rows_.count - first));
            Panels packed(step.size(), rows_.depth, true);
            const double done = static_cast<double>(first) / static_cast<double>(rows_.count);
            const double then = static_cast<double>(first + step.size()) / static_cast<double>(rows_.count);
            compare(step, packed, done * done, then * then);
            assign(step, packed, first + step.size() == rows_.count);
        }
        return std::move(made_);
    }

  private:
    std::size_t known() const { return made_.sizes.size(); }
    std::size_t row_of(std::size_t cluster) const { return static_cast<std::size_t>(made_.representatives[cluster]); }

    // The step's rows against the representatives so far, and against each other.
    void compare(std::span<const std::int32_t> step, Panels& packed, double begin, double end) {
        const double work = static_cast<double>(step.size()) * static_cast<double>(rows_.depth);
        const Workers workers = workers_.at_most(work * static_cast<double>(known() + step.size() / 2));
        similarity::pack(rows_, step, packed, {workers.threads, {}});
        for (Found& found : found_) {
            found.best.assign(step.size(), Best());
            found.pairs.clear();
        }
        const std::size_t panels = (known() + simd::kPanel - 1) / simd::kPanel;
        const std::size_t size = similarity::block_panels(rows_.depth, panels, workers.threads);
        const std::size_t blocks = (panels + size - 1) / size;
        const std::size_t within = similarity::triangle_units(packed.count());
        run_units(
            workers, blocks + within,
            [&](std::size_t unit, int worker) {
                if (unit >= blocks) return compare_within(step, packed, unit - blocks, worker);
                for (std::size_t right = 0; right < packed.count(); ++right) {
                    for (std::size_t left = unit * size; left < std::min((unit + 1) * size, panels); ++left) {
                        compare_known(step, packed, left, right, worker);
                    }
                }
            },
            begin, end);
    }

    void compare_known(std::span<const std::int32_t> step, const Panels& packed, std::size_t left, std::size_t right,
                       int worker) {
        std::vector<Best>& best = found_[static_cast<std::size_t>(worker)].best;
        similarity::visit_panels(representatives_, left, packed, right, decide_.least(),
                                 [&](std::size_t cluster, std::size_t j, float product) {
                                     if (cluster >= known() || product < best[j].similarity) return;
                                     const auto row = static_cast<std::size_t>(step[j]);
                                     if (decide_.reached(row, row_of(cluster), product, worker))
                                         best[j].offer(product, static_cast<std::int32_t>(cluster));
                                 });
    }

    void compare_within(std::span<const std::int32_t> step, const Panels& packed, std::size_t unit, int worker) {
        const auto [left, right] = similarity::triangle(unit);
        similarity::visit_panels(packed, left, packed, right, decide_.least(),
                                 [&](std::size_t i, std::size_t j, float product) {
                                     if (i >= j) return;
                                     const auto row = static_cast<std::size_t>(step[j]);
                                     if (!decide_.reached(row, static_cast<std::size_t>(step[i]), product, worker))
                                         return;
                                     found_[static_cast<std::size_t>(worker)].pairs.push_back(
                                         {static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), product});
                                 });
    }

    // In order: a row's choice is final before the next one's is made.
    void assign(std::span<const std::int32_t> step, const Panels& packed, bool last) {
        std::vector<similarity::Pair> pairs;
        for (const Found& found : found_) pairs.insert(pairs.end(), found.pairs.begin(), found.pairs.end());
        std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.j < b.j; });
        std::vector<std::int32_t> cluster_of(step.size(), -1);  // of the rows that became representatives
        std::vector<std::int32_t> fresh;                        // those rows
        auto pair = pairs.begin();
        for (std::size_t j = 0; j < step.size(); ++j) {
            Best best;
            for (const Found& found : found_) {
                if (found.best[j].cluster >= 0) best.offer(found.best[j].similarity, found.best[j].cluster);
            }
            for (; pair != pairs.end() && static_cast<std::size_t>(pair->j) == j; ++pair) {
                const std::int32_t cluster = cluster_of[static_cast<std::size_t>(pair->i)];
                if (cluster >= 0) best.offer(pair->similarity, cluster);
            }
            if (best.cluster < 0) {
                best.cluster = cluster_of[j] = static_cast<std::int32_t>(known());
                fresh.push_back(static_cast<std::int32_t>(j));
                made_.representatives.push_back(step[j]);
                made_.sizes.push_back(0);
            }
            made_.labels[static_cast<std::size_t>(step[j])] = best.cluster;
            ++made_.sizes[static_cast<std::size_t>(best.cluster)];
        }
        if (!last) representatives_.append(packed, fresh, known() - fresh.size());
    }

    const similarity::Rows& rows_;
    const Workers& workers_;
    std::vector<std::int32_t> order_;
    similarity::Threshold decide_;
    Panels representatives_;
    std::vector<Found> found_;
    Clusters made_;
};

}  // namespace

Clusters representative(const similarity::Rows& rows, double threshold, std::span<const double> scores,
                        const Workers& workers) {
    return Clustering(rows, threshold, scores, workers).run();
}

}  // namespace tersely::cluster
