// What the fuzz targets say when a contract does not hold.
#pragma once

#include <cstdio>

// Prints the broken promise and traps, which libFuzzer reports as a crash with the input.
inline void check(bool holds, const char* promise) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", promise);
    __builtin_trap();
}
