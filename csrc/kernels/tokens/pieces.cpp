#include "kernels/tokens/pieces.hpp"

#include "kernels/text/class_runs.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::tokens {

namespace {

using text::ClassRun;

#include "kernels/tokens/classes.inc"

constexpr char32_t kLimit = 0x32400;  // above it: only the variation selectors
constexpr ClassRun kLastRun = kClassRuns[std::size(kClassRuns) - 1];
static_assert(kLastRun.first >= kLimit && kClassRuns[std::size(kClassRuns) - 2].last < kLimit);

struct Table {
    std::array<std::uint8_t, kLimit> flags{};

    Table() { text::set_flags(kClassRuns, flags); }
};

}  // namespace

constexpr std::array<std::uint8_t, 0x80> kAsciiClass = text::ascii_flags(kClassRuns);

std::uint8_t wide_class(char32_t code) {
    static const Table table;
    if (code < kLimit) return table.flags[code];
    return code >= kLastRun.first && code <= kLastRun.last ? kLastRun.flags : 0;
}

namespace {

constexpr std::uint8_t kHead = kUpper | kOther | kMark;  // what may begin a word of o200k_base
constexpr std::uint8_t kTail = kLower | kOther | kMark;  // and what may end it

struct Character {
    std::uint8_t kind = 0;
    std::size_t end = 0;
};

Character wide_character(std::string_view text, std::size_t at) {
    const text::Decoded here = text::decode(text, at);
    return {char_class(here.code), at + here.length};
}

inline Character character(std::string_view text, std::size_t at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80U) return {kAsciiClass[byte], at + 1};
    return wide_character(text, at);
}

// The end of the characters from `at` on that are of `kinds`.
std::size_t run(std::string_view text, std::size_t at, std::uint8_t kinds) {
    while (at < text.size()) {
        const Character here = character(text, at);
        if ((here.kind & kinds) == 0) break;
        at = here.end;
    }
    return at;
}

bool line_end(char byte) { return byte == '\n' || byte == '\r'; }

// The end of 's, 't, 're, 've, 'm, 'll or 'd in any case; `at` where there is none.
std::size_t contraction(std::string_view text, std::size_t at) {
    if (text.size() - at < 2 || text[at] != '\'') return at;
    const auto lower = [&](std::size_t i) { return static_cast<char>(text[i] | 0x20); };
    switch (lower(at + 1)) {
        case 's':
        case 't':
        case 'm':
        case 'd':
            return at + 2;
        case 'r':
        case 'v':
            return text.size() - at > 2 && lower(at + 2) == 'e' ? at + 3 : at;
        case 'l':
            return text.size() - at > 2 && lower(at + 2) == 'l' ? at + 3 : at;
        default:
            return text.substr(at + 1).starts_with("\xC5\xBF") ? at + 3 : at;  // U+017F, a long s
    }
}

// Where a word of o200k_base from `from` on ends, before a contraction; `from` where there is none. `joins` says
// whether the character before it is a mark, which is a word by itself where no word ends in what follows.
std::size_t o200k_word(std::string_view text, std::size_t from, bool joins) {
    std::size_t end = from;
    std::size_t last_tail = from;  // the end of the last character that may end a word
    while (end < text.size()) {
        const Character here = character(text, end);
        if ((here.kind & kHead) == 0) {
            if ((here.kind & kLower) != 0) return run(text, here.end, kTail);
            break;
        }
        end = here.end;
        if ((here.kind & kTail) != 0) last_tail = end;
    }
    if (last_tail > from || joins) return last_tail;
    return end;
}

// Blanks, from the first on: what the last alternatives make of them.
template <Pattern pattern>
std::size_t blanks(std::string_view text, std::size_t at) {
    std::size_t end = at;
    std::size_t last = at;   // where the last of them begins
    std::size_t lines = at;  // the end of the last line feed or carriage return
    while (end < text.size()) {
        const Character here = character(text, end);
        if ((here.kind & kSpace) == 0) break;
        if (line_end(text[end])) lines = here.end;
        last = end;
        end = here.end;
    }
    if (pattern == Pattern::kCl100k && end == text.size()) return end;
    if (lines > at) return lines;
    return end == text.size() || last == at ? end : last;
}

template <Pattern pattern>
std::size_t symbols(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const Character here = character(text, at);
        if ((here.kind & kNoSymbol) != 0) break;
        at = here.end;
    }
    while (at < text.size() && (line_end(text[at]) || (pattern == Pattern::kO200k && text[at] == '/'))) ++at;
    return at;
}

}  // namespace

template <Pattern pattern>
std::size_t next_any_piece(std::string_view text, std::size_t at) {
    const Character first = character(text, at);
    if ((first.kind & kNumber) != 0) {
        std::size_t end = first.end;
        for (int more = 0; more < 2 && end < text.size(); ++more) {
            const Character here = character(text, end);
            if ((here.kind & kNumber) == 0) break;
            end = here.end;
        }
        return end;
    }
    const bool led = (first.kind & kLetter) == 0;
    if (!line_end(text[at])) {
        const std::size_t from = led ? first.end : at;
        if constexpr (pattern == Pattern::kO200k) {
            const bool joins = (first.kind & kMark) != 0;
            const std::size_t end = o200k_word(text, from, joins);
            if (end > from || joins) return contraction(text, end);
        } else {
            if (const std::size_t end = contraction(text, at); end > at) return end;
            if (const std::size_t end = run(text, from, kLetter); end > from) return end;
        }
    }
    if ((first.kind & kSpace) == 0) return symbols<pattern>(text, at);
    if (text[at] == ' ' && first.end < text.size() && (character(text, first.end).kind & kNoSymbol) == 0) {
        return symbols<pattern>(text, first.end);
    }
    return blanks<pattern>(text, at);
}

template std::size_t next_any_piece<Pattern::kO200k>(std::string_view text, std::size_t at);
template std::size_t next_any_piece<Pattern::kCl100k>(std::string_view text, std::size_t at);

}  // namespace tersely::tokens
