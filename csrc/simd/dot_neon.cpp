#include <arm_neon.h>

#include "simd/dot.hpp"

namespace {

using Vector = float32x4_t;
constexpr decltype(sizeof(0)) kLanes = 4, kMicroRows = 8, kMicroVectors = 3;  // 24 sums of 32 registers

inline Vector load(const float* at) { return vld1q_f32(at); }
inline void store(float* at, Vector value) { vst1q_f32(at, value); }
inline Vector spread(float value) { return vdupq_n_f32(value); }
inline Vector fused(Vector a, Vector b, Vector c) { return vfmaq_f32(c, a, b); }
inline unsigned at_least(Vector value, Vector least) {
    const std::uint32_t bits[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(vcgeq_f32(value, least), vld1q_u32(bits)));
}
inline void keep(Vector& value) { __asm__ volatile("" : "+w"(value)); }

}  // namespace

#include "simd/dot_kernel.inl"

namespace tersely::simd {
extern const DotKernels kDot_neon;
const DotKernels kDot_neon = {tile, line, nullptr, dot, widen, scale_row, interleave, excess, peak};
}  // namespace tersely::simd
