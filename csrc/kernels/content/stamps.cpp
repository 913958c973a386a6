#include "kernels/content/stamps.hpp"

#include <algorithm>
#include <cstring>

namespace tersely::content {
namespace {

bool digit(char byte) { return byte >= '0' && byte <= '9'; }
bool letter(char byte) { return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z'); }

bool one_of_threes(std::string_view three, std::string_view names) {
    for (std::size_t at = 0; at + 3 <= names.size(); at += 3) {
        if (names.substr(at, 3) == three) return true;
    }
    return false;
}

bool month(std::string_view three) { return one_of_threes(three, "JanFebMarAprMayJunJulAugSepOctNovDec"); }
bool weekday(std::string_view three) { return one_of_threes(three, "MonTueWedThuFriSatSun"); }

std::size_t digits_before(std::string_view line, std::size_t end, std::size_t most) {
    std::size_t size = 0;
    while (size < most && size < end && digit(line[end - size - 1])) ++size;
    return size;
}

bool month_before(std::string_view line, std::size_t end) { return end >= 3 && month(line.substr(end - 3, 3)); }

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
    return colon >= 2 && colon + 5 < line.size() && digit(line[colon - 1]) && digit(line[colon - 2]) &&
           digit(line[colon + 1]) && digit(line[colon + 2]) && line[colon + 3] == ':' && digit(line[colon + 4]) &&
           digit(line[colon + 5]) && (colon < 3 || !digit(line[colon - 3]));
}

std::size_t after_time(std::string_view line, std::size_t end, bool year_follows) {
    std::size_t at = end;
    if (at + 1 < line.size() && (line[at] == '.' || line[at] == ',') && digit(line[at + 1])) {
        ++at;
        while (at < line.size() && at - end < 10 && digit(line[at])) ++at;
    }
    if (at < line.size() && line[at] == 'Z') return at + 1;
    std::size_t sign = at;
    if (sign < line.size() && line[sign] == ' ') ++sign;
    if (sign + 4 < line.size() && (line[sign] == '+' || line[sign] == '-') && digit(line[sign + 1]) &&
        digit(line[sign + 2])) {
        const std::size_t minutes = sign + 3 + (line[sign + 3] == ':' ? 1 : 0);
        if (minutes + 1 < line.size() && digit(line[minutes]) && digit(line[minutes + 1])) return minutes + 2;
    }
    if (year_follows && at + 4 < line.size() && line[at] == ' ') {
        const std::string_view year = line.substr(at + 1, 4);
        if (std::all_of(year.begin(), year.end(), digit)) return at + 5;
    }
    return at;
}

Stamp plain_digits(std::string_view line) {  // "081109 203615"
    if (line.size() < 14 || line[6] != ' ' || line[13] != ' ') return {};
    for (std::size_t at = 0; at < 13; ++at) {
        if (at != 6 && !digit(line[at])) return {};
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
                named_month = letter(line[begin]);
            }
        }
        if (named_month && begin >= 4 && line[begin - 1] == ' ' && weekday(line.substr(begin - 4, 3))) begin -= 4;
        const std::size_t end = after_time(line, colon + 6, named_month);
        return {begin, end - begin};
    }
    return plain_digits(line);
}

}  // namespace tersely::content
