#include "simd/dot.hpp"
#include "simd/lanes_avx2.inl"

namespace {

constexpr decltype(sizeof(0)) kMicroRows = 4, kMicroVectors = 3;  // 12 sums of 16 registers

}  // namespace

#include "simd/dot_kernel.inl"

namespace tersely::simd {
extern const DotKernels kDot_avx2;
const DotKernels kDot_avx2 = {tile, line, nullptr, dot, widen, scale_row, interleave, excess};
}  // namespace tersely::simd
