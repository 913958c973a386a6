#include "kernels/similarity/coded.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/parallel.hpp"
#include "simd/codes.hpp"

namespace tersely::similarity {
namespace {

constexpr int kMostCode = 127;
constexpr double kUp = 1 + 1e-6;       // more than a double loses when it becomes a float32
constexpr double kRounding = 1e-6;     // of the length of a query: more than bounds lose likewise
constexpr std::size_t kAtOnce = 4096;  // rows between two looks for Ctrl-C

float largest(std::span<const float> values) {
    float most = 0;
    for (const float value : values) most = std::max(most, std::abs(value));
    return most;
}

// What is left of values / step rounded to whole numbers, which are written to `codes`; its length.
template <typename T>
double round_to(std::span<const float> values, double step, int most, T* codes) {
    double left = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double code = step > 0 ? std::clamp<double>(std::nearbyint(values[i] / step), -most, most) : 0;
        codes[i] = static_cast<T>(code);
        const double off = values[i] - step * code;
        left += off * off;
    }
    return std::sqrt(left);
}

}  // namespace

void code_rows(std::span<const float> rows, std::size_t width, std::int8_t* codes, float* scale, float* rest) {
    const std::size_t count = width == 0 ? 0 : rows.size() / width;
    for (std::size_t r = 0; r < count; ++r) {
        if (r % kAtOnce == 0) check_cancelled();
        const auto row = rows.subspan(r * width, width);
        scale[r] = largest(row) / kMostCode;
        rest[r] = static_cast<float>(kUp * round_to(row, scale[r], kMostCode, codes + r * width));
    }
}

void bound_products(const CodedRows& rows, std::span<const float> query, float* lower, float* upper) {
    const std::int64_t width = static_cast<std::int64_t>(std::max<std::size_t>(rows.width, 1));
    const std::int64_t room = std::numeric_limits<std::int32_t>::max() / (128 * width);  // a damaged code may be -128
    const int most = static_cast<int>(std::min<std::int64_t>(std::numeric_limits<std::int16_t>::max(), room));
    const double step = static_cast<double>(largest(query)) / most;
    std::vector<std::int16_t> codes(query.size());
    const double left = kUp * round_to(query, step, most, codes.data());
    double length = 0;
    for (const float value : query) length += static_cast<double>(value) * value;
    length = kUp * std::sqrt(length);
    std::array<std::int32_t, kAtOnce> sums;
    for (std::size_t first = 0; first < rows.scale.size(); first += kAtOnce) {
        check_cancelled();
        const std::size_t count = std::min(kAtOnce, rows.scale.size() - first);
        simd::code_kernels().dot_rows(rows.codes.data() + first * rows.width, count, rows.width, codes.data(),
                                      sums.data());
        for (std::size_t i = 0; i < count; ++i) {
            const double rest = rows.rest[first + i];
            const double about = rows.scale[first + i] * step * sums[i];
            const double off = rest * length + (kUp + rest) * left + kRounding * length;
            lower[first + i] = static_cast<float>(about - off);
            upper[first + i] = static_cast<float>(about + off);
        }
    }
}

}  // namespace tersely::similarity
