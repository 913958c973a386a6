#include "kernels/text/guards.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "kernels/parallel.hpp"
#include "kernels/text/key_words.hpp"
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
        const bool word = ascii_alpha(letter) || ascii_digit(letter);
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

bool has_word(std::string_view run) { return any_code(run, in_word); }

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
    return any_code(
        marks, [](char32_t code) { return is_sign(code) || (code < 0x80 && among(static_cast<char>(code), "<>+$^")); });
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

namespace {

constexpr std::string_view kConsonants = "bcdfghjklmnpqrtvwxz";  // no word of one letter in most languages
constexpr std::size_t kLongestWord = kLongestTerm;

bool ends_sentence(char32_t code) {
    return code == '\n' || code == '\r' || code == '!' || code == '?' || code == 0x2026 || code == 0x3002 ||
           code == 0xFF01 || code == 0xFF1F;
}

// Letters of scripts without spaces that say a class by themselves.
constexpr std::u32string_view kGuardLetters =
    U"二三四五六七八九十百千万萬亿億两兩半双前后後增减減升降左右开開关關真假内外男女禁";

}  // namespace

std::int32_t GuardReader::append(std::string_view text, std::vector<std::int32_t>& terms,
                                 std::vector<std::int32_t>& names) {
    terms_.append(text, {0, text.size()}, terms);
    exact_.clear();
    logic_.clear();
    last_class_ = line_end_ = 0;
    starts_ = true;
    for (std::size_t at = 0; at < text.size();) {
        check_cancelled();
        const Decoded here = decode(text, at);
        if (in_run(here.code)) {
            at = read_run(text, at, names);
            continue;
        }
        if (here.code == '!' && at + 1 < text.size() && text[at + 1] == '=') {
            emit_exact("!");
        } else if (ends_sentence(here.code)) {
            starts_ = true;
        } else if ((char_class(here.code) & kNgram) != 0) {
            starts_ = false;
            const std::string_view number = number_at(text, at);
            if (negates_at(text, at)) {
                emit_class("not");
            } else if (!number.empty()) {
                emit_exact(number);
            } else if (is_digit(here.code)) {
                const std::size_t begin = at;
                while (at < text.size() && is_digit(decode(text, at).code)) at += decode(text, at).length;
                emit_exact(text.substr(begin, at - begin));
                continue;
            } else if (kGuardLetters.find(here.code) != std::u32string_view::npos) {
                emit_class(text.substr(at, here.length));
            }
        }
        at += here.length;
    }
    exact_ += logic_;
    if (exact_.empty()) exact_.push_back('\n');
    return signatures_.intern(exact_);
}

// The run at `at`; returns where reading goes on.
std::size_t GuardReader::read_run(std::string_view text, std::size_t at, std::vector<std::int32_t>& names) {
    if (const std::size_t end = plain_run_end(text, at); end > 0) return read_word(text, {at, end}, names);
    const std::size_t whole = run_end(text, at);
    const Span run = trimmed(text, {at, whole});
    const Shape shape = shape_of(text.substr(run.begin, run.end - run.begin));
    if (!shape.word) {
        const std::string_view marks = text.substr(at, whole - at);
        if (is_comparison(marks) && !(starts_ && is_bullet(marks))) emit_exact(marks);
        return whole;
    }
    std::size_t next = whole;
    if (shape.digit || shape.code) {
        read_exact(text, run, whole);
    } else {
        for (std::size_t word = run.begin; word < run.end;) {
            const std::size_t stop = word_end(text, word, run.end);
            if (stop > word) next = std::max(next, read_word(text, {word, stop}, names));
            word = stop < run.end ? stop + decode(text, stop).length : run.end;
        }
    }
    starts_ = run.end < whole && among(text[run.end], ".:");
    return next;
}

// A number or a piece of code, and the unit behind a number.
void GuardReader::read_exact(std::string_view text, Span run, std::size_t whole) {
    const std::string_view code = text.substr(run.begin, run.end - run.begin);
    std::string letters;
    if (is_initials(code)) std::copy_if(code.begin(), code.end(), std::back_inserter(letters), ascii_alpha);
    emit_exact(letters.empty() ? code : letters);
    starts_ = false;
    if (run.end < whole || whole == text.size() || !is_digit(decode_before(text, whole).code)) return;
    const Decoded gap = decode(text, whole);
    if (!is_space(gap.code) || gap.code == '\n' || whole + gap.length >= text.size()) return;
    const std::size_t begin = whole + gap.length;
    if (text[begin] == '%') emit_exact("%");
    const std::size_t end = word_end(text, begin, std::min(begin + kLongestWord, text.size()));
    if (is_unit(text.substr(begin, end - begin))) emit_exact(text.substr(begin, end - begin));
}

// A word of letters; returns its end, behind the "'t" of a contraction.
std::size_t GuardReader::read_word(std::string_view text, Span span, std::vector<std::int32_t>& names) {
    const bool starts = std::exchange(starts_, false);
    const std::string_view word = text.substr(span.begin, span.end - span.begin);
    if (const std::size_t end = contraction_end(text, span.end); end > 0) {
        emit_class("not");
        return end;
    }
    const Decoded first = decode(word, 0);
    const Known known = look_up(word);
    const std::string_view name = known.name;
    if (!name.empty() && ascii_digit(name[0])) {
        emit_exact(name);
    } else if (!name.empty()) {
        emit_class(name);
    } else if (known.denies != 0 && (known.denies & line_letters(text, span.begin)) != 0) {
        emit_class("not");
    } else if (first.length == word.size()) {
        const bool elided = (span.begin > 0 && is_apostrophe(decode_before(text, span.begin).code)) ||
                            (span.end < text.size() && is_apostrophe(decode(text, span.end).code));
        const bool label =
            is_upper(first.code) ? !starts && word != "I" : first.code < 0x80 && among(word[0], kConsonants);
        if (label && !elided) emit_exact(word);
    } else if (all_upper(word) || inner_capital(word)) {
        emit_exact(word);
    } else if (is_upper(first.code)) {
        if (!starts || !is_function_word(folded(word))) terms_.append(text, span, names);
    }
    return span.end;
}

GuardReader::Known GuardReader::look_up(std::string_view word) {
    if (word.size() > kLongestWord) return {};
    const auto spelling = static_cast<std::size_t>(spellings_.intern(word));
    if (spelling == known_.size()) known_.push_back({guard_class(looked_up(word)), denial_within(word)});
    return known_[spelling];
}

std::uint8_t GuardReader::line_letters(std::string_view text, std::size_t at) {
    if (at >= line_end_) {
        const std::size_t begin = text.substr(0, at).find_last_of('\n') + 1;
        line_end_ = std::min(text.find('\n', at), text.size());
        letters_ = letters_of(text.substr(begin, line_end_ - begin));
    }
    return letters_;
}

void GuardReader::emit_class(std::string_view name) {
    const std::string_view last = std::string_view(logic_).substr(last_class_);
    if (name != "not" && last.size() == name.size() + 2 && last.substr(1, name.size()) == name) return;
    last_class_ = logic_.size();
    logic_.push_back('~');
    logic_ += name;
    logic_.push_back('\n');
}

void GuardReader::emit_exact(std::string_view run) {
    exact_.push_back('=');
    exact_ += run;
    exact_.push_back('\n');
}

}  // namespace tersely::text
