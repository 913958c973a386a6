#include <algorithm>
#include <array>

#include "kernels/text/abbreviations.hpp"
#include "kernels/text/fact_runs.hpp"
#include "kernels/text/facts.hpp"
#include "kernels/text/guards.hpp"
#include "kernels/text/lines.hpp"
#include "kernels/text/sentences.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {

// The facts of facts.hpp that marks delimit: quotes, code in backticks, messages, clauses, segments.

namespace {

constexpr std::size_t kLongestQuote = 2048;
constexpr std::size_t kLongestCode = 512;  // in backticks
constexpr std::size_t kLongestMessage = 512;

struct Marks {
    char32_t open;
    std::u32string_view close;
};
constexpr std::array<Marks, 8> kQuotes = {{{'"', U"\""},
                                           {0x201C, U"\u201D"},
                                           {0x201E, U"\u201C\u201D"},
                                           {0xAB, U"\u00BB"},
                                           {0xBB, U"\u00AB"},
                                           {0x300C, U"\u300D"},
                                           {0x300E, U"\u300F"},
                                           {0x201A, U"\u2018"}}};

constexpr std::array<bool, 128> kClauseEnds = [] {
    std::array<bool, 128> ends{};
    for (const char mark : std::string_view(",;:()[]{}|!?")) ends[static_cast<std::size_t>(mark)] = true;
    return ends;
}();

bool ends_clause(char32_t code) {
    if (code < 0x80) return kClauseEnds[code];
    constexpr std::u32string_view marks = U"\u2014\u2026\u3001\uFF0C\uFF1B\uFF1A\uFF08\uFF09\u3002\u060C\u061B";
    return marks.find(code) != std::u32string_view::npos;
}

// Where the line at `at` ends, at most `longest` bytes away, without the white space there.
std::size_t line_end(std::string_view text, std::size_t at, std::size_t longest) {
    const std::size_t limit = floor_char(text, std::min(at + longest, text.size()));
    std::size_t end = std::min(text.substr(0, limit).find('\n', at), limit);
    while (end > at && ascii_space(text[end - 1])) --end;
    return end;
}

// Whether there are two words with white space between them, or four characters of a script without spaces.
bool has_two_words(std::string_view text) {
    int quarters = 0;
    bool gap = true;
    for (std::size_t at = 0; at < text.size() && quarters < 4;) {
        const Decoded here = decode(text, at);
        at += here.length;
        if (is_space(here.code)) {
            gap = true;
        } else if ((char_class(here.code) & kNgram) != 0) {
            ++quarters;
        } else if (gap && is_word(here.code)) {
            quarters += 2;
            gap = false;
        }
    }
    return quarters >= 4;
}

// Past the time stamp of a log line: "Jun 14 15:16:01 ", "[2024-01-31T10:30:00Z] ", "081109 203615 148 ".
std::size_t past_stamp(std::string_view line) {
    constexpr std::size_t kSyslog = 15;
    if (line.size() > kSyslog && ascii_alpha(line[0]) && line[9] == ':' && line[12] == ':') return kSyslog;
    std::size_t end = 0;
    for (std::size_t at = 0; at < line.size() && at < 64; ++at) {
        if (!ascii_digit(line[at]) && !among(line[at], "-/:.,TZ+[]() ")) break;
        if (among(line[at], " ])")) end = at + 1;
    }
    return end;
}

}  // namespace

// Past the mark of a list item, the number of a section ("2.1 Methods", "4.2 The") or the time stamp of a log line that
// the segment begins with.
std::size_t FactReader::skip_label(const Segments& rows, std::size_t row) const {
    const bool first = row == 0 || rows.block[row] != rows.block[row - 1];
    std::size_t at = begin_;
    if (!first && kind_ != Kind::kProse && kind_ != Kind::kListItem) return at;
    if (kind_ == Kind::kLogLine) return at + past_stamp(text_.substr(at));
    if (kind_ == Kind::kCode || kind_ == Kind::kTable) return at;
    while (at < text_.size() && among(text_[at], "#>* ")) ++at;
    const std::size_t marker = list_marker(text_.substr(at, 16));
    if (marker > 0) return at + marker;
    std::size_t end = at;
    while (end < text_.size() && end < at + 12 && (ascii_digit(text_[end]) || text_[end] == '.')) ++end;
    if (end == at || !ascii_digit(text_[at]) || end >= text_.size() || text_[end] != ' ') return at;
    const bool capital = end + 1 < text_.size() && ascii_upper(text_[end + 1]);
    const bool labels = kind_ == Kind::kHeading || text_[end - 1] == '.' ||
                        text_.substr(at, end - at).find('.') != std::string_view::npos;
    return labels && capital ? end : at;
}

// Past "[12]" and "[3, 4-6]": whole numbers of up to three digits. 0 where there is something else.
std::size_t FactReader::skip_citation(std::size_t at) const {
    std::size_t digits = 0;
    for (std::size_t end = at + 1; end < text_.size() && end < at + 40; ++end) {
        if (text_[end] == ']') return digits > 0 || end > at + 2 ? end + 1 : 0;
        digits = ascii_digit(text_[end]) ? digits + 1 : 0;
        const bool dash = text_.substr(end).starts_with("\xE2\x80\x93");
        if (dash) end += 2;
        if (digits > 3 || !(digits > 0 || dash || among(text_[end], ",- "))) return 0;
    }
    return 0;
}

// Code in backticks at `at`; returns where reading goes on.
std::size_t FactReader::read_backticks(std::size_t at) {
    std::size_t inside = at;
    while (inside < text_.size() && text_[inside] == '`') ++inside;
    const std::size_t marks = inside - at;
    if (marks > 2 || at < ticked_) return inside;
    const std::size_t limit = std::min(inside + kLongestCode, block_end_);
    const std::string_view fence = std::string_view("``").substr(0, marks);
    std::size_t end = whole_.substr(0, limit).find(fence, inside);
    while (end != std::string_view::npos && end + marks < limit && whole_[end + marks] == '`') {
        const std::size_t next = whole_.substr(0, limit).find_first_not_of('`', end);
        end = next == std::string_view::npos ? next : whole_.substr(0, limit).find(fence, next);
    }
    if (end == std::string_view::npos) {
        ticked_ = limit;
        return inside;
    }
    if (end == inside) return end + marks;
    const Span content{inside, end};
    const std::string_view code = whole_.substr(0, end);
    const Span run = trimmed(code, {inside, run_end(code, inside)});
    if (run.begin == inside && run.end > inside && shape_of(code.substr(run.begin, run.end - run.begin)).word) {
        FoundFact found = read_code(code, run);
        if (!found && ascii_digit(code[inside])) found = read_number(code, run, inside);
        if (found && found.span.begin == content.begin && found.span.end == content.end) {
            emit(found.kind, content);
            return end + marks;
        }
    }
    if (const std::size_t past = marks == 1 ? read_quoted_path(at) : 0; past > 0) return past;
    emit(FactKind::kInlineCode, {at, end + marks});
    return std::max(end + marks, at + 1);
}

// The path with spaces in the marks at `at`; returns where reading goes on, 0 where there is none.
std::size_t FactReader::read_quoted_path(std::size_t at) {
    if (runs_only_ || at + 1 >= text_.size() || (at > begin_ && in_word(decode_before(text_, at).code))) return 0;
    const FoundFact path = quoted_path(text_, at);
    if (!path) return 0;
    flush_name();
    emit(path.kind, path.span);
    starts_ = false;
    return std::max(path.span.end, text_.find(text_[at], at + 1) + 1);
}

// The quote that the mark at `at` opens, if it is one. What is in it is read all the same.
void FactReader::read_quote(std::size_t at, char32_t open) {
    if (runs_only_ || at < quoted_ || at < unquoted_ || kind_ == Kind::kCode || kind_ == Kind::kLogLine) return;
    const std::size_t length = decode(whole_, at).length;
    const std::size_t inside = at + length;
    if (inside >= block_end_ || is_space(decode(whole_, inside).code)) return;
    if (open == '"' || open == 0xBB) {
        if (at > 0 && in_word(decode_before(whole_, at).code)) return;
        std::size_t before = at;  // a key, an item, an argument or an attribute is no quote
        while (before > begin_ && whole_[before - 1] == ' ') --before;
        if (before > begin_ + 1 && among(whole_[before - 1], ",:") && whole_[before - 2] == '"') return;
        if (before > begin_ && among(whole_[before - 1], "=[{")) return;
        if (at > begin_ + 1 && whole_[at - 1] == '(' && in_word(decode_before(whole_, at - 1).code)) return;
    }
    const auto* marks = std::find_if(kQuotes.begin(), kQuotes.end(), [open](const Marks& m) { return m.open == open; });
    if (marks == kQuotes.end()) return;
    const std::size_t limit = std::min(block_end_, inside + kLongestQuote);
    for (std::size_t end = inside; end < limit;) {
        const Decoded here = decode(whole_, end);
        if (marks->close.find(here.code) == std::u32string_view::npos) {
            end += here.length;
            continue;
        }
        quoted_ = end + here.length;
        if (has_two_words(whole_.substr(inside, end - inside))) emit(FactKind::kQuote, {at, quoted_});
        return;
    }
    unquoted_ = limit;
}

// The message behind a type or level of error, if there is one. Returns where reading goes on: before the message.
std::size_t FactReader::read_error(Span type, bool level) {
    if (runs_only_ || type.begin < error_) return type.end;
    std::size_t at = type.end;
    if (level && at < text_.size() && text_[at] == '[') {  // error[E0308]
        const std::size_t close = text_.substr(0, std::min(at + 12, text_.size())).find(']', at);
        if (close != std::string_view::npos) at = close + 1;
    } else if (level && at + 1 < text_.size() && text_[at] == ' ' && ascii_upper(text_[at + 1])) {  // error TS2345
        const std::size_t end = word_end(text_, at + 1, std::min(at + 10, text_.size()));
        if (ascii_digit(text_[end - 1])) at = end;
    }
    const bool message = at + 1 < text_.size() && text_[at] == ':' && ascii_space(text_[at + 1]);
    const bool rest =
        level && kind_ == Kind::kLogLine && (use_of(text_.substr(type.begin, type.end - type.begin)) & kLogLevel);
    if (level && !message && !rest) return type.end;
    const std::size_t end = message || rest ? line_end(text_, at, kLongestMessage) : at;
    error_ = std::max(end, type.end);
    emit(FactKind::kError, {type.begin, error_});
    return std::max(at, type.end);
}

// "exit code 1", "exited with status 2", "exit 137"; returns its end, 0 where there is none.
std::size_t FactReader::read_exit(Span word) {
    std::size_t at = word.end;
    for (int words = 0; words < 4 && at < text_.size(); ++words) {
        while (at < text_.size() && among(text_[at], " :=(") && at < word.end + 32) ++at;
        if (at < text_.size() && ascii_digit(text_[at])) {
            const std::size_t end = word_end(text_, at, std::min(at + 6, text_.size()));
            const bool whole = std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(at),
                                           text_.begin() + static_cast<std::ptrdiff_t>(end), ascii_digit);
            if (!whole) return 0;
            emit(FactKind::kError, {word.begin, end});
            return end;
        }
        const std::size_t end = word_end(text_, at, std::min(at + 12, text_.size()));
        const std::string_view next = text_.substr(at, end - at);
        if (next != "with" && next != "code" && next != "status" && next != "value" && next != "non" &&
            next != "Code") {
            return 0;
        }
        at = end;
    }
    return 0;
}

// The clause around a word that negates or obliges.
void FactReader::read_clause(Span word, FactKind kind) {
    if (runs_only_) return;
    if (word.begin < clause_end_) {
        if (kind == FactKind::kObligation) rows_[clause_row_].kind = kind;
        return;
    }
    std::size_t end = word.end;
    while (end < text_.size()) {
        if (ascii_alpha(text_[end]) || text_[end] == ' ') {
            ++end;
            continue;
        }
        const Decoded here = decode(text_, end);
        const bool number =
            here.code == ',' && end + 1 < text_.size() && ascii_digit(text_[end - 1]) && ascii_digit(text_[end + 1]);
        const bool line = here.code == '\n' && kind_ != Kind::kProse;
        const bool colon = here.code == ':' && end + 1 < text_.size() && !ascii_space(text_[end + 1]);
        if ((ends_clause(here.code) && !number && !colon) || line) break;
        end += here.length;
    }
    const Span clause = trim(text_, {std::min(clause_, word.begin), end});
    if (!has_two_words(text_.substr(clause.begin, clause.end - clause.begin))) return;
    clause_end_ = end;
    clause_row_ = rows_.size();
    emit(kind, clause);
}

// The names of facts.hpp: words with capitals, one after another.

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
