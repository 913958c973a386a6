#include "simd/dot.hpp"
#include "simd/lanes_avx512.inl"

namespace {

constexpr decltype(sizeof(0)) kMicroRows = 8, kMicroVectors = 3;  // 24 sums of 32 registers

inline void keep(Vector& value) { __asm__ volatile("" : "+v"(value)); }

}  // namespace

#include "simd/dot_kernel.inl"

namespace tersely::simd {
extern const DotKernels kDot_avx512;
const DotKernels kDot_avx512 = {tile, line, nullptr, dot, widen, scale_row, interleave, excess, peak};
}  // namespace tersely::simd
