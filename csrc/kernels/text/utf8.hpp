// UTF-8 decoding. Contract: the text is valid UTF-8 (the border guarantees it: it comes from a
// Python str without surrogates). Offsets are bytes and always lie on a character boundary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tersely::text {

struct Decoded {
    char32_t code;
    std::size_t length;  // bytes, 1..4
};

inline bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// The character at `at` (at < text.size()). A sequence cut short by the end gives U+FFFD, length 1.
inline Decoded decode(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(at);
    if (lead < 0x80U) return {lead, 1};
    const std::size_t length = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
    if (at + length > text.size()) return {0xFFFD, 1};
    char32_t code = lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) code = (code << 6U) | (byte(at + i) & 0x3FU);
    return {code, length};
}

// Whether is(code) of any character.
template <typename Is>
bool any_code(std::string_view text, const Is& is) {
    for (std::size_t at = 0; at < text.size();) {
        const Decoded here = decode(text, at);
        if (is(here.code)) return true;
        at += here.length;
    }
    return false;
}

// The character that ends at `end` (end > 0).
inline Decoded decode_before(std::string_view text, std::size_t end) {
    std::size_t at = end - 1;
    while (at > 0 && end - at < 4 && is_continuation(text[at])) --at;
    return decode(text, at);
}

// `at` moved back to the start of the character it lies in.
inline std::size_t floor_char(std::string_view text, std::size_t at) {
    while (at > 0 && at < text.size() && is_continuation(text[at])) --at;
    return at;
}

// `out` is anything with push_back(char).
template <typename Bytes>
void append_utf8(Bytes& out, char32_t code) {
    if (code < 0x80) {
        out.push_back(static_cast<char>(code));
    } else if (code < 0x800) {
        out.push_back(static_cast<char>(0xC0U | (code >> 6U)));
        out.push_back(static_cast<char>(0x80U | (code & 0x3FU)));
    } else if (code < 0x10000) {
        out.push_back(static_cast<char>(0xE0U | (code >> 12U)));
        out.push_back(static_cast<char>(0x80U | ((code >> 6U) & 0x3FU)));
        out.push_back(static_cast<char>(0x80U | (code & 0x3FU)));
    } else {
        out.push_back(static_cast<char>(0xF0U | (code >> 18U)));
        out.push_back(static_cast<char>(0x80U | ((code >> 12U) & 0x3FU)));
        out.push_back(static_cast<char>(0x80U | ((code >> 6U) & 0x3FU)));
        out.push_back(static_cast<char>(0x80U | (code & 0x3FU)));
    }
}

}  // namespace tersely::text
