#include <immintrin.h>

#include "simd/dot.hpp"

namespace tersely::simd {
namespace {

constexpr std::size_t kVectors = 3;  // of 16 rows: a panel

using Sums = __m512i[kTileRows][kVectors];

// _mm512_dpbusd_epi32, which GCC 12 keeps the sums in memory for.
inline void add_products(__m512i& sum, __m512i unsigned_bytes, __m512i signed_bytes) {
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(unsigned_bytes), "v"(signed_bytes));
}

// _mm512_cvtepi32_ps, of which GCC 12 warns that it starts from an undefined register.
inline __m512 to_floats(__m512i numbers) {
    return __builtin_convertvector(reinterpret_cast<__v16si>(numbers), __v16sf);
}

// Four products of bytes a lane and instruction, where a fused multiply-add has one.
inline __attribute__((always_inline)) void add_columns(Sums& sum, const CodedRows& left, const CodedRows& right,
                                                       std::size_t begin, std::size_t end) {
    const __m512i unsigned_bytes = _mm512_set1_epi8(static_cast<char>(0x80));  // code + 128; the offset takes it back
    const signed char* rows = left.codes + begin * 4 * kPanel;
    const signed char* columns = right.codes + begin * 4 * kPanel;
    for (std::size_t g = begin; g < end; ++g, rows += 4 * kPanel, columns += 4 * kPanel) {
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
}

// A bit for each of the products of row r that could reach `threshold`; `rest`: what columns not summed may add.
inline std::uint64_t reaching(const Sums& sum, std::size_t r, const CodedRows& left, const CodedRows& right, float rest,
                              __m512 threshold) {
    const __m512 residual = _mm512_set1_ps(left.residual[r]);
    const __m512 scale = _mm512_set1_ps(left.scale[r]);
    std::uint64_t found = 0;
#pragma GCC unroll 3
    for (std::size_t v = 0; v < kVectors; ++v) {
        const __m512 other = _mm512_loadu_ps(right.residual + v * 16);
        __m512 most = _mm512_fmadd_ps(other, residual, _mm512_add_ps(other, residual));
        most = _mm512_fmadd_ps(_mm512_set1_ps(rest), _mm512_loadu_ps(right.rest + v * 16), most);
        most = _mm512_fmadd_ps(to_floats(sum[r][v]), _mm512_mul_ps(scale, _mm512_loadu_ps(right.scale + v * 16)), most);
        const __mmask16 reached = _mm512_cmp_ps_mask(most, threshold, _CMP_GE_OQ);
        found |= static_cast<std::uint64_t>(reached) << (v * 16);
    }
    return found;
}

bool screen(const CodedRows& left, const CodedRows& right, std::size_t head, std::size_t groups, float threshold,
            std::uint64_t* hits) {
    const __m512 least = _mm512_set1_ps(threshold);
    Sums sum;
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 3
        for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = _mm512_set1_epi32(left.head_offset[r]);
    }
    std::uint64_t any = 0;
    if (head != 0) {
        add_columns(sum, left, right, 0, head);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kTileRows; ++r) any |= reaching(sum, r, left, right, left.rest[r], least);
        if (any == 0) return false;
    }
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kTileRows; ++r) {
        const __m512i offset = _mm512_set1_epi32(left.rest_offset[r]);
#pragma GCC unroll 3
        for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = _mm512_add_epi32(sum[r][v], offset);
    }
    add_columns(sum, left, right, head, groups);
    any = 0;
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kTileRows; ++r) any |= hits[r] = reaching(sum, r, left, right, 0, least);
    return any != 0;
}

template <typename Fold>
__m128 quarter(__m512 lanes, Fold fold) {
    float each[16];
    _mm512_storeu_ps(each, lanes);
    return fold(fold(_mm_loadu_ps(each), _mm_loadu_ps(each + 4)),
                fold(_mm_loadu_ps(each + 8), _mm_loadu_ps(each + 12)));
}

__m128 quarter_sum(__m512 lanes) {
    return quarter(lanes, [](__m128 a, __m128 b) { return _mm_add_ps(a, b); });
}

float largest_size(const float* x, std::size_t size) {
    const __m512i no_sign = _mm512_set1_epi32(0x7FFFFFFF);
    __m512 most = _mm512_setzero_ps();
    for (std::size_t at = 0; at < size; at += 16) {
        const __m512 sizes = _mm512_castsi512_ps(_mm512_and_si512(_mm512_loadu_si512(x + at), no_sign));
        most = _mm512_maskz_max_ps(0xFFFF, sizes, most);
    }
    const auto larger = [](__m128 a, __m128 b) { return _mm_max_ps(a, b); };
    const __m128 four = quarter(most, larger);
    const __m128 two = larger(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(larger(two, _mm_movehdup_ps(two)));
}

RowCode code(const float* x, std::size_t size, std::size_t head, signed char* out) {
    const __m512 round = _mm512_set1_ps(0x1.8p23F);      // added and taken away: the nearest whole number
    const __m512i bits = _mm512_set1_epi32(0x4B400000);  // of `round`: the number stands in the lowest ones
    const float largest = largest_size(x, size);
    const __m512 step = _mm512_set1_ps(largest / 127);
    const __m512 inverse = _mm512_set1_ps(largest > 0 ? 127 / largest : 0);
    __m512 residual = _mm512_setzero_ps();
    __m512 rest = _mm512_setzero_ps();
    __m512i head_sum = _mm512_setzero_si512();
    __m512i sum = _mm512_setzero_si512();
    for (std::size_t at = 0; at < size; at += 16) {
        if (at == 4 * head) {
            head_sum = sum;
            rest = _mm512_setzero_ps();
        }
        const __m512 value = _mm512_loadu_ps(x + at);
        const __m512 shifted = _mm512_add_ps(_mm512_mul_ps(value, inverse), round);
        const __m512 left = _mm512_fnmadd_ps(_mm512_sub_ps(shifted, round), step, value);
        const __m512i codes = _mm512_sub_epi32(_mm512_castps_si512(shifted), bits);
        residual = _mm512_fmadd_ps(left, left, residual);
        rest = _mm512_fmadd_ps(value, value, rest);
        sum = _mm512_add_epi32(sum, codes);
        _mm512_mask_cvtepi32_storeu_epi8(out + at, 0xFFFF, codes);
    }
    // Sums of codes are below 2^24: floats hold them.
    const __m128 lengths = _mm_hadd_ps(quarter_sum(residual), quarter_sum(rest));
    const __m128 codes = _mm_hadd_ps(quarter_sum(to_floats(head_sum)), quarter_sum(to_floats(sum)));
    float totals[4];
    _mm_storeu_ps(totals, _mm_hadd_ps(lengths, codes));
    return {largest / 127, __builtin_sqrtf(totals[0]) * 1.001F + 2e-7F, __builtin_sqrtf(totals[1]) * 1.001F + 2e-7F,
            -128 * static_cast<std::int32_t>(totals[2]), -128 * static_cast<std::int32_t>(totals[3] - totals[2])};
}

}  // namespace

extern const ScreenKernels kScreen_avx512vnni;
const ScreenKernels kScreen_avx512vnni = {screen, code};

}  // namespace tersely::simd
