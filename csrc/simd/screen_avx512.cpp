#include "simd/lanes_avx512.inl"
#include "simd/screen.hpp"

namespace {

using Bytes = __m512i;
constexpr decltype(sizeof(0)) kScreenRows = 8, kScreenVectors = 3;
constexpr int kLargest = 63, kBias = 64;  // sums of two products stay below 2^15, where the instruction would saturate
constexpr bool kNarrow = true;

inline Bytes zero_words() { return _mm512_setzero_si512(); }
inline Bytes spread_word(std::int32_t word) { return _mm512_set1_epi32(word); }
inline Bytes columns(const signed char* at) { return _mm512_add_epi8(_mm512_loadu_si512(at), _mm512_set1_epi8(kBias)); }
inline void add_products(Bytes& sum, Bytes columns, Bytes row) {
    sum = _mm512_add_epi16(sum, _mm512_maddubs_epi16(columns, row));
}
inline Bytes add_words(Bytes a, Bytes b) { return _mm512_add_epi32(a, b); }
inline Bytes widened(Bytes sums) { return _mm512_madd_epi16(sums, _mm512_set1_epi16(1)); }

}  // namespace

#include "simd/screen_kernel.inl"

namespace tersely::simd {
extern const ScreenKernels kScreen_avx512;
const ScreenKernels kScreen_avx512 = {screen, code, kBlock, kTogether};
}  // namespace tersely::simd
