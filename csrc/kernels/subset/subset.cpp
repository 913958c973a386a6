#include "kernels/subset/subset.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "kernels/large_pages.hpp"
#include "kernels/select/lazy_heap.hpp"
#include "kernels/similarity/tiles.hpp"

namespace tersely::subset {

namespace {

std::vector<std::int32_t> by_density(std::span<const double> values, std::span<const double> costs) {
    std::vector<std::int32_t> order;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] > 0) order.push_back(static_cast<std::int32_t>(i));
    }
    const auto of = [&](std::int32_t i) {
        return density(values[static_cast<std::size_t>(i)], costs[static_cast<std::size_t>(i)]);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return of(a) > of(b); });
    return order;
}

}  // namespace

double density(double value, double cost) {
    if (cost > 0) return value / cost;
    return value > 0 ? std::numeric_limits<double>::infinity() : 0;
}

double fractional_fill(std::span<const double> values, std::span<const double> costs, double room) {
    double sum = 0;
    room = std::max(room, 0.0);
    for (const std::int32_t i : by_density(values, costs)) {
        const auto at = static_cast<std::size_t>(i);
        const double share = costs[at] > 0 ? std::min(1.0, room / costs[at]) : 1;
        sum += values[at] * share;
        room -= costs[at] * share;
    }
    return sum;
}

Chosen knapsack(std::span<const double> values, std::span<const double> costs, double budget,
                std::span<const std::int32_t> pinned) {
    Chosen pins;
    std::vector<double> rest(values.begin(), values.end());  // 0: not to be chosen
    const auto take = [&](Chosen& chosen, std::int32_t i) {
        const auto at = static_cast<std::size_t>(i);
        chosen.items.push_back(i);
        chosen.gains.push_back(values[at]);
        chosen.value += values[at];
        chosen.cost += costs[at];
    };
    for (const std::int32_t i : pinned) {
        take(pins, i);
        rest[static_cast<std::size_t>(i)] = 0;
    }
    const double room = budget - pins.cost;
    std::int32_t best = -1;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        if (costs[i] > room) rest[i] = 0;
        if (rest[i] > 0 && (best < 0 || rest[i] > rest[static_cast<std::size_t>(best)]))
            best = static_cast<std::int32_t>(i);
    }
    const std::vector<std::int32_t> order = by_density(rest, costs);
    const auto fill = [&](Chosen chosen, std::int32_t first) {
        if (first >= 0) take(chosen, first);
        for (const std::int32_t i : order) {
            if (i != first && chosen.cost + costs[static_cast<std::size_t>(i)] <= budget) take(chosen, i);
        }
        return chosen;
    };
    Chosen chosen = fill(pins, -1);
    if (best >= 0 && pins.value + rest[static_cast<std::size_t>(best)] > chosen.value) chosen = fill(pins, best);
    chosen.upper_bound = std::max(chosen.value, pins.value + fractional_fill(rest, costs, room));
    return chosen;
}

namespace {

using simd::kPanel;
using similarity::Panels;

// nearest[i] = max(nearest[i], similarity of row i and `row`).
void bring_nearer(const Panels& rows, std::size_t row, std::vector<float>& nearest, const Workers& workers,
                  double begin, double end) {
    constexpr std::size_t kPanels = 32;  // of a unit
    run_units(
        workers, (rows.count() + kPanels - 1) / kPanels,
        [&](std::size_t unit, int) {
            alignas(64) float products[kPanel];
            for (std::size_t p = unit * kPanels; p < std::min((unit + 1) * kPanels, rows.count()); ++p) {
                simd::dot_kernels().line(rows.row(row), rows.panel(p), rows.depth(), products);
                for (std::size_t i = p * kPanel; i < std::min((p + 1) * kPanel, rows.rows()); ++i) {
                    nearest[i] = std::max(nearest[i], products[i - p * kPanel]);
                }
            }
        },
        begin, end);
}

}  // namespace

Chosen marginal_relevance(const similarity::Rows& rows, std::span<const double> relevance, std::size_t count,
                          double weight, std::span<const std::int32_t> pinned, const Workers& workers) {
    Panels packed(rows.count, rows.depth);
    similarity::pack(rows, {}, packed, workers);
    const double work = static_cast<double>(rows.count) * static_cast<double>(rows.depth);
    const Workers useful = workers.at_most(work);
    count = std::max(std::min(count, rows.count), pinned.size());
    Chosen chosen;
    std::vector<float> nearest(rows.count, -2);
    std::vector<bool> in(rows.count, false);
    const auto score = [&](std::size_t i) {
        if (chosen.items.empty()) return relevance[i];
        return weight * relevance[i] - (1 - weight) * static_cast<double>(nearest[i]);
    };
    while (chosen.items.size() < count) {
        std::size_t best = rows.count;
        if (chosen.items.size() < pinned.size()) {
            best = static_cast<std::size_t>(pinned[chosen.items.size()]);
        } else {
            double most = 0;
            for (std::size_t i = 0; i < rows.count; ++i) {
                if (in[i]) continue;
                const double mine = score(i);
                if (best == rows.count || mine > most) {
                    best = i;
                    most = mine;
                }
            }
        }
        chosen.gains.push_back(score(best));
        chosen.items.push_back(static_cast<std::int32_t>(best));
        in[best] = true;
        const auto done = static_cast<double>(chosen.items.size());
        if (chosen.items.size() < count)
            bring_nearer(packed, best, nearest, useful, (done - 1) / static_cast<double>(count),
                         done / static_cast<double>(count));
    }
    return chosen;
}

namespace {

struct Neighbor {
    float similarity;
    std::int32_t item;
    // A heap's front is the least similar, of equal ones the last.
    bool operator<(const Neighbor& other) const {
        return similarity != other.similarity ? similarity > other.similarity : item < other.item;
    }
};

}  // namespace

Coverage::Coverage(const similarity::Rows& rows, std::span<const double> weights, std::size_t neighbors,
                   const Workers& workers)
    : weights_(weights.begin(), weights.end()), covered_(rows.count, 0) {
    if (neighbors == 0 || neighbors >= rows.count) {
        all_.reset(new float[rows.count * rows.count]);
        // Half a million small pages would take a tenth of the time.
        take_large_pages(all_.get(), rows.count * rows.count * sizeof(float));
        similarity::all_similarities(rows, nullptr, all_.get(), rows.count, workers);
    } else {
        keep_neighbors(rows, neighbors, workers);
    }
}

// The largest similarities of each row, found by comparing it with all; then turned round, by item.
void Coverage::keep_neighbors(const similarity::Rows& rows, std::size_t neighbors, const Workers& workers) {
    similarity::Panels packed(rows.count, rows.depth);
    similarity::pack(rows, {}, packed, workers);
    std::vector<Neighbor> kept(rows.count * neighbors, Neighbor{0, -1});  // of each row, a heap
    const std::size_t size = similarity::block_panels(rows.depth, packed.count(), workers.threads);
    run_units(workers, (packed.count() + size - 1) / size, [&](std::size_t unit, int) {
        const std::size_t end = std::min((unit + 1) * size, packed.count());
        similarity::Patience patience;
        for (std::size_t right = 0; right < packed.count(); ++right) {
            for (std::size_t left = unit * size; left < end; ++left) {
                float least = 1;  // of the similarities that could still change one of these rows
                for (std::size_t i = left * simd::kPanel; i < std::min((left + 1) * simd::kPanel, rows.count); ++i) {
                    least = std::min(least, kept[i * neighbors].similarity);
                }
                similarity::visit_panels(packed, left, packed, right, least, false, patience,
                                         [&](std::size_t i, std::size_t j, float product) {
                                             const auto begin =
                                                 kept.begin() + static_cast<std::ptrdiff_t>(i * neighbors);
                                             const Neighbor found{product, static_cast<std::int32_t>(j)};
                                             if (product <= 0 || !(found < *begin)) return;
                                             std::pop_heap(begin, begin + static_cast<std::ptrdiff_t>(neighbors));
                                             *(begin + static_cast<std::ptrdiff_t>(neighbors) - 1) = found;
                                             std::push_heap(begin, begin + static_cast<std::ptrdiff_t>(neighbors));
                                         });
            }
        }
    });
    offsets_.assign(rows.count + 1, 0);
    for (const Neighbor& one : kept) {
        if (one.item >= 0) ++offsets_[static_cast<std::size_t>(one.item) + 1];
    }
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
    rows_.resize(offsets_.back());
    similarities_.resize(offsets_.back());
    std::vector<std::size_t> next(offsets_.begin(), offsets_.end() - 1);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (kept[i].item < 0) continue;
        const std::size_t place = next[static_cast<std::size_t>(kept[i].item)]++;
        rows_[place] = static_cast<std::int32_t>(i / neighbors);
        similarities_[place] = kept[i].similarity;
    }
}

double Coverage::gain(std::size_t item) const {
    if (all_) {
        return simd::dot_kernels().excess(all_.get() + item * size(), covered_.data(),
                                          weights_.empty() ? nullptr : weights_.data(), size());
    }
    double sum = 0;
    for (std::size_t at = offsets_[item]; at < offsets_[item + 1]; ++at) {
        const auto row = static_cast<std::size_t>(rows_[at]);
        const double more = static_cast<double>(similarities_[at]) - static_cast<double>(covered_[row]);
        if (more > 0) sum += weights_.empty() ? more : more * weights_[row];
    }
    return sum;
}

void Coverage::add(std::size_t item) {
    if (all_) {
        const float* mine = all_.get() + item * size();
        for (std::size_t i = 0; i < size(); ++i) covered_[i] = std::max(covered_[i], mine[i]);
        return;
    }
    for (std::size_t at = offsets_[item]; at < offsets_[item + 1]; ++at) {
        float& held = covered_[static_cast<std::size_t>(rows_[at])];
        held = std::max(held, similarities_[at]);
    }
}

namespace {

class Greedy {
  public:
    Greedy(const similarity::Rows& rows, const Facility& problem, const Workers& workers)
        : p_(problem),
          workers_(workers),
          costs_(problem.costs.begin(), problem.costs.end()),
          coverage_(rows, problem.weights, problem.neighbors, workers) {
        if (costs_.empty()) costs_.assign(rows.count, 1);
    }

    Chosen run() {
        Chosen pins;
        in_.assign(coverage_.size(), false);
        for (const std::int32_t item : p_.pinned) take(pins, item, coverage_.gain(static_cast<std::size_t>(item)));
        const std::vector<float> covered = coverage_.covered();
        const std::vector<bool> in = in_;
        const std::vector<double> gains = all_gains();
        const double room = p_.budget - pins.cost;
        const double bound = pins.value + fractional_fill(gains, costs_, room);
        Chosen chosen = fill(pins, gains, -1);
        const std::int32_t best = p_.costs.empty() ? -1 : best_single(gains, room);
        if (best >= 0 && pins.value + gains[static_cast<std::size_t>(best)] > chosen.value) {
            coverage_.restore(covered);
            in_ = in;
            chosen = fill(pins, gains, best);
        }
        chosen.upper_bound = std::max(chosen.value, std::min(bound, chosen.value + most_to_add(room)));
        return chosen;
    }

  private:
    // What each item would add; 0 for those that are in or do not fit beside the pinned ones.
    std::vector<double> all_gains() {
        constexpr std::size_t kItems = 64;  // of a unit
        std::vector<double> gains(coverage_.size(), 0);
        double pinned = 0;
        for (const std::int32_t item : p_.pinned) pinned += costs_[static_cast<std::size_t>(item)];
        const double each = p_.neighbors == 0 ? static_cast<double>(gains.size()) : static_cast<double>(p_.neighbors);
        const double work = static_cast<double>(gains.size()) * each;
        const auto compute = [&](std::size_t unit, int) {
            for (std::size_t i = unit * kItems; i < std::min((unit + 1) * kItems, gains.size()); ++i) {
                if (!in_[i] && pinned + costs_[i] <= p_.budget) gains[i] = coverage_.gain(i);
            }
        };
        run_units(workers_.at_most(work), (gains.size() + kItems - 1) / kItems, compute, 1, 1);
        return gains;
    }

    std::int32_t best_single(const std::vector<double>& gains, double room) const {
        std::int32_t best = -1;
        for (std::size_t i = 0; i < gains.size(); ++i) {
            if (gains[i] > 0 && costs_[i] <= room && (best < 0 || gains[i] > gains[static_cast<std::size_t>(best)]))
                best = static_cast<std::int32_t>(i);
        }
        return best;
    }

    void take(Chosen& chosen, std::int32_t item, double gain) {
        const auto at = static_cast<std::size_t>(item);
        coverage_.add(at);
        in_[at] = true;
        if (!known_.empty()) known_[at] = 0;
        chosen.items.push_back(item);
        chosen.gains.push_back(gain);
        chosen.value += gain;
        chosen.cost += costs_[at];
    }

    // fractional_fill of what each item would add now, computing only the gains it reads: those known are no smaller.
    double most_to_add(double room) {
        std::vector<select::Entry> heap = entries(0);
        double sum = 0;
        room = std::max(room, 0.0);
        while (!heap.empty()) {
            workers_.check(1);
            select::Entry top = heap.front();
            const auto at = static_cast<std::size_t>(top.unit);
            if (room <= 0 && costs_[at] > 0) break;  // what costs nothing stands before it
            if (top.round == 0) {
                known_[at] = coverage_.gain(at);
                select::replace_top(heap, {density(known_[at], costs_[at]), top.unit, 1});
                continue;
            }
            std::pop_heap(heap.begin(), heap.end());
            heap.pop_back();
            const double share = costs_[at] > 0 ? std::min(1.0, room / costs_[at]) : 1;
            sum += known_[at] * share;
            room -= costs_[at] * share;
        }
        return sum;
    }

    // A heap of the items that are known to add something.
    std::vector<select::Entry> entries(std::uint32_t round) const {
        std::vector<select::Entry> heap;
        heap.reserve(known_.size());
        for (std::size_t i = 0; i < known_.size(); ++i) {
            if (known_[i] > 0) heap.push_back({density(known_[i], costs_[i]), static_cast<std::int32_t>(i), round});
        }
        std::make_heap(heap.begin(), heap.end());
        return heap;
    }

    // Lazy greedy on top of `chosen`, `first` (or -1) before the others.
    Chosen fill(Chosen chosen, const std::vector<double>& gains, std::int32_t first) {
        std::uint32_t round = 0;
        known_ = gains;
        std::vector<select::Entry> heap = entries(round);
        if (first >= 0) {
            take(chosen, first, gains[static_cast<std::size_t>(first)]);
            ++round;
        }
        while (!heap.empty()) {
            workers_.check(1);
            select::Entry top = heap.front();
            const auto at = static_cast<std::size_t>(top.unit);
            const bool possible = !in_[at] && chosen.cost + costs_[at] <= p_.budget;
            if (possible && top.round != round) {
                known_[at] = coverage_.gain(at);
                top.gain = density(known_[at], costs_[at]);
                top.round = round;
                select::replace_top(heap, top);
                if (heap.front().unit != top.unit) continue;
            }
            std::pop_heap(heap.begin(), heap.end());
            heap.pop_back();
            if (!possible || known_[at] <= 0) continue;
            take(chosen, top.unit, known_[at]);
            ++round;
        }
        return chosen;
    }

    const Facility& p_;
    const Workers& workers_;
    std::vector<double> costs_;
    Coverage coverage_;
    std::vector<bool> in_;
    std::vector<double> known_;  // the gain of each item when it was last computed, so at least what it would add now
};

}  // namespace

Chosen facility_location(const similarity::Rows& rows, const Facility& problem, const Workers& workers) {
    return Greedy(rows, problem, workers).run();
}

}  // namespace tersely::subset
