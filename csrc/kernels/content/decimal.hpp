// Reads decimal numbers without a locale and without std::from_chars, which some C++ libraries lack for doubles.
//
// [-] digits [. digits] [e [+-] digits], at least one digit, nothing else. Exact, as the nearest double, where at most
// fifteen digits count and the power of ten is at most 22 (Clinger, PLDI 1990); else within three units of the last
// place. The same bits everywhere. False for what is no number or no finite one. O(length).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "kernels/text/unicode.hpp"

namespace tersely::content {

namespace decimal {

constexpr std::array<double, 23> kTens = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int kMostExponent = 9999;  // what is larger is infinite or zero, whatever the digits

inline double scaled(double value, int exponent) {
    for (; exponent > 22 && std::isfinite(value); exponent -= 22) value *= kTens[22];
    for (; exponent < -22 && value != 0; exponent += 22) value /= kTens[22];
    if (!std::isfinite(value) || value == 0) return value;
    return exponent < 0 ? value / kTens[static_cast<std::size_t>(-exponent)]
                        : value * kTens[static_cast<std::size_t>(exponent)];
}

}  // namespace decimal

inline bool read_decimal(std::string_view text, double& value) {
    std::size_t at = 0;
    const bool negative = !text.empty() && text[0] == '-';
    if (negative) ++at;
    std::uint64_t digits = 0;
    int exponent = 0;
    bool some = false;
    const auto read_digits = [&](int step) {  // `step`: what a digit that is read takes from the exponent
        for (; at < text.size() && text::ascii_digit(text[at]); ++at) {
            some = true;
            if (digits < 100'000'000'000'000'000ULL) {  // seventeen digits at least
                digits = digits * 10 + static_cast<std::uint64_t>(text[at] - '0');
                exponent -= step;
            } else {
                exponent += 1 - step;
            }
        }
    };
    read_digits(0);
    if (at < text.size() && text[at] == '.') {
        ++at;
        read_digits(1);
    }
    if (!some) return false;
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        const bool below = at < text.size() && text[at] == '-';
        if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
        if (at == text.size()) return false;
        int power = 0;
        for (; at < text.size() && text::ascii_digit(text[at]); ++at) {
            power = std::min(power * 10 + (text[at] - '0'), decimal::kMostExponent);
        }
        exponent += below ? -power : power;
    }
    if (at != text.size()) return false;
    const double size = decimal::scaled(static_cast<double>(digits), exponent);
    if (!std::isfinite(size) || (size == 0 && digits != 0)) return false;
    value = negative ? -size : size;
    return true;
}

}  // namespace tersely::content
