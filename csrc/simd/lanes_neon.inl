// A register of floats, and what is done with it, for the files of this instruction set.
#include <arm_neon.h>

#include <cstdint>

namespace {

using Vector = float32x4_t;
constexpr decltype(sizeof(0)) kLanes = 4;

inline Vector load(const float* at) { return vld1q_f32(at); }
inline void store(float* at, Vector value) { vst1q_f32(at, value); }
inline Vector spread(float value) { return vdupq_n_f32(value); }
inline Vector fused(Vector a, Vector b, Vector c) { return vfmaq_f32(c, a, b); }
inline Vector times(Vector a, Vector b) { return vmulq_f32(a, b); }
inline Vector larger(Vector a, Vector b) { return vmaxq_f32(a, b); }
inline void store_low_bytes(signed char* at, Vector value) {
    const uint16x4_t halves = vmovn_u32(vreinterpretq_u32_f32(value));
    const std::uint32_t bytes = vget_lane_u32(vreinterpret_u32_u8(vmovn_u16(vcombine_u16(halves, halves))), 0);
    __builtin_memcpy(at, &bytes, sizeof bytes);
}
inline unsigned at_least(Vector value, Vector least) {
    const std::uint32_t bits[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(vcgeq_f32(value, least), vld1q_u32(bits)));
}

}  // namespace
