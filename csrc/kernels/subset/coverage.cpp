#include "kernels/subset/coverage.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/large_pages.hpp"
#include "kernels/similarity/similarity.hpp"
#include "kernels/similarity/tiles.hpp"

namespace tersely::subset {
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

}  // namespace tersely::subset
