// One source for every instruction set. The including file defines, in an unnamed namespace, Vector, kLanes,
// kMicroRows, kMicroVectors, load, store, spread (one value to all lanes), fused (a * b + c, rounded once) and
// at_least (a bit a lane). No STL, nothing inline that the linker could share between files built with different flags.
namespace {

using Size = decltype(sizeof(0));
constexpr Size kSums = tersely::simd::kSums;
constexpr Size kMicroColumns = kMicroVectors * kLanes;
static_assert(tersely::simd::kPanel % kMicroColumns == 0 && tersely::simd::kTileRows % kMicroRows == 0);

// A part of a tile whose sums stay in registers over the whole depth.
bool micro_tile(const float* left, const float* right, Size depth, float threshold, float* out, std::uint64_t* hits,
                Size column) {
    constexpr Size kPanel = tersely::simd::kPanel;
    Vector sum[kMicroRows][kMicroVectors];
#pragma GCC unroll 16
    for (Size r = 0; r < kMicroRows; ++r) {
#pragma GCC unroll 4
        for (Size v = 0; v < kMicroVectors; ++v) sum[r][v] = spread(0.0F);
    }
    for (Size k = 0; k < depth; ++k, left += kPanel, right += kPanel) {
        Vector columns[kMicroVectors];
#pragma GCC unroll 4
        for (Size v = 0; v < kMicroVectors; ++v) columns[v] = load(right + v * kLanes);
#pragma GCC unroll 16
        for (Size r = 0; r < kMicroRows; ++r) {
            const Vector row = spread(left[r]);
#pragma GCC unroll 4
            for (Size v = 0; v < kMicroVectors; ++v) sum[r][v] = fused(row, columns[v], sum[r][v]);
        }
    }
    const Vector least = spread(threshold);
    std::uint64_t any = 0;
#pragma GCC unroll 16
    for (Size r = 0; r < kMicroRows; ++r) {
        std::uint64_t mine = 0;
#pragma GCC unroll 4
        for (Size v = 0; v < kMicroVectors; ++v) {
            mine |= static_cast<std::uint64_t>(at_least(sum[r][v], least)) << (v * kLanes);
        }
        hits[r] |= mine << column;
        any |= mine;
    }
    if (any == 0) return false;
#pragma GCC unroll 16
    for (Size r = 0; r < kMicroRows; ++r) {
#pragma GCC unroll 4
        for (Size v = 0; v < kMicroVectors; ++v) store(out + r * kPanel + v * kLanes, sum[r][v]);
    }
    return true;
}

bool tile(const float* left, const float* right, Size depth, float threshold, float* out, std::uint64_t* hits) {
    constexpr Size kPanel = tersely::simd::kPanel;
    bool any = false;
    for (Size r = 0; r < tersely::simd::kTileRows; ++r) hits[r] = 0;
    for (Size r = 0; r < tersely::simd::kTileRows; r += kMicroRows) {
        for (Size c = 0; c < kPanel; c += kMicroColumns) {
            any |= micro_tile(left + r, right + c, depth, threshold, out + r * kPanel + c, hits + r, c);
        }
    }
    return any;
}

void line(const float* left, const float* right, Size depth, float* out) {
    constexpr Size kPanel = tersely::simd::kPanel;
    constexpr Size kVectors = kPanel / kLanes;
    Vector sum[kVectors];
    for (Size v = 0; v < kVectors; ++v) sum[v] = spread(0.0F);
    for (Size k = 0; k < depth; ++k, left += kPanel, right += kPanel) {
        const Vector row = spread(*left);
#pragma GCC unroll 12
        for (Size v = 0; v < kVectors; ++v) sum[v] = fused(row, load(right + v * kLanes), sum[v]);
    }
    for (Size v = 0; v < kVectors; ++v) store(out + v * kLanes, sum[v]);
}

// Adds the second half of the sums to the first until one is left.
double halves(double* sum) {
    for (Size half = kSums / 2; half > 0; half /= 2) {
        for (Size i = 0; i < half; ++i) sum[i] += sum[i + half];
    }
    return sum[0];
}

double dot(const double* x, const double* y, Size size) {
    double sum[kSums] = {};
    Size at = 0;
    for (; at + kSums <= size; at += kSums) {
        for (Size i = 0; i < kSums; ++i) sum[i] += x[at + i] * y[at + i];
    }
    for (Size i = 0; at + i < size; ++i) sum[i] += x[at + i] * y[at + i];
    return halves(sum);
}

template <typename Weight>
double weighted_excess(const float* x, const float* least, Weight weighted, Size size) {
    double sum[kSums] = {};
    Size at = 0;
    for (; at + kSums <= size; at += kSums) {
        for (Size i = 0; i < kSums; ++i) {
            const double more = static_cast<double>(x[at + i]) - static_cast<double>(least[at + i]);
            sum[i] += weighted(at + i, more > 0 ? more : 0.0);
        }
    }
    for (Size i = 0; at + i < size; ++i) {
        const double more = static_cast<double>(x[at + i]) - static_cast<double>(least[at + i]);
        sum[i] += weighted(at + i, more > 0 ? more : 0.0);
    }
    return halves(sum);
}

double excess(const float* x, const float* least, const double* weights, Size size) {
    if (weights == nullptr) return weighted_excess(x, least, [](Size, double more) { return more; }, size);
    return weighted_excess(x, least, [weights](Size i, double more) { return weights[i] * more; }, size);
}

void widen(const float* x, Size size, double* out) {
    for (Size i = 0; i < size; ++i) out[i] = static_cast<double>(x[i]);
}

void scale_row(const double* x, Size size, double factor, float* out) {
    constexpr float kSmallest = 0x1p-63F;
    for (Size i = 0; i < size; ++i) {
        const float value = static_cast<float>(x[i] * factor);
        out[i] = value < kSmallest && value > -kSmallest ? 0.0F : value;
    }
}

void interleave(const void* rows, Size stride, Size size, void* words) {
    constexpr Size kWord = 4;
    const auto* from = static_cast<const char*>(rows);
    auto* to = static_cast<char*>(words);
    for (Size i = 0; i < size; ++i) {
#pragma GCC unroll 16
        for (Size r = 0; r < tersely::simd::kPackRows; ++r) {
            __builtin_memcpy(to + (i * tersely::simd::kPanel + r) * kWord, from + (r * stride + i) * kWord, kWord);
        }
    }
}

}  // namespace
