#include <immintrin.h>

#include "simd/dot.hpp"

namespace {

using Vector = __m256;
constexpr decltype(sizeof(0)) kLanes = 8, kMicroRows = 4, kMicroVectors = 3;  // 12 sums of 16 registers

inline Vector load(const float* at) { return _mm256_loadu_ps(at); }
inline void store(float* at, Vector value) { _mm256_storeu_ps(at, value); }
inline Vector spread(float value) { return _mm256_set1_ps(value); }
inline Vector fused(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
inline unsigned at_least(Vector value, Vector least) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(value, least, _CMP_GE_OQ)));
}
inline void keep(Vector& value) { __asm__ volatile("" : "+x"(value)); }

}  // namespace

#include "simd/dot_kernel.inl"

namespace tersely::simd {
extern const DotKernels kDot_avx2;
const DotKernels kDot_avx2 = {tile, line, nullptr, dot, widen, scale_row, interleave, excess, peak};
}  // namespace tersely::simd
