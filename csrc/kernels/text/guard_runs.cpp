#include "kernels/text/guard_runs.hpp"

#include <algorithm>
#include <array>

#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {
namespace {

constexpr std::string_view kMarks = "_-./:@#\\&=+~$%<>^";  // ASCII marks of numbers and code
constexpr std::string_view kCode = "_/:@#\\&=+~$%<>^";     // those that no plain word has
constexpr std::string_view kEdges = ".:-/=&~@\\<%";        // taken off the end of a run

// Hyphens and dashes; signs, comparisons, currencies, degrees, superscripts, fractions, numbers in circles.
constexpr std::array<char32_t, 3> kDashes = {0x2010, 0x2011, 0x2013};
bool is_dash(char32_t code) { return std::find(kDashes.begin(), kDashes.end(), code) != kDashes.end(); }
bool is_sign(char32_t code) {
    constexpr std::u32string_view signs = U"¢£¥§°±²³¹¼½¾×÷‰−√≈≠≤≥";
    const auto within = [code](char32_t first, char32_t last) { return code >= first && code <= last; };
    return signs.find(code) != std::u32string_view::npos || within(0x20A0, 0x20CF) || within(0x2070, 0x209F) ||
           within(0x2150, 0x218F) || within(0x2460, 0x24FF);
}

// What an ASCII character is, without a search.
enum Ascii : std::uint8_t { kWordByte = 1, kRunByte = 2, kCodeByte = 4 };
constexpr std::array<std::uint8_t, 128> kAscii = [] {
    std::array<std::uint8_t, 128> table{};
    for (std::size_t byte = 0; byte < table.size(); ++byte) {
        const auto letter = static_cast<char>(byte);
        const bool word =
            (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z');
        const bool mark = kMarks.find(letter) != std::string_view::npos;
        const bool code = kCode.find(letter) != std::string_view::npos;
        table[byte] = static_cast<std::uint8_t>((word ? kWordByte | kRunByte : 0) | (mark ? kRunByte : 0) |
                                                (code ? kCodeByte : 0));
    }
    return table;
}();

}  // namespace

bool in_word(char32_t code) {
    if (code < 0x80) return (kAscii[code] & kWordByte) != 0;
    return is_word(code) && (char_class(code) & kNgram) == 0;
}
bool in_run(char32_t code) {
    if (code < 0x80) return (kAscii[code] & kRunByte) != 0;
    return in_word(code) || is_dash(code) || is_sign(code);
}
bool is_apostrophe(char32_t code) { return code == '\'' || code == 0x2019; }

std::size_t run_end(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const Decoded here = decode(text, at);
        const bool between_digits = here.code == ',' && at > 0 && ascii_digit(text[at - 1]) && at + 1 < text.size() &&
                                    ascii_digit(text[at + 1]);
        if (!in_run(here.code) && !between_digits) break;
        at += here.length;
    }
    return at;
}

std::size_t plain_run_end(std::string_view text, std::size_t at) {
    const std::size_t begin = at;
    while (at < text.size() && ascii_alpha(text[at])) ++at;
    const unsigned char next = at < text.size() ? static_cast<unsigned char>(text[at]) : ' ';
    return at > begin && next < 0x80U && !in_run(next) ? at : 0;
}

std::size_t word_end(std::string_view text, std::size_t at, std::size_t end) {
    while (at < end) {
        const Decoded here = decode(text, at);
        if (!in_word(here.code)) break;
        at += here.length;
    }
    return at;
}

Shape shape_of(std::string_view run) {
    Shape shape;
    bool after_letter = false;
    for (std::size_t at = 0; at < run.size();) {
        const Decoded here = decode(run, at);
        const std::size_t next = at + here.length;
        const bool word = in_word(here.code);
        shape.word |= word;
        shape.digit |= is_digit(here.code);
        if (here.code < 0x80 && !word) {
            const auto byte = static_cast<char>(here.code);
            shape.code |= (kAscii[here.code] & kCodeByte) != 0 || (at == 0 && byte == '-');
            shape.code |=
                byte == '.' && (at == 0 || after_letter) && next < run.size() && in_word(decode(run, next).code);
        } else if (!word) {
            shape.code |= is_sign(here.code);
        }
        after_letter = word;
        at = next;
    }
    return shape;
}

bool has_word(std::string_view run) {
    for (std::size_t at = 0; at < run.size();) {
        const Decoded here = decode(run, at);
        if (in_word(here.code)) return true;
        at += here.length;
    }
    return false;
}

bool all_upper(std::string_view word) {
    std::size_t letters = 0;
    for (std::size_t at = 0; at < word.size();) {
        const Decoded here = decode(word, at);
        if (is_letter(here.code) && !is_upper(here.code)) return false;
        if (is_upper(here.code)) ++letters;
        at += here.length;
    }
    return letters >= 2;
}

bool inner_capital(std::string_view word) {
    bool small = false;
    for (std::size_t at = 0; at < word.size();) {
        const Decoded here = decode(word, at);
        if (small && is_upper(here.code)) return true;
        small = is_lower(here.code);
        at += here.length;
    }
    return false;
}

bool is_comparison(std::string_view marks) {
    for (std::size_t at = 0; at < marks.size(); at += decode(marks, at).length) {
        const char32_t code = decode(marks, at).code;
        if (is_sign(code) || (code < 0x80 && among(static_cast<char>(code), "<>+$^"))) return true;
    }
    return false;
}

bool is_bullet(std::string_view run) { return run.find_first_not_of(">+") == std::string_view::npos; }

Span trimmed(std::string_view text, Span run) {
    const auto is_percent = [&](std::size_t end) {
        return end > run.begin + 1 && text[end - 1] == '%' && ascii_digit(text[end - 2]);
    };
    while (run.end > run.begin && among(text[run.end - 1], kEdges) && !is_percent(run.end)) --run.end;
    while (run.begin < run.end && among(text[run.begin], ":&%=")) ++run.begin;
    std::size_t dots = run.begin;
    while (dots < run.end && text[dots] == '.') ++dots;
    if (dots > run.begin + 1 && dots < run.end && text[dots] != '/') run.begin = dots;
    return run;
}

std::size_t contraction_end(std::string_view text, std::size_t end) {
    if (end == text.size() || !among(text[end - 1], "nN") || !is_apostrophe(decode(text, end).code)) return 0;
    const std::size_t at = end + decode(text, end).length;
    if (at == text.size() || !among(text[at], "tT")) return 0;
    return at + 1 == text.size() || !in_word(decode(text, at + 1).code) ? at + 1 : 0;
}

bool is_initials(std::string_view run) {
    for (std::size_t i = 0; i < run.size(); ++i) {
        if (i % 2 == 0 ? !ascii_alpha(run[i]) : run[i] != '.') return false;
    }
    return run.size() % 2 == 1;
}

}  // namespace tersely::text
