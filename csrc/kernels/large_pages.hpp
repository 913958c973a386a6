// Memory for large tables, in large pages where the system grants them: what is read here and there costs fewer walks
// through the system's page tables.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace tersely {

inline constexpr std::size_t kLargePage = std::size_t{1} << 21U;

// Asks for large pages inside [memory, memory + bytes); what the system does not grant is no loss.
inline void take_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
    const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + kLargePage - 1) / kLargePage * kLargePage;
    const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / kLargePage * kLargePage;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

// An allocator whose blocks of nearly a large page and more begin with one and end with one.
template <typename T>
struct InLargePages {
    using value_type = T;

    InLargePages() = default;
    template <typename Other>
    InLargePages(const InLargePages<Other>&) {}

    T* allocate(std::size_t count) {
        if (!is_large(count)) return static_cast<T*>(::operator new(count * sizeof(T), kAlign));
        const std::size_t bytes = (count * sizeof(T) + kLargePage - 1) / kLargePage * kLargePage;
        void* memory = ::operator new(bytes, std::align_val_t{kLargePage});
        take_large_pages(memory, bytes);
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) {
        ::operator delete(memory, is_large(count) ? std::align_val_t{kLargePage} : kAlign);
    }
    template <typename Other>
    bool operator==(const InLargePages<Other>&) const {
        return true;
    }

  private:
    static constexpr std::align_val_t kAlign{alignof(std::max_align_t)};
    static bool is_large(std::size_t count) { return count * sizeof(T) >= kLargePage / 2; }
};

template <typename T>
using LargeTable = std::vector<T, InLargePages<T>>;

}  // namespace tersely
