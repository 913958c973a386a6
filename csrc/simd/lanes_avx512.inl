// A register of floats, and what is done with it, for the files of this instruction set.
#include <immintrin.h>

namespace {

using Vector = __m512;
constexpr decltype(sizeof(0)) kLanes = 16;

inline Vector load(const float* at) { return _mm512_loadu_ps(at); }
inline void store(float* at, Vector value) { _mm512_storeu_ps(at, value); }
inline Vector spread(float value) { return _mm512_set1_ps(value); }
inline Vector fused(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
inline Vector times(Vector a, Vector b) { return _mm512_mul_ps(a, b); }
inline Vector larger(Vector a, Vector b) { return _mm512_maskz_max_ps(0xFFFF, a, b); }
inline void store_low_bytes(signed char* at, Vector value) {
    _mm512_mask_cvtepi32_storeu_epi8(at, 0xFFFF, _mm512_castps_si512(value));
}
// _mm512_cvtepi32_ps, of which GCC 12 warns that it starts from an undefined register.
inline Vector to_floats(__m512i words) { return __builtin_convertvector(reinterpret_cast<__v16si>(words), __v16sf); }
inline unsigned at_least(Vector value, Vector least) { return _mm512_cmp_ps_mask(value, least, _CMP_GE_OQ); }

}  // namespace
