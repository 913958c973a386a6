// A hint that memory is about to be read.
#pragma once

namespace tersely::simd {

// Fetches the line of memory that `at` lies in, if there is one; any address is allowed. Static, as it is compiled for
// several instruction sets: the linker must not share it between files.
[[maybe_unused]] static inline void prefetch([[maybe_unused]] const void* at) {
#if defined(__GNUC__)
    __builtin_prefetch(at);
#endif
}

}  // namespace tersely::simd
