#include "kernels/content/tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace tersely::content {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t owner(const Tree& tree, std::size_t row) {
    while (tree.follows[row] >= 0) row = static_cast<std::size_t>(tree.follows[row]);
    return row;
}

using Groups = std::unordered_map<std::int32_t, std::vector<std::size_t>>;

Groups groups_of(const Tree& tree) {
    Groups groups;
    for (std::size_t row = 0; row < tree.group.size(); ++row) {
        if (tree.group[row] >= 0) groups[tree.group[row]].push_back(owner(tree, row));
    }
    return groups;
}

class Chooser {
  public:
    Chooser(const Tree& tree, std::span<const double> cost)
        : tree_(tree), cost_(cost.begin(), cost.end()), in_(tree.parent.size()) {
        for (std::size_t row = 0; row < in_.size(); ++row) {
            if (tree.follows[row] >= 0) cost_[owner(tree, row)] += cost[row];
        }
    }

    // Takes rows with all they need; gives them back where that costs more than `room`.
    bool take(std::span<const std::size_t> rows, double room) {
        std::vector<std::size_t> taken;
        double sum = 0;
        for (const std::size_t first : rows) {
            for (std::size_t row = first; in_[row] == 0;) {
                in_[row] = 1;
                taken.push_back(row);
                sum += cost_[row];
                if (tree_.parent[row] < 0) break;
                row = owner(tree_, static_cast<std::size_t>(tree_.parent[row]));
            }
        }
        if (sum > room) {
            for (const std::size_t row : taken) in_[row] = 0;
            return false;
        }
        used_ += sum;
        taken_ += taken.size();
        return true;
    }

    bool parent_in(std::size_t row) const {
        const std::int32_t parent = tree_.parent[row];
        return parent < 0 || in_[owner(tree_, static_cast<std::size_t>(parent))] != 0;
    }
    bool in(std::size_t row) const { return in_[row] != 0; }
    double used() const { return used_; }
    std::size_t taken() const { return taken_; }
    void forget_taken() { taken_ = 0; }

    std::vector<std::uint8_t> with_followers() && {
        for (std::size_t row = 0; row < in_.size(); ++row) {
            if (tree_.follows[row] >= 0) in_[row] = in_[owner(tree_, row)];
        }
        return std::move(in_);
    }

  private:
    const Tree& tree_;
    std::vector<double> cost_;  // with those that follow
    std::vector<std::uint8_t> in_;
    double used_ = 0;
    std::size_t taken_ = 0;
};

}  // namespace

std::vector<std::int32_t> tree_order(const Tree& tree, std::span<const double> priority, std::size_t most) {
    const std::size_t n = tree.parent.size();
    std::vector<double> raised(priority.begin(), priority.end());
    for (const auto& [number, rows] : groups_of(tree)) {
        double best = -kInfinity;
        for (const std::size_t row : rows) best = std::max(best, raised[row]);
        for (const std::size_t row : rows) raised[row] = best;
    }
    for (std::size_t row = n; row-- > 0;) {
        if (tree.parent[row] < 0 || tree.follows[row] >= 0) continue;
        double& above = raised[owner(tree, static_cast<std::size_t>(tree.parent[row]))];
        above = std::max(above, std::nextafter(raised[row], kInfinity));
    }
    std::vector<std::int32_t> order;
    order.reserve(n);
    for (std::size_t row = 0; row < n; ++row) {
        if (tree.follows[row] < 0) order.push_back(static_cast<std::int32_t>(row));
    }
    const auto before = [&](std::int32_t a, std::int32_t b) {
        const double one = raised[static_cast<std::size_t>(a)];
        const double other = raised[static_cast<std::size_t>(b)];
        return one != other ? one > other : a < b;
    };
    if (most < order.size()) {
        std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(), before);
        order.resize(most);
    }
    std::sort(order.begin(), order.end(), before);
    return order;
}

std::vector<std::uint8_t> tree_choose(const Tree& tree, std::span<const std::int32_t> order,
                                      std::span<const double> cost, double budget, std::size_t most) {
    Chooser chooser(tree, cost);
    Groups groups = groups_of(tree);
    for (std::size_t row = 0; row < tree.pinned.size(); ++row) {
        if (tree.pinned[row] == 0) continue;
        const std::size_t alone = owner(tree, row);
        const std::int32_t group = tree.group.empty() ? -1 : tree.group[row];
        chooser.take(group < 0 ? std::span(&alone, 1) : std::span<const std::size_t>(groups[group]), kInfinity);
    }
    chooser.forget_taken();
    for (const std::int32_t index : order) {
        const auto row = static_cast<std::size_t>(index);
        if (chooser.taken() >= most || chooser.used() >= budget) break;
        if (chooser.in(row)) continue;
        const std::int32_t group = tree.group.empty() ? -1 : tree.group[row];
        const double room = budget - chooser.used();
        if (group >= 0) {
            const std::vector<std::size_t> all = std::exchange(groups[group], {});  // one turn each
            if (!all.empty()) chooser.take(all, room);
        } else if (chooser.parent_in(row)) {
            chooser.take(std::span(&row, 1), room);
        }
    }
    return std::move(chooser).with_followers();
}

}  // namespace tersely::content
