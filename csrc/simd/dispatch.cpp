#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>

#if defined(TERSELY_NEON) && defined(__linux__)
#include <sys/auxv.h>
#endif

#include "simd/bytes.hpp"
#include "simd/codes.hpp"
#include "simd/dot.hpp"
#include "simd/screen.hpp"
#include "simd/trees.hpp"

namespace tersely::simd {

extern const ByteKernels kBytes_scalar;
extern const DotKernels kDot_scalar;
extern const CodeKernels kCodes_scalar;
extern const TreeKernels kTrees_scalar;
#if defined(TERSELY_X86)
extern const ByteKernels kBytes_avx2;
extern const ByteKernels kBytes_avx512;
extern const DotKernels kDot_avx2;
extern const CodeKernels kCodes_avx2;
extern const TreeKernels kTrees_avx2;
extern const DotKernels kDot_avx512;
extern const CodeKernels kCodes_avx512;
extern const ScreenKernels kScreen_avx2;
extern const ScreenKernels kScreen_avx512;
extern const ScreenKernels kScreen_avx512vnni;
#elif defined(TERSELY_NEON)
extern const DotKernels kDot_neon;
extern const ScreenKernels kScreen_neon_dotprod;
#endif

namespace {

struct Candidate {
    const char* name;
    const ByteKernels* bytes;
    const CodeKernels* codes;
    const TreeKernels* trees;
    DotKernels dot;
    bool available;
};

DotKernels screened(DotKernels kernels, const ScreenKernels& by) {
    kernels.screening = &by;
    return kernels;
}

#if defined(TERSELY_NEON)
bool multiplies_bytes() {
#if defined(__APPLE__)
    return true;  // every ARM CPU of a Mac
#elif defined(__linux__)
    constexpr unsigned long kDotProducts = 1UL << 20U;  // HWCAP_ASIMDDP
    return (getauxval(AT_HWCAP) & kDotProducts) != 0;
#else
    return false;
#endif
}
#endif

Candidate choose() {
#if defined(TERSELY_X86)
    __builtin_cpu_init();
    const bool wide = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    const std::array<Candidate, 4> best_first{{
        {"avx512vnni", &kBytes_avx512, &kCodes_avx512, &kTrees_avx2, screened(kDot_avx512, kScreen_avx512vnni),
         wide && __builtin_cpu_supports("avx512vnni")},
        {"avx512", &kBytes_avx512, &kCodes_avx512, &kTrees_avx2, screened(kDot_avx512, kScreen_avx512), wide},
        {"avx2", &kBytes_avx2, &kCodes_avx2, &kTrees_avx2, screened(kDot_avx2, kScreen_avx2),
         __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")},
        {"scalar", &kBytes_scalar, &kCodes_scalar, &kTrees_scalar, kDot_scalar, true},
    }};
#elif defined(TERSELY_NEON)
    const std::array<Candidate, 3> best_first{{
        {"neondot", &kBytes_scalar, &kCodes_scalar, &kTrees_scalar, screened(kDot_neon, kScreen_neon_dotprod),
         multiplies_bytes()},
        {"neon", &kBytes_scalar, &kCodes_scalar, &kTrees_scalar, kDot_neon, true},
        {"scalar", &kBytes_scalar, &kCodes_scalar, &kTrees_scalar, kDot_scalar, true},
    }};
#else
    const std::array<Candidate, 1> best_first{
        {{"scalar", &kBytes_scalar, &kCodes_scalar, &kTrees_scalar, kDot_scalar, true}}};
#endif
    const char* wanted = std::getenv("TERSELY_ISA");
    if (wanted == nullptr || *wanted == '\0') {
        for (const Candidate& candidate : best_first) {
            if (candidate.available) return candidate;
        }
    }
    std::string allowed;
    for (const Candidate& candidate : best_first) {
        if (!candidate.available) continue;
        if (wanted != nullptr && std::string(wanted) == candidate.name) return candidate;
        allowed += (allowed.empty() ? "" : ", ") + std::string(candidate.name);
    }
    throw std::runtime_error("TERSELY_ISA must be one of " + allowed + " on this CPU, not '" +
                             std::string(wanted == nullptr ? "" : wanted) + "'");
}

const Candidate& chosen() {
    static const Candidate best = choose();
    return best;
}

}  // namespace

const ByteKernels& byte_kernels() { return *chosen().bytes; }

const CodeKernels& code_kernels() { return *chosen().codes; }

const TreeKernels& tree_kernels() { return *chosen().trees; }

const DotKernels& dot_kernels() { return chosen().dot; }

const char* isa() { return chosen().name; }

}  // namespace tersely::simd
