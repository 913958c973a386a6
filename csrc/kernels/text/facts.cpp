#include "kernels/text/facts.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "kernels/parallel.hpp"
#include "kernels/text/fact_runs.hpp"
#include "kernels/text/guard_runs.hpp"
#include "kernels/text/guard_words.hpp"
#include "kernels/text/marks.hpp"
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
        if ((letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z')) acts[byte] = Act::kLetter;
        if (letter >= '0' && letter <= '9') acts[byte] = Act::kRun;
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
        std::erase_if(rows_, [n = 0U, this](const FactRow& fact) mutable {
            return n++ >= first_row_ && (fact.kind == FactKind::kNegation || fact.kind == FactKind::kObligation);
        });
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

}  // namespace tersely::text
