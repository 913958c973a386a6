#include "kernels/subset/facility.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/select/lazy_heap.hpp"
#include "kernels/subset/coverage.hpp"
#include "kernels/subset/knapsack.hpp"

namespace tersely::subset {
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
