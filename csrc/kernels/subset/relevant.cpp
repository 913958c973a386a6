#include "kernels/subset/relevant.hpp"

#include <algorithm>

#include "kernels/similarity/panels.hpp"

namespace tersely::subset {
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

}  // namespace tersely::subset
