#include "kernels/text/clauses.hpp"

#include <unordered_set>

#include "kernels/text/marks.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {
namespace {

constexpr std::size_t kLeast = 6;         // bytes on each side of a border that a mark makes
constexpr std::size_t kLeastByWord = 20;  // ... that a word makes
constexpr std::size_t kLongestOpener = 8;

bool opens_clause(std::string_view word) {
    static const std::unordered_set<std::string_view> words = {
        "and",   "but",     "or",     "nor",     "because",  "which",  "who",     "whom",    "whose",
        "where", "when",    "while",  "that",    "although", "though", "if",      "unless",  "since",
        "until", "whereas",  // clauses
        "to",    "for",     "with",   "without", "from",     "by",     "in",      "on",      "at",
        "as",    "after",   "before", "during",  "under",    "into",   "through", "between", "against",
        "about", "over",    "within",  // phrases
        "und",   "oder",    "aber",   "weil",    "dass",     "wenn",   "et",      "ou",      "mais",
        "qui",   "dont",    "y",      "pero",    "porque",   "que",    "cuyo",    "cuya"};
    return words.contains(word);
}

// The small letters at `at`: a word, or "" where it goes on otherwise or is longer than any that opens a clause.
std::string_view small_word(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && end - at <= kLongestOpener && ascii_lower(text[end])) ++end;
    return end < text.size() && ascii_space(text[end]) ? text.substr(at, end - at) : std::string_view();
}

// Whether a dash that stands alone is at `at`.
bool lone_dash(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && end - at < 3 && text[end] == '-') ++end;
    if (end == at && text.substr(at).starts_with("\xE2\x80\x93")) end += 3;
    return end > at && end < text.size() && ascii_space(text[end]);
}

// Whether a mark ends a clause right before `end`; `next` begins behind it. Not in "12, 2024".
bool ends_by_mark(std::string_view text, std::size_t end, std::size_t next) {
    if (text[end - 1] == ',' && end > 1 && ascii_digit(text[end - 2]) && ascii_digit(text[next])) return false;
    if (text[end - 1] == '"' || text[end - 1] == '\'') {
        --end;
    } else if (text.substr(0, end).ends_with("\xE2\x80\x9D") || text.substr(0, end).ends_with("\xE2\x80\x99")) {
        end -= 3;
    }
    return end > 0 && among(text[end - 1], ",;:)]}|");
}

// Whether a clause may end behind this character without white space.
bool ends_tightly(char32_t code) {
    constexpr std::u32string_view marks = U"\u3001\uFF0C\uFF1B\uFF1A\uFF09\u060C\u061B";
    return marks.find(code) != std::u32string_view::npos;
}

}  // namespace

void split_clauses(std::string_view text, Span sentence, std::vector<Span>& out) {
    text = text.substr(0, sentence.end);
    std::size_t begin = sentence.begin;
    const auto cut = [&](std::size_t at) {
        const Span piece = trim(text, {begin, at});
        if (piece.end > piece.begin) out.push_back(piece);
        begin = at;
    };
    const auto far = [&](std::size_t before, std::size_t behind, std::size_t least) {
        return before - begin >= least && sentence.end - behind >= least;
    };
    for (std::size_t at = sentence.begin; at < sentence.end;) {
        if (ascii_space(text[at])) {
            std::size_t next = at;
            while (next < sentence.end && ascii_space(text[next])) ++next;
            if (far(at, next, kLeast) &&
                (ends_by_mark(text, at, next) || among(text[next], "([") || lone_dash(text, next))) {
                cut(next);
            } else if (far(at, next, kLeastByWord) && opens_clause(small_word(text, next))) {
                cut(next);
            }
            at = next;
            continue;
        }
        const Decoded here = decode(text, at);
        if (here.code == 0x2014 && far(at, at, kLeast)) cut(at);
        at += here.length;
        if (here.code >= 0x80 && ends_tightly(here.code) && far(at, at, kLeast)) cut(at);
    }
    cut(sentence.end);
}

}  // namespace tersely::text
