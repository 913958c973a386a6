// The max-heap of a lazy greedy (Minoux 1978): gains only fall, so a gain that is still the largest after it was
// computed again is the largest of all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tersely::select {

struct Entry {
    double gain;  // per token
    std::int32_t unit;
    std::uint32_t round;                        // number of units taken when the gain was computed
    bool operator<(const Entry& other) const {  // the largest goes first: ties to the lowest unit
        return gain != other.gain ? gain < other.gain : unit > other.unit;
    }
};

// Puts a lower entry in the place of a max-heap's top. It mostly stays near: one short walk, where taking the top out
// and putting it in again would walk the whole height twice.
inline void replace_top(std::vector<Entry>& heap, Entry entry) {
    std::size_t at = 0;
    for (std::size_t child = 1; child < heap.size(); child = 2 * at + 1) {
        if (child + 1 < heap.size() && heap[child] < heap[child + 1]) ++child;
        if (!(entry < heap[child])) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = entry;
}

}  // namespace tersely::select
