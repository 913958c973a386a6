#include "kernels/detect/line_marks.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/detect/bytes.hpp"
#include "kernels/text/lines.hpp"

namespace tersely::detect {

LineBytes::LineBytes(std::string_view line, std::size_t readable)
    : size_(line.size()), blocks_((line.size() + simd::kMaskBlock - 1) / simd::kMaskBlock) {
    std::array<char, kMostBytes> copy;
    const char* from = line.data();
    if (readable < blocks_ * simd::kMaskBlock) {
        copy.fill(0);
        std::memcpy(copy.data(), from, size_);
        from = copy.data();
    }
    const auto look = simd::byte_kernels().masks;
    for (std::size_t block = 0; block < blocks_; ++block) {
        simd::ByteMasks& masks = masks_[block];
        const std::size_t begin = block * simd::kMaskBlock;
        look(from + begin, std::min(size_ - begin, simd::kMaskBlock), &masks);
        letters_ += masks.lettered;
        spaces_ += masks.spaced;
        digits_ += masks.counted;
        coding_ += masks.coded;
    }
}

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

// Whether what follows a "`" ends with a "'", not with another "`".
bool closes_with_quote(View line, std::size_t at) {
    const std::size_t end = line.find_first_of("`'", at);
    return end != View::npos && line[end] == '\'';
}

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
            default:  // "`word'" is how GNU tools quote
                read.link = read.link || !closes_with_quote(line, i + 1);
        }
    });
    return read;
}

std::uint32_t turn_marks(View line, const LineBytes& bytes) {
    static constexpr ByteSet kNoName = bytes_of("/=()\\{}");
    if (text::behind_time(line) > 0) return text::chat_turn(line) == text::Turn::kPossible ? kTurn : 0U;
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

// Words between two runs of one sign: "==== 3 failed ====", "____ test_x ____".
bool is_banner(View line) {
    static constexpr ByteSet kSigns = bytes_of("=_-~*");
    if (line.size() < 12 || !in(kSigns, line[0]) || line.back() != line[0]) return false;
    const std::size_t first = line.find_first_not_of(line[0]), last = line.find_last_not_of(line[0]);
    return first >= 4 && line.size() - last > 4 && line[first] == ' ' && line[last] == ' ' && first + 2 < last;
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
    if (!indented && (marks & kComment) == 0 && is_banner(line)) return marks | kBanner;
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
        if ((marks & kTurn) != 0 && text::behind_time(line) > 0)
            marks &= ~(kStamp | kBuild | kAnchor);  // when it was said
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

namespace {

// Without the lines that Python draws beside groups of exceptions: "| ", "+ ".
View without_rails(View line) {
    while (line.size() > 2 && (line[0] == '|' || line[0] == '+') && line[1] == ' ') {
        line.remove_prefix(std::min(line.find_first_not_of(' ', 1), line.size() - 1));
    }
    return line;
}

// Frames that start with their number.
bool is_numbered(View line, bool indented, bool placed) {
    const bool hash = line[0] == '#';
    std::size_t at = hash ? 1 : 0;
    while (at < line.size() && at < 5 && ascii_digit(line[at])) ++at;
    if (at == (hash ? 1U : 0U) || at + 2 >= line.size()) return false;
    if (hash) {  // gdb, the sanitizers; Dart and PHP
        const View name = line.substr(std::min(line.find_first_not_of(' ', at), line.size()));
        const bool known = name.starts_with("0x") || (placed && has(name, "("));
        return line[at] == ' ' && (known || name == "{main}" || name.starts_with("[internal function]"));
    }
    if (line[at] == ':' && line[at + 1] == ' ') {  // Rust: the name of a function, its place is below
        return indented && line[line.size() - 1] != ';' && (has(line, "::") || line.substr(at + 2, 5) == "rust_");
    }
    if (line[at] != ' ') return false;  // Swift: library, address, name
    const std::size_t address = line.find(" 0x");
    return address != View::npos && address + 11 < line.size() && line.find(' ', address + 3) >= address + 11;
}

bool is_placed_frame(View line, bool indented, std::size_t anchor) {
    const View after = line.substr(anchor);
    if (after.starts_with(":in `") || after.starts_with(":in '")) return true;  // Ruby, before 3.4 and since
    if (line.find("@http") < anchor || line.find("@file:") < anchor) return !has(line, " ");  // SpiderMonkey
    if (!indented) return false;
    if (after.empty() || after.starts_with(" +0x")) {
        return has(line.substr(0, anchor), ".go:") || line.starts_with("@ ");  // Go; Julia
    }
    if (after.starts_with(": in ")) return true;  // Lua
    const std::size_t end = line.size();          // Elixir: the function and how many arguments it takes
    return after.starts_with(": ") && ascii_digit(line[end - 1]) && line[end - 2] == '/';
}

bool is_frame(View line, bool indented, bool placed, std::size_t anchor) {
    if (line[0] == '#' || ascii_digit(line[0])) {
        if (is_numbered(line, indented, placed)) return true;
    } else if (line[0] == 'F') {
        if (is_python_frame(line)) return true;
    } else if (line.starts_with("at ") && (indented || has(line, "("))) {
        if (line.back() == ')' || line.ends_with(") {") || has(line, ":line ") || has(line, "://") ||
            has(line, ".js:") || has(line, ".rs:"))
            return true;
    } else if (line.starts_with("...") && (line.ends_with(" more") || line.ends_with(" frames omitted"))) {
        return true;
    } else if (line.starts_with("PHP  ") && line.size() > 8) {
        return ascii_digit(line[line.find_first_not_of(' ', 4)]);
    } else if (line[0] == '[' && indented) {  // Julia; Lua
        const std::size_t close = std::min(line.find_first_not_of("0123456789", 1), line.size());
        if (close > 1 && line.substr(close, 2) == "] " && (has(line, "(") || line.ends_with("scope"))) return true;
        return line.starts_with("[C]: in ");
    }
    if (anchor != View::npos && is_placed_frame(line, indented, anchor)) return true;
    return indented && placed && has(line, " called at ");  // Perl; Haskell
}

// "... at lib/Shop.pm line 42.", as Perl dies.
bool ends_with_line(View line) {
    std::size_t at = line.size() - 1;
    if (line[at] != '.') return false;
    while (at > 0 && ascii_digit(line[at - 1])) --at;
    return at + 1 < line.size() && line.substr(0, at).ends_with(" line ") && has(line, " at ");
}

bool is_head(View line, bool indented) {
    static constexpr std::array<View, 4> kCauses = {"---> ", "Caused by:", "Suppressed: ", "[cause]: "};
    static constexpr std::array<View, 23> kStarts = {"** (",
                                                     "CallStack (from",
                                                     "Current stack trace",
                                                     "During handling of",
                                                     "Exception Group Traceback",
                                                     "Exception in thread",
                                                     "Fatal error: Uncaught",
                                                     "PHP Fatal error",
                                                     "PHP Stack trace:",
                                                     "Program received signal",
                                                     "Stack backtrace:",
                                                     "Stack trace:",
                                                     "Stacktrace:",
                                                     "The above exception",
                                                     "Traceback (most recent",
                                                     "Uncaught ",
                                                     "Unhandled exception",
                                                     "[signal SIG",
                                                     "[stacktrace]",
                                                     "fatal error: all goroutines",
                                                     "goroutine ",
                                                     "panic:",
                                                     "stack "};
    static constexpr ByteSet kFirstOfCauses = bytes_of("-CS[");
    static constexpr ByteSet kFirst = bytes_of("*=CDEFPSTU[fgpst");
    if (in(kFirstOfCauses, line[0]) && starts_with_any(line, kCauses)) return true;
    if (indented) return false;
    if (in(kFirst, line[0])) {
        if (starts_with_any(line, kStarts)) return !line.starts_with("stack ") || has(line, "trace");
        if (line.starts_with("thread '") && has(line, " panicked at")) return true;
        if (line.starts_with("==") && has(line, "==ERROR: ")) return true;
    }
    // java.lang.X: ..., ValueError: ..., NoMethodError (...)
    std::size_t end = 0;
    while (end < line.size() &&
           (ascii_alpha(line[end]) || ascii_digit(line[end]) || line[end] == '.' || line[end] == '_' ||
            line[end] == '$' || (line[end] == ':' && end + 1 < line.size() && line[end + 1] != ' ')))
        ++end;
    const View name = line.substr(0, end);
    const bool closes = end == line.size() || line[end] == ':' || line.substr(end, 2) == " (";
    return closes && end > 5 && (name.ends_with("Exception") || name.ends_with("Error"));
}

}  // namespace

bool is_python_frame(View line) {
    line = without_rails(line);
    return line.starts_with("File \"") && has(line, ", line ");
}

std::uint32_t trace_marks(View line, bool indented, bool placed, std::size_t anchor) {
    const View bare = without_rails(line);
    if (bare.size() < line.size()) {
        if (is_python_frame(bare)) return kFrame;
        return is_head(bare, false) ? kTraceHead : 0U;
    }
    if (is_frame(line, indented, placed, anchor)) return kFrame;
    const bool perl = !indented && placed && anchor == View::npos && ends_with_line(line);
    return perl || is_head(line, indented) ? kTraceHead : 0U;
}

namespace {

// Digits at `at`, up to `most`.
std::size_t digits(View line, std::size_t at, std::size_t most) {
    std::size_t end = at;
    while (end < line.size() && end - at < most && ascii_digit(line[end])) ++end;
    return end - at;
}

// Whether a stamp may stand in the line: two colons around two digits, or six or ten digits near its start.
bool may_have_stamp(const LineBytes& bytes, std::size_t size) {
    for (std::size_t at = 0; at < size; at += simd::kMaskBlock) {
        const std::uint64_t colon = bytes.from(&simd::ByteMasks::colons, at);
        if (colon == 0) continue;
        const std::uint64_t colons = colon & bytes.from(&simd::ByteMasks::colons, at + 3);
        if ((colons & bytes.from(&simd::ByteMasks::digits, at + 1) & bytes.from(&simd::ByteMasks::digits, at + 2)) != 0)
            return true;
    }
    const std::uint64_t digit = bytes.from(&simd::ByteMasks::digits, 0);
    if ((digit & 0x3FU) == 0x3FU) return true;
    const auto has_ten = [](std::uint64_t run) {
        const std::uint64_t two = run & run >> 1U, four = two & two >> 2U, eight = four & four >> 4U;
        return (eight & two >> 8U) != 0;
    };
    return has_ten(digit) || has_ten(bytes.from(&simd::ByteMasks::digits, 32));
}

// Whether a number stands behind ":", "(" or "[", as behind a path.
bool may_have_anchor(const LineBytes& bytes, std::size_t size) {
    for (std::size_t at = 0; at < size; at += simd::kMaskBlock) {
        const std::uint64_t opens = bytes.from(&simd::ByteMasks::openers, at);
        if (opens == 0) continue;
        const std::uint64_t digit = bytes.from(&simd::ByteMasks::digits, at + 1);
        const std::uint64_t later = bytes.from(&simd::ByteMasks::digits, at + 2);
        if ((opens & (digit | later)) != 0) return true;
    }
    return false;
}

// Whether line[begin, end) stands between columns: an age in a table is no stamp.
bool is_cell(View line, std::size_t begin, std::size_t end) {
    return begin >= 2 && line.substr(begin - 2, 2) == "  " && line.substr(end, 2) == "  ";
}

// Whether line[at] stands in brackets that opened shortly before.
bool in_brackets(View line, std::size_t at) {
    static constexpr std::size_t kMostBefore = 16;  // "[Sun Mar 13 "
    const std::size_t begin = at - std::min(at, kMostBefore);
    const std::size_t opens = line.substr(begin, at - begin).find_last_of("[]");
    return opens != View::npos && line[begin + opens] == '[';
}

// hh:mm:ss or h:mm:ss, or ten digits of seconds since 1970, in the first 40 bytes or so, behind the name of a program
// and a bar, or in brackets; or yymmdd hhmmss at the start.
bool has_stamp(View line) {
    static constexpr std::size_t kNear = 40, kFar = 60;
    const bool named = line.substr(0, kNear).find(" | ") != View::npos;
    for (std::size_t at = 0; at < line.size();) {
        if (!ascii_digit(line[at])) {
            ++at;
            continue;
        }
        const std::size_t size = digits(line, at, 14);
        const std::size_t after = at + size;
        const bool near = at <= kNear || (named && at <= kFar);
        if (size <= 2 && after + 5 < line.size() && line[after] == ':' && digits(line, after + 1, 3) == 2 &&
            line[after + 3] == ':' && digits(line, after + 4, 3) == 2 && !is_cell(line, at, after + 6) &&
            (near || in_brackets(line, at))) {
            return true;
        }
        if (size == 6 && at == 0 && after < line.size() && line[after] == ' ' && digits(line, after + 1, 7) == 6)
            return true;
        if (size == 10 && at < kFar && line[at] == '1' && after < line.size() &&
            (line[after] == ' ' || line[after] == '.'))
            return true;
        at = after;
    }
    return false;
}

// "[   12.345678] ": seconds since a kernel started.
bool is_since_start(View line) {
    if (line[0] != '[') return false;
    const std::size_t at = std::min(line.find_first_not_of(' ', 1), line.size());
    const std::size_t size = digits(line, at, 8), dot = at + size;
    return size > 0 && dot < line.size() && line[dot] == '.' && digits(line, dot + 1, 7) == 6 &&
           line.substr(dot + 7, 2) == "] ";
}

enum WordKind : std::uint8_t { kPlainWord, kLevelWord, kOutcomeWord };

// What builds and logs say of an event: levels, and how something ended.
constexpr std::array<View, 14> kLevels = {"TRACE", "DEBUG",  "INFO",     "NOTICE", "WARN",    "WARNING", "ERROR",
                                          "FATAL", "SEVERE", "CRITICAL", "PANIC",  "FAILURE", "HINT",    "FINE"};
constexpr std::array<View, 7> kOutcomes = {"PASSED", "FAILED", "ERRORS", "WARNINGS", "PASSES", "FAILURES", "SKIPPED"};

WordKind kind_of(View word) {
    std::array<char, 9> upper_case{};
    for (std::size_t i = 0; i < word.size(); ++i)
        upper_case[i] = ascii_lower(word[i]) ? static_cast<char>(word[i] - 32) : word[i];
    const View key(upper_case.data(), word.size());
    if (std::find(kLevels.begin(), kLevels.end(), key) != kLevels.end()) return kLevelWord;
    return std::find(kOutcomes.begin(), kOutcomes.end(), key) != kOutcomes.end() ? kOutcomeWord : kPlainWord;
}

// Which two letters such words begin with, in capitals or not: few other words do.
constexpr std::array<bool, 26 * 26> starts_of_words() {
    std::array<bool, 26 * 26> starts{};
    for (const View word : kLevels) starts[static_cast<std::size_t>((word[0] - 'A') * 26 + word[1] - 'A')] = true;
    for (const View word : kOutcomes) starts[static_cast<std::size_t>((word[0] - 'A') * 26 + word[1] - 'A')] = true;
    return starts;
}

constexpr std::array<bool, 26 * 26> kStartsOfWords = starts_of_words();

bool may_be_word(char first, char second) {  // two letters
    const auto number = [](char byte) { return static_cast<std::size_t>((byte | 0x20) - 'a'); };
    return kStartsOfWords[number(first) * 26 + number(second)];
}

// kLevel: a level in capitals, or in brackets. kBuild: "error:", ": warning", "3 failed", "FAILED". kAnchor: "line 3".
std::uint32_t word_marks(View line, const LineBytes& bytes) {
    std::uint32_t marks = 0;
    bytes.each_run([&](std::size_t at) {
        if (line[at] == 'l' && line.substr(at, 5) == "line " && at + 5 < line.size() && ascii_digit(line[at + 5]))
            marks |= kAnchor;
        if (!may_be_word(line[at], line[at + 1])) return;
        std::size_t end = at + 4;
        while (end < line.size() && ascii_alpha(line[end])) ++end;
        if (end - at > 8) return;
        const WordKind kind = kind_of(line.substr(at, end - at));
        const char before = at > 0 ? line[at - 1] : ' ';
        const char after = end < line.size() ? line[end] : ' ';
        const bool capitals = ascii_upper(line[at]) && ascii_upper(line[at + 1]);
        const bool bracket = (before == '[' || before == '<') && (after == ']' || after == '>');
        if (kind == kLevelWord && at < 100 && (capitals || bracket) && after != '-' && after != '_' && before != '_')
            marks |= kLevel;
        const bool colons = after == ':' || (at >= 2 && line[at - 2] == ':' && before == ' ');
        const bool counted =
            at >= 2 && before == ' ' && ascii_digit(line[at - 2]) && (kind == kOutcomeWord || !capitals);
        if (kind != kPlainWord && (colons || counted)) marks |= kBuild;
        if (kind == kOutcomeWord && (capitals || end == line.size())) marks |= kBuild;
    });
    return marks;
}

// Where the place of path:12, path(12), path:[12,3] or path:(.text+0x1) ends, with a dot or a slash in the path; npos
// without one.
std::size_t anchor_end(View line) {
    static constexpr ByteSet kTelling = bytes_of(" \t\"/\\.:([");
    bool path = false;  // whether a dot between letters, or a slash, was met in this word
    std::size_t start = 0;
    for (std::size_t at = 0; at + 1 < line.size(); ++at) {
        const char byte = line[at];
        if (!in(kTelling, byte)) continue;
        if (byte == ' ' || byte == '\t' || byte == '"') {
            path = false;
            start = at + 1;
        } else if (byte == '/' || byte == '\\') {
            path = path || at > start || ascii_alpha(line[at + 1]);
        } else if (byte == '.' && ascii_alpha(line[at + 1])) {
            path = at > start;
        } else if (path && (byte == ':' || byte == '(' || byte == '[')) {
            std::size_t number = at + 1;
            if (line[number] == '(' && line.substr(number + 1, 1) == ".") {  // of an object: a.o:(.text+0x11):
                const std::size_t close = line.find(')', number);
                if (close != View::npos && line.substr(close + 1, 1) == ":") return close + 1;
            }
            if (line[number] == '[') ++number;
            const std::size_t size = digits(line, number, 7);
            if (size == 0 || size > 6) continue;
            const char after = number + size < line.size() ? line[number + size] : ':';
            if (View(":,) ].").find(after) != View::npos) return number + size;
        }
    }
    return View::npos;
}

// What linters say of a file they named before: "12:5  error  no-undef". A time of day before one space is none.
bool is_column_of_row(View line) {
    const std::size_t row = digits(line, 0, 7);
    if (row == 0 || row > 6 || row + 2 >= line.size() || line[row] != ':') return false;
    const std::size_t column = digits(line, row + 1, 5), end = row + 1 + column;
    if (column == 0 || column > 4 || end + 1 >= line.size() || line[end] != ' ') return false;
    return line[end + 1] == ' ' || column != 2;
}

// Commands as shells show them, and what test runners begin the lines of each test with.
constexpr std::array<View, 8> kBuildStarts = {"$ ", "+ ", "--- FAIL", "--- PASS", "=== RUN", "FAIL", "PASS", "ok  "};

bool is_build(View line) {
    if (starts_with_any(line, kBuildStarts) || line.ends_with(" ok")) return true;
    if (line[0] != '[' || line.size() < 4 || line[1] == '[') return false;
    const std::size_t close = line.substr(0, 24).find(']');  // [ 50%], [3/12], [javac]: in brackets, then a space
    return close != View::npos && close > 1 && close + 1 < line.size() && line[close + 1] == ' ' &&
           digits(line, 1, close) + 1 < close;  // [12]: of a note
}

// "a/b.cpp, name, 3, ...": rows of reports that open with the path of a file.
bool is_row_of_file(View line) {
    static constexpr ByteSet kEnds = bytes_of(", \t");
    const std::size_t end = find_in(line, kEnds);
    if (end + 1 >= line.size() || line[end] != ',' || line[end + 1] != ' ') return false;
    const View path = line.substr(0, end);
    const std::size_t dot = path.rfind('.'), slash = path.rfind('/');
    return slash != View::npos && dot != View::npos && dot > slash && end - dot >= 2 && end - dot <= 5 &&
           ascii_alpha(path[dot + 1]);
}

// What a compiler draws below the line that it shows: "  |   ^^^^ here" beside a gutter, "^---^ SC2086: ...".
bool is_underlined(View line) {
    static constexpr ByteSet kDrawn = bytes_of("^~-");
    const std::size_t at = line[0] == '|' ? line.find_first_not_of(' ', 1) : 0;
    if (at == View::npos || (at == 1 && line[0] == '|') || line[at] != '^') return false;
    const std::size_t end = find_out(line, kDrawn, at);
    return line[0] == '|' || (end > at + 1 && end < line.size() && line[end] == ' ');
}

// What a program says to the service that runs it: ##teamcity[...], ##[error], ::error file=...
bool is_service_message(View line) {
    if (line.size() < 6) return false;
    if (line.starts_with("##") && (ascii_alpha(line[2]) || line[2] == '[')) return line.find('[') < 16;
    return line.starts_with("::") && ascii_lower(line[2]) && line.find("::", 3) != View::npos;
}

bool is_diff_head(View line) {
    static constexpr std::array<View, 10> kStarts = {"diff --git ",
                                                     "diff -",
                                                     "--- a/",
                                                     "+++ b/",
                                                     "Index: ",
                                                     "new file mode ",
                                                     "deleted file mode ",
                                                     "rename from ",
                                                     "similarity index ",
                                                     "Binary files "};
    static constexpr ByteSet kFirst = bytes_of("dnrs-+IB");
    if (!in(kFirst, line[0])) return false;
    if (starts_with_any(line, kStarts)) return true;
    return (line.starts_with("--- ") || line.starts_with("+++ ")) && (has(line, "/") || has(line, "."));
}

}  // namespace

std::uint32_t event_marks(View line, const LineBytes& bytes, bool indented) {
    std::uint32_t marks = word_marks(line, bytes);
    const bool numbers = bytes.digits() > 0;
    if (numbers && ((may_have_stamp(bytes, line.size()) && has_stamp(line)) || is_since_start(line))) marks |= kStamp;
    const std::size_t anchor = numbers && may_have_anchor(bytes, line.size()) ? anchor_end(line) : View::npos;
    if (anchor != View::npos || is_row_of_file(line) || (indented && is_column_of_row(line))) marks |= kAnchor;
    marks |= trace_marks(line, indented, (marks & kAnchor) != 0, anchor);
    if (is_service_message(line)) marks |= kAnchor | kBuild;
    if (is_build(line) || is_underlined(line)) marks |= kBuild;
    if (indented) return marks;
    if (line.starts_with("@@ -") && has(line, " @@")) marks |= kHunk;
    if (is_diff_head(line)) marks |= kDiffHead;
    return marks;
}

}  // namespace tersely::detect
