#include <immintrin.h>

#include "simd/codes.hpp"
#include "simd/prefetch.hpp"

namespace {

constexpr std::size_t kLanes = 16;
using tersely::simd::kMemoryLine;
using tersely::simd::kRowsAhead;
constexpr __mmask16 kAll = 0xFFFF;  // g++ 12 warns of its own header in the functions that take no mask

// The sixteen products of a row's scale with what a code can stand for; a code picks one (by its low four bits).
template <std::size_t kParts>
void add_part(const std::uint8_t* codes, std::size_t width, const float* scales, const std::int32_t* ids,
              std::size_t count, float* sums) {
    const __m512 values = _mm512_set_ps(7, 6, 5, 4, 3, 2, 1, 0, -1, -2, -3, -4, -5, -6, -7, -8);
    __m512 low[kParts], high[kParts];
    for (std::size_t i = 0; i < kParts; ++i) low[i] = _mm512_loadu_ps(sums + i * kLanes);
    for (std::size_t i = 0; i < kParts; ++i) high[i] = _mm512_loadu_ps(sums + width + i * kLanes);
    for (std::size_t t = 0; t < count; ++t) {
        if (t + kRowsAhead < count) {
            const std::uint8_t* later = codes + static_cast<std::size_t>(ids[t + kRowsAhead]) * width;
            for (std::size_t i = 0; i < kParts * kLanes; i += kMemoryLine) tersely::simd::prefetch(later + i);
        }
        const std::size_t row = static_cast<std::size_t>(ids[t]);
        const __m512 products = _mm512_mul_ps(_mm512_set1_ps(scales[row]), values);
        for (std::size_t i = 0; i < kParts; ++i) {
            const void* from = codes + row * width + i * kLanes;
            const __m128i bytes = _mm_loadu_si128(static_cast<const __m128i*>(from));
            const __m512i codes_low = _mm512_maskz_cvtepu8_epi32(kAll, bytes);
            const __m512i codes_high = _mm512_maskz_srli_epi32(kAll, codes_low, 4);
            low[i] = _mm512_add_ps(low[i], _mm512_maskz_permutexvar_ps(kAll, codes_low, products));
            high[i] = _mm512_add_ps(high[i], _mm512_maskz_permutexvar_ps(kAll, codes_high, products));
        }
    }
    for (std::size_t i = 0; i < kParts; ++i) _mm512_storeu_ps(sums + i * kLanes, low[i]);
    for (std::size_t i = 0; i < kParts; ++i) _mm512_storeu_ps(sums + width + i * kLanes, high[i]);
}

void add_rows(const std::uint8_t* codes, std::size_t width, const float* scales, const std::int32_t* ids,
              std::size_t count, float* sums) {
    constexpr std::size_t most = 8;  // parts of which the sums stay in registers
    std::size_t at = 0;
    for (; at + most * kLanes <= width; at += most * kLanes) {
        add_part<most>(codes + at, width, scales, ids, count, sums + at);
    }
    for (; at < width; at += tersely::simd::kCodeBlock) {
        add_part<tersely::simd::kCodeBlock / kLanes>(codes + at, width, scales, ids, count, sums + at);
    }
}

}  // namespace

namespace tersely::simd {
extern const CodeKernels kCodes_avx512;
const CodeKernels kCodes_avx512 = {add_rows};
}  // namespace tersely::simd
