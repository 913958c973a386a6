#include "simd/lanes_neon.inl"
#include "simd/screen.hpp"

namespace {

using Bytes = int32x4_t;
constexpr decltype(sizeof(0)) kScreenRows = 8, kScreenVectors = 3;
constexpr int kLargest = 127, kBias = 0;
constexpr bool kNarrow = false;

inline Bytes zero_words() { return vdupq_n_s32(0); }
inline Bytes spread_word(std::int32_t word) { return vdupq_n_s32(word); }
inline Bytes columns(const signed char* at) { return vreinterpretq_s32_s8(vld1q_s8(at)); }
inline void add_products(Bytes& sum, Bytes columns, Bytes row) {
    sum = vdotq_s32(sum, vreinterpretq_s8_s32(columns), vreinterpretq_s8_s32(row));
}
inline Bytes add_words(Bytes a, Bytes b) { return vaddq_s32(a, b); }
inline Bytes widened(Bytes sums) { return sums; }
inline Vector to_floats(Bytes words) { return vcvtq_f32_s32(words); }

}  // namespace

#include "simd/screen_kernel.inl"

namespace tersely::simd {
extern const ScreenKernels kScreen_neon_dotprod;
const ScreenKernels kScreen_neon_dotprod = {screen, code, kBlock, kTogether};
}  // namespace tersely::simd
