// The NEON kernels give the bits of the scalar ones. Built for aarch64 and run in an emulator by ci/neon.sh.
#include <cstdio>
#include <cstring>
#include <vector>

#include "simd/dot.hpp"

namespace tersely::simd {
extern const DotKernels kDot_neon;
extern const DotKernels kDot_scalar;
}  // namespace tersely::simd

using tersely::simd::kDot_neon;
using tersely::simd::kDot_scalar;
using tersely::simd::kPackRows;
using tersely::simd::kPanel;
using tersely::simd::kSums;
using tersely::simd::kTileRows;

namespace {

int failures = 0;

void expect(bool same, const char* what, std::size_t size) {
    if (same) return;
    ++failures;
    std::printf("%s differs at size %zu\n", what, size);
}

template <typename T>
std::vector<T> noise(std::size_t size, unsigned seed) {
    std::vector<T> values(size);
    for (T& value : values) {
        seed = seed * 1664525U + 1013904223U;
        value = static_cast<T>(static_cast<int>(seed)) / static_cast<T>(2147483648.0);
    }
    return values;
}

template <typename T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

void check_tiles(std::size_t depth) {
    const std::vector<float> panel = noise<float>(kPanel * depth, 7);
    std::vector<float> ours(kTileRows * kPanel), theirs(kTileRows * kPanel);
    std::uint64_t hits[kTileRows], expected[kTileRows];
    kDot_neon.line(panel.data() + 5, panel.data(), depth, ours.data());
    kDot_scalar.line(panel.data() + 5, panel.data(), depth, theirs.data());
    expect(std::memcmp(ours.data(), theirs.data(), kPanel * sizeof(float)) == 0, "line", depth);
    for (std::size_t row = 0; row < kPanel; row += kTileRows) {
        for (const float least : {-1e9F, 0.0F, 1.5F, 1e9F}) {
            const bool any = kDot_neon.tile(panel.data() + row, panel.data(), depth, least, ours.data(), hits);
            const bool wanted =
                kDot_scalar.tile(panel.data() + row, panel.data(), depth, least, theirs.data(), expected);
            expect(any == wanted && std::memcmp(hits, expected, sizeof hits) == 0, "hits", depth);
            for (std::size_t i = 0; i < ours.size(); ++i) {
                if ((expected[i / kPanel] >> (i % kPanel) & 1U) == 0) continue;
                expect(std::memcmp(&ours[i], &theirs[i], sizeof(float)) == 0, "tile", depth);
            }
        }
    }
}

void check_rows(std::size_t size) {
    const std::vector<double> x = noise<double>(size, 1), y = noise<double>(size, 2);
    const std::vector<float> floats = noise<float>(kPackRows * size, 3), least = noise<float>(size, 4);
    const double dots[] = {kDot_neon.dot(x.data(), y.data(), size), kDot_scalar.dot(x.data(), y.data(), size)};
    expect(std::memcmp(&dots[0], &dots[1], sizeof(double)) == 0, "dot", size);
    const double sums[] = {kDot_neon.excess(floats.data(), least.data(), x.data(), size),
                           kDot_scalar.excess(floats.data(), least.data(), x.data(), size)};
    expect(std::memcmp(&sums[0], &sums[1], sizeof(double)) == 0, "excess", size);
    std::vector<double> wide(size), wider(size);
    kDot_neon.widen(floats.data(), size, wide.data());
    kDot_scalar.widen(floats.data(), size, wider.data());
    expect(same(wide, wider), "widen", size);
    std::vector<float> scaled(size), scaled2(size);
    kDot_neon.scale(x.data(), size, 0.3, scaled.data());
    kDot_scalar.scale(x.data(), size, 0.3, scaled2.data());
    expect(same(scaled, scaled2), "scale", size);
    std::vector<float> words(kPanel * size), words2(kPanel * size);
    kDot_neon.interleave(floats.data(), size, size, words.data());
    kDot_scalar.interleave(floats.data(), size, size, words2.data());
    expect(same(words, words2), "interleave", size);
}

}  // namespace

int main() {
    for (const std::size_t size : {1U, 2U, 15U, 16U, 17U, 33U, 48U, 100U, 384U}) {
        check_tiles(size);
        check_rows(size);
    }
    std::printf("NEON against scalar: %d differences\n", failures);
    return failures == 0 ? 0 : 1;
}
