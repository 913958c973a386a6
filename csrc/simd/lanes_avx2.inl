// A register of floats, and what is done with it, for the files of this instruction set.
#include <immintrin.h>

namespace {

using Vector = __m256;
constexpr decltype(sizeof(0)) kLanes = 8;

inline Vector load(const float* at) { return _mm256_loadu_ps(at); }
inline void store(float* at, Vector value) { _mm256_storeu_ps(at, value); }
inline Vector spread(float value) { return _mm256_set1_ps(value); }
inline Vector fused(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
inline Vector times(Vector a, Vector b) { return _mm256_mul_ps(a, b); }
inline Vector larger(Vector a, Vector b) { return _mm256_max_ps(a, b); }
inline void store_low_bytes(signed char* at, Vector value) {
    const __m256i of_each = _mm256_set1_epi32(0x0C080400);  // of four words of a half
    const __m256i bytes = _mm256_shuffle_epi8(_mm256_castps_si256(value), of_each);
    const int words[] = {_mm_cvtsi128_si32(_mm256_castsi256_si128(bytes)), _mm256_extract_epi32(bytes, 4)};
    __builtin_memcpy(at, words, sizeof words);
}
inline unsigned at_least(Vector value, Vector least) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(value, least, _CMP_GE_OQ)));
}

}  // namespace
