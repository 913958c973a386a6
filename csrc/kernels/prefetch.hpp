// A hint that memory is about to be read.
#pragma once

namespace tersely {

// Fetches the line of memory that `at` lies in, if there is one; any address is allowed.
inline void prefetch([[maybe_unused]] const void* at) {
#if defined(__GNUC__)
    __builtin_prefetch(at);
#endif
}

}  // namespace tersely
