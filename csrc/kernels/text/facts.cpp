#include "kernels/text/facts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "kernels/parallel.hpp"
#include "kernels/text/fact_runs.hpp"
#include "kernels/text/guards.hpp"
#include "kernels/text/sentences.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {

namespace {

// What the reader does at an ASCII character.
enum class Act : std::uint8_t { kPass, kLetter, kRun, kBreak, kTick, kQuote, kBracket, kLine, kStop };
constexpr std::array<Act, 128> kActs = [] {
    std::array<Act, 128> acts{};
    for (std::size_t byte = 0; byte < acts.size(); ++byte) {
        const auto letter = static_cast<char>(byte);
        if (ascii_alpha(letter)) acts[byte] = Act::kLetter;
        if (ascii_digit(letter)) acts[byte] = Act::kRun;
        if (std::string_view("-/~.#@$\\_<>+&").find(letter) != std::string_view::npos) acts[byte] = Act::kRun;
        if (std::string_view(",;:(){}]|").find(letter) != std::string_view::npos) acts[byte] = Act::kBreak;
        if (letter == '!' || letter == '?') acts[byte] = Act::kStop;
    }
    acts['`'] = Act::kTick;
    acts['"'] = acts['\''] = Act::kQuote;
    acts['['] = Act::kBracket;
    acts['\n'] = Act::kLine;
    return acts;
}();

// Where a run may tell a fact by itself: at digits, marks of code and what may begin a digit beyond ASCII, wherever
// they stand; at a capital behind a small letter; at what a full stop, a colon, brackets or dashes join. `is`: bits of
// a byte, `tells`: the bits that tell something behind it.
struct Telling {
    std::array<std::uint8_t, 256> is{}, tells{};
};
constexpr Telling kTelling = [] {
    enum : std::uint8_t { kAnywhere = 1, kCapital = 2, kAlpha = 4, kClosing = 8, kDash = 16 };
    Telling telling;
    for (std::size_t byte = 0; byte < 256; ++byte) {
        const auto letter = static_cast<char>(byte);
        if (ascii_alpha(letter)) telling.is[byte] = kAlpha;
        if (ascii_upper(letter)) telling.is[byte] |= kCapital;
        telling.tells[byte] = kAnywhere;
        if (ascii_lower(letter)) telling.tells[byte] |= kCapital;
    }
    for (const char byte : std::string_view("0123456789_/\\@#`"))
        telling.is[static_cast<unsigned char>(byte)] = kAnywhere;
    for (const std::size_t lead : {0xD9U, 0xDBU, 0xDFU, 0xE0U, 0xE1U, 0xEAU, 0xEFU, 0xF0U})
        telling.is[lead] = kAnywhere;
    for (const char byte : std::string_view(".:")) telling.tells[static_cast<unsigned char>(byte)] |= kAlpha;
    telling.is[')'] = kClosing;
    telling.tells['('] |= kClosing;
    telling.is['-'] = kDash;
    telling.tells['-'] |= kDash;
    return telling;
}();

// The first such place at or behind `at`; the end where there is none.
std::size_t next_telling(std::string_view text, std::size_t at) {
    unsigned char before = ' ';
    for (; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if ((kTelling.is[byte] & kTelling.tells[before]) != 0) break;
        before = byte;
    }
    return at;
}

bool is_words(FactKind kind) {
    return kind == FactKind::kName || kind == FactKind::kQuote || kind >= FactKind::kNegation;
}

// Words, folded, with one space between them.
void append_words(std::string_view fact, std::string& key) {
    bool gap = false;
    const std::size_t first = key.size();
    for (std::size_t at = 0; at < fact.size();) {
        std::size_t end = at;
        while (end < fact.size() && ascii_lower(fact[end])) ++end;
        const Decoded here = end > at ? Decoded{'a', end - at} : decode(fact, at);
        if (!is_word(here.code)) {
            gap = true;
        } else if (here.code < 0x300 || here.code > 0x36F) {
            if (gap && key.size() > first) key.push_back(' ');
            gap = false;
            if (end > at) {
                key.append(fact, at, end - at);
            } else {
                append_utf8(key, fold(here.code));
            }
        }
        at += here.length;
    }
}

// One space for white space; folded.
void append_squeezed(std::string_view fact, std::string& key) {
    bool gap = false;
    for (std::size_t at = 0; at < fact.size();) {
        const Decoded here = decode(fact, at);
        at += here.length;
        if (is_space(here.code)) {
            gap = true;
            continue;
        }
        if (gap) key.push_back(' ');
        gap = false;
        append_utf8(key, fold(here.code));
    }
}

// "a.py\", line 3", "a.py(3,5)" and "a.py:[3,5]" are "a.py:3" and "a.py:3:5".
void append_path_line(std::string_view fact, std::string& key) {
    const std::size_t line = fact.find("line ");
    if (line != std::string_view::npos && line > 0 && !in_word(decode_before(fact, line).code)) {
        std::string_view path = fact.substr(0, line);
        while (!path.empty() && among(path.back(), "\", :")) path.remove_suffix(1);
        key.append(path).append(":").append(fact.substr(line + 5));
        return;
    }
    for (const char byte : fact) {
        if (among(byte, ")] ")) continue;
        const char mark = among(byte, "([,") ? ':' : byte;
        if (mark != ':' || key.back() != ':') key.push_back(mark);
    }
}

}  // namespace

void append_key(FactKind kind, std::string_view fact, std::string& key) {
    key.push_back(static_cast<char>('A' + static_cast<int>(kind)));
    if (is_words(kind)) return append_words(fact, key);
    switch (kind) {
        case FactKind::kNumber:
            std::copy_if(fact.begin(), fact.end(), std::back_inserter(key),
                         [](char byte) { return !among(byte, ", \n"); });
            return;
        case FactKind::kDate:
        case FactKind::kError:
            return append_squeezed(fact, key);
        case FactKind::kPathLine:
            return append_path_line(fact, key);
        case FactKind::kVersion:
            if (among(fact[0], "vV")) fact.remove_prefix(1);
            break;
        case FactKind::kInlineCode:
            while (!fact.empty() && fact.front() == '`') fact.remove_prefix(1);
            while (!fact.empty() && fact.back() == '`') fact.remove_suffix(1);
            break;
        case FactKind::kUrl:
        case FactKind::kPath:
            if (fact.size() > 1 && fact.back() == '/') fact.remove_suffix(1);
            break;
        case FactKind::kIdentifier:
            if (fact.ends_with("()")) fact.remove_suffix(2);
            break;
        default:
            break;
    }
    key.append(fact);
}

void FactReader::append(std::string_view text, const Segments& rows) {
    whole_ = text;
    nouns_ = -1;
    covered_ = quoted_ = unquoted_ = ticked_ = error_ = told_ = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const bool first = row == 0 || rows.block[row] != rows.block[row - 1];
        if (first) {
            std::size_t last = row;
            while (last + 1 < rows.size() && rows.block[last + 1] == rows.block[row]) ++last;
            block_end_ = static_cast<std::size_t>(rows.end[last]);
        }
        if (rows.kind[row] != Kind::kFencedCode) {
            read_segment(rows, row);
        } else if (first) {
            first_row_ = rows_.size();
            segment_ = first_segment_ + static_cast<std::int32_t>(row);
            emit(FactKind::kFencedCode, {static_cast<std::size_t>(rows.start[row]), block_end_});
            give_keys();
        }
    }
    ++document_;
    first_segment_ += static_cast<std::int32_t>(rows.size());
}

void FactReader::read_segment(const Segments& rows, std::size_t row) {
    check_cancelled();
    begin_ = static_cast<std::size_t>(rows.start[row]);
    text_ = whole_.substr(0, static_cast<std::size_t>(rows.end[row]));
    kind_ = rows.kind[row];
    segment_ = first_segment_ + static_cast<std::int32_t>(row);
    first_row_ = rows_.size();
    clause_ = clause_end_ = run_end_ = begin_;
    previous_ = 0;
    starts_ = true;
    decides_ = false;
    shouts_ = -1;
    std::size_t at = std::max(skip_label(rows, row), covered_);
    while (at < text_.size()) {
        if (runs_only_ && at >= told_) at = skip_plain(at);
        if (at < text_.size()) at = step(at);
    }
    covered_ = std::max(covered_, at);  // code in backticks may reach into the next segment
    flush_name();
    if (decides_ && kind_ != Kind::kCode) {
        const auto here = rows_.begin() + static_cast<std::ptrdiff_t>(first_row_);
        rows_.erase(std::remove_if(here, rows_.end(),
                                   [](const FactRow& fact) {
                                       return fact.kind == FactKind::kNegation || fact.kind == FactKind::kObligation;
                                   }),
                    rows_.end());
        emit(FactKind::kDecision, {begin_, text_.size()});
    }
    give_keys();
}

void FactReader::give_keys() {
    for (std::size_t row = first_row_; row < rows_.size(); ++row) {
        key_.clear();
        append_key(rows_[row].kind, whole_.substr(rows_[row].span.begin, rows_[row].span.end - rows_[row].span.begin),
                   key_);
        rows_[row].key = keys_.intern(key_);
    }
}

void FactReader::emit(FactKind kind, Span span, bool counts) {
    rows_.push_back({kind, static_cast<std::uint8_t>(counts), document_, segment_, -1, span});
}

std::uint32_t FactReader::use_of(std::string_view word) {
    const auto spelling = static_cast<std::size_t>(spellings_.intern(word));
    if (spelling == uses_.size()) uses_.push_back(word_use(word));
    return uses_[spelling];
}

// Past words in which nothing tells a fact, to the last word before the run that does: it may be a month or currency.
std::size_t FactReader::skip_plain(std::size_t at) {
    const std::size_t telling = next_telling(text_, at);
    told_ = std::min(telling + 1, text_.size());
    std::size_t run = telling;
    if (telling == text_.size()) return telling;
    while (run > at && !ascii_space(text_[run - 1])) --run;
    std::size_t word = run;
    if (word > at) --word;
    while (word > at && ascii_alpha(text_[word - 1])) --word;
    if (word < run) flush_name();
    return word;
}

std::size_t FactReader::step(std::size_t at) {
    const auto byte = static_cast<unsigned char>(text_[at]);
    if (byte >= 0x80U) return step_wide(at);
    switch (kActs[byte]) {
        case Act::kLetter:
            return read_letters(at);
        case Act::kRun:
            return read_run(at);
        case Act::kTick:
            return read_backticks(at);
        case Act::kQuote:
            if (const std::size_t end = read_quoted_path(at)) return end;
            if (text_[at] == '"') read_quote(at, '"');
            return at + 1;
        case Act::kBracket:
            if (const std::size_t end = kind_ == Kind::kCode || kind_ == Kind::kLogLine ? 0 : skip_citation(at))
                return end;
            clause_ = at + 1;
            return at + 1;
        case Act::kStop:
            starts_ = true;
            [[fallthrough]];
        case Act::kBreak:
            starts_ |= text_[at] == '|' || text_[at] == ':';
            clause_ = at + 1;
            return at + 1;
        case Act::kLine:
            if (kind_ != Kind::kProse) {
                flush_name();
                starts_ = true;
                clause_ = at + 1;
            }
            return at + 1;
        default:
            return at + 1;
    }
}

// Anything that is not ASCII.
std::size_t FactReader::step_wide(std::size_t at) {
    const Decoded here = decode(text_, at);
    const std::size_t next = at + here.length;
    if (in_run(here.code)) return read_run(at);
    if ((char_class(here.code) & kNgram) != 0) {
        if (negates_at(text_, at)) read_clause({at, next}, FactKind::kNegation);
        starts_ = false;
        return next;
    }
    if (is_space(here.code)) return next;
    constexpr std::u32string_view kBreaks =
        U"\u2014\u2026\u3001\uFF0C\uFF1B\uFF1A\uFF08\uFF09\u3002\uFF01\uFF1F\u060C\u061B";
    if (kBreaks.find(here.code) != std::u32string_view::npos) {
        clause_ = next;
    } else {
        read_quote(at, here.code);
    }
    return next;
}

std::vector<FactRow> FactReader::finish(std::int32_t& keys) {
    std::vector<std::uint8_t> counts(keys_.size(), 0);
    for (const FactRow& row : rows_) counts[static_cast<std::size_t>(row.key)] |= row.counts;
    std::erase_if(rows_, [&](const FactRow& row) { return counts[static_cast<std::size_t>(row.key)] == 0; });
    std::sort(rows_.begin(), rows_.end(), [](const FactRow& a, const FactRow& b) {
        return std::tuple(a.document, a.span.begin, b.span.end, a.kind) <
               std::tuple(b.document, b.span.begin, a.span.end, b.kind);
    });
    std::vector<std::int32_t> number(keys_.size(), -1);
    keys = 0;
    for (FactRow& row : rows_) {
        std::int32_t& mine = number[static_cast<std::size_t>(row.key)];
        if (mine < 0) mine = keys++;
        row.key = mine;
    }
    return std::move(rows_);
}

// The words and runs of facts.hpp: which reader takes each.

namespace {

constexpr std::size_t kLongestRun = 256;  // bytes of a run that are looked at together
constexpr std::size_t kMostCovered = 32;  // facts within a path, and those found beside them
constexpr std::string_view kOpeners = "<>+^&$~";
constexpr std::uint32_t kTriggers =
    kNegates | kObliges | kDecides | kErrorType | kErrorLevel | kExits | kLogLevel | kFileName;

bool in_ascii_run(char byte) {
    const auto code = static_cast<unsigned char>(byte);
    return code >= 0x80U || in_run(code);
}

// Signs, comparisons and currencies that may stand before the digits of a number; so may whatever is not ASCII.
bool is_sign_byte(char byte) { return static_cast<unsigned char>(byte) >= 0x80U || among(byte, "+-<>~$."); }
bool signs_number(std::string_view marks) { return std::all_of(marks.begin(), marks.end(), is_sign_byte); }

// Where the signs begin that stand before the first ASCII digit of a run; before its end where it has none.
std::size_t signs_begin(std::string_view text, Span run) {
    const std::string_view view = text.substr(run.begin, run.end - run.begin);
    std::size_t at = run.begin + std::min(view.find_first_of("0123456789"), view.size());
    while (at > run.begin && is_sign_byte(text[at - 1])) --at;
    return at;
}

// "US$", "R$" before a digit.
constexpr std::size_t kLongestDollar = 5;
bool is_dollar(std::string_view run, std::size_t digit) {
    return digit > 1 && digit < kLongestDollar && run[digit - 1] == '$' &&
           std::all_of(run.begin(), run.begin() + static_cast<std::ptrdiff_t>(digit - 1), ascii_upper);
}

bool is_hyphenated_word(std::string_view run) {
    return !any_code(run, [](char32_t code) { return code != '-' && !in_word(code); });
}

bool is_quarter(std::string_view run) { return run.size() == 2 && run[0] == 'Q' && run[1] >= '1' && run[1] <= '4'; }

}  // namespace

// The word, or the run, that begins with the ASCII letter at `at`.
std::size_t FactReader::read_letters(std::size_t at) {
    std::size_t end = at;
    while (end < text_.size() && ascii_lower(text_[end])) ++end;
    const bool small = end == text_.size() || !ascii_alpha(text_[end]);
    while (end < text_.size() && ascii_alpha(text_[end])) ++end;
    if (end < text_.size()) {
        const char mark = text_[end];
        const bool more = end + 1 < text_.size();
        if (mark == '(' && more && text_[end + 1] == ')') {
            emit(FactKind::kIdentifier, {at, end + 2});
            return end + 2;
        }
        const bool sentence = (mark == '.' || mark == ':' || mark == '-') && !(more && in_ascii_run(text_[end + 1]));
        if (mark != ' ' && !sentence && in_ascii_run(mark)) return read_run(at);
    }
    if (runs_only_) {
        const bool dated = end + 1 < text_.size() && text_[end] == ' ' && ascii_digit(text_[end + 1]);
        if (small || (ascii_upper(text_[at]) && !dated)) {
            flush_name();
            starts_ = false;
            return end;
        }
    }
    const std::string_view word = text_.substr(at, end - at);
    const std::uint32_t use = small ? small_word_use(word) : use_of(word);
    return ascii_upper(text_[at]) ? read_capital({at, end}, use) : use_word({at, end}, use);
}

// The run at `at` (guards.hpp); returns where reading goes on.
std::size_t FactReader::read_run(std::size_t at) {
    const std::string_view near = text_.substr(0, floor_char(text_, std::min(at + kLongestRun, text_.size())));
    run_end_ = run_end(near, std::max(at, std::min(run_end_, near.size())));  // a value behind "=" is in a run known
    const std::size_t whole = std::max(run_end_, at + decode(text_, at).length);
    Span run = trimmed(text_, {at, whole});
    const auto view = [&] { return text_.substr(run.begin, run.end - run.begin); };
    if (!has_word(view())) {
        const std::string_view marks = text_.substr(at, whole - at);
        const bool dash = marks == "-" || marks == "--" || marks == "\xE2\x80\x93";
        if (dash && at > begin_ && ascii_space(text_[at - 1])) clause_ = whole;
        close_run(at, whole);
        return whole;
    }
    if (among(text_[run.begin], kOpeners)) {
        const std::size_t signs = signs_begin(text_, run);
        while (among(text_[run.begin], kOpeners) && run.begin + 1 < run.end && !view().starts_with("~/") &&
               !ascii_digit(text_[run.begin + 1]) && run.begin < signs) {
            ++run.begin;
        }
    }
    std::size_t word = run.begin;
    while (!in_word(decode(text_, word).code)) word += decode(text_, word).length;
    const std::string_view marks = text_.substr(run.begin, word - run.begin);
    const bool digit = is_digit(decode(text_, word).code);
    std::size_t next = 0;
    FoundFact path = wider_path(text_, begin_, run);
    if (!path) path = spaced_path(text_, run);
    if (path) {
        next = take_path(path);
    } else if (digit && signs_number(marks)) {
        next = read_led_by_digit(run, word);
    } else if (const std::size_t first = view().substr(0, kLongestDollar).find_first_of("0123456789");
               first != std::string_view::npos && is_dollar(view(), first)) {
        next = read_led_by_digit(run, run.begin + first);
    } else if (const FoundFact found = read_code(text_, run)) {
        if (found.kind == FactKind::kError) {
            next = read_error(found.span, false);
        } else {
            emit(found.kind, found.span);
            next = found.span.end;
        }
        flush_name();
    } else if (is_upper(decode(text_, run.begin).code) && is_hyphenated_word(view()) && view().size() > 1) {
        if (is_quarter(view())) {
            const FoundFact date = read_month_first(text_, run);
            next = date ? date.span.end : run.end;
            emit(FactKind::kDate, {run.begin, next});
        } else {
            next = read_capital(run, use_of(view()));
        }
    } else {
        next = read_words(run);
    }
    starts_ = false;
    if (next >= run.end && next < whole) {
        close_run(run.end, whole);
        return whole;
    }
    return std::max(next, at + decode(text_, at).length);
}

// A path that is more than a run: what was found in it before is part of it. Returns where reading goes on.
std::size_t FactReader::take_path(const FoundFact& path) {
    const std::size_t first = std::max(first_row_, rows_.size() - std::min(rows_.size(), kMostCovered));
    for (std::size_t row = rows_.size(); row > first; --row) {
        const FactRow& found = rows_[row - 1];
        if (found.kind > FactKind::kIdentifier || found.kind == FactKind::kQuote || found.span.begin < path.span.begin)
            continue;
        rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(row - 1));
        if (clause_row_ >= row) --clause_row_;
    }
    if (name_.words > 0 && name_.span.end > path.span.begin) name_ = {};
    flush_name();
    emit(path.kind, path.span);
    return path.span.end;
}

// What the marks behind a run say about what follows.
void FactReader::close_run(std::size_t end, std::size_t whole) {
    if (end >= whole || end >= text_.size()) return;
    if (text_[end] == ':' || (text_[end] == '.' && end > begin_ && ends_word(text_, begin_, end))) {
        starts_ = true;
        clause_ = whole;
    }
}

std::size_t FactReader::read_led_by_digit(Span run, std::size_t digit) {
    const std::string_view view = text_.substr(run.begin, run.end - run.begin);
    if (view.find_first_of("/\\@_.") != std::string_view::npos) {
        const FoundFact code = read_code(text_, run);
        if (code.kind == FactKind::kUrl || code.kind == FactKind::kPath || code.kind == FactKind::kPathLine) {
            emit(code.kind, code.span);
            return code.span.end;
        }
    }
    const FoundFact found = read_number(text_, run, digit);
    if (!found) return run.end;
    emit(found.kind, found.span);
    return found.span.end;
}

// The words of a run that is nothing as a whole: "and/or", "status=500", "well-known".
std::size_t FactReader::read_words(Span run) {
    std::size_t next = run.begin;
    for (std::size_t word = run.begin; word < run.end;) {
        std::size_t stop = word_end(text_, word, run.end);
        if (stop == word) {
            const bool equals = text_[word] == '=';
            word += decode(text_, word).length;
            if (equals && word < run.end) return word;  // the value is a run of its own
            continue;
        }
        const std::string_view spelled = text_.substr(word, stop - word);
        if (is_digit(decode(text_, word).code)) {
            next = read_led_by_digit({word, run.end}, word);
        } else {
            const std::uint32_t use = use_of(spelled);
            next = is_upper(decode(text_, word).code) ? read_capital({word, stop}, use) : use_word({word, stop}, use);
        }
        word = std::max(stop, next);
    }
    return std::max(next, run.end);
}

// A word with a capital: of a date, an amount or a name. Returns where reading goes on.
std::size_t FactReader::read_capital(Span word, std::uint32_t use) {
    if (use & (kMonth | kWeekday)) {
        FoundFact date = (use & kMonth) != 0 ? read_month_first(text_, word) : FoundFact{};
        const std::size_t size = word.end - word.begin;
        const bool alone = (use & kWeekday) != 0 || (size > 5 && !starts_);  // "March" and "May" are words, too
        if (!date && alone) date = {FactKind::kDate, word};
        if (date) {
            flush_name();
            emit(date.kind, date.span);
            starts_ = false;
            return date.span.end;
        }
    }
    if ((use & kCurrency) != 0 && word.end + 1 < text_.size() && text_[word.end] == ' ' &&
        ascii_digit(text_[word.end + 1])) {
        const std::size_t end = run_end(text_, word.end + 1);
        const FoundFact amount = read_number(text_, trimmed(text_, {word.end + 1, end}), word.end + 1);
        emit(FactKind::kNumber, {word.begin, amount.span.end});
        starts_ = false;
        return amount.span.end;
    }
    if ((use & kTriggers) == 0 && kind_ != Kind::kCode && kind_ != Kind::kLogLine) extend_name(word);
    return use_word(word, use);
}

// What a word makes of its clause, line or segment. Returns where reading goes on.
std::size_t FactReader::use_word(Span word, std::uint32_t use) {
    std::size_t next = word.end;
    if (runs_only_) {
        if ((use & kCamel) != 0) emit(FactKind::kIdentifier, word);
        starts_ = false;
        return next;
    }
    const bool prose = kind_ != Kind::kCode && kind_ != Kind::kLogLine && kind_ != Kind::kTable;
    if (const std::size_t past = word.end < text_.size() ? contraction_end(text_, word.end) : 0; past > 0) {
        read_clause(word, FactKind::kNegation);
        next = past;
    } else if (use != 0) {
        const std::uint32_t before = previous_;
        const bool numbered =
            text_.substr(word.begin).starts_with("No. ") || text_.substr(word.begin).starts_with("no. ");
        if (use & kCamel) emit(FactKind::kIdentifier, word);
        if (use & kFileName) {
            const std::size_t line = place_end(text_, word.end);
            emit(line > 0 ? FactKind::kPathLine : FactKind::kPath, {word.begin, std::max(line, word.end)});
            next = std::max(line, word.end);
        }
        if (use & kErrorType) next = read_error(word, false);
        if (use & (kErrorLevel | kLogLevel)) next = read_error(word, true);
        if (use & kExits) next = std::max(next, read_exit(word));
        if ((use & kNegates) != 0 && !numbered) read_clause(word, FactKind::kNegation);
        if ((use & kObliges) != 0 || ((use & kTo) != 0 && (before & kObligesTo) != 0)) {
            read_clause(word, FactKind::kObligation);
        }
        decides_ |=
            prose && ((use & kDecides) != 0 || ((use & kTo) != 0 && (before & kDecidesTo) != 0) ||
                      ((use & kWill) != 0 && (before & kWe) != 0) || ((use & kWith) != 0 && (before & kGoing) != 0) ||
                      ((use & kDecidesTo) != 0 && word.end < text_.size() && text_[word.end] == ':'));
    }
    previous_ = use;
    starts_ = false;
    return next;
}

namespace {

constexpr std::size_t kMostDigits = 4;
constexpr double kPrior = 4;  // segments, half of them with a fact, that are added to what a text has

// Digits of any script, up to kMostDigits.
std::size_t digits_in(std::string_view fact) {
    std::size_t digits = 0;
    for (std::size_t at = 0; at < fact.size() && digits < kMostDigits;) {
        const Decoded here = decode(fact, at);
        digits += is_digit(here.code) ? 1 : 0;
        at += here.length;
    }
    return digits;
}

bool is_year(std::string_view number) {
    return number.size() == 4 && ((number[0] == '1' && number[1] >= '6') || (number[0] == '2' && number[1] == '0'));
}

float number_weight(std::string_view fact, float digits) {
    if (!std::all_of(fact.begin(), fact.end(), ascii_digit)) return 0.75F + 0.45F * digits;
    if (fact.size() <= 2) return 0.3F;
    return is_year(fact) ? 0.5F : 0.5F + 0.4F * digits;
}

}  // namespace

float fact_weight(FactKind kind, std::string_view fact) {
    const auto digits = static_cast<float>(digits_in(fact));
    switch (kind) {
        case FactKind::kNumber:
            return number_weight(fact, digits);
        case FactKind::kDate:
            return digits == 0 ? 0.5F : 1.5F + 0.25F * digits;
        case FactKind::kName:
            if (digits > 0) return digits > 2 ? 2.5F : 1.2F;
            return fact.find_first_of(" \n") == std::string_view::npos ? 0.4F : 1.0F;
        case FactKind::kIdentifier:
            return 2.0F + 0.25F * digits;
        case FactKind::kPath:
        case FactKind::kPathLine:
        case FactKind::kUrl:
            return 3.0F;
        case FactKind::kError:
            return 2.0F;
        case FactKind::kVersion:
            return 2.25F;
        case FactKind::kFencedCode:
        case FactKind::kInlineCode:
        case FactKind::kDecision:
            return 1.5F;
        case FactKind::kObligation:
            return 1.0F;
        default:
            return 0.7F;
    }
}

std::vector<float> weights_in_text(std::span<const std::uint8_t> kind, std::span<const std::int32_t> segment,
                                   std::span<const float> weight, std::size_t n) {
    constexpr std::size_t kSteps = 64;
    constexpr float kStep = 0.05F;
    const auto like = [&](std::size_t i) {
        return kind[i] * kSteps + std::min(static_cast<std::size_t>(weight[i] / kStep + 0.5F), kSteps - 1);
    };
    constexpr std::size_t kKinds = static_cast<std::size_t>(FactKind::kDecision) + 1;
    std::vector<std::int32_t> last(kKinds * kSteps, -1);  // the segment with the last one like it
    std::vector<std::int32_t> held(kKinds * kSteps, 0);   // segments that hold one like it
    for (std::size_t i = 0; i < kind.size(); ++i) {
        held[like(i)] += last[like(i)] != segment[i] ? 1 : 0;
        last[like(i)] = segment[i];
    }
    std::vector<float> bits(held.size(), 0.0F);
    std::vector<float> weights(kind.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
        float& known = bits[like(i)];
        if (known == 0) {
            known = static_cast<float>(std::log2((static_cast<double>(n) + kPrior) / (held[like(i)] + kPrior / 2)));
        }
        weights[i] = weight[i] * known;
    }
    return weights;
}

std::vector<float> weights_of_segments(const std::vector<std::string_view>& texts, const std::vector<FactRow>& facts,
                                       std::int32_t keys, std::size_t segments) {
    std::vector<std::int32_t> times(static_cast<std::size_t>(keys), 0);
    std::vector<std::uint8_t> kind;
    std::vector<std::int32_t> segment;
    std::vector<float> alone;
    for (const FactRow& fact : facts) {
        ++times[static_cast<std::size_t>(fact.key)];
        kind.push_back(static_cast<std::uint8_t>(fact.kind));
        segment.push_back(fact.segment);
        const std::string_view text = texts[static_cast<std::size_t>(fact.document)];
        alone.push_back(fact_weight(fact.kind, text.substr(fact.span.begin, fact.span.end - fact.span.begin)));
    }
    const std::vector<float> weight = weights_in_text(kind, segment, alone, segments);
    std::vector<std::int32_t> last(times.size(), -1);  // the segment that each fact was stated in last
    std::vector<float> weights(segments, 0.0F);
    for (std::size_t i = 0; i < facts.size(); ++i) {
        const auto key = static_cast<std::size_t>(facts[i].key);
        if (last[key] == segment[i]) continue;
        last[key] = segment[i];
        weights[static_cast<std::size_t>(segment[i])] += weight[i] / static_cast<float>(times[key]);
    }
    return weights;
}

}  // namespace tersely::text
