#include <immintrin.h>

#include "simd/dot.hpp"

namespace {

using Vector = __m512;
constexpr decltype(sizeof(0)) kLanes = 16, kMicroRows = 8, kMicroVectors = 3;  // 24 sums of 32 registers

inline Vector load(const float* at) { return _mm512_loadu_ps(at); }
inline void store(float* at, Vector value) { _mm512_storeu_ps(at, value); }
inline Vector spread(float value) { return _mm512_set1_ps(value); }
inline Vector fused(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
inline unsigned at_least(Vector value, Vector least) { return _mm512_cmp_ps_mask(value, least, _CMP_GE_OQ); }
inline void keep(Vector& value) { __asm__ volatile("" : "+v"(value)); }

}  // namespace

#include "simd/dot_kernel.inl"

namespace tersely::simd {
extern const DotKernels kDot_avx512;
const DotKernels kDot_avx512 = {tile, line, nullptr, dot, widen, scale_row, interleave, excess, peak};
}  // namespace tersely::simd
