#include <algorithm>
#include <numeric>
#include <optional>

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
    bool below(float other, std::int32_t of) const {
        return other > similarity || (other == similarity && of < cluster);
    }
    void offer(float other, std::int32_t of) {
        if (below(other, of)) *this = {other, of};
    }
};

class Clustering {
  public:
    // Of the rows in `order`, in that order; `may_join` may be empty.
    Clustering(const similarity::Rows& rows, double threshold, std::optional<std::size_t> head,
               std::span<const std::int32_t> order, const MayJoin& may_join, const Workers& workers)
        : rows_(rows),
          workers_(workers),
          head_(head),
          order_(order),
          may_join_(may_join),
          decide_(rows, threshold, workers.threads),
          representatives_(order.size() > kStep ? order.size() : 0, rows.depth, head),
          best_(static_cast<std::size_t>(workers.threads)),
          pairs_(static_cast<std::size_t>(workers.threads)),
          patience_(static_cast<std::size_t>(workers.threads)) {}

    // component[row] = the row that represents it, for the rows in `order`. `begin` and `end`: shares of the whole
    // work.
    void run(std::span<std::int32_t> component, double begin, double end) {
        const auto share = [&](std::size_t done) {
            const double part = static_cast<double>(done) / static_cast<double>(order_.size());
            return begin + part * part * (end - begin);
        };
        Panels packed(std::min(kStep, order_.size()), rows_.depth, head_);
        for (std::size_t first = 0; first < order_.size(); first += kStep) {
            const auto step = order_.subspan(first, std::min(kStep, order_.size() - first));
            if (step.size() < packed.rows()) packed = Panels(step.size(), rows_.depth, head_);
            compare(step, packed, share(first), share(first + step.size()));
            assign(step, packed, component, first + step.size() == order_.size());
        }
    }

  private:
    std::size_t known() const { return chosen_.size(); }
    std::size_t row_of(std::size_t cluster) const { return static_cast<std::size_t>(chosen_[cluster]); }
    bool joins(std::size_t row, std::size_t other, float product, int worker) {
        return decide_.reached(row, other, product, worker) && (!may_join_ || may_join_(row, other));
    }

    // The step's rows against the representatives so far, and against each other.
    void compare(std::span<const std::int32_t> step, Panels& packed, double begin, double end) {
        const double work = static_cast<double>(step.size()) * static_cast<double>(rows_.depth);
        const Workers workers = workers_.at_most(work * static_cast<double>(known() + step.size() / 2));
        similarity::pack(rows_, step, packed, {workers.threads, {}});
        for (std::vector<Best>& best : best_) best.assign(step.size(), Best());
        for (std::vector<similarity::Pair>& pairs : pairs_) pairs.clear();
        const std::size_t panels = (known() + simd::kPanel - 1) / simd::kPanel;
        const std::size_t size = similarity::block_panels(rows_.depth, panels, workers.threads);
        const std::size_t blocks = (panels + size - 1) / size;
        const std::size_t within = similarity::triangle_units(packed.count());
        run_units(
            workers, blocks + within,
            [&](std::size_t unit, int worker) {
                if (unit >= blocks) return compare_within(packed, unit - blocks, worker);
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
        std::vector<Best>& best = best_[static_cast<std::size_t>(worker)];
        similarity::visit_panels(representatives_, left, packed, right, decide_.least(), false,
                                 patience_[static_cast<std::size_t>(worker)],
                                 [&](std::size_t cluster, std::size_t j, float product) {
                                     if (cluster >= known() || product < best[j].similarity) return;
                                     const auto row = static_cast<std::size_t>(step[j]);
                                     if (joins(row, row_of(cluster), product, worker))
                                         best[j].offer(product, static_cast<std::int32_t>(cluster));
                                 });
    }

    void compare_within(const Panels& packed, std::size_t unit, int worker) {
        const auto [left, right] = similarity::triangle(unit);
        std::vector<similarity::Pair>& pairs = pairs_[static_cast<std::size_t>(worker)];
        similarity::visit_panels(
            packed, left, packed, right, decide_.least(), true, patience_[static_cast<std::size_t>(worker)],
            [&](std::size_t i, std::size_t j, float product) {
                pairs.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), product});
            });
    }

    // In order: a row's choice is final before the next one's is made. Of the pairs only those with a representative
    // are decided: among copies all are close calls.
    void assign(std::span<const std::int32_t> step, const Panels& packed, std::span<std::int32_t> component,
                bool last) {
        const std::vector<similarity::Pair> pairs = similarity::grouped(pairs_, step.size(), &similarity::Pair::j);
        std::vector<std::int32_t> cluster_of(step.size(), -1);  // of the rows that became representatives
        std::vector<std::int32_t> fresh;                        // those rows
        auto pair = pairs.begin();
        for (std::size_t j = 0; j < step.size(); ++j) {
            Best best;
            for (const std::vector<Best>& found : best_) {
                if (found[j].cluster >= 0) best.offer(found[j].similarity, found[j].cluster);
            }
            for (; pair != pairs.end() && static_cast<std::size_t>(pair->j) == j; ++pair) {
                const std::int32_t cluster = cluster_of[static_cast<std::size_t>(pair->i)];
                if (cluster < 0 || !best.below(pair->similarity, cluster)) continue;
                const auto row = static_cast<std::size_t>(step[static_cast<std::size_t>(pair->i)]);
                if (joins(static_cast<std::size_t>(step[j]), row, pair->similarity, 0))
                    best = {pair->similarity, cluster};
            }
            if (best.cluster < 0) {
                best.cluster = cluster_of[j] = static_cast<std::int32_t>(known());
                fresh.push_back(static_cast<std::int32_t>(j));
                chosen_.push_back(step[j]);
            }
            component[static_cast<std::size_t>(step[j])] = chosen_[static_cast<std::size_t>(best.cluster)];
        }
        if (!last) representatives_.append(packed, fresh, known() - fresh.size(), {workers_.threads, {}});
    }

    const similarity::Rows& rows_;
    const Workers& workers_;
    std::optional<std::size_t> head_;  // of the screen
    std::span<const std::int32_t> order_;
    const MayJoin& may_join_;
    similarity::Threshold decide_;
    Panels representatives_;
    // What each worker found about the rows of a step.
    std::vector<std::vector<Best>> best_;               // of each row, among the representatives of earlier steps
    std::vector<std::vector<similarity::Pair>> pairs_;  // i < j in the step, not decided yet
    std::vector<similarity::Patience> patience_;
    std::vector<std::int32_t> chosen_;  // the representative of each cluster: a row
};

}  // namespace

Clusters representative(const similarity::Rows& rows, double threshold, std::span<const double> scores,
                        const Workers& workers) {
    const std::vector<std::int32_t> order = by_score(rows.count, scores);
    std::vector<std::int32_t> component(rows.count);
    const MayJoin all;
    Clustering(rows, threshold, similarity::screen_head(rows, threshold), order, all, workers).run(component, 0, 1);
    return numbered(order, component);
}

Clusters representative(const similarity::Rows& rows, double threshold, std::span<const double> scores,
                        std::span<const std::int32_t> group, const MayJoin& may_join, const Workers& workers) {
    const std::vector<std::int32_t> order = by_score(rows.count, scores);
    std::vector<std::size_t> end(rows.count + 1, 0);  // of each group in `sorted`
    for (const std::int32_t of : group) ++end[static_cast<std::size_t>(of) + 1];
    std::partial_sum(end.begin(), end.end(), end.begin());
    std::vector<std::int32_t> sorted(rows.count);  // by group; within one, by score
    std::vector<std::size_t> place(end.begin(), end.end());
    for (const std::int32_t row : order) {
        sorted[place[static_cast<std::size_t>(group[static_cast<std::size_t>(row)])]++] = row;
    }
    std::vector<std::int32_t> component(rows.count);
    const std::optional<std::size_t> head = similarity::screen_head(rows, threshold);
    const auto share = [&](std::size_t done) { return static_cast<double>(done) / static_cast<double>(rows.count); };
    for (std::size_t of = 0; of < rows.count; ++of) {
        const auto members = std::span<const std::int32_t>(sorted).subspan(end[of], end[of + 1] - end[of]);
        if (members.size() == 1) component[static_cast<std::size_t>(members[0])] = members[0];
        if (members.size() < 2) continue;
        Clustering(rows, threshold, head, members, may_join, workers)
            .run(component, share(end[of]), share(end[of + 1]));
    }
    return numbered(order, component);
}

}  // namespace tersely::cluster
