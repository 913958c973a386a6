// The names of facts.hpp: words with capitals, one after another.
#include <algorithm>

#include "kernels/text/abbreviations.hpp"
#include "kernels/text/facts.hpp"
#include "kernels/text/guard_runs.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {
namespace {

constexpr std::size_t kWidestGap = 12;  // " van der "
constexpr std::size_t kStart = 4096;    // bytes that tell the language
constexpr int kMostCapitals = 3;        // words of capitals only in a row that can be a name

bool is_title_or_initial(std::uint32_t use, std::size_t size) { return (use & kTitle) != 0 || size == 1; }

}  // namespace

// Whether the segment has no small letters: then capitals say nothing.
bool FactReader::shouts() {
    if (shouts_ < 0) {
        const std::string_view segment = text_.substr(begin_);
        shouts_ = std::none_of(segment.begin(), segment.end(), ascii_lower) ? 1 : 0;
    }
    return shouts_ > 0;
}

// Whether what lies between the open name and a word at `begin` may stand inside a name.
bool FactReader::continues_name(std::size_t begin) const {
    if (name_.words == 0 || begin <= name_.span.end || begin - name_.span.end > kWidestGap) return false;
    std::string_view gap = text_.substr(name_.span.end, begin - name_.span.end);
    if (gap == " " || gap == "\n" || gap == "  ") return true;
    const std::size_t size = name_.span.end - name_.last;
    if (gap == "'" || gap == "\xE2\x80\x99") return size == 1;
    if (gap[0] == '.') {
        const std::string_view last = text_.substr(name_.last, size);
        const auto spelling = [&] { return word_use(last); };
        return (gap == ". " || gap == ".") && is_title_or_initial(spelling(), size);
    }
    if (gap[0] != ' ' || gap.back() != ' ') return false;
    gap.remove_prefix(1);
    while (!gap.empty()) {
        const std::size_t space = gap.find(' ');
        if (space == 0 || space == std::string_view::npos || !(ascii_lower(gap[0]) || gap[0] == '&')) return false;
        const std::string_view word = gap.substr(0, space);
        // Words that link two names as well as parts of one: only behind an acronym's "&" or inside.
        if ((word_use(word) & kLinks) == 0 || word == "and" || word == "la" || word == "le" || word == "y" ||
            word == "e") {
            return false;
        }
        gap.remove_prefix(space + 1);
    }
    return true;
}

// A word with a capital: part of the open name, or the first of another.
void FactReader::extend_name(Span word) {
    const std::string_view spelled = text_.substr(word.begin, word.end - word.begin);
    const bool digits = std::any_of(spelled.begin(), spelled.end(), ascii_digit);
    if (runs_only_ && !digits) return flush_name();
    const std::uint32_t use = use_of(spelled);
    const bool capitals = all_upper(spelled);
    const bool single = decode(spelled, 0).length == spelled.size();
    const bool acronym = capitals && !starts_ && !shouts();
    const bool starts = starts_ || kind_ == Kind::kHeading || shouts();
    if ((use & kCommon) != 0 && !acronym && (use & kTitle) == 0) {
        flush_name();
        return;
    }
    if (!continues_name(word.begin)) {
        flush_name();
        name_ = {};
        name_.span.begin = word.begin;
        name_.starts = starts;
        name_.digits = digits;
        name_.capitals = capitals;
        name_.camel = inner_capital(spelled);
    }
    ++name_.words;
    name_.last = word.begin;
    name_.span.end = word.end;
    name_.weighty |= !single && (use & kTitle) == 0;
}

void FactReader::flush_name() {
    const OpenName name = name_;
    name_ = {};
    if (name.words == 0 || !name.weighty) return;
    if (name.capitals && name.words > kMostCapitals) return;
    const std::string_view spelled = whole_.substr(name.span.begin, name.span.end - name.span.begin);
    if (name.words == 1 && name.camel && !spelled.starts_with("Mc") && !spelled.starts_with("Mac")) {
        return emit(FactKind::kIdentifier, name.span);
    }
    bool counts = name.words > 1 || name.digits || !name.starts;
    if (shouts_ > 0 || (kind_ == Kind::kHeading && !name.digits)) counts = false;
    if (counts && name.words == 1 && !name.digits && !name.capitals) {
        if (nouns_ < 0) {
            const std::string_view start = whole_.substr(0, kStart);
            nouns_ = start.find("und ") != std::string_view::npos && ordinal_balance(start) > 0 ? 1 : 0;
        }
        if (nouns_ > 0) return;
    }
    emit(FactKind::kName, name.span, counts);
}

}  // namespace tersely::text
