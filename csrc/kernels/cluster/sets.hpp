// Union-find (Tarjan 1975) over an array of parents.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace tersely::cluster {

// A root is its own parent and has the lowest number of its set. Paths are halved on the way.
class Sets {
  public:
    explicit Sets(std::span<std::int32_t> parent) : parent_(parent) {}

    std::int32_t root(std::int32_t of) {
        while (up(of) != of) {
            up(of) = up(up(of));
            of = up(of);
        }
        return of;
    }
    void join(std::int32_t a, std::int32_t b) {
        const auto [low, high] = std::minmax({root(a), root(b)});
        up(high) = low;
    }

  private:
    std::int32_t& up(std::int32_t of) { return parent_[static_cast<std::size_t>(of)]; }
    std::span<std::int32_t> parent_;
};

}  // namespace tersely::cluster
