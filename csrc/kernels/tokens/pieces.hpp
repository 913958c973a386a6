// Cuts a text into the pieces that byte pairs are merged within: what the patterns of o200k_base and cl100k_base match.
//
// Contract: `next_piece(text, at)` is the end of the match of the encoding's pattern (`pat_str` of
// tiktoken_ext/openai_public.py) that begins at `at`. Every place that is no end of text begins a match, so the pieces
// follow one another from 0 on, and where a piece ends depends on nothing before it. For o200k_base the alternatives
// are
//   1  [^\r\n\p{L}\p{N}]? [Lu Lt Lm Lo M]* [Ll Lm Lo M]+ (?i:'s|'t|'re|'ve|'m|'ll|'d)?
//   2  [^\r\n\p{L}\p{N}]? [Lu Lt Lm Lo M]+ [Ll Lm Lo M]* (?i:'s|'t|'re|'ve|'m|'ll|'d)?
//   3  \p{N}{1,3}    4  " "? [^\s\p{L}\p{N}]+ [\r\n/]*    5  \s*[\r\n]+    6  \s+(?!\S)    7  \s+
// and for cl100k_base
//   1  '(?i:[sdmt]|ll|ve|re)    2  [^\r\n\p{L}\p{N}]? \p{L}+    3  \p{N}{1,3}    4  " "? [^\s\p{L}\p{N}]+ [\r\n]*
//   5  \s+$    6  \s*[\r\n]    7  \s+(?!\S)    8  \s
// (?i:s) takes U+017F as well. The text is valid UTF-8. O(text) for all pieces of a text: no character is looked at
// more than a bounded number of times.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernels/text/eight_bytes.hpp"
#include "kernels/text/unicode.hpp"

namespace tersely::tokens {

// What the encodings' patterns ask about a character, from the table that tools/make_token_classes.py records.
//
// Contract: the answers of tiktoken's own regular expressions (their \s is Unicode's White_Space, so U+001C to U+001F
// are none). A character has one class at most; 0: punctuation, symbols, controls, what is not assigned.

enum CharClass : std::uint8_t {
    kUpper = 1,  // Lu, Lt
    kLower = 2,  // Ll
    kOther = 4,  // Lm, Lo
    kMark = 8,   // M
    kNumber = 16,
    kSpace = 32,
    kLetter = kUpper | kLower | kOther,
    kNoSymbol = kLetter | kNumber | kSpace  // a mark is a symbol, too: [^\s\p{L}\p{N}]
};

extern const std::array<std::uint8_t, 0x80> kAsciiClass;
std::uint8_t wide_class(char32_t code);  // O(1)

inline std::uint8_t char_class(char32_t code) { return code < 0x80 ? kAsciiClass[code] : wide_class(code); }

using text::ascii_letters;
using text::leading;
using text::load8;
using text::load_first;

enum class Pattern : std::uint32_t { kO200k = 0, kCl100k = 1 };

// What `next_piece` does for any characters.
template <Pattern pattern>
std::size_t next_any_piece(std::string_view text, std::size_t at);

// The end of the piece that begins at `at`, whose symbols begin at `from`.
template <Pattern pattern>
inline std::size_t ascii_symbols(std::string_view text, std::size_t at, std::size_t from) {
    std::size_t end = from;
    const auto byte = [&] { return static_cast<unsigned char>(text[end]); };
    while (end < text.size() && byte() < 0x80U && (kAsciiClass[byte()] & kNoSymbol) == 0) ++end;
    if (end < text.size() && byte() >= 0x80U) return next_any_piece<pattern>(text, at);
    while (end < text.size() &&
           (text[end] == '\n' || text[end] == '\r' || (pattern == Pattern::kO200k && text[end] == '/')))
        ++end;
    return end;
}

// The end of the piece that begins at `at` < text.size(). Words of ASCII are looked at eight bytes at a time.
template <Pattern pattern>
inline std::size_t next_piece(std::string_view text, std::size_t at) {
    if (text.size() - at < 10) return next_any_piece<pattern>(text, at);
    const auto first = static_cast<unsigned char>(text[at]);
    if (first >= 0x80U) return next_any_piece<pattern>(text, at);
    const std::uint8_t kind = kAsciiClass[first];
    const bool led = (kind & kLetter) == 0;
    if (led) {
        if ((kind & kNumber) != 0) {
            std::size_t end = at + 1;
            while (end < at + 3 && text::ascii_digit(text[end])) ++end;
            const bool wide = end < at + 3 && static_cast<unsigned char>(text[end]) >= 0x80U;  // a number, too?
            return wide ? next_any_piece<pattern>(text, at) : end;
        }
        const auto second = static_cast<unsigned char>(text[at + 1]);
        if (second >= 0x80U) return next_any_piece<pattern>(text, at);
        const std::uint8_t follows = kAsciiClass[second];
        if ((kind & kSpace) != 0) {
            if ((follows & kSpace) != 0) return next_any_piece<pattern>(text, at);
            if (first == '\n' || first == '\r' || (follows & kNumber) != 0) return at + 1;
            if (follows == 0) return first == ' ' ? ascii_symbols<pattern>(text, at, at + 1) : at + 1;
        } else if ((follows & kLetter) == 0) {
            return ascii_symbols<pattern>(text, at, at);
        } else if (first == '\'') {
            return next_any_piece<pattern>(text, at);
        }
    }
    std::size_t end = at + (led ? 1 : 0);
    const std::uint64_t word = load8(text.data() + end);
    const std::uint64_t letters = ascii_letters(word);
    std::size_t size = 0;
    if constexpr (pattern == Pattern::kO200k) {
        const std::uint64_t lower = letters & word << 2U;
        const std::size_t heads = leading(letters & ~lower);
        if (heads == 8) return next_any_piece<pattern>(text, at);
        size = heads + leading(lower >> (8 * heads));
    } else {
        size = leading(letters);
    }
    if (size == 0) return next_any_piece<pattern>(text, at);
    end += size;
    while (size == 8) {
        if (text.size() - end < 9) return next_any_piece<pattern>(text, at);
        const std::uint64_t more = load8(text.data() + end);
        const std::uint64_t among = ascii_letters(more);
        size = leading(pattern == Pattern::kO200k ? among & more << 2U : among);
        end += size;
    }
    const auto next = static_cast<unsigned char>(text[end]);
    if (next >= 0x80U || (pattern == Pattern::kO200k && next == '\'')) return next_any_piece<pattern>(text, at);
    return end;
}

}  // namespace tersely::tokens
