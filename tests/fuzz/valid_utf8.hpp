// Any bytes as the valid UTF-8 that the border gives to kernels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "kernels/text/utf8.hpp"

// Length of the valid UTF-8 character at `at`, 0 where there is none.
inline std::size_t valid_length(std::string_view text, std::size_t at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead < 0x80U) return 1;
    if (lead < 0xC2U || lead > 0xF4U) return 0;
    const tersely::text::Decoded here = tersely::text::decode(text, at);
    if (at + here.length > text.size() || here.length == 1) return 0;
    const auto rest = text.substr(at + 1, here.length - 1);
    const bool surrogate = here.code >= 0xD800 && here.code <= 0xDFFF;
    const char32_t least = here.length == 4 ? 0x10000 : here.length == 3 ? 0x800 : 0x80;
    const bool whole = std::all_of(rest.begin(), rest.end(), tersely::text::is_continuation);
    return whole && !surrogate && here.code >= least && here.code <= 0x10FFFF ? here.length : 0;
}

inline std::string replace_invalid(std::string_view bytes) {
    std::string text;
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t length = valid_length(bytes, at);
        text.append(length > 0 ? bytes.substr(at, length) : "\xEF\xBF\xBD");
        at += std::max<std::size_t>(length, 1);
    }
    return text;
}
