#include "kernels/content/marks.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/content/hash_table.hpp"
#include "kernels/text/lines.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/word_set.hpp"

namespace tersely::content {
namespace {

// Words of one meaning each, in small letters; "erro", "fata" and "pani" as loggers cut them to four.
struct Words {
    std::uint32_t marks;
    std::string_view words;
};

constexpr Words kWords[] = {
    {kError | kCounted, "error errors err fatal fail failed fails failure failures failing critical aborted crashed"},
    {kError,
     "erro fata pani exception exceptions panic panicked severe emerg alert abort aborting crash segfault "
     "segmentation traceback assertion undefined unhandled uncaught deadlock overflow leak fault oops bug incorrect "
     "unhealthy"},
    {kTrouble | kWarns, "warning warnings warn deprecated"},
    {kTrouble,
     "cannot unable denied refused timeout invalid missing corrupt unexpected unavailable unresolved violation "
     "conflict bad broken down stopped blocked degraded destroyed replaced replacement mismatch regression mismatched "
     "unmet"},
    {kTrouble | kCounted, "rejected lost corrupted killed unreachable"},
    {kPassed, "passed pass passing ok done finished completed skipped"},
    {kPassed | kConcludes, "success successful successfully succeeded"},
    {kNegates, "no without"},
    {kNot, "not"},
    {kExits, "exit exited returned"},
    {kCodeOf, "code with"},
    {kCodeOf | kLevelKey, "status"},
    {kTests, "test tests"},
    {kLevelKey, "level lvl severity levelname loglevel result outcome state active health conclusion verdict action"},
    {kQuietWord, "info information debug trace notice verbose"},
    {kTotals, "summary plan total totals recap"},
    {kFound | kCompares, "found"},
    {kCompares, "expected actual got want received was left right caused expansion"},
    {kCompares | kLevelKey, "reason"},
};

constexpr std::size_t kSlots = 512;  // several times the words: probes are short

struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t marks = 0;
};

constexpr std::size_t slot_of(std::uint64_t hash) { return static_cast<std::size_t>(hash ^ (hash >> 32U)) % kSlots; }

constexpr std::array<Slot, kSlots> make_table() {
    std::array<Slot, kSlots> table{};
    for (const auto& [marks, words] : kWords) {
        text::each_word(words, [&, of = marks](std::string_view word) {
            const std::uint64_t hash = hash_letters(word);
            std::size_t at = slot_of(hash);
            while (table[at].hash != 0) at = (at + 1) % kSlots;
            table[at] = {hash, of};
        });
    }
    return table;
}

constexpr std::array<Slot, kSlots> kTable = make_table();

}  // namespace

std::uint32_t word_marks(std::uint64_t hash) {
    for (std::size_t at = slot_of(hash); kTable[at].hash != 0; at = (at + 1) % kSlots) {
        if (kTable[at].hash == hash) return kTable[at].marks;
    }
    return 0;
}

std::uint32_t name_marks(std::string_view letters) {
    for (const std::string_view ending : {"Error", "Exception", "Failure", "Failed", "Fault", "Killed", "BackOff"}) {
        if (letters.size() > ending.size() && letters.ends_with(ending)) return kError;
    }
    return 0;
}

namespace {

using text::ascii_alpha;
using text::ascii_digit;

// "name.ext" with an extension of one to ten letters, digits or underscores that starts with a letter.
bool is_path(std::string_view path) {
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos || dot == 0 || path.starts_with("//")) return false;
    const std::string_view extension = path.substr(dot + 1);
    if (extension.empty() || extension.size() > 10 || !ascii_alpha(extension[0])) return false;
    return std::all_of(extension.begin(), extension.end(),
                       [](char byte) { return text::ascii_word(byte) || byte == '+'; });
}

// "Dockerfile", "Makefile", in a folder or not.
bool is_recipe(std::string_view path) {
    const std::string_view name = path.substr(path.find_last_of("/\\") + 1);  // npos + 1 is 0
    return name.size() > 4 && name.ends_with("file") && name[0] >= 'A' && name[0] <= 'Z';
}

std::size_t number_after(std::string_view line, std::size_t at) {  // where the number ends; 0: there is none
    std::size_t end = at;
    while (end < line.size() && end - at < 8 && ascii_digit(line[end])) ++end;
    return end > at ? end : 0;
}

std::size_t where_number_ends(std::string_view line, std::size_t at) {
    if (at >= line.size()) return 0;
    if (line[at] == ':') {
        ++at;
        if (at < line.size() && (line[at] == ' ' || line[at] == '[')) ++at;
        return number_after(line, at);
    }
    if (line[at] == '(' || line[at] == '[') return number_after(line, at + 1);
    if (line[at] == '"' || line[at] == '\'') ++at;
    if (line.substr(at, 7) == ", line ") return number_after(line, at + 7);
    return 0;
}

}  // namespace

std::size_t anchor_after(std::string_view line, std::size_t begin, std::size_t end) {
    const std::size_t stop = where_number_ends(line, end);
    if (stop == 0) return 0;
    const std::string_view path = line.substr(begin, end - begin);
    return is_path(path) || (is_recipe(path) && ascii_digit(line[end + 1])) ? stop : 0;  // "Profile: 3" is no place
}

namespace {

bool weekday(std::string_view three) { return text::one_of_threes(three, "MonTueWedThuFriSatSun"); }

std::size_t digits_before(std::string_view line, std::size_t end, std::size_t most) {
    std::size_t size = 0;
    while (size < most && size < end && ascii_digit(line[end - size - 1])) ++size;
    return size;
}

bool month_before(std::string_view line, std::size_t end) {
    return end >= 3 && text::one_of_threes(line.substr(end - 3, 3), text::kMonthsOfThree);
}

// The start of a date that ends at `end`; `end` where there is none.
std::size_t date_before(std::string_view line, std::size_t end) {
    std::size_t at = end;
    const std::size_t last = digits_before(line, at, 4);
    if (last == 0) return end;
    at -= last;
    if (at == 0) return end;
    const char mark = line[at - 1];
    if (mark == ' ') {  // "Dec 04", "Jun  4"
        std::size_t before = at - 1;
        if (before > 0 && line[before - 1] == ' ') --before;
        return last <= 2 && month_before(line, before) ? before - 3 : end;
    }
    if (mark != '-' && mark != '/' && mark != '.') return end;
    --at;
    if (month_before(line, at)) {  // "04/Dec/2005"
        at -= 3;
        if (at == 0 || line[at - 1] != mark) return end;
        --at;
    } else {  // "2005-12-04", "17/06/09"
        const std::size_t middle = digits_before(line, at, 2);
        if (middle == 0 || at == middle || line[at - middle - 1] != mark) return end;
        at -= middle + 1;
    }
    const std::size_t first = digits_before(line, at, 4);
    return first == 0 ? end : at - first;
}

bool time_at(std::string_view line, std::size_t colon) {  // dd:dd:dd around its first colon
    return colon >= 2 && colon + 5 < line.size() && ascii_digit(line[colon - 1]) && ascii_digit(line[colon - 2]) &&
           ascii_digit(line[colon + 1]) && ascii_digit(line[colon + 2]) && line[colon + 3] == ':' &&
           ascii_digit(line[colon + 4]) && ascii_digit(line[colon + 5]) && (colon < 3 || !ascii_digit(line[colon - 3]));
}

std::size_t after_time(std::string_view line, std::size_t end, bool year_follows) {
    std::size_t at = end;
    if (at + 1 < line.size() && (line[at] == '.' || line[at] == ',') && ascii_digit(line[at + 1])) {
        ++at;
        while (at < line.size() && at - end < 10 && ascii_digit(line[at])) ++at;
    }
    if (at < line.size() && line[at] == 'Z') return at + 1;
    std::size_t sign = at;
    if (sign < line.size() && line[sign] == ' ') ++sign;
    if (sign + 4 < line.size() && (line[sign] == '+' || line[sign] == '-') && ascii_digit(line[sign + 1]) &&
        ascii_digit(line[sign + 2])) {
        const std::size_t minutes = sign + 3 + (line[sign + 3] == ':' ? 1 : 0);
        if (minutes + 1 < line.size() && ascii_digit(line[minutes]) && ascii_digit(line[minutes + 1]))
            return minutes + 2;
    }
    if (year_follows && at + 4 < line.size() && line[at] == ' ') {
        const std::string_view year = line.substr(at + 1, 4);
        if (std::all_of(year.begin(), year.end(), ascii_digit)) return at + 5;
    }
    return at;
}

Stamp plain_digits(std::string_view line) {  // "081109 203615"
    if (line.size() < 14 || line[6] != ' ' || line[13] != ' ') return {};
    for (std::size_t at = 0; at < 13; ++at) {
        if (at != 6 && !ascii_digit(line[at])) return {};
    }
    return {0, 13};
}

}  // namespace

Stamp find_stamp(std::string_view line) {
    const std::string_view head = line.substr(0, kStampReach);
    for (std::size_t colon = head.find(':'); colon != std::string_view::npos; colon = head.find(':', colon + 1)) {
        if (!time_at(line, colon)) continue;
        std::size_t begin = colon - 2;
        bool named_month = false;
        if (begin > 0 && (line[begin - 1] == ' ' || line[begin - 1] == 'T' || line[begin - 1] == ':')) {
            const std::size_t date = date_before(line, begin - 1);
            if (date < begin - 1) {
                begin = date;
                named_month = ascii_alpha(line[begin]);
            }
        }
        if (named_month && begin >= 4 && line[begin - 1] == ' ' && weekday(line.substr(begin - 4, 3))) begin -= 4;
        const std::size_t end = after_time(line, colon + 6, named_month);
        return {begin, end - begin};
    }
    return plain_digits(line);
}

namespace {

using text::ascii_lower;
using text::ascii_upper;

constexpr std::size_t kReach = 5;    // bytes between a key and its value, a word and its count
constexpr std::size_t kColumn = 40;  // the same where values stand in a column

char byte_at(std::string_view line, std::size_t at) { return at < line.size() ? line[at] : '\0'; }

// The number after a word that ends at `end`, behind at most a few of " :=\"'([": 1 for any above zero, -1: none.
int count_after(std::string_view line, std::size_t end) {
    std::size_t at = end;
    const std::size_t reach = byte_at(line, end) == ':' ? kColumn : kReach;  // "Failing:      0"
    while (at < line.size() && at - end < reach &&
           std::string_view(" :=\"'([").find(line[at]) != std::string_view::npos)
        ++at;
    if (at == end || !ascii_digit(byte_at(line, at))) return -1;
    const std::size_t start = at;
    while (at < line.size() && ascii_digit(line[at])) ++at;
    const char after = byte_at(line, at);  // a time, a version, a share or a size is no count
    if (after == '.' && ascii_digit(byte_at(line, at + 1))) return -1;
    if (after == ':' && ascii_digit(byte_at(line, at + 1))) return -1;
    return line.substr(start, at - start).find_first_not_of('0') == std::string_view::npos ? 0 : 1;
}

// Whether the number behind a word is the value of it: "failed=1", "lost: 0", not "failed 1".
bool has_value(std::string_view line, std::size_t end) {
    const char after = byte_at(line, end), next = byte_at(line, end + 1);
    return (after == '=' && ascii_digit(next)) || (after == ':' && (ascii_digit(next) || next == ' '));
}

// Whether a number and a colon follow a word: "Error #4: ...", "error(3): ...".
bool is_nth(std::string_view line, std::size_t end) {
    std::size_t at = end;
    while (at - end < 2 && at < line.size() && std::string_view(" (#").find(line[at]) != std::string_view::npos) ++at;
    const std::size_t start = at;
    while (ascii_digit(byte_at(line, at))) ++at;
    if (start == end || at == start) return false;
    return byte_at(line, byte_at(line, at) == ')' ? at + 1 : at) == ':';
}

// Signs of failure or success at the start of a line, after white space.
std::uint32_t opening_marks(std::string_view line) {
    static constexpr std::array<std::string_view, 9> kCrosses = {"✗", "✕", "✖", "✘", "❌", "×", "⨯", "●", "‼"};
    static constexpr std::array<std::string_view, 4> kTicks = {"✓", "✔", "√", "✅"};
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) return 0;
    const std::string_view rest = line.substr(first);
    if (static_cast<unsigned char>(rest[0]) >= 0x80U) {
        if (first == 0 && rest.starts_with("●")) return 0;  // at the margin it opens an item of a list
        for (const std::string_view cross : kCrosses) {
            if (rest.starts_with(cross)) return kError | kFailure;
        }
        for (const std::string_view tick : kTicks) {
            if (rest.starts_with(tick)) return kPassed;
        }
        return 0;
    }
    if (rest.starts_with("E   ") || rest.starts_with("-/+ ") || rest.starts_with("+/- ") || rest.starts_with("+- "))
        return kError | kFailure;
    if (rest.starts_with("! ") || rest.starts_with("E/") || line.starts_with("<<<<<<< ") ||
        line.starts_with(">>>>>>> "))
        return kError | kFailure;
    return 0;
}

// Whether a line stands around one that grep found: "svc/cart.py-12-    try:".
bool is_around(std::string_view line) {
    const std::size_t dot = line.substr(0, 120).find('.');
    if (dot == 0 || dot == std::string_view::npos) return false;
    for (std::size_t at = dot; byte_at(line, at) > ' '; ++at) {
        if (line[at] != '-') continue;
        std::size_t end = at + 1;
        while (ascii_digit(byte_at(line, end))) ++end;
        if (end > at + 1 && byte_at(line, end) == '-') return line.find_first_of(" \t:") > at;
    }
    return false;
}

// kCompared of a line of pytest's "E   " below another one where it opens with "-", "+" or "?": what differs.
std::uint32_t told_marks(std::string_view line) {
    const std::size_t sign = line.find_first_not_of(" \t", std::min(line.find('E') + 1, line.size()));
    const char first = byte_at(line, sign);
    return (first == '-' || first == '+' || first == '?') && byte_at(line, sign + 1) == ' ' ? kCompared : 0U;
}

// kGutter, kPoints. What points is no underline of a heading: it stands behind white space, a gutter or "[WARNING]".
std::uint32_t drawing_marks(std::string_view line) {
    const auto skip = [&line](std::size_t at, auto&& over) {
        while (at < line.size() && over(line[at])) ++at;
        return at;
    };
    const auto blank = [](char byte) { return byte == ' ' || byte == '\t'; };
    std::size_t at = skip(0, blank);
    const char first = byte_at(line, at);
    if (ascii_alpha(first)) return 0;
    if (!ascii_digit(first)) {
        std::string_view signs = line;                                                 // behind a level in brackets
        if (first == '[') signs.remove_prefix(line.substr(0, kColumn).find(']') + 1);  // npos + 1 is 0
        if (std::none_of(signs.begin(), signs.end(), [](char b) { return ascii_alpha(b) || ascii_digit(b); })) {
            const std::size_t sign = std::min(signs.find('^'), signs.find("~~"));
            const bool points = sign != std::string_view::npos && (sign > 0 || signs.size() < line.size());
            return kGutter | (points ? kPoints : 0U);
        }
        if (first == ':') return kGutter;
        if (first == '>' || first == '*') at = skip(at + 1, blank);
    }
    const std::string_view behind = line.substr(skip(skip(at, ascii_digit), blank));
    static constexpr std::array<std::string_view, 4> kRules = {"|", "│", "┃", "¦"};
    return std::any_of(kRules.begin(), kRules.end(), [&](auto rule) { return behind.starts_with(rule); }) ? kGutter
                                                                                                          : 0U;
}

// Capitals and digits: E0308, CS1002, CWE-94.
bool is_numbered(std::string_view word) {
    std::size_t at = 0;
    while (at < word.size() && at < 8 && ascii_upper(word[at])) ++at;
    if (at == 0) return false;
    if (at < word.size() && word[at] == '-') ++at;
    const std::size_t start = at;
    while (at < word.size() && ascii_digit(word[at])) ++at;
    return at == word.size() && at > start && at - start <= 5 && at - start >= (start > 2 ? 1U : 3U);
}

// Capitals in parts: NULL_DEREFERENCE.
bool is_spelled_out(std::string_view word) {
    std::size_t joins = 0, run = 0, longest = 0;
    for (const char byte : word) {
        joins += byte == '_';
        run = byte == '_' ? 0 : run + 1;
        longest = std::max(longest, run);
        if (!ascii_upper(byte) && !ascii_digit(byte) && byte != '_') return false;
    }
    return joins > 0 && longest > 3 && ascii_upper(word[0]) && word.back() != '_';
}

// Small letters in parts: no-unused-vars, unused_variable, -Wunused-but-set-variable.
bool is_dashed(std::string_view word) {
    std::size_t joins = 0, letters = 0;
    for (const char byte : word) {
        joins += byte == '-' || byte == '_' || byte == '/' || byte == ':';
        letters += ascii_lower(byte);
        if (!ascii_lower(byte) && !ascii_upper(byte) && !ascii_digit(byte) && byte != '-' && byte != '_' &&
            byte != '/' && byte != ':')
            return false;
    }
    return joins > 0 && letters > 3;
}

}  // namespace

Outcomes::Outcomes(std::string_view line, std::size_t head, bool goes_on)
    : line_(line),
      marks_(drawing_marks(line) | (goes_on ? told_marks(line) : opening_marks(line))),
      around_(is_around(line)),
      never_(line.ends_with("} 0") || line.ends_with("} 0.0")) {
    if (around_) marks_ = kGutter;
    if (head > 0 && head < line.size()) marks_ |= opening_marks(line.substr(head)) & kQuiet;
}

// Whether a word is what the key before it says: level=error, "status": "failed", <result>failure.
bool Outcomes::is_value(const Said& word) const {
    const std::size_t reach = byte_at(line_, key_end_) == ':' ? kColumn : kReach;
    if (key_end_ == 0 || word.at <= key_end_ || word.at - key_end_ > reach) return false;
    return line_.substr(key_end_, word.at - key_end_).find_first_of("=:>") != std::string_view::npos;
}

// What a word of errors says, given the marks that it has.
std::uint32_t Outcomes::failed(const Said& word, std::uint32_t marks) {
    const bool counted = (word.marks & kCounted) != 0;
    const int count = counted ? count_after(line_, word.end) : -1;
    if (count == 0 || (zero_ && !(count > 0 && has_value(line_, word.end))))
        return (marks & ~kError) | kSummary | kNone;
    if (is_value(word)) return marks | kFailure;
    if (word.quoted) return marks;
    if (counted && (number_ || count > 0)) return marks | kFailure | kSummary;
    const char before = word.at > 0 ? line_[word.at - 1] : ' ';
    const char after = byte_at(line_, word.end), next = byte_at(line_, word.end + 1);
    const bool capitals = word.capitals && word.end - word.at > 2 && before != '(' && after != '(';
    const bool colon = after == ':' && next != ':' && next != '=';
    const bool bracketed =
        (before == '[' || before == '(' || before == '<') && (after == ']' || after == ')' || after == '>');
    const bool coded = after == '[' && ascii_upper(next);
    const bool alone = word.first && word.end == line_.size();
    const bool starred = line_.substr(word.at, word.end - word.at).find("***") != std::string_view::npos;
    const bool event = word.named && before == '[';  // ##teamcity[testFailed
    const bool panics = line_.substr(word.at).starts_with("panicked at ");
    const bool found =
        place_ && !word.first && word.end == line_.size() && line_[word.at - 1] == ' ';  // x.cc:8: Failure
    const bool column = line_.find_first_not_of(" \t0123456789:") == word.at &&          // "  12:5  error  ..."
                        line_.substr(0, word.at).find(':') != std::string_view::npos;
    const bool nth = (word.first || place_) && is_nth(line_, word.end);
    const bool says = capitals || found || nth || column || colon || bracketed || coded || starred || event || panics ||
                      (word.named && alone);
    return says ? marks | kFailure : marks;
}

std::uint32_t Outcomes::say(const Said& word) {
    std::uint32_t marks = word.marks & kBitsOfLines;
    const bool value = is_value(word);
    if ((marks & kError) != 0) {
        marks = word.runs == 1 || word.named ? failed(word, marks) : marks;
    }
    if ((marks & (kError | kTrouble | kPassed)) != 0 && (number_ || zero_)) marks |= kSummary;
    if ((word.marks & kTests) != 0 && word.runs == 1 && (number_ || zero_)) marks |= kSummary;
    static constexpr std::uint64_t kOk = hash_letters("ok");
    // CONFLICT (content): ..., UNREACHABLE! ..., REJECTED: what went wrong in capitals at a line's start.
    const bool opens = word.first || byte_at(line_, word.end) == ':';
    if ((marks & kTrouble) != 0 && opens && word.capitals && word.runs == 1 && (word.marks & kWarns) == 0)
        marks |= kError | kFailure;
    if ((marks & kTrouble) != 0 && (word.marks & kWarns) == 0 && word.runs == 1 && has_value(line_, word.end)) {
        const int count = count_after(line_, word.end);
        if (count == 0) marks = (marks & ~kTrouble) | kSummary | kNone;
        if (count > 0 && (word.marks & kCounted) != 0) marks |= kError | kFailure | kSummary;
    }
    // "result: PASSED", or a line that opens with "status: "
    const bool keyed = (word.marks & kLevelKey) != 0 && word.first && line_.substr(word.end).starts_with(": ");
    if ((value && (marks & kPassed) != 0) || keyed) marks |= kConcludes;
    if (not_ && (marks & kPassed) != 0) {
        const bool expected = line_.find("# TODO") != std::string_view::npos;  // a test that is known to fail
        marks = (marks & ~kPassed) | (expected ? 0 : kError | (word.only_run == kOk ? kFailure : 0U));
    }
    // "Looking for x.h - not found": what a check of many came to
    if (not_ && (word.marks & kFound) != 0 && !line_.substr(0, word.at).ends_with("- not ")) marks |= kTrouble;
    const bool noted = word.only_run == kNote && byte_at(line_, word.end) == ':';
    notes_ = notes_ || (noted && place_ && line_.substr(0, word.at).ends_with(": "));
    // TEST-UNEXPECTED-TIMEOUT, NT_STATUS_ACCESS_DENIED: an event named in capitals, by what went wrong at its end
    if (word.event && !word.quoted && byte_at(line_, word.end) != '=') marks |= kError | kFailure;
    if (exit_ > 0 && words_ - exit_ <= 2 && (word.marks & kCodeOf) != 0) {
        const int count = count_after(line_, word.end);
        if (count >= 0) marks |= count > 0 ? kSummary | kFailure | kError : kSummary;
    }
    static constexpr std::uint64_t kSeverity = hash_letters("severity"), kHigh = hash_letters("high");
    if (value && key_ == kSeverity && word.only_run == kHigh) marks |= kError;
    if ((word.marks & kTotals) != 0 && word.runs == 1 && byte_at(line_, word.end) == ':' &&
        line_.find_first_not_of(" \t=-*#", 0) == word.at)
        marks |= kSummary | kVerdict;
    const char before = word.at > 0 ? line_[word.at - 1] : ' ';
    const bool bracketed = (before == '[' || before == '<') && word.end < line_.size() &&
                           (line_[word.end] == ']' || line_[word.end] == '>');
    if ((word.marks & kQuietWord) != 0 && (value || bracketed || word.capitals) && word.runs == 1) marks |= kQuiet;
    if (word.number && word.runs == 1) {
        const std::size_t size = word.end - word.at;
        const bool request = word.at > 1 && before == ' ' && line_[word.at - 2] == '"';
        if (size == 3 && line_[word.at] == '5' && (request || http_ || value)) marks |= kError | kFailure;
        static constexpr std::uint64_t kLevel = hash_letters("level");
        if (size == 2 && value && key_ == kLevel && line_[word.at + 1] == '0' &&
            (line_[word.at] == '5' || line_[word.at] == '6'))
            marks |= kError | kFailure;
        // What a server answered: of a line that is a reply's first, "HTTP/1.1 422 ...", the request failed.
        if (size == 3 && line_[word.at] == '4' && http_) marks |= kError | (words_ <= 2 ? kFailure : 0U);
    }
    if ((word.marks & kCompares) != 0 && word.runs == 1) {
        const char after = byte_at(line_, word.end);
        if (++compares_ > 1 || (words_ <= 2 && (after == ':' || after == '='))) marks |= kCompared;
    }
    place_ = place_ || word.place;
    if (finding_ == 0) {
        finding_ = finding_of(word);
        const bool named = before == '[' && byte_at(line_, word.end) == ':';  // "[B602:name]"
        const std::string_view code = line_.substr(word.at, word.end - word.at);
        // Linters that name severities by letters: E and F are errors, W, C and R less.
        if (finding_ != 0 && (code[0] == 'E' || code[0] == 'F') && code.size() > 3 && ascii_digit(code[1]))
            marks |= kError;
        if (finding_ != 0 && (words_ == 1 || named)) opens_ = is_numbered(code);
    }
    if (never_ && (marks & (kError | kTrouble)) != 0)
        marks = (marks & ~(kError | kTrouble | kFailure)) | kSummary | kNone;
    bad_ = bad_ || (marks & (kError | kTrouble)) != 0;
    if ((word.marks & (kExits | kCounted)) != 0) exit_ = words_;
    return marks;
}

std::uint64_t Outcomes::finding_of(const Said& word) const {
    const std::string_view text = line_.substr(word.at, word.end - word.at);
    if (word.quoted || text.size() > 80) return 0;
    const char before = word.at > 0 ? line_[word.at - 1] : ' ', after = byte_at(line_, word.end);
    const bool bracketed = before == '[' || before == '(';
    if (ascii_upper(text[0])) {
        const bool behind =
            word.at > 2 && line_[word.at - 2] == ':' && ascii_digit(line_[word.at - 3]);  // x:3:1: W: ...
        if (text.size() == 1) return behind && after == ':' ? hash_name(text) : 0;
        const bool shown = word.first || bracketed || after == ':' || bad_ || place_;
        if (word.runs == 2 && shown && is_numbered(text)) return hash_name(text);
        if (word.runs > 1 && after != '=' && after != '(' && is_spelled_out(text)) return hash_name(text);
    }
    const bool called = before == '(' && word.at > 1 && line_[word.at - 2] != ' ';  // "x.py:3(part_1)"
    const bool closes = bracketed && !called && (after == ']' || after == ')' || after == '=' || after == ',');
    const bool last = word.end == line_.size() && word.at > 1 && before == ' ' && line_[word.at - 2] == ' ';
    if ((closes || last) && (place_ || bad_) && word.runs > 1 && is_dashed(text)) return hash_name(text);
    return 0;
}

namespace {

using View = std::string_view;

constexpr View kCut = " \xE2\x80\xA6";                  // " …": the rest of a line is left out
constexpr View kTimes = " \xE2\x80\xA6 \xC3\x97";       // " … ×"
constexpr std::size_t kLongestTime = 64;                // of " to 10:15:30"
constexpr std::int64_t kMost = std::int64_t{1} << 40U;  // lines that a mark may stand for

// The number at the start of `text`, with commas, which is cut off; 0: there is none.
std::int64_t take_number(View& text) {
    std::int64_t number = 0;
    std::size_t at = 0;
    for (; at < text.size() && ((text[at] >= '0' && text[at] <= '9') || (at > 0 && text[at] == ',')); ++at) {
        if (text[at] != ',') number = std::min(number * 10 + (text[at] - '0'), kMost);
    }
    text.remove_prefix(at);
    return number;
}

}  // namespace

OwnMark own_mark(View line) {
    if (line.starts_with(kDots)) {
        View rest = line.substr(kDots.size());
        if (rest.empty() || rest == " more lines") return {{}, 0};
        rest.remove_prefix(rest.front() == ' ' ? 1 : 0);
        const std::int64_t many = take_number(rest);
        const bool known = rest == " line" || rest == " lines" || rest == " lines in all" || rest == " more row" ||
                           rest == " more rows";
        if (many > 0 && known) return {{}, many};
    }
    OwnMark mark{line, 1};
    if (mark.said.ends_with(kCut)) mark.said.remove_suffix(kCut.size());
    const std::size_t at = mark.said.rfind(kTimes);
    if (at == View::npos || at == 0) return mark;
    View rest = mark.said.substr(at + kTimes.size());
    const std::int64_t times = take_number(rest);
    if (times > 0 && (rest.empty() || (rest.starts_with(" to ") && rest.size() <= kLongestTime))) {
        mark = {mark.said.substr(0, at), times};
    }
    return mark;
}

std::int64_t own_values(View value) {
    constexpr std::size_t kLongest = 64;
    const auto skip = [&value](View what) {
        if (!value.starts_with(what)) return false;
        value.remove_prefix(what.size());
        return true;
    };
    if (value.size() > kLongest || !skip("\"") || !skip(kDots)) return 0;
    if (value == "\"") return -1;
    std::int64_t first = 0;
    std::int64_t last = 0;
    if (skip(" ")) {
        first = take_number(value);
        if (first > 0 && (value == "\"" || value == " more\"")) return first;
        if (first == 0 || !skip("-")) return 0;
        last = take_number(value);
    }
    if (!skip("\":")) return 0;
    while (skip(" ")) continue;
    if (first > 0) return last >= first && value.starts_with('"') ? last - first + 1 : 0;
    const bool words = skip("\"");
    const std::int64_t many = take_number(value);
    return value == (words ? " more\"" : "") ? many : 0;
}

std::int64_t own_elements(View text) {
    if (text.starts_with("# ")) text.remove_prefix(2);
    if (!text.starts_with(kDots)) return 0;
    text.remove_prefix(kDots.size());
    if (text.empty()) return -1;
    if (!text.starts_with(' ')) return 0;
    text.remove_prefix(1);
    const std::int64_t many = take_number(text);
    return text.empty() || text == " more" ? many : 0;
}

}  // namespace tersely::content
