// Values by 64-bit hash, in open addressing that grows with what it holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tersely::content {

// Hashes stand for their keys: two keys of one hash are one. O(1) expected; at most half of the slots are full.
template <typename Value>
class HashTable {
  public:
    // The value of a hash, nullptr where there is none.
    const Value* find(std::uint64_t hash) const {
        const Slot& slot = slots_[place(hash)];
        return slot.first == 0 ? nullptr : &slot.second;
    }
    // The same; a new one is Value{}. Valid until the next call.
    Value& operator[](std::uint64_t hash) {
        if (2 * (size_ + 1) > slots_.size()) grow();
        Slot& slot = slots_[place(hash)];
        if (slot.first == 0) {
            slot.first = key(hash);
            ++size_;
        }
        return slot.second;
    }
    std::size_t size() const { return size_; }
    void clear() {
        slots_.assign(kFewest, Slot{});
        size_ = 0;
    }

  private:
    using Slot = std::pair<std::uint64_t, Value>;  // 0: empty
    static constexpr std::size_t kFewest = 256;    // a power of two
    static std::uint64_t key(std::uint64_t hash) { return hash == 0 ? 1 : hash; }
    std::size_t place(std::uint64_t hash) const {
        const std::uint64_t wanted = key(hash);
        const std::size_t mask = slots_.size() - 1;
        // By the upper bits of a product, into which all bits go: those of hashes may be much alike.
        std::size_t at = static_cast<std::size_t>(wanted * 0x9E3779B97F4A7C15ULL >> 32U) & mask;
        while (slots_[at].first != 0 && slots_[at].first != wanted) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<Slot> old(4 * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.first != 0) slots_[place(slot.first)] = slot;
        }
    }
    std::vector<Slot> slots_ = std::vector<Slot>(kFewest);
    std::size_t size_ = 0;
};

}  // namespace tersely::content
