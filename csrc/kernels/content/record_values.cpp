#include "kernels/content/record_values.hpp"

#include <algorithm>
#include <array>

#include "kernels/content/anchors.hpp"
#include "kernels/content/decimal.hpp"
#include "kernels/content/marks.hpp"

namespace tersely::content {

using View = std::string_view;

namespace values {
namespace {

constexpr std::size_t kLooked = 256;  // bytes of a value in which words of failure are looked for

bool is_upper(char byte) { return byte >= 'A' && byte <= 'Z'; }
bool is_lower(char byte) { return byte >= 'a' && byte <= 'z'; }
bool is_letter(char byte) { return is_upper(byte) || is_lower(byte); }
using decimal::is_digit;
char lower(char byte) { return is_upper(byte) ? static_cast<char>(byte + 32) : byte; }

bool same_word(View a, View lower_case) {
    if (a.size() != lower_case.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (lower(a[i]) != lower_case[i]) return false;
    }
    return true;
}

template <std::size_t N>
bool is_any(View word, const std::array<View, N>& words) {
    return std::any_of(words.begin(), words.end(), [&](View one) { return same_word(word, one); });
}

constexpr std::array<View, 9> kAbsentWords = {"", "null", "-", "--", "n/a", "na", "none", "<none>", "nil"};
constexpr std::array<View, 2> kBoolWords = {"true", "false"};
constexpr std::array<View, 22> kNameWords = {
    "id",  "name", "key",  "title", "path",  "file", "filename", "host", "uuid",    "hostname", "test",
    "url", "uri",  "slug", "login", "email", "sha",  "package",  "rule", "address", "test_id",  "user"};
constexpr std::array<View, 11> kStatusWords = {
    "status",        "code",         "statuscode", "status_code",     "http_status",    "httpstatus",
    "response_code", "responsecode", "sc-status",  "elb_status_code", "response_status"};
constexpr std::array<View, 8> kExitWords = {"exit",       "exitcode",    "exit_code", "exit_status",
                                            "returncode", "return_code", "rc",        "exitstatus"};
constexpr std::array<View, 3> kLevelWords = {"level", "levelno", "lvl"};
constexpr std::array<View, 6> kSeverityWords = {"severity", "priority", "risk", "criticality", "impact", "threat"};
constexpr std::array<View, 7> kSevereWords = {"critical", "blocker",   "emergency", "urgent",
                                              "severe",   "important", "fatal"};
constexpr std::array<View, 3> kHighWords = {"high", "highest", "major"};
constexpr std::array<View, 8> kTimeWords = {"time",    "timestamp", "date",       "ts",
                                            "created", "updated",   "created_at", "elapsed"};

bool number_of(View cell, double& value) {
    if (!cell.empty() && cell.front() == '+') cell.remove_prefix(1);
    if (!cell.empty() && cell.back() == '%') cell.remove_suffix(1);
    if (cell.empty() || cell.size() > 40 || !(is_digit(cell[0]) || cell[0] == '-' || cell[0] == '.')) return false;
    return read_decimal(cell, value);
}

// The first word of a value.
View first_word(View value) {
    std::size_t end = 0;
    while (end < value.size() && is_letter(value[end])) ++end;
    return value.substr(0, end);
}

// Whether a text opens with a place and says something of it: "  cart_test.go:19: expected 3, got 2".
bool tells_of_place(View text) {
    const std::size_t start = text.find_first_not_of(' ');
    if (start == View::npos) return false;
    const std::size_t end = text.find_first_of(":( ", start);
    if (end == View::npos) return false;
    const std::size_t behind = anchor_after(text, start, end);
    return behind > 0 && text.find(": ", behind) != View::npos;
}

}  // namespace

Role role_of(View name) {
    if (is_any(name, kNameWords)) return kName;
    if (is_any(name, kStatusWords)) return kStatus;
    if (is_any(name, kExitWords)) return kExit;
    if (is_any(name, kLevelWords)) return kLevel;
    if (is_any(name, kTimeWords)) return kTime;
    const std::size_t last = name.find_last_of(" _-.:");
    if (is_any(last == View::npos ? name : name.substr(last + 1), kSeverityWords)) return kSeverity;
    for (const View end : {View("_id"), View("Id"), View("ID"), View("_name"), View("Name"), View("_number")}) {
        if (name.size() > end.size() && name.ends_with(end)) return kName;
    }
    return kPlain;
}

Kind kind_of(View cell, double& number) {
    if (cell.empty()) return kAbsent;
    const char first = cell[0];
    if (is_digit(first) || first == '+' || first == '.' || (first == '-' && cell.size() > 1)) {
        if (number_of(cell, number)) return kNumeric;
        if (is_digit(first)) return kDigits;
    }
    if (first == '{' || first == '[') return kContainer;
    if (cell.size() <= 6) {
        if (is_any(cell, kAbsentWords)) return kAbsent;
        if (is_any(cell, kBoolWords)) return kBool;
    }
    return kText;
}

std::uint32_t marks_of(View text) {
    text = text.substr(0, kLooked);
    std::uint32_t marks = 0;
    bool denied = false;
    for (std::size_t at = 0; at < text.size();) {
        if (!is_letter(text[at])) {
            if (is_digit(text[at])) {
                denied = text[at] == '0' && (at == 0 || !is_digit(text[at - 1])) &&
                         (at + 1 >= text.size() || text[at + 1] == ' ');
            }
            ++at;
            continue;
        }
        const std::size_t begin = at;
        std::uint64_t hash = kHashSeed;
        do {
            hash = hash_byte(hash, static_cast<unsigned char>(lower(text[at])));
            ++at;
            if (at >= text.size() || !is_letter(text[at])) break;
            const bool rises =
                is_upper(text[at]) && (is_lower(text[at - 1]) || (at + 1 < text.size() && is_lower(text[at + 1])));
            if (rises) break;
        } while (true);
        const View word = text.substr(begin, at - begin);
        if (!denied) marks |= word_marks(hash);
        denied = same_word(word, "no") || same_word(word, "without") || same_word(word, "not");
    }
    return marks;
}

bool says_nothing(View value, Kind kind) {
    return kind == kAbsent ||
           (kind == kContainer && value.size() > 1 && value.find_first_not_of("[]{} \t\r\n") == View::npos);
}

bool is_severe(View value) { return is_any(first_word(value), kSevereWords); }

Outcome outcome_of(Role role, std::uint32_t name_marks, View value, Kind kind, double number) {
    const bool bad_name = (name_marks & kError) != 0;
    if (kind == kNumeric) {
        if (role == kStatus) return number < 400 ? kSucceeds : number >= 500 && number < 600 ? kFails : kNoOutcome;
        if (role == kExit) return number != 0 ? kFails : kSucceeds;
        if (role == kLevel) return number >= 50 && number <= 100 ? kFails : kNoOutcome;
        return bad_name && number > 0 ? kFails : kNoOutcome;
    }
    if (says_nothing(value, kind)) return kNoOutcome;
    if (kind == kBool) {
        const bool yes = lower(value[0]) == 't';
        if (!bad_name && (name_marks & kPassed) == 0) return kNoOutcome;
        return bad_name == yes ? kFails : kSucceeds;
    }
    if (bad_name) return kFails;
    if (kind == kContainer) return kNoOutcome;
    if (role == kSeverity && (is_severe(value) || is_any(first_word(value), kHighWords))) return kFails;
    if (role == kStatus && value.size() >= 3 && value[0] == '5' && is_digit(value[1]) && is_digit(value[2]))
        return kFails;
    const std::uint32_t marks = marks_of(value);
    if ((marks & kError) != 0) return kFails;
    if ((marks & kTrouble) != 0 || tells_of_place(value)) return kTroubles;
    return (marks & kPassed) != 0 && first_word(value).size() == value.size() ? kSucceeds : kNoOutcome;
}

}  // namespace values

using namespace values;

bool says_failure(View name, View value) {
    const Role role = role_of(name);
    if (role == kName || value.size() > kShortText) return false;
    double x = 0;
    const Kind kind = kind_of(value, x);
    return kind != kNumeric && outcome_of(role, marks_of(name), value, kind, x) == kFails;
}

bool says_nothing(View value) {
    if (!value.empty() && is_digit(value[0])) return false;
    double x = 0;
    return says_nothing(value, kind_of(value, x));
}

bool complains(View list, View name, View text) {
    constexpr std::uint32_t kWrong = kError | kWarns;
    double x = 0;
    const Kind kind = kind_of(text, x);
    if (text.size() <= kShortText && outcome_of(role_of(name), marks_of(name), text, kind, x) == 1) return true;
    if (kind != kText) return false;
    const View word = first_word(text);
    const bool opens = !word.empty() && word.size() < text.size() && text[word.size()] == ':';
    return (opens && (marks_of(word) & kWrong) != 0) || (marks_of(list) & kWrong) != 0;
}

}  // namespace tersely::content
