#include "kernels/text/terms.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/text/eight_bytes.hpp"
#include "kernels/text/stem.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {
namespace {

enum class ByteKind : std::uint8_t { kOther, kDigit, kWord, kWide };

constexpr std::array<ByteKind, 256> byte_kinds() {
    std::array<ByteKind, 256> kinds{};
    for (std::size_t byte = 0; byte < 256; ++byte) {
        const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
        const bool digit = byte >= '0' && byte <= '9';
        kinds[byte] = digit          ? ByteKind::kDigit
                      : letter       ? ByteKind::kWord
                      : byte >= 0x80 ? ByteKind::kWide
                                     : ByteKind::kOther;
    }
    return kinds;
}
constexpr std::array<ByteKind, 256> kByteKinds = byte_kinds();

ByteKind kind_of(char byte) { return kByteKinds[static_cast<unsigned char>(byte)]; }

bool is_joiner(char32_t code) { return code == 0x200C || code == 0x200D; }

// A character of words that are separated by spaces.
bool in_word(char32_t code) {
    const std::uint8_t flags = char_class(code);
    return is_joiner(code) || ((flags & (kLetter | kDigit | kMark)) != 0 && (flags & kNgram) == 0);
}

// Whether a part of an identifier starts at `at`: after a lower-case letter, or the last capital of a run.
bool starts_part(std::string_view raw, std::size_t at) {
    if (!ascii_upper(raw[at])) return false;
    return ascii_lower(raw[at - 1]) || (at + 1 < raw.size() && ascii_lower(raw[at + 1]) && ascii_alpha(raw[at - 1]));
}

}  // namespace

void TermReader::append(std::string_view text, Span span, std::vector<std::int32_t>& ids) {
    text = text.substr(0, span.end);
    for (std::size_t at = span.begin; at < text.size();) {
        std::size_t end = at;
        switch (kind_of(text[at])) {
            case ByteKind::kOther:
                ++at;
                continue;
            case ByteKind::kDigit:
                end = number_end(text, at);
                break;
            case ByteKind::kWord:
                end = word_end(text, at);
                break;
            case ByteKind::kWide: {
                const Decoded here = decode(text, at);
                const std::uint8_t flags = char_class(here.code);
                if ((flags & kNgram) != 0) {
                    at = append_bigrams(text, at, ids);
                    continue;
                }
                if ((flags & (kLetter | kDigit | kMark)) == 0) {
                    at += here.length;
                    continue;
                }
                end = word_end(text, at);
                break;
            }
        }
        rounds_.check_cancelled();
        append_spelling(text.substr(at, end - at), ids);
        at = end;
    }
}

// Digits with inner separators ("1,000", "2024-01-31"), or with letters attached ("5kg", "1a7b").
std::size_t TermReader::number_end(std::string_view text, std::size_t at) const {
    bool plain = true;
    for (; at < text.size(); ++at) {
        const ByteKind kind = kind_of(text[at]);
        if (kind == ByteKind::kDigit) continue;
        if (kind == ByteKind::kWide) {
            if (!in_word(decode(text, at).code)) break;
            at += decode(text, at).length - 1;
            plain = false;
            continue;
        }
        if (kind == ByteKind::kWord) {
            plain = false;
            continue;
        }
        const bool between = plain && kind == ByteKind::kOther && among(text[at], ".,:/-") &&
                             ascii_digit(text[at - 1]) && at + 1 < text.size() && ascii_digit(text[at + 1]);
        if (!between) break;
    }
    return at;
}

std::size_t TermReader::word_end(std::string_view text, std::size_t at) const {
    const std::size_t begin = at;
    while (at < text.size()) {
        if (text.size() - at >= 8) {
            const std::uint64_t eight = load8(text.data() + at);
            const std::size_t plain = leading(ascii_letters(eight) | ascii_digits(eight) | between(eight, '_', '_'));
            at += plain;
            if (plain == 8) continue;
        }
        const ByteKind kind = kind_of(text[at]);
        if (kind == ByteKind::kWord || kind == ByteKind::kDigit) {
            ++at;
        } else if (kind == ByteKind::kWide) {
            const Decoded here = decode(text, at);
            if (!in_word(here.code)) break;
            at += here.length;
        } else {  // "v1.2.3" goes on behind a stop between digits
            const bool version = text[at] == '.' && at > begin + 1 && ascii_small(text[begin]) == 'v' &&
                                 ascii_digit(text[begin + 1]) && ascii_digit(text[at - 1]) && at + 1 < text.size() &&
                                 ascii_digit(text[at + 1]);
            if (!version) break;
            ++at;
        }
    }
    return at;
}

std::size_t TermReader::append_bigrams(std::string_view text, std::size_t at, std::vector<std::int32_t>& ids) {
    std::string previous;
    bool single = true;
    while (at < text.size()) {
        const Decoded here = decode(text, at);
        if ((char_class(here.code) & kNgram) == 0) break;
        term_.clear();
        append_utf8(term_, fold(here.code));
        at += here.length;
        if (!previous.empty()) {
            emit(previous + term_, ids);
            single = false;
        }
        previous = term_;
    }
    if (single) emit(previous, ids);
    return at;
}

void TermReader::append_spelling(std::string_view raw, std::vector<std::int32_t>& ids) {
    if (raw.size() > kLongestTerm) raw = raw.substr(0, floor_char(raw, kLongestTerm));
    const auto spelling = static_cast<std::size_t>(spellings_.intern(raw));
    if (spelling == given_end_.size()) {
        read_spelling(raw, given_);
        given_end_.push_back(given_.size());
    }
    const std::size_t begin = spelling == 0 ? 0 : given_end_[spelling - 1];
    for (std::size_t i = begin; i < given_end_[spelling]; ++i) ids.push_back(given_[i]);
}

void TermReader::read_spelling(std::string_view raw, std::vector<std::int32_t>& ids) {
    term_.clear();
    bool ascii = true;
    bool joined = false;  // has an underscore, a digit or an inner capital
    for (std::size_t at = 0; at < raw.size(); ++at) {
        if (kind_of(raw[at]) != ByteKind::kWide) {
            joined |= !ascii_alpha(raw[at]) || (at > 0 && starts_part(raw, at));
            term_.push_back(ascii_small(raw[at]));
            continue;
        }
        ascii = false;
        const Decoded here = decode(raw, at);
        const bool accent = here.code >= 0x300 && here.code <= 0x36F;
        if (!accent && !is_joiner(here.code)) append_utf8(term_, fold(here.code));
        at += here.length - 1;
    }
    if (ascii_digit(raw[0])) {
        emit(term_, ids);
    } else if (!ascii) {
        emit_word(term_, ids);
    } else if (joined) {
        const std::string folded = term_;
        read_identifier(raw, folded, ids);
    } else {
        emit_word(term_, ids);
    }
}

void TermReader::read_identifier(std::string_view raw, std::string_view folded, std::vector<std::int32_t>& ids) {
    const std::size_t first = folded.find_first_not_of('_');
    if (first == std::string_view::npos) return;
    const std::string_view whole = folded.substr(first, folded.find_last_not_of('_') + 1 - first);
    emit(whole, ids);
    if (whole.find('.') != std::string_view::npos) return;  // a version is one term
    for (std::size_t begin = 0; begin < raw.size();) {
        std::size_t end = begin + 1;
        while (end < raw.size() && raw[end] != '_' && !starts_part(raw, end)) ++end;
        term_.clear();
        for (std::size_t i = begin; i < end; ++i) {
            if (raw[i] != '_') term_.push_back(ascii_small(raw[i]));
        }
        if (!term_.empty() && term_ != whole) emit_word(term_, ids);
        begin = end;
    }
}

// A folded word: not a single ASCII letter, not a stop word, stemmed.
void TermReader::emit_word(std::string& term, std::vector<std::int32_t>& ids) {
    if (term.size() < 2 || is_stop_word(term)) return;
    if (std::all_of(term.begin(), term.end(), ascii_lower)) {
        stem(term);
    } else if (kind_of(term[0]) == ByteKind::kWide && !stem_script(term)) {
        return;
    }
    emit(term, ids);
}

}  // namespace tersely::text
