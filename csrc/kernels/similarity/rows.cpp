#include "kernels/similarity/rows.hpp"

#include <cmath>
#include <cstring>
#include <span>
#include <string>

namespace tersely::similarity {
namespace {

// IEEE 754 binary16, exact.
double half(std::uint16_t bits) {
    const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
    const int exponent = (bits >> 10U) & 0x1F;
    const double fraction = bits & 0x3FFU;
    if (exponent == 0) return sign * fraction * 0x1p-24;
    if (exponent == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
    return sign * std::ldexp(1024 + fraction, exponent - 25);
}

template <typename T>
T at(const std::byte* place) {  // need not be aligned
    T value;
    std::memcpy(&value, place, sizeof(T));
    return value;
}

}  // namespace

NotFinite::NotFinite(std::size_t at)
    : std::invalid_argument("row " + std::to_string(at) + " holds a NaN or an infinity"), row(at) {}

void RowReader::load(std::size_t row) {
    const std::byte* place = rows_.data + static_cast<std::ptrdiff_t>(row) * rows_.row_stride;
    const bool aligned = reinterpret_cast<std::uintptr_t>(place) % alignof(float) == 0;
    if (rows_.format == Format::kSingle && rows_.column_stride == sizeof(float) && aligned) {
        simd::dot_kernels().widen(reinterpret_cast<const float*>(place), rows_.depth, values_.data());
        return;
    }
    for (double& value : std::span(values_).first(rows_.depth)) {
        switch (rows_.format) {
            case Format::kHalf:
                value = half(at<std::uint16_t>(place));
                break;
            case Format::kSingle:
                value = static_cast<double>(at<float>(place));
                break;
            case Format::kDouble:
                value = at<double>(place);
                break;
        }
        place += rows_.column_stride;
    }
}

double RowReader::read(std::size_t row) {
    load(row);
    const simd::DotKernels& kernels = simd::dot_kernels();
    double sum = kernels.dot(values_.data(), values_.data(), values_.size());
    if (!(sum >= 0x1p-600 && sum <= 0x1p600)) {  // too large or small to square, zero, or not finite
        double largest = 0;
        for (const double value : values_) {
            if (!std::isfinite(value)) throw NotFinite(row);
            largest = std::fmax(largest, std::fabs(value));
        }
        if (largest == 0) return 0;
        const int exponent = std::ilogb(largest);
        for (double& value : values_) value = std::scalbn(value, -exponent);
        sum = kernels.dot(values_.data(), values_.data(), values_.size());
    }
    return 1 / std::sqrt(sum);
}

double Cosine::operator()(std::size_t i, std::size_t j) {
    if (held_ != i) {
        factor_ = left_.read(i);
        held_ = i;
    }
    const double other = right_.read(j);
    return simd::dot_kernels().dot(left_.values(), right_.values(), depth_) * factor_ * other;
}

}  // namespace tersely::similarity
