#include "kernels/content/outcomes.hpp"

#include <algorithm>
#include <array>

#include "kernels/content/marks.hpp"

namespace tersely::content {
namespace {

constexpr std::size_t kReach = 5;    // bytes between a key and its value, a word and its count
constexpr std::size_t kColumn = 40;  // the same where values stand in a column

bool digit(char byte) { return byte >= '0' && byte <= '9'; }
bool upper(char byte) { return byte >= 'A' && byte <= 'Z'; }
bool lower(char byte) { return byte >= 'a' && byte <= 'z'; }

char byte_at(std::string_view line, std::size_t at) { return at < line.size() ? line[at] : '\0'; }

// The number after a word that ends at `end`, behind at most a few of " :=\"'([": 1 for any above zero, -1: none.
int count_after(std::string_view line, std::size_t end) {
    std::size_t at = end;
    const std::size_t reach = byte_at(line, end) == ':' ? kColumn : kReach;  // "Failing:      0"
    while (at < line.size() && at - end < reach &&
           std::string_view(" :=\"'([").find(line[at]) != std::string_view::npos)
        ++at;
    if (at == end || !digit(byte_at(line, at))) return -1;
    const std::size_t start = at;
    while (at < line.size() && digit(line[at])) ++at;
    const char after = byte_at(line, at);  // a time, a version, a share or a size is no count
    if (after == '.' && digit(byte_at(line, at + 1))) return -1;
    if (after == ':' && digit(byte_at(line, at + 1))) return -1;
    return line.substr(start, at - start).find_first_not_of('0') == std::string_view::npos ? 0 : 1;
}

// Whether the number behind a word is the value of it: "failed=1", "lost: 0", not "failed 1".
bool has_value(std::string_view line, std::size_t end) {
    const char after = byte_at(line, end), next = byte_at(line, end + 1);
    return (after == '=' && digit(next)) || (after == ':' && (digit(next) || next == ' '));
}

// Whether a number and a colon follow a word: "Error #4: ...", "error(3): ...".
bool is_nth(std::string_view line, std::size_t end) {
    std::size_t at = end;
    while (at - end < 2 && at < line.size() && std::string_view(" (#").find(line[at]) != std::string_view::npos) ++at;
    const std::size_t start = at;
    while (digit(byte_at(line, at))) ++at;
    if (start == end || at == start) return false;
    return byte_at(line, byte_at(line, at) == ')' ? at + 1 : at) == ':';
}

// What test runners put behind the name of what failed: "... [E]".
bool ends_failed(std::string_view line) {
    static constexpr std::array<std::string_view, 3> kEnds = {" [E]", " [F]", " [FAIL]"};
    return std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) { return line.ends_with(end); });
}

// Signs of failure or success at the start of a line, after white space.
std::uint32_t opening_marks(std::string_view line) {
    static constexpr std::array<std::string_view, 9> kCrosses = {"✗", "✕", "✖", "✘", "❌", "×", "⨯", "●", "‼"};
    static constexpr std::array<std::string_view, 4> kTicks = {"✓", "✔", "√", "✅"};
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) return 0;
    const std::string_view rest = line.substr(first);
    const char two = byte_at(rest, 1);
    if (static_cast<unsigned char>(rest[0]) >= 0x80U) {
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
    if (rest.starts_with("! ") || rest.starts_with("E/")) return kError | kFailure;
    if (rest.size() > 6 && rest[5] == ' ' && std::all_of(rest.begin() + 1, rest.begin() + 5, digit)) {  // glog
        if (rest[0] == 'E' || rest[0] == 'F') return kError | kFailure;
        if (rest[0] == 'W') return kTrouble;
        if (rest[0] == 'I') return kQuiet;
    }
    if (rest[0] == '[' && byte_at(rest, 2) == ']') {
        if (two == 'E' || two == 'F' || two == '!') return kError | kFailure;
        if (two == 'I' || two == 'D') return kQuiet;
    }
    return 0;
}

std::uint64_t hash_of(std::string_view bytes) {
    std::uint64_t hash = kHashSeed;
    for (const char byte : bytes) hash = hash_byte(hash, static_cast<unsigned char>(byte));
    return hash | 1U;
}

// Capitals and digits: E0308, CS1002, CWE-94.
bool is_numbered(std::string_view word) {
    std::size_t at = 0;
    while (at < word.size() && at < 8 && upper(word[at])) ++at;
    if (at == 0) return false;
    if (at < word.size() && word[at] == '-') ++at;
    const std::size_t start = at;
    while (at < word.size() && digit(word[at])) ++at;
    return at == word.size() && at > start && at - start <= 5 && at - start >= (start > 2 ? 1U : 3U);
}

// Capitals in parts: NULL_DEREFERENCE.
bool is_spelled_out(std::string_view word) {
    std::size_t joins = 0, run = 0, longest = 0;
    for (const char byte : word) {
        joins += byte == '_';
        run = byte == '_' ? 0 : run + 1;
        longest = std::max(longest, run);
        if (!upper(byte) && !digit(byte) && byte != '_') return false;
    }
    return joins > 0 && longest > 3 && upper(word[0]) && word.back() != '_';
}

// Small letters in parts: no-unused-vars, unused_variable, -Wunused-but-set-variable.
bool is_dashed(std::string_view word) {
    std::size_t joins = 0, letters = 0;
    for (const char byte : word) {
        joins += byte == '-' || byte == '_' || byte == '/' || byte == ':';
        letters += lower(byte);
        if (!lower(byte) && !upper(byte) && !digit(byte) && byte != '-' && byte != '_' && byte != '/' && byte != ':')
            return false;
    }
    return joins > 0 && letters > 3;
}

}  // namespace

Outcomes::Outcomes(std::string_view line, std::size_t head) : line_(line), marks_(opening_marks(line)) {
    if (ends_failed(line)) marks_ |= kError | kFailure;
    if (head > 0 && head < line.size()) marks_ |= opening_marks(line.substr(head)) & kQuiet;
}

// Whether a word is what the key before it says: level=error, "status": "failed", <result>failure.
bool Outcomes::is_value(const Said& word) const {
    if (key_end_ == 0 || word.at <= key_end_ || word.at - key_end_ > kReach) return false;
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
    const bool coded = after == '[' && upper(next);
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

std::uint32_t Outcomes::add(const Said& word) {
    ++words_;
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
    if (not_ && (marks & kPassed) != 0) marks = (marks & ~kPassed) | kError | (word.only_run == kOk ? kFailure : 0U);
    if (not_ && (word.marks & kFound) != 0) marks |= kTrouble;
    if (exit_ > 0 && words_ - exit_ <= 2 && (word.marks & kCodeOf) != 0) {
        const int count = count_after(line_, word.end);
        if (count >= 0) marks |= count > 0 ? kSummary | kFailure | kError : kSummary;
    }
    static constexpr std::uint64_t kSeverity = hash_letters("severity"), kHigh = hash_letters("high");
    if (value && key_ == kSeverity && word.only_run == kHigh) marks |= kError;
    if ((word.marks & kTotals) != 0 && line_.find_first_not_of(" \t=-*#", 0) == word.at &&
        byte_at(line_, word.end) == ':')
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
        if (size == 3 && line_[word.at] == '4' && http_) marks |= kError;  // what a server answered
    }
    if ((word.marks & kCompares) != 0 && word.runs == 1) {
        const char after = byte_at(line_, word.end);
        if (++compares_ > 1 || (words_ <= 2 && (after == ':' || after == '='))) marks |= kCompared;
    }
    place_ = place_ || word.place;
    if (finding_ == 0) {
        finding_ = finding_of(word);
        const bool named = before == '[' && byte_at(line_, word.end) == ':';  // "[B602:name]"
        if (finding_ != 0 && (words_ == 1 || named)) opens_ = is_numbered(line_.substr(word.at, word.end - word.at));
    }
    bad_ = bad_ || (marks & (kError | kTrouble)) != 0;
    if ((word.marks & (kExits | kCounted)) != 0) exit_ = words_;
    const bool key = (word.marks & (kLevelKey | kCodeOf)) != 0;
    key_end_ = key ? word.end : 0;
    key_ = key ? word.only_run : 0;
    not_ = (word.marks & kNot) != 0 && word.runs == 1;
    // The value of another word, an ordinal or a place ("12:5") counts nothing that follows it.
    const bool place = before == ':' && word.at > 1 && digit(line_[word.at - 2]);
    const bool counts = before != '=' && before != '#' && !place;
    zero_ = (word.zero && counts) || ((word.marks & kNegates) != 0 && word.runs == 1);
    number_ = word.number && counts && word.runs == 1 && !word.zero && digit(line_[word.end - 1]);
    http_ = word.runs > 1 && line_.substr(word.at, 5) == "HTTP/";
    return marks;
}

std::uint64_t Outcomes::finding_of(const Said& word) const {
    const std::string_view text = line_.substr(word.at, word.end - word.at);
    if (word.quoted || text.size() > 80) return 0;
    const char before = word.at > 0 ? line_[word.at - 1] : ' ', after = byte_at(line_, word.end);
    const bool bracketed = before == '[' || before == '(';
    if (upper(text[0])) {
        const bool behind = word.at > 2 && line_[word.at - 2] == ':' && digit(line_[word.at - 3]);  // x:3:1: W: ...
        if (text.size() == 1) return behind && after == ':' ? hash_of(text) : 0;
        const bool shown = word.first || bracketed || after == ':' || bad_ || place_;
        if (word.runs == 2 && shown && is_numbered(text)) return hash_of(text);
        if (word.runs > 1 && after != '=' && after != '(' && is_spelled_out(text)) return hash_of(text);
    }
    const bool closes = bracketed && (after == ']' || after == ')' || after == '=' || after == ',');
    const bool last = word.end == line_.size() && word.at > 1 && before == ' ' && line_[word.at - 2] == ' ';
    if ((closes || last) && (place_ || bad_) && word.runs > 1 && is_dashed(text)) return hash_of(text);
    return 0;
}

}  // namespace tersely::content
