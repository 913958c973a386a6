#include "simd/lanes_avx512.inl"
#include "simd/screen.hpp"

namespace {

using Bytes = __m512i;
constexpr decltype(sizeof(0)) kScreenRows = 8, kScreenVectors = 3;
constexpr int kLargest = 127, kBias = 128;
constexpr bool kNarrow = false;

inline Bytes zero_words() { return _mm512_setzero_si512(); }
inline Bytes spread_word(std::int32_t word) { return _mm512_set1_epi32(word); }
inline Bytes columns(const signed char* at) {
    return _mm512_xor_si512(_mm512_loadu_si512(at), _mm512_set1_epi8(static_cast<char>(kBias)));
}
// _mm512_dpbusd_epi32, which GCC 12 keeps the sums in memory for.
inline void add_products(Bytes& sum, Bytes columns, Bytes row) {
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(columns), "v"(row));
}
inline Bytes add_words(Bytes a, Bytes b) { return _mm512_add_epi32(a, b); }
inline Bytes widened(Bytes sums) { return sums; }

}  // namespace

#include "simd/screen_kernel.inl"

namespace tersely::simd {
extern const ScreenKernels kScreen_avx512vnni;
const ScreenKernels kScreen_avx512vnni = {screen, code, kBlock, kTogether};
}  // namespace tersely::simd
