#include "kernels/content/json_string.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/text/utf8.hpp"

namespace tersely::content {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
constexpr std::uint64_t kHighs = 0x8080808080808080ULL;

// Non-zero where a byte is a quote, a backslash or a control character.
std::uint64_t special(std::uint64_t word) {
    const auto zero = [](std::uint64_t x) { return (x - kOnes) & ~x & kHighs; };
    const std::uint64_t control = (word - kOnes * 0x20) & ~word & kHighs;
    return zero(word ^ (kOnes * '"')) | zero(word ^ (kOnes * '\\')) | control;
}

bool is_hex(char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

// Bytes of the escape at a backslash; 0 where it is none.
std::size_t escape_length(std::string_view text, std::size_t at) {
    if (at + 1 >= text.size()) return 0;
    if (text[at + 1] != 'u') return std::string_view("\"\\/bfnrt").find(text[at + 1]) < 8 ? 2 : 0;
    if (at + 6 > text.size()) return 0;
    const std::string_view digits = text.substr(at + 2, 4);
    return std::all_of(digits.begin(), digits.end(), is_hex) ? 6 : 0;
}

// At an escape: is it \uD8.. to \uDB.. (third: 89ab) or \uDC.. to \uDF.. (cdef)?
bool is_surrogate(std::string_view text, std::size_t at, std::string_view third) {
    return text[at] == '\\' && text[at + 1] == 'u' && (text[at + 2] | 0x20) == 'd' &&
           third.find(static_cast<char>(text[at + 3] | 0x20)) != std::string_view::npos;
}

// Where what begins at `at` inside a string ends: a character, an escape or a pair of surrogate escapes.
std::size_t letter_end(std::string_view text, std::size_t at) {
    if (text[at] != '\\') return at + text::decode(text, at).length;
    const std::size_t end = at + escape_length(text, at);
    return is_surrogate(text, at, "89ab") && is_surrogate(text, end, "cdef") ? end + 6 : end;
}

}  // namespace

std::size_t string_end(std::string_view text, std::size_t at) {
    for (++at; at < text.size();) {
        while (at + 8 <= text.size()) {
            std::uint64_t word = 0;
            std::memcpy(&word, text.data() + at, 8);
            if (special(word) != 0) break;
            at += 8;
        }
        if (at == text.size()) break;
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte == '"') return at + 1;
        if (byte < 0x20) return 0;
        const std::size_t length = byte == '\\' ? escape_length(text, at) : 1;
        if (length == 0) return 0;
        at += length;
    }
    return 0;
}

std::size_t comment_end(std::string_view text, std::size_t at) {
    const std::string_view mark = text.substr(std::min(at, text.size()), 2);
    if (mark != "//" && mark != "/*") return at;
    const std::string_view close = mark == "//" ? "\n" : "*/";
    const std::size_t end = text.find(close, at + 2);
    if (end != std::string_view::npos) return end + close.size();
    return mark == "//" ? text.size() : at;
}

std::size_t piece_end(std::string_view text, std::size_t from, std::size_t last, std::size_t size) {
    if (last - from <= size + size / 2) return last;
    std::size_t best = 0;
    std::size_t at = from;
    while (at < from + size) {
        const bool space = text[at] == ' ' || (text[at] == '\\' && text[at + 1] == 'n');
        at = letter_end(text, at);
        if (space && at >= from + size / 2) best = at;
    }
    return best != 0 ? best : std::min(at, last);
}

}  // namespace tersely::content
