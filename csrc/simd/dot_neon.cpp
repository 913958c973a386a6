#include "simd/dot.hpp"
#include "simd/lanes_neon.inl"

namespace {

constexpr decltype(sizeof(0)) kMicroRows = 8, kMicroVectors = 3;  // 24 sums of 32 registers

}  // namespace

#include "simd/dot_kernel.inl"

namespace tersely::simd {
extern const DotKernels kDot_neon;
const DotKernels kDot_neon = {tile, line, nullptr, dot, widen, scale_row, interleave, excess};
}  // namespace tersely::simd
