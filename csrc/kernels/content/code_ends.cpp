#include "kernels/content/code_ends.hpp"

#include <algorithm>
#include <array>

#include "kernels/content/code_heads.hpp"
#include "kernels/text/unicode.hpp"

namespace tersely::content {
namespace {

using View = std::string_view;

constexpr std::int32_t kLookAhead = 50;  // lines
constexpr std::array<View, 12> kBeforeValue = {"return", "typeof", "case",  "in",   "of",    "delete",
                                               "void",   "throw",  "yield", "else", "await", "do"};
constexpr std::array<View, 7> kGoesOn = {"else", "catch", "finally", ".", "?", "&&", "||"};

bool begins_else(View line) {
    return line.starts_with("else") && (line.size() == 4 || line[4] == ' ' || line[4] == '{');
}

}  // namespace

View StatementEnds::head(const BracePlace& place) const {
    std::int32_t line = place.begun;
    while (line < place.line && line - place.begun < kLookAhead &&
           (lines_[line].starts_with("#[") || lines_[line].starts_with('@')))
        ++line;
    return lines_[line];
}

bool StatementEnds::at_comma(const BracePlace& place) const {
    if (!place.commas) return false;
    const View line = head(place);
    return !is_definition(line, View()) && !(language_ == CodeLanguage::kC && line.starts_with("template"));
}

// The next line that is no comment and not blank; empty where it is far, or there is none.
std::int32_t StatementEnds::next_line(const BracePlace& place) const {
    std::int32_t next = place.line + 1;
    while (next < lines_.count() && next - place.line <= kLookAhead &&
           (lines_.blank(next) || lines_[next].starts_with("//")))
        ++next;
    return next - place.line > kLookAhead || next >= lines_.count() ? -1 : next;
}

bool StatementEnds::at_line_end(const BracePlace& place) const {
    const char last = place.last;
    const View mine = lines_[place.line];
    const bool twice = (last == '+' || last == '-') && place.before_last == last;  // i++
    const std::size_t mark = last == '>' ? mine.rfind('>') : View::npos;           // of a type: no space before it
    const bool type = mark != View::npos && mark > 0 && mine[mark - 1] != '=' && !text::ascii_space(mine[mark - 1]);
    if (!twice && !type && !code_word_byte(last) && View(")]}\"'`!").find(last) == View::npos) return false;
    if (language_ == CodeLanguage::kGo) return true;
    if (lines_[place.begun].starts_with('@') && mine.ends_with(')')) return false;  // a decorator
    const std::int32_t next = next_line(place);
    if (next < 0) return true;
    const auto indent = [&](std::int32_t line) { return lines_.start(line) - lines_.begin(line); };
    if (indent(next) > indent(place.begun)) return false;
    return View(".?:)]&|+*/=,{<>").find(lines_[next][0]) == View::npos && !begins_else(lines_[next]);
}

bool StatementEnds::at_semicolon(const BracePlace& place) const {
    if (!ends_line(place.at)) return false;
    const std::int32_t next = next_line(place);
    return next < 0 || !begins_else(lines_[next]);
}

bool StatementEnds::ends_line(std::size_t at) const {
    while (at < text_.size() && text_[at] != '\n' && text::ascii_space(text_[at])) ++at;
    return at >= text_.size() || text_[at] == '\n' || text_[at] == '}' || text_.substr(at, 2) == "//" ||
           text_.substr(at, 2) == "/*";
}

std::size_t StatementEnds::behind_brace(const BracePlace& place) const {
    std::size_t at = place.at;
    while (at < text_.size() && text_[at] != '\n' && text::ascii_space(text_[at])) ++at;
    if (at < text_.size() && (text_[at] == ';' || text_[at] == ',')) {
        return ends_line(at + 1) && (text_[at] == ';' || at_comma(place)) ? at + 1 : 0;
    }
    if (!ends_line(at)) return 0;
    if ((at < text_.size() && text_[at] == '}') || language_ == CodeLanguage::kGo) return place.at;
    const std::int32_t next = next_line(place);
    if (next < 0) return place.at;
    const View line = lines_[next];
    if (language_ == CodeLanguage::kScript && View("|&:)]=>").find(line[0]) != View::npos) return 0;
    for (const View word : kGoesOn) {
        if (line.starts_with(word)) return 0;
    }
    return line.starts_with("while (") && lines_[place.begun].starts_with("do") ? 0 : place.at;
}

bool StatementEnds::before_value(const BracePlace& place) const {
    if (language_ != CodeLanguage::kScript) return false;
    if (!code_word_byte(place.last)) return View(")]}\"'`").find(place.last) == View::npos;
    std::size_t end = place.at;
    while (end > 0 && text::ascii_space(text_[end - 1])) --end;
    std::size_t start = end;
    while (start > 0 && end - start < 8 && code_word_byte(text_[start - 1])) --start;
    const View word = text_.substr(start, end - start);
    return std::find(kBeforeValue.begin(), kBeforeValue.end(), word) != kBeforeValue.end();
}

}  // namespace tersely::content
