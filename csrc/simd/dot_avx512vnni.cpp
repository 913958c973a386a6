#include <immintrin.h>

#include "simd/dot.hpp"

namespace tersely::simd {

bool screen_avx512vnni(const CodedRows& left, const CodedRows& right, std::size_t groups, float threshold);

namespace {

constexpr std::size_t kVectors = 3;  // of 16 rows: a panel

// _mm512_dpbusd_epi32, which GCC 12 keeps the sums in memory for.
inline void add_products(__m512i& sum, __m512i unsigned_bytes, __m512i signed_bytes) {
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(unsigned_bytes), "v"(signed_bytes));
}

// _mm512_cvtepi32_ps, of which GCC 12 warns that it starts from an undefined register.
inline __m512 to_floats(__m512i numbers) {
    return __builtin_convertvector(reinterpret_cast<__v16si>(numbers), __v16sf);
}

// Four products of bytes a lane and instruction, where a fused multiply-add has one.
bool screen(const CodedRows& left, const CodedRows& right, std::size_t groups, float threshold) {
    const __m512i unsigned_bytes = _mm512_set1_epi8(static_cast<char>(0x80));  // code + 128; `offset` takes it back
    __m512i sum[kTileRows][kVectors];
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 3
        for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = _mm512_set1_epi32(left.offset[r]);
    }
    const signed char* rows = left.codes;
    const signed char* columns = right.codes;
    for (std::size_t g = 0; g < groups; ++g, rows += 4 * kPanel, columns += 4 * kPanel) {
        __m512i four[kVectors];
#pragma GCC unroll 3
        for (std::size_t v = 0; v < kVectors; ++v) {
            four[v] = _mm512_xor_si512(_mm512_loadu_si512(columns + v * 64), unsigned_bytes);
        }
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kTileRows; ++r) {
            std::int32_t bytes;
            __builtin_memcpy(&bytes, rows + r * 4, 4);
            const __m512i row = _mm512_set1_epi32(bytes);
#pragma GCC unroll 3
            for (std::size_t v = 0; v < kVectors; ++v) add_products(sum[r][v], four[v], row);
        }
    }
    const __m512 least = _mm512_set1_ps(threshold);
    unsigned any = 0;
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kTileRows; ++r) {
        const __m512 mine = _mm512_set1_ps(left.residual[r]);
        const __m512 scale = _mm512_set1_ps(left.scale[r]);
#pragma GCC unroll 3
        for (std::size_t v = 0; v < kVectors; ++v) {
            const __m512 residual = _mm512_loadu_ps(right.residual + v * 16);
            const __m512 bound = _mm512_fmadd_ps(residual, mine, _mm512_add_ps(residual, mine));
            const __m512 both = _mm512_mul_ps(scale, _mm512_loadu_ps(right.scale + v * 16));
            const __m512 most = _mm512_fmadd_ps(to_floats(sum[r][v]), both, bound);
            any |= _mm512_cmp_ps_mask(most, least, _CMP_GE_OQ);
        }
    }
    return any != 0;
}

}  // namespace

bool screen_avx512vnni(const CodedRows& left, const CodedRows& right, std::size_t groups, float threshold) {
    return screen(left, right, groups, threshold);
}

}  // namespace tersely::simd
