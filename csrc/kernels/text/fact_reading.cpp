// The words and runs of facts.hpp: which reader takes each.
#include <algorithm>

#include "kernels/text/fact_paths.hpp"
#include "kernels/text/fact_runs.hpp"
#include "kernels/text/facts.hpp"
#include "kernels/text/full_stop.hpp"
#include "kernels/text/guard_runs.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {
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
    for (std::size_t at = 0; at < run.size(); at += decode(run, at).length) {
        const char32_t code = decode(run, at).code;
        if (code != '-' && !in_word(code)) return false;
    }
    return true;
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

// The run at `at` (guard_runs.hpp); returns where reading goes on.
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

}  // namespace tersely::text
