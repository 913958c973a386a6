// Hashes of bytes, and values by 64-bit hash, in open addressing that grows with what it holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "simd/prefetch.hpp"

namespace tersely::content {

inline constexpr std::uint64_t kHashSeed = 0xCBF29CE484222325ULL;  // FNV-1a

constexpr std::uint64_t hash_byte(std::uint64_t hash, char byte) {
    return (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3ULL;
}

// FNV-1a, byte by byte: of names, which are short.
constexpr std::uint64_t hash_name(std::string_view name) {
    std::uint64_t hash = kHashSeed;
    for (const char byte : name) hash = hash_byte(hash, byte);
    return hash;
}

// Of the bytes that are no digits: things that are said in turn differ in their numbers.
constexpr std::uint64_t template_of(std::string_view bytes) {
    std::uint64_t hash = kHashSeed;
    for (const char byte : bytes) {
        if (byte < '0' || byte > '9') hash = hash_byte(hash, byte);
    }
    return hash;
}

inline constexpr std::uint64_t kOddFactor = 0x9E3779B97F4A7C15ULL;

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t more) {
    hash = (hash ^ more) * kOddFactor;
    return hash ^ (hash >> 29U);
}

// Eight bytes at a time; never 0.
inline std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0) {
    std::uint64_t hash = seed * kOddFactor + bytes.size() + 1, eight = 0;
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
        std::memcpy(&eight, bytes.data() + at, 8);
        hash = mix(hash, eight);
    }
    eight = 0;
    if (at < bytes.size()) std::memcpy(&eight, bytes.data() + at, bytes.size() - at);
    return mix(hash, eight) | 1U;
}

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
    // Fetches the place of a hash that is asked for soon.
    void prefetch(std::uint64_t hash) const { simd::prefetch(&slots_[first(hash)]); }
    std::size_t size() const { return size_; }
    void clear() {
        slots_.assign(kFewest, Slot{});
        size_ = 0;
    }

  private:
    using Slot = std::pair<std::uint64_t, Value>;  // 0: empty
    static constexpr std::size_t kFewest = 256;    // a power of two
    static constexpr std::size_t kMany = 4096;     // from which memory costs more than moving them again
    static std::uint64_t key(std::uint64_t hash) { return hash == 0 ? 1 : hash; }
    // By the upper bits of a product, into which all bits go: those of hashes may be much alike.
    std::size_t first(std::uint64_t hash) const {
        return static_cast<std::size_t>(key(hash) * kOddFactor >> 32U) & (slots_.size() - 1);
    }
    std::size_t place(std::uint64_t hash) const {
        const std::uint64_t wanted = key(hash);
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = first(hash);
        while (slots_[at].first != 0 && slots_[at].first != wanted) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<Slot> old((slots_.size() < kMany ? 4 : 2) * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.first != 0) slots_[place(slot.first)] = slot;
        }
    }
    std::vector<Slot> slots_ = std::vector<Slot>(kFewest);
    std::size_t size_ = 0;
};

}  // namespace tersely::content
