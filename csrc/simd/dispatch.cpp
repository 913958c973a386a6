#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "simd/bytes.hpp"

namespace tersely::simd {

extern const ByteKernels kBytes_scalar;
#if defined(TERSELY_X86)
extern const ByteKernels kBytes_avx2;
extern const ByteKernels kBytes_avx512;
#endif

namespace {

struct Candidate {
    const ByteKernels* kernels;
    bool available;
};

const ByteKernels& choose() {
#if defined(TERSELY_X86)
    __builtin_cpu_init();
    const std::array<Candidate, 3> best_first{{
        {&kBytes_avx512, __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")},
        {&kBytes_avx2, static_cast<bool>(__builtin_cpu_supports("avx2"))},
        {&kBytes_scalar, true},
    }};
#else
    const std::array<Candidate, 1> best_first{{{&kBytes_scalar, true}}};
#endif
    const char* wanted = std::getenv("TERSELY_ISA");
    if (wanted == nullptr || *wanted == '\0') {
        for (const Candidate& candidate : best_first) {
            if (candidate.available) return *candidate.kernels;
        }
    }
    std::string allowed;
    for (const Candidate& candidate : best_first) {
        if (!candidate.available) continue;
        if (wanted != nullptr && std::string(wanted) == candidate.kernels->name) return *candidate.kernels;
        allowed += (allowed.empty() ? "" : ", ") + std::string(candidate.kernels->name);
    }
    throw std::runtime_error("TERSELY_ISA must be one of " + allowed + " on this CPU, not '" +
                             std::string(wanted == nullptr ? "" : wanted) + "'");
}

}  // namespace

const ByteKernels& byte_kernels() {
    static const ByteKernels& chosen = choose();
    return chosen;
}

}  // namespace tersely::simd
