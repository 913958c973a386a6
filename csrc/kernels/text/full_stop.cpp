#include "kernels/text/full_stop.hpp"

#include <algorithm>
#include <string>

#include "kernels/text/abbreviations.hpp"
#include "kernels/text/marks.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {
namespace {

// Start of the run of word characters and inner stops that ends at `end` (at most 24 bytes back).
std::size_t token_before(std::string_view text, std::size_t start, std::size_t end) {
    std::size_t at = end;
    while (at > start && end - at < 24) {
        const Decoded here = decode_before(text, at);
        if (!is_word(here.code) && here.code != '.' && here.code != ',' && here.code != 0xB0) break;
        at -= here.length;
    }
    return at;
}

bool previous_word_capitalised(std::string_view text, std::size_t start, std::size_t token) {
    std::size_t end = token;
    while (end > start && token - end < 8 && (text[end - 1] == ' ' || text[end - 1] == '.')) --end;
    if (end == start) return true;
    const std::size_t word = token_before(text, start, end);
    return word < end && is_upper(decode(text, word).code);
}

// What joins a single letter to the word before it: "km/h", "x-y", "can't", "Anna's".
bool among_joints(char32_t code) { return code == '/' || code == '-' || code == '\'' || code == 0x2019; }

// A Roman numeral, or a single letter: what may stand after "Fig." or "Vol." in place of a number.
bool is_numeral(std::string_view lower) {
    return lower.size() == 1 || lower.find_first_not_of("ivxlcdm") == std::string_view::npos;
}

bool is_initials(std::string_view token) {  // U.S, LL.AA.II, Ph.D
    std::size_t part = 0;
    for (std::size_t at = 0; at <= token.size(); ++at) {
        if (at < token.size() && token[at] != '.') continue;
        if (at - part > 2) return false;
        part = at + 1;
    }
    return true;
}

}  // namespace

bool stop_ends(std::string_view text, std::size_t start, std::size_t stop, std::size_t next,
               const OrdinalStops& ordinal_stops) {
    const std::size_t token = token_before(text, start, stop);
    if (token == stop) return true;  // "2017 ." or a bracket before it
    const std::string_view raw = text.substr(token, stop - token);
    const std::string follower = word_at(text, next);
    const bool starter = is_sentence_starter(follower);
    const bool digits = std::all_of(raw.begin(), raw.end(), ascii_digit);
    if (digits) {
        if (raw.size() <= 3 && token == start) return false;  // a list number: "1. First"
        const bool apart = token == start || ascii_space(text[token - 1]) || text[token - 1] == '-';
        return !(apart && raw.size() <= 2 && ordinal_stops.before(follower));
    }
    const Decoded first = decode(text, token);
    const bool single = first.length == raw.size() && is_letter(first.code);
    if (single && token > start && among_joints(decode_before(text, token).code)) return true;
    std::string lower;
    for (std::size_t at = token; at < stop;) {
        const Decoded here = decode(text, at);
        append_utf8(lower, here.code < 0x80 && is_upper(here.code) ? here.code + 32 : here.code);
        at += here.length;
    }
    switch (abbreviation(lower, is_upper(decode(text, token).code))) {
        case Abbreviation::kNever:
            return false;
        case Abbreviation::kNumber:
            if (next < text.size() && ascii_digit(text[next])) return false;
            return raw.size() > 1 && !is_numeral(follower);
        case Abbreviation::kOften:
            return starter;
        case Abbreviation::kNone:
            break;
    }
    if (single && (char_class(first.code) & kNgram) == 0) {
        if (!is_upper(first.code)) return false;
        return starter && !previous_word_capitalised(text, start, token);  // "you and I. Did", not "J. Smith"
    }
    if (raw.find('.') != std::string_view::npos && !ascii_digit(raw.back())) {
        return is_initials(raw) ? starter : true;
    }
    return true;
}

bool is_inner_stop(std::string_view text, std::size_t start, std::size_t stop) {
    constexpr std::size_t kItemNumber = 9;  // bytes: three digits of full width
    const Decoded mark = decode(text, stop);
    if (mark.code != 0xFF0E || stop == start || stop + mark.length >= text.size()) return false;
    const auto plain = [](char32_t code) { return is_word(code) && (char_class(code) & kNgram) == 0; };
    if (!plain(decode_before(text, stop).code)) return false;
    if (plain(decode(text, stop + mark.length).code)) return true;
    std::size_t at = stop;
    while (at > start && stop - at < kItemNumber && is_digit(decode_before(text, at).code))
        at -= decode_before(text, at).length;
    return at == start;
}

bool lacks_space(std::string_view text, std::size_t start, std::size_t mark, std::size_t next) {
    if (mark == start || !is_lower(decode_before(text, mark).code) || !is_upper(decode(text, next).code)) return false;
    for (std::size_t at = mark; at > start && mark - at < 24; --at) {
        if (ascii_space(text[at - 1])) break;
        if (!ascii_alpha(text[at - 1])) return false;
    }
    const std::string word = word_at(text, next);
    const std::size_t after = next + word.size();
    const bool word_ends = after >= text.size() || ascii_space(text[after]) || text[after] == ',';
    return word_ends && is_sentence_starter(word);
}

bool ends_word(std::string_view text, std::size_t start, std::size_t mark) {
    const std::size_t token = token_before(text, start, mark);
    if (mark - token < 3 || abbreviation(text.substr(token, mark - token), false) != Abbreviation::kNone) return false;
    for (std::size_t at = token; at < mark;) {
        const Decoded here = decode(text, at);
        if (!is_lower(here.code)) return false;
        at += here.length;
    }
    return true;
}

}  // namespace tersely::text
