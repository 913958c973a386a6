#include "kernels/text/marks.hpp"

#include <cstring>

#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {

Ender ender(char32_t code) {
    switch (code) {
        case '.':
            return Ender::kStop;
        case '!':
        case '?':
        case 0x203C:
        case 0x203D:
        case 0x2047:
        case 0x2048:
        case 0x2049:
        case 0x061F:
        case 0x06D4:
        case 0x0589:
        case 0x1362:
        case 0x1367:
        case 0x104B:
        case 0x17D4:
        case 0x0F0D:
            return Ender::kStrong;
        case 0x2026:
            return Ender::kEllipsis;
        case 0x3002:
        case 0xFF01:
        case 0xFF1F:
        case 0xFF0E:
        case 0xFF61:
        case 0x0964:
        case 0x0965:
            return Ender::kTight;
        default:
            return Ender::kNone;
    }
}

std::size_t skip_space(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const Decoded here = decode(text, at);
        if (!is_space(here.code)) break;
        at += here.length;
    }
    return at;
}

Span trim(std::string_view text, Span span) {
    span.begin = skip_space(text.substr(0, span.end), span.begin);
    while (span.end > span.begin) {
        const Decoded last = decode_before(text, span.end);
        if (!is_space(last.code)) break;
        span.end -= last.length;
    }
    return span;
}

namespace {

// A closing "»" of French text at `at`: not one that opens, as in German, before a word.
bool closes_guillemet(std::string_view text, std::size_t at) {
    if (at >= text.size() || decode(text, at).code != 0xBB) return false;
    return at + 2 >= text.size() || !is_word(decode(text, at + 2).code);
}

}  // namespace

std::size_t skip_closing(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const Decoded here = decode(text, at);
        if ((char_class(here.code) & kClosing) != 0 || here.code == '*' || here.code == 0x201C) {
            if (here.code == '*' && at + 1 < text.size() && ascii_space(text[at + 1]) && at > 0 &&
                ascii_space(text[at - 1])) {
                break;
            }
            at += here.length;
            continue;
        }
        if (is_space(here.code) && closes_guillemet(text, at + here.length)) {
            at += here.length + 2;
            continue;
        }
        if (here.code != '[') break;  // a footnote mark: [12]
        std::size_t stop = at + 1;
        while (stop < text.size() && ascii_digit(text[stop])) ++stop;
        if (stop == at + 1 || stop >= text.size() || text[stop] != ']') break;
        at = stop + 1;
    }
    return at;
}

std::size_t first_word(std::string_view text, std::size_t at) {
    for (int marks = 0; at < text.size() && marks < 8; ++marks) {
        const Decoded here = decode(text, at);
        if (is_word(here.code) || is_space(here.code)) break;
        at += here.length;
    }
    return at;
}

std::string word_at(std::string_view text, std::size_t at) {
    std::string word;
    while (at < text.size() && word.size() < 24) {
        const Decoded here = decode(text, at);
        if (!is_word(here.code) && here.code != '\'') break;
        append_utf8(word, here.code < 0x80 && is_upper(here.code) ? here.code + 32 : here.code);
        at += here.length;
    }
    return word;
}

bool spaced_stop(std::string_view text, std::size_t at) {
    if (at >= text.size() || text[at] != '.') return false;
    if (at + 1 >= text.size() || text[at + 1] == ' ' || text[at + 1] == '.') return true;
    return (char_class(decode(text, at + 1).code) & kClosing) != 0;
}

std::size_t skip_emoticon(std::string_view text, std::size_t end) {
    if (end + 2 >= text.size() || text[end] != ' ' || !among(text[end + 1], ":;=")) return end;
    std::size_t at = end + 1;
    while (at < text.size() && at - end < 5 && !ascii_space(text[at])) {
        if (is_word(decode(text, at).code) && at > end + 3) return end;
        ++at;
    }
    const bool stands_alone = at >= text.size() || ascii_space(text[at]);
    return stands_alone && at - end > 2 ? at : end;
}

}  // namespace tersely::text
