#include "kernels/detect/line_marks.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "kernels/detect/bytes.hpp"
#include "kernels/detect/event_marks.hpp"
#include "kernels/text/lines.hpp"

namespace tersely::detect {
namespace {

constexpr std::size_t kManyWords = 8;

constexpr bool wide(char byte) { return static_cast<unsigned char>(byte) >= 0x80U; }

std::uint32_t comment(View line) {
    if (line[0] == '#' && (line.size() == 1 || line[1] == ' ' || line[1] == '#')) return kComment;
    if (line[0] == ';' && (line.size() == 1 || line[1] == ';' || line[1] == ' ')) return kComment;  // of Lisp, ini
    if (line.starts_with("//") || line.starts_with("/*") || line.starts_with("*/") || line.starts_with("-- ") ||
        line == "*" || line.starts_with("* ") || line.starts_with("\"\"\""))
        return kComment;
    return 0;
}

struct Signs {
    bool call = false;    // a letter or _ before "("
    bool assign = false;  // = after a space or an operator
    bool link = false;    // ](  **x  `
};

Signs read_signs(View line, const LineBytes& bytes) {
    Signs read;
    bytes.each(&simd::ByteMasks::telling, [&](std::size_t i) {
        const char before = i > 0 ? line[i - 1] : ' ';
        switch (line[i]) {
            case '(':
                read.call = read.call || ascii_alpha(before) || before == '_';
                read.link = read.link || before == ']';
                break;
            case '=':
                read.assign = read.assign || before == ' ' || before == '+' || before == '-' || before == ':';
                break;
            case '*':
                read.link = read.link || (before == '*' && i + 1 < line.size() && ascii_alpha(line[i + 1]));
                break;
            default:
                read.link = true;
        }
    });
    return read;
}

std::uint32_t turn_marks(View line, const LineBytes& bytes) {
    static constexpr ByteSet kNoName = bytes_of("/=()\\{}");
    const auto colon = static_cast<std::size_t>(std::countr_zero(bytes.from(&simd::ByteMasks::colons, 0)));
    if (colon >= 48 || colon == 0 || find_in(line, kNoName) < colon) return 0;
    const std::size_t said = line.find_first_not_of(' ', colon + 1);  // "L:  31 | P:   9": columns
    if (said != View::npos && ascii_digit(line[said]) && said > colon + 2) return 0;
    const text::Turn turn = text::chat_turn(line);
    if (turn == text::Turn::kCertain) return kTurn | kRole;
    return turn == text::Turn::kPossible && !ascii_lower(line[0]) ? kTurn : 0U;
}

// Whether a word is no name of a speaker or of a field of mail: "IndentWidth".
bool is_identifier(View word) {
    for (std::size_t at = 1; at < word.size(); ++at) {
        if (ascii_upper(word[at]) && ascii_lower(word[at - 1])) return true;
    }
    return false;
}

// YAML: a key without spaces, then ": "; at the margin, where mail and talks have such lines, it is in small letters
// or in both.
bool is_key_value(View line, bool indented) {
    std::size_t at = line.starts_with("- ") ? 2 : 0;
    const std::size_t start = at;
    while (at < line.size() && (ascii_alpha(line[at]) || ascii_digit(line[at]) || line[at] == '_' || line[at] == '-' ||
                                line[at] == '.' || line[at] == '"' || line[at] == '$'))
        ++at;
    if (at == start || at == line.size() || line[at] != ':') return false;
    const bool capital = ascii_upper(line[start]) && !is_identifier(line.substr(start, at - start));
    if (capital && !indented) return false;
    if (at + 1 == line.size()) return true;
    return line[at + 1] == ' ' && (!capital || (at + 2 < line.size() && line[at + 2] != ' '));
}

bool is_field(View line) {  // TOML, ini: name = value, [section]
    if (line[0] == '[') return line.back() == ']' && line.size() > 2 && (ascii_alpha(line[1]) || line[1] == '[');
    std::size_t at = 0;
    while (at < line.size() && (ascii_alpha(line[at]) || ascii_digit(line[at]) || line[at] == '_' || line[at] == '-' ||
                                line[at] == '.' || line[at] == '"'))
        ++at;
    if (at == 0) return false;
    if (at < line.size() && line[at] == ' ') ++at;
    return at + 1 < line.size() && line[at] == '=' && line[at + 1] != '=' && line.back() != ';' && line.back() != '{';
}

}  // namespace

bool is_tag(View line) {
    if (line.size() < 3 || line[0] != '<') return false;
    if (line.starts_with("<!--") || line.starts_with("<!DOCTYPE") || line.starts_with("<!doctype") ||
        line.starts_with("<?xml"))
        return true;
    std::size_t at = line[1] == '/' ? 2 : 1;
    if (!ascii_alpha(line[at])) return false;
    while (at < line.size() && (ascii_alpha(line[at]) || ascii_digit(line[at]) || line[at] == '-' || line[at] == ':'))
        ++at;
    return at == line.size() || line[at] == '>' || line[at] == ' ' || line[at] == '/';
}

std::size_t signs_of_addresses(View line) {
    std::size_t signs = 0;
    for (std::size_t at = line.find("://"); at != View::npos; at = line.find("://", at + 3)) {
        for (; at < line.size() && line[at] != ' '; ++at) signs += ascii_alpha(line[at]) || wide(line[at]) ? 0 : 1;
    }
    return signs;
}

std::uint32_t line_marks(View line, const LineBytes& bytes, char last, bool indented) {
    static constexpr ByteSet kBrackets = bytes_of("{}[], ");
    const Signs read = read_signs(line, bytes);
    std::uint32_t marks = event_marks(line, bytes, indented);
    const std::size_t rest = line.size() - bytes.letters() - bytes.spaces();
    marks |= comment(line);
    if (text::is_rule(line)) return marks | kRule;
    if ((marks & kHunk) != 0) return marks;
    if (is_tag(line)) marks |= kTag;
    if (text::atx_heading_level(line) > 0) marks |= kHeading;
    if (text::list_marker(line) > 0) marks |= kList;
    if (text::fence_length(line) > 0 && (line[0] == '`' || line.find('^') == View::npos)) marks |= kFence;
    if (read.link) marks |= kLink;
    if (line[0] == '|' && line.size() > 2 && (last == '|' || text::is_table_delimiter(line))) marks |= kPipe;
    if (line.starts_with(".. ")) marks |= kDirective;
    if (bytes.has_colon()) {
        if (!indented) marks |= turn_marks(line, bytes);
        if (is_key_value(line, indented)) marks |= kKeyValue;
    }
    if ((line[0] == '[' || bytes.has_telling()) && is_field(line)) marks |= kField;
    if ((line[0] == '"' && has(line, "\":")) || find_out(line, kBrackets) == line.size()) marks |= kMember;
    if (line.size() >= 150 && bytes.coding() * 10 >= line.size() && bytes.spaces() * 8 < line.size()) marks |= kPacked;
    const std::size_t signs = rest > 2 && bytes.has_colon() ? rest - signs_of_addresses(line) : rest;
    const bool beside = signs == 0 && rest > 0 && bytes.spaces() > 0;  // words and an address, nothing else
    // What runs over many words with few signs is a sentence, whatever numbers it has and however it ends: "(a) they
    // will not, without consent, use it during 2019;".
    const bool runs = bytes.spaces() >= kManyWords && bytes.letters() >= 3 * bytes.spaces() && !read.assign &&
                      (signs - std::min(signs, bytes.digits())) * 12 <= line.size() &&
                      bytes.digits() * 5 <= line.size() &&
                      (marks & (kStamp | kLevel | kAnchor | kBuild | kFrame | kTraceHead | kComment)) == 0;
    const bool words =
        beside || (bytes.spaces() >= 3 && bytes.letters() >= 2 * bytes.spaces() && signs * 8 <= line.size());
    const bool closes = !runs && (last == ';' || last == '{' || last == '}');
    if (runs || (words && !closes)) marks |= kProse;
    if ((marks & (kComment | kTag | kHeading)) != 0) return marks;
    const bool ends = closes || line == ")" || line == "]" || line == "end" ||
                      ((last == ',' || last == ')' || last == '(' || last == '[' || last == ':') &&
                       (read.call || read.assign || bytes.coding() * 6 >= line.size()));
    const bool listed = line[0] == '(' && line.size() > 4 &&
                        (line.ends_with("),") || line.ends_with("))") || line.find(')') == View::npos);
    const bool imports = line.starts_with("import ") || (line.starts_with("from ") && has(line, " import "));
    if (ends || imports || listed || (read.assign && bytes.coding() >= 1 && (marks & kProse) == 0)) marks |= kCode;
    return marks;
}

View without_escapes(View line, char* buffer) {
    std::size_t size = 0;
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (line[at] != '\x1b') {
            buffer[size++] = line[at];
            continue;
        }
        if (at + 1 < line.size() && (line[at + 1] == ']' || line[at + 1] == '_')) {  // to the bell
            while (at < line.size() && line[at] != '\a') ++at;
            continue;
        }
        at += 1;
        if (at < line.size() && line[at] == '[') ++at;
        while (at < line.size() && !ascii_alpha(line[at])) ++at;
    }
    while (size > 0 && (buffer[size - 1] == ' ' || buffer[size - 1] == '\r')) --size;
    std::size_t first = 0;
    while (first < size && buffer[first] == ' ') ++first;
    return {buffer + first, size - first};
}

}  // namespace tersely::detect
