#include "simd/lanes_avx2.inl"
#include "simd/screen.hpp"

namespace {

using Bytes = __m256i;
constexpr decltype(sizeof(0)) kScreenRows = 4, kScreenVectors = 2;
constexpr int kLargest = 63, kBias = 64;  // sums of two products stay below 2^15, where the instruction would saturate
constexpr bool kNarrow = true;

inline Bytes zero_words() { return _mm256_setzero_si256(); }
inline Bytes spread_word(std::int32_t word) { return _mm256_set1_epi32(word); }
inline Bytes columns(const signed char* at) {
    return _mm256_add_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)), _mm256_set1_epi8(kBias));
}
inline void add_products(Bytes& sum, Bytes columns, Bytes row) {
    sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(columns, row));
}
inline Bytes add_words(Bytes a, Bytes b) { return _mm256_add_epi32(a, b); }
inline Bytes widened(Bytes sums) { return _mm256_madd_epi16(sums, _mm256_set1_epi16(1)); }
inline Vector to_floats(Bytes words) { return _mm256_cvtepi32_ps(words); }

}  // namespace

#include "simd/screen_kernel.inl"

namespace tersely::simd {
extern const ScreenKernels kScreen_avx2;
const ScreenKernels kScreen_avx2 = {screen, code, kBlock, kTogether};
}  // namespace tersely::simd
