// Character classes and folding, from the tables that tools/make_unicode_tables.py writes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace tersely::text {

enum CharClass : std::uint8_t {
    kLetter = 1,
    kDigit = 2,
    kMark = 4,
    kUpper = 8,
    kLower = 16,
    kNgram = 32,    // letters of scripts written without spaces between words
    kSpace = 64,    // Python's str.isspace()
    kClosing = 128  // closing brackets and quotes, and the undirected quotes
};

extern const std::array<std::uint8_t, 0x80> kAsciiClass;
std::uint8_t wide_class(char32_t code);

// The flags of a code point; 0 from U+32400 on. O(1).
inline std::uint8_t char_class(char32_t code) { return code < 0x80 ? kAsciiClass[code] : wide_class(code); }

// Simple case folding, then the folded base letter where the canonical decomposition adds only combining
// accents (U+0300-U+036F): one code point in, one out; folding twice changes nothing. O(log n) outside Latin-1.
char32_t fold(char32_t code);

inline bool is_space(char32_t code) { return (char_class(code) & kSpace) != 0; }
inline bool is_letter(char32_t code) { return (char_class(code) & kLetter) != 0; }
inline bool is_digit(char32_t code) { return (char_class(code) & kDigit) != 0; }
inline bool is_upper(char32_t code) { return (char_class(code) & kUpper) != 0; }
inline bool is_lower(char32_t code) { return (char_class(code) & kLower) != 0; }
inline bool is_word(char32_t code) { return (char_class(code) & (kLetter | kDigit | kMark)) != 0; }

constexpr bool ascii_upper(char byte) { return byte >= 'A' && byte <= 'Z'; }
constexpr bool ascii_lower(char byte) { return byte >= 'a' && byte <= 'z'; }
constexpr bool ascii_alpha(char byte) { return ascii_upper(byte) || ascii_lower(byte); }
constexpr bool ascii_digit(char byte) { return byte >= '0' && byte <= '9'; }
constexpr bool ascii_word(char byte) { return ascii_alpha(byte) || ascii_digit(byte) || byte == '_'; }
constexpr char ascii_small(char byte) { return ascii_upper(byte) ? static_cast<char>(byte + 32) : byte; }
inline bool among(char byte, std::string_view set) {  // a loop: `set` is short, and mostly known when this is compiled
    for (const char one : set) {
        if (one == byte) return true;
    }
    return false;
}
// Whether the text starts with a name in small letters, in whichever case.
inline bool starts_with_name(std::string_view text, std::string_view name) {
    return text.size() >= name.size() &&
           std::equal(name.begin(), name.end(), text.begin(), [](char a, char b) { return a == ascii_small(b); });
}
// The text without those bytes at its ends.
template <typename Is>
std::string_view trimmed_of(std::string_view text, const Is& is) {
    while (!text.empty() && is(text.front())) text.remove_prefix(1);
    while (!text.empty() && is(text.back())) text.remove_suffix(1);
    return text;
}
inline bool ascii_space(char byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r') || (byte >= '\x1c' && byte <= '\x1f');
}

}  // namespace tersely::text
