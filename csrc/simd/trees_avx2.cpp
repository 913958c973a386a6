#include <immintrin.h>

#include <algorithm>

#include "simd/trees.hpp"

namespace {

using tersely::simd::kTreeRows;

constexpr std::size_t kTogether = 255;  // trees whose sums fit into 16 bits: a leaf is -128 at least

__m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

void find_bins(const float* borders, std::size_t count, const float* values, std::uint8_t* bins) {
    __m256 value[4];
    __m256i below[4];
    for (int part = 0; part < 4; ++part) {
        value[part] = _mm256_loadu_ps(values + 8 * part);
        below[part] = _mm256_setzero_si256();
    }
    for (std::size_t b = 0; b < count; ++b) {
        const __m256 border = _mm256_set1_ps(borders[b]);
        for (int part = 0; part < 4; ++part) {
            const __m256i over = _mm256_castps_si256(_mm256_cmp_ps(value[part], border, _CMP_GT_OQ));
            below[part] = _mm256_sub_epi32(below[part], over);
        }
    }
    const __m256i low = _mm256_packus_epi32(below[0], below[1]);
    const __m256i high = _mm256_packus_epi32(below[2], below[3]);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);  // packing goes by halves
    const __m256i packed = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(bins), packed);
}

void add(std::int32_t* sums, __m256i more) {
    const __m256i low = _mm256_cvtepi16_epi32(_mm256_castsi256_si128(more));
    const __m256i high = _mm256_cvtepi16_epi32(_mm256_extracti128_si256(more, 1));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums), _mm256_add_epi32(load(sums), low));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + 8), _mm256_add_epi32(load(sums + 8), high));
}

void sum_leaves(const std::uint8_t* bins, const std::uint8_t* column, const std::uint8_t* bin, const std::int8_t* leaf,
                std::size_t trees, std::int32_t* sums) {
    const __m256i zero = _mm256_setzero_si256();
    const __m256i one = _mm256_set1_epi8(1);
    for (std::size_t i = 0; i < kTreeRows; ++i) sums[i] = 0;
    for (std::size_t first = 0; first < trees; first += kTogether) {
        __m256i low = zero;
        __m256i high = zero;
        for (std::size_t t = first; t < std::min(trees, first + kTogether); ++t) {
            __m256i at = zero;
            for (std::size_t k = 4 * t; k < 4 * t + 4; ++k) {
                const __m256i row = load(bins + kTreeRows * column[k]);
                const __m256i asked = _mm256_set1_epi8(static_cast<char>(bin[k]));
                const __m256i no = _mm256_cmpeq_epi8(_mm256_subs_epu8(row, asked), zero);  // 255 where it is not over
                at = _mm256_add_epi8(_mm256_add_epi8(at, at), _mm256_add_epi8(one, no));
            }
            const __m128i leaves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(leaf + 16 * t));
            const __m256i found = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(leaves), at);
            low = _mm256_add_epi16(low, _mm256_cvtepi8_epi16(_mm256_castsi256_si128(found)));
            high = _mm256_add_epi16(high, _mm256_cvtepi8_epi16(_mm256_extracti128_si256(found, 1)));
        }
        add(sums, low);
        add(sums + 16, high);
    }
}

}  // namespace

namespace tersely::simd {
extern const TreeKernels kTrees_avx2;
const TreeKernels kTrees_avx2 = {find_bins, sum_leaves};
}  // namespace tersely::simd
