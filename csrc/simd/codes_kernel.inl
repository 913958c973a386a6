// One source for every instruction set: plain loops over fixed blocks, which the compiler turns into vector code for
// the flags of the including file. Nothing inline that the linker could share between files built with other flags.
#include "simd/prefetch.hpp"

namespace {

void add_rows(const std::uint8_t* codes, std::size_t width, const float* scales, const std::int32_t* ids,
              std::size_t count, float* sums) {
    constexpr std::size_t block = tersely::simd::kCodeBlock;
    constexpr std::size_t ahead = tersely::simd::kRowsAhead;
    for (std::size_t first = 0; first < width; first += block) {
        float low[block], high[block];
        for (std::size_t i = 0; i < block; ++i) low[i] = sums[first + i];
        for (std::size_t i = 0; i < block; ++i) high[i] = sums[width + first + i];
        const std::size_t fetched = first % tersely::simd::kMemoryLine == 0 && count > ahead ? count - ahead : 0;
        for (std::size_t t = 0; t < count; ++t) {
            if (t < fetched) tersely::simd::prefetch(codes + static_cast<std::size_t>(ids[t + ahead]) * width + first);
            const std::size_t row = static_cast<std::size_t>(ids[t]);
            const std::uint8_t* bytes = codes + row * width + first;
            const float scale = scales[row];
            for (std::size_t i = 0; i < block; ++i) low[i] += scale * static_cast<float>((bytes[i] & 15) - 8);
            for (std::size_t i = 0; i < block; ++i) high[i] += scale * static_cast<float>((bytes[i] >> 4) - 8);
        }
        for (std::size_t i = 0; i < block; ++i) sums[first + i] = low[i];
        for (std::size_t i = 0; i < block; ++i) sums[width + first + i] = high[i];
    }
}

}  // namespace
