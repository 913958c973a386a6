#include "kernels/select/gaps.hpp"

#include <algorithm>
#include <cstddef>

namespace tersely::select {

void fill_gaps(std::span<std::uint8_t> status, std::span<const std::int32_t> document,
               std::span<const std::int64_t> start, std::span<const std::int64_t> end,
               std::span<const std::int64_t> bare, std::uint8_t kept, std::int64_t most) {
    const std::size_t n = status.size();
    std::size_t without = 0;
    for (std::size_t first = 0; first < n;) {
        const bool chosen = status[first] >= kept;
        std::size_t next = first + 1;
        while (next < n && (status[next] >= kept) == chosen && document[next] == document[first]) ++next;
        while (without < bare.size() && static_cast<std::size_t>(bare[without + 1]) <= first) without += 2;
        const bool marked = without >= bare.size() || first < static_cast<std::size_t>(bare[without]);
        const bool beside =
            (first > 0 && document[first - 1] == document[first]) || (next < n && document[next] == document[first]);
        if (!chosen && marked && beside && end[next - 1] - start[first] <= most) {
            std::fill(status.begin() + static_cast<std::ptrdiff_t>(first),
                      status.begin() + static_cast<std::ptrdiff_t>(next), kept);
        }
        first = next;
    }
}

}  // namespace tersely::select
