#include "kernels/content/query_share.hpp"

#include <cmath>

namespace tersely::content {

std::vector<float> query_share(std::span<const std::int32_t> ids, std::span<const std::int64_t> offsets,
                               std::span<const std::int32_t> query, std::size_t vocabulary) {
    const std::size_t n = offsets.size() - 1;
    std::vector<std::int32_t> number(vocabulary, -1);  // of a term among those of the query
    std::vector<std::size_t> holders;                  // units that hold each
    for (const std::int32_t id : query) {
        std::int32_t& mine = number[static_cast<std::size_t>(id)];
        if (mine >= 0) continue;
        mine = static_cast<std::int32_t>(holders.size());
        holders.push_back(0);
    }
    std::vector<std::size_t> seen(holders.size(), n);
    const auto each = [&](std::size_t row, auto&& use) {  // each distinct term of the query in a unit
        const auto end = static_cast<std::size_t>(offsets[row + 1]);
        for (auto at = static_cast<std::size_t>(offsets[row]); at < end; ++at) {
            const std::int32_t term = number[static_cast<std::size_t>(ids[at])];
            if (term < 0 || seen[static_cast<std::size_t>(term)] == row) continue;
            seen[static_cast<std::size_t>(term)] = row;
            use(static_cast<std::size_t>(term));
        }
    };
    for (std::size_t row = 0; row < n; ++row) each(row, [&](std::size_t term) { ++holders[term]; });
    std::vector<double> weight(holders.size());
    double whole = 0;
    for (std::size_t term = 0; term < holders.size(); ++term) {
        const auto held = static_cast<double>(holders[term]);
        if (held == 0) continue;
        const double idf = std::log(1 + (static_cast<double>(n) - held + 0.5) / (held + 0.5));
        weight[term] = idf * idf;
        whole += weight[term];
    }
    std::vector<float> share(n);
    if (whole == 0) return share;
    seen.assign(holders.size(), n);
    for (std::size_t row = 0; row < n; ++row) {
        double sum = 0;
        each(row, [&](std::size_t term) { sum += weight[term]; });
        share[row] = static_cast<float>(sum / whole);
    }
    return share;
}

}  // namespace tersely::content
