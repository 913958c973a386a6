#include "simd/dot.hpp"
#include "simd/lanes_avx512.inl"

namespace {

constexpr decltype(sizeof(0)) kMicroRows = 8, kMicroVectors = 3;  // 24 sums of 32 registers

}  // namespace

#include "simd/dot_kernel.inl"

namespace tersely::simd {
extern const DotKernels kDot_avx512;
const DotKernels kDot_avx512 = {tile, line, nullptr, dot, widen, scale_row, interleave, excess};
}  // namespace tersely::simd
