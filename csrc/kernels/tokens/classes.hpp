// What the encodings' patterns ask about a character, from the table that tools/make_token_classes.py records.
//
// Contract: the answers of tiktoken's own regular expressions (their \s is Unicode's White_Space, so U+001C to U+001F
// are none). A character has one class at most; 0: punctuation, symbols, controls, what is not assigned.
#pragma once

#include <array>
#include <cstdint>

namespace tersely::tokens {

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

}  // namespace tersely::tokens
