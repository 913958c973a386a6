#include "kernels/text/fact_numbers.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "kernels/text/fact_words.hpp"
#include "kernels/text/guard_runs.hpp"
#include "kernels/text/guard_words.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {
namespace {

constexpr std::size_t kMostGroups = 8;
constexpr std::size_t kLongestTime = 64;  // bytes of one that are read

// Digits in groups with single marks between them: "2024-01-31T10:30".
struct Groups {
    std::array<std::size_t, kMostGroups> size{};
    std::array<int, kMostGroups> value{};  // of up to five digits
    std::array<char, kMostGroups> mark{};  // behind each group but the last
    std::size_t count = 0;
    std::size_t end = 0;

    bool sized(std::size_t first, std::size_t a, std::size_t b) const { return size[first] >= a && size[first] <= b; }
};

Groups read_groups(std::string_view text, std::size_t at) {
    Groups groups;
    while (groups.count < kMostGroups) {
        std::size_t end = at;
        int value = 0;
        for (; end < text.size() && ascii_digit(text[end]); ++end) {
            if (end - at < 5) value = value * 10 + (text[end] - '0');
        }
        groups.size[groups.count] = end - at;
        groups.value[groups.count++] = value;
        groups.end = end;
        if (end + 1 >= text.size() || !among(text[end], "-/.:T,") || !ascii_digit(text[end + 1])) break;
        groups.mark[groups.count - 1] = text[end];
        at = end + 1;
    }
    return groups;
}

bool month_and_day(int month, int day) { return month >= 1 && month <= 12 && day >= 1 && day <= 31; }

bool is_iso_date(const Groups& g) {
    return g.count >= 3 && g.size[0] == 4 && g.sized(1, 1, 2) && g.sized(2, 1, 2) && g.mark[0] == g.mark[1] &&
           among(g.mark[0], "-/.") && month_and_day(g.value[1], g.value[2]);
}

bool is_day_first(const Groups& g) {
    if (g.count < 3 || !g.sized(0, 1, 2) || !g.sized(1, 1, 2) || g.mark[0] != g.mark[1]) return false;
    const bool year = g.size[2] == 4 || (g.size[2] == 2 && g.mark[0] == '/');
    return year && among(g.mark[0], "-/.") &&
           (month_and_day(g.value[0], g.value[1]) || month_and_day(g.value[1], g.value[0]));
}

// The end of a time of day whose groups begin at `first`, 0 where there is none; past its fraction and zone.
std::size_t time_end(std::string_view text, std::size_t at) {
    const Groups g = read_groups(text.substr(0, std::min(at + kLongestTime, text.size())), at);
    if (g.count < 2 || !g.sized(0, 1, 2) || g.size[1] != 2 || g.mark[0] != ':' || g.value[0] > 24 || g.value[1] > 59) {
        return 0;
    }
    std::size_t end = at + g.size[0] + 3;
    if (g.count > 2 && g.mark[1] == ':' && g.size[2] == 2) {
        end += 3;
        if (g.count > 3 && among(g.mark[2], ".,")) end += 1 + g.size[3];
    }
    if (end < text.size() && text[end] == 'Z') return end + 1;
    if (end + 2 < text.size() && among(text[end], "+-") && ascii_digit(text[end + 1])) {
        std::size_t zone = end + 1;
        while (zone < text.size() && zone < end + 6 && (ascii_digit(text[zone]) || text[zone] == ':')) ++zone;
        if (zone - end >= 5) return zone;
    }
    return end;
}

std::string_view word_behind(std::string_view text, std::size_t at) {
    return text.substr(at, word_end(text, at, std::min(at + 16, text.size())) - at);
}

// Past " am", " p.m.", " UTC" behind a time.
std::size_t past_half_day(std::string_view text, std::size_t end) {
    const std::size_t at = end < text.size() && text[end] == ' ' ? end + 1 : end;
    static constexpr std::array<std::string_view, 12> kMarks = {"a.m.", "p.m.", "am",  "pm",  "AM",  "PM",
                                                                "UTC",  "GMT",  "CET", "EST", "PST", "EDT"};
    for (const std::string_view mark : kMarks) {
        if (!text.substr(std::min(at, text.size())).starts_with(mark)) continue;
        const std::size_t next = at + mark.size();
        if (next == text.size() || !in_word(decode(text, next).code)) return next;
    }
    return end;
}

// Past the time of day behind a date: " 10:30", ", 10:30", "T10:30:00Z".
std::size_t past_time(std::string_view text, std::size_t end) {
    std::size_t at = end;
    if (at < text.size() && text[at] == ',') ++at;
    if (at < text.size() && among(text[at], " T")) ++at;
    if (at == end || at >= text.size() || !ascii_digit(text[at])) return end;
    const std::size_t time = time_end(text, at);
    return time > 0 ? past_half_day(text, time) : end;
}

std::size_t past_ordinal(std::string_view text, std::size_t end) {
    const std::string_view word = word_behind(text, end);
    return word == "st" || word == "nd" || word == "rd" || word == "th" ? end + 2 : end;
}

// Past " 2024" or ", 2024".
std::size_t past_year(std::string_view text, std::size_t end) {
    std::size_t at = end;
    if (at < text.size() && among(text[at], ".,")) ++at;
    if (at < text.size() && text[at] == ' ') ++at;
    if (at == end || at + 4 > text.size()) return end;
    if (!std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at), text.begin() + static_cast<std::ptrdiff_t>(at + 4),
                     ascii_digit)) {
        return end;
    }
    return at + 4 == text.size() || !in_word(decode(text, at + 4).code) ? at + 4 : end;
}

// Behind a day ("12", "3rd"): past " of March 2024".
std::size_t past_month(std::string_view text, std::size_t end) {
    std::size_t at = past_ordinal(text, end);
    if (text.substr(at).starts_with(" of ")) at += 3;
    if (at >= text.size() || text[at] != ' ') return end;
    const std::string_view month = word_behind(text, at + 1);
    if (month.size() < 3 || (word_use(month) & kMonth) == 0) return end;
    at += 1 + month.size();
    return past_time(text, past_year(text, at));
}

bool is_address(const Groups& g) {
    for (std::size_t i = 0; i < 4; ++i) {
        if (g.size[i] > 3 || g.value[i] > 255 || (i < 3 && g.mark[i] != '.')) return false;
    }
    return g.count == 4 || (g.count == 5 && among(g.mark[3], ":/"));
}

// "-rc1", "b2", ".dev0", "-beta.2": what makes two numbers a version.
bool is_pre_release(std::string_view rest) {
    if (!rest.empty() && among(rest[0], "-_.")) rest.remove_prefix(1);
    static constexpr std::array<std::string_view, 12> kStages = {
        "rc", "alpha", "beta", "dev", "post", "preview", "pre", "final", "snapshot", "SNAPSHOT", "a", "b"};
    for (const std::string_view stage : kStages) {
        if (!rest.starts_with(stage)) continue;
        const std::string_view number =
            rest.substr(stage.size() + (rest.substr(stage.size()).starts_with(".") ? 1 : 0));
        if (stage.size() == 1 && number.empty()) return false;
        return std::all_of(number.begin(), number.end(), ascii_digit);
    }
    return false;
}

bool is_version(const Groups& g, std::string_view rest) {
    if (g.count < 2 || g.mark[0] != '.') return false;
    for (std::size_t i = 0; i + 1 < g.count; ++i) {
        if (g.mark[i] != '.') return i >= 2 && g.mark[i] == '-';
    }
    if (g.count == 2) return is_pre_release(rest);
    return rest.empty() || among(rest[0], "-+_.") || is_pre_release(rest);
}

// Seven and more hexadecimal digits with letters and digits among them, or a UUID.
bool is_hexadecimal_id(std::string_view run) {
    std::size_t letters = 0;
    std::size_t digits = 0;
    for (std::size_t at = 0; at < run.size(); ++at) {
        const bool dash = run.size() == 36 && (at == 8 || at == 13 || at == 18 || at == 23);
        if (dash != (run[at] == '-')) return false;
        letters += (run[at] >= 'a' && run[at] <= 'f') || (run[at] >= 'A' && run[at] <= 'F');
        digits += ascii_digit(run[at]);
    }
    const std::size_t dashes = run.size() == 36 ? 4 : 0;
    return letters + digits + dashes == run.size() && run.size() >= 7 && letters > 1 && digits > 1;
}

bool is_spaced_unit(std::string_view word) {
    static constexpr std::string_view kAmbiguous = " a in t d am pm as as h c f m ";
    const bool ambiguous = word.size() < 3 && kAmbiguous.find(' ' + std::string(word) + ' ') != std::string_view::npos;
    return is_unit(word) && (!ambiguous || word == "m" || word == "h" || word == "C");
}

// Past the units behind a number: " ms", " million dollars", "%", "万元".
std::size_t past_units(std::string_view text, std::size_t end) {
    if (const std::size_t length = east_asian_unit(text.substr(end)); length > 0) {
        const std::size_t more = east_asian_unit(text.substr(end + length));
        return end + length + more;
    }
    for (int units = 0; units < 2; ++units) {
        if (end >= text.size() || text[end - 1] == '%') break;
        const Decoded gap = decode(text, end);
        const std::size_t at = is_space(gap.code) && gap.code != '\n' ? end + gap.length : end;
        if (at < text.size() && text[at] == '%') return at + 1;
        if (text.substr(at).starts_with("\xC2\xB0")) {  // degrees
            return at + 2 + (at + 2 < text.size() && among(text[at + 2], "CFK") ? 1 : 0);
        }
        if (at == end || at >= text.size()) break;
        const std::string_view word = word_behind(text, at);
        if (!is_spaced_unit(word)) break;
        const std::string_view behind = text.substr(at + word.size());
        if (!behind.empty() && among(behind[0], "_\\@:") && behind.size() > 1 && !ascii_space(behind[1])) break;
        end = at + word.size();
        if (behind.starts_with("/")) {  // "5 km/h"
            const std::string_view per = word_behind(text, end + 1);
            if (is_unit(per)) end += 1 + per.size();
        }
    }
    return end;
}

// A number ends before what belongs to something else: "5:foo", "1=2", "3.Next".
std::size_t number_end(std::string_view run, std::size_t digit) {
    for (std::size_t at = digit + 1; at < run.size(); ++at) {
        if (among(run[at], "=@#\\<>&~^")) return at;
        const bool digit_behind = at + 1 < run.size() && ascii_digit(run[at + 1]);
        if (run[at] == ':' && !digit_behind) return at;
        if (run[at] == '.' && !digit_behind && at + 1 < run.size() && run[at + 1] != 'x') return at;
    }
    return run.size();
}

}  // namespace

FoundFact read_number(std::string_view text, Span run, std::size_t digit) {
    const std::string_view whole = text.substr(run.begin, run.end - run.begin);
    const Groups g = read_groups(text.substr(0, run.end), digit);
    const std::string_view rest = text.substr(g.end, run.end - g.end);
    if (is_iso_date(g) || is_day_first(g)) {
        std::size_t end = digit + g.size[0] + g.size[1] + g.size[2] + 2;
        end = past_time(text, end);
        return {FactKind::kDate, {digit, std::max(end, digit + 1)}};
    }
    if (digit == run.begin) {
        if (const std::size_t time = time_end(text, digit); time > 0) {
            return {FactKind::kDate, {digit, past_half_day(text, time)}};
        }
        if (g.count == 1 && g.size[0] <= 2) {
            if (const std::size_t hour = past_half_day(text, g.end); hour > g.end) {
                return {FactKind::kDate, {digit, hour}};
            }
            if (const std::size_t month = past_month(text, g.end); month > g.end) {
                return {FactKind::kDate, {digit, month}};
            }
        }
        if (is_address(g) && rest.empty()) return {FactKind::kIdentifier, run};
        if (is_version(g, rest)) return {FactKind::kVersion, run};
        if (is_hexadecimal_id(whole)) return {FactKind::kIdentifier, run};
    }
    if (east_asian_date_unit(text.substr(run.end)) > 0 && run.end == g.end) {
        std::size_t end = g.end;
        bool date = g.size[0] == 4 && g.count == 1;
        for (std::size_t unit = 0; (unit = east_asian_date_unit(text.substr(end))) > 0;) {
            end += unit;
            std::size_t next = end;
            while (next < text.size() && next < end + 4 && ascii_digit(text[next])) ++next;
            if (next == end || next >= text.size() || east_asian_date_unit(text.substr(next)) == 0) break;
            date = true;
            end = next;
        }
        if (date) return {FactKind::kDate, {digit, end}};
    }
    const std::size_t end = run.begin + number_end(whole, digit - run.begin);
    return {FactKind::kNumber, {run.begin, end == run.end ? past_units(text, end) : end}};
}

FoundFact read_month_first(std::string_view text, Span word) {
    std::size_t at = word.end;
    if (at < text.size() && text[at] == '.') ++at;
    std::size_t end = word.end;
    if (at + 1 < text.size() && text[at] == ' ' && ascii_digit(text[at + 1])) {
        std::size_t day = at + 1;
        while (day < text.size() && day < at + 4 && ascii_digit(text[day])) ++day;
        if (day - at <= 3 && (day == text.size() || !among(text[day], ":/-.") || day + 1 == text.size() ||
                              !ascii_digit(text[day + 1]))) {
            end = past_ordinal(text, day);
            end = past_time(text, past_year(text, end));
        }
    }
    if (end == word.end) end = past_year(text, at);
    if (end == at) end = word.end;
    return {FactKind::kDate, end > word.end ? Span{word.begin, end} : Span{word.begin, word.begin}};
}

bool is_marked_version(std::string_view run) {
    if (run.size() < 2 || (run[0] != 'v' && run[0] != 'V') || !ascii_digit(run[1])) return false;
    const Groups g = read_groups(run, 1);
    for (std::size_t i = 0; i + 1 < g.count; ++i) {
        if (g.mark[i] != '.' && !(i > 0 && g.mark[i] == '-')) return false;
    }
    const std::string_view rest = run.substr(g.end);
    return rest.empty() || among(rest[0], "-+.") || is_pre_release(rest);
}

}  // namespace tersely::text
