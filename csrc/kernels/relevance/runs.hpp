// Runs of equal values: the segments of one block or of one document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tersely::relevance {

// Where each run of equal values begins, then the number of values. O(n).
inline std::vector<std::size_t> run_starts(std::span<const std::int32_t> values) {
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i == 0 || values[i] != values[i - 1]) starts.push_back(i);
    }
    starts.push_back(values.size());
    return starts;
}

}  // namespace tersely::relevance
