#include "kernels/content/records.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <numeric>
#include <unordered_set>

#include "kernels/content/decimal.hpp"
#include "kernels/content/hash_table.hpp"
#include "kernels/content/json_scan.hpp"
#include "kernels/content/marks.hpp"
#include "kernels/text/unicode.hpp"

namespace tersely::content {

using View = std::string_view;

namespace values {
namespace {

using text::ascii_alpha;
using text::ascii_digit;
using text::ascii_lower;
using text::ascii_small;
using text::ascii_upper;

constexpr std::size_t kLooked = 256;  // bytes of a value in which words of failure are looked for

bool same_word(View a, View lower_case) {
    if (a.size() != lower_case.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (ascii_small(a[i]) != lower_case[i]) return false;
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

constexpr std::size_t kLongestKey = 24;  // of a number, with its "="

bool number_of(View cell, double& value) {
    if (!cell.empty() && cell.front() == '+') cell.remove_prefix(1);
    if (!cell.empty() && cell.back() == '%') cell.remove_suffix(1);
    if (cell.empty() || cell.size() > 40 || !(ascii_digit(cell[0]) || cell[0] == '-' || cell[0] == '.')) return false;
    return read_decimal(cell, value);
}

// Days, about, to a date with its year: 2019-02-11, 2019/02/11T08:00, 11.02.2019; 0: it is none.
double days_to(View cell) {
    const auto digits = [&](std::size_t at, std::size_t size) {
        double value = 0;
        for (std::size_t i = at; i < at + size; ++i) {
            if (i >= cell.size() || !ascii_digit(cell[i])) return 0.0;
            value = 10 * value + (cell[i] - '0');
        }
        return value;
    };
    const bool first = digits(0, 4) > 0;  // the year
    const std::size_t year = first ? 0 : 6, sign = first ? 4 : 2;
    if (cell.size() < 10 || cell[sign] != cell[sign + 3] || View(first ? "-/" : ".").find(cell[sign]) == View::npos)
        return 0;
    const double month = digits(first ? 5 : 3, 2), day = digits(first ? 8 : 0, 2);
    return month > 0 && month < 13 && day > 0 && day < 32 ? 372 * digits(year, 4) + 31 * month + day : 0;
}

// The first word of a value.
View first_word(View value) {
    std::size_t end = 0;
    while (end < value.size() && ascii_alpha(value[end])) ++end;
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
    if (ascii_digit(first) || first == '+' || first == '.' || (first == '-' && cell.size() > 1)) {
        if (number_of(cell, number)) return kNumeric;
        if (ascii_digit(first)) {
            number = days_to(cell);
            return kDigits;
        }
    }
    if (first == '{' || first == '[') return kContainer;
    if (cell.size() <= 6) {
        if (is_any(cell, kAbsentWords)) return kAbsent;
        if (is_any(cell, kBoolWords)) return kBool;
    }
    const std::size_t sign = cell.substr(0, kLongestKey).find('=');  // time=0.4
    return sign != View::npos && number_of(cell.substr(sign + 1), number) ? kNumeric : kText;
}

// The marks (marks.hpp) of the words of a text's first 256 bytes; words of camel case are several, "no error" says
// none. Of a value, a name with such a word within says nothing of an error: rules.exceptions.Names, ErrorHandlerTest.
std::uint32_t marks_of(View text, bool value) {
    text = text.substr(0, kLooked);
    std::uint32_t marks = 0, last = 0;  // of the words before the last one, which a longer name may go on with
    std::size_t end = 0, letters = 0;   // where the last word ends, and where the letters begin that it ends
    bool denied = false;
    for (std::size_t at = 0; at < text.size();) {
        if (!ascii_alpha(text[at])) {
            if (ascii_digit(text[at])) {
                denied = text[at] == '0' && (at == 0 || !ascii_digit(text[at - 1])) &&
                         (at + 1 >= text.size() || text[at + 1] == ' ');
            }
            ++at;
            continue;
        }
        const std::size_t begin = at;
        if (begin == 0 || begin > end) letters = begin;
        do {
            ++at;
            if (at >= text.size() || !ascii_alpha(text[at])) break;
            const bool rises = ascii_upper(text[at]) &&
                               (ascii_lower(text[at - 1]) || (at + 1 < text.size() && ascii_lower(text[at + 1])));
            if (rises) break;
        } while (true);
        const View word = text.substr(begin, at - begin);
        const bool inside = text.substr(end, begin - end).find_first_not_of("._-/\\") == View::npos && end > 0;
        marks |= value && inside && !ascii_upper(word.back()) ? last & ~kError : last;
        last =
            denied ? 0 : word_marks(hash_letters(word)) | (value ? name_marks(text.substr(letters, at - letters)) : 0);
        end = at;
        denied = same_word(word, "no") || same_word(word, "without") || same_word(word, "not");
    }
    return marks | last;
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
        const bool yes = ascii_small(value[0]) == 't';
        if (!bad_name && (name_marks & kPassed) == 0) return kNoOutcome;
        return bad_name == yes ? kFails : kSucceeds;
    }
    if (bad_name) return kFails;
    if (kind == kContainer) return kNoOutcome;
    if (role == kSeverity && (is_severe(value) || is_any(first_word(value), kHighWords))) return kFails;
    if (role == kStatus && value.size() >= 3 && value[0] == '5' && ascii_digit(value[1]) && ascii_digit(value[2]))
        return kFails;
    const std::uint32_t marks = marks_of(value, true);
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
    return kind != kNumeric && outcome_of(role, marks_of(name, false), value, kind, x) == kFails;
}

bool says_nothing(View value) {
    if (!value.empty() && ascii_digit(value[0])) return false;
    double x = 0;
    return says_nothing(value, kind_of(value, x));
}

bool complains(View list, View name, View text) {
    constexpr std::uint32_t kWrong = kError | kWarns;
    double x = 0;
    const Kind kind = kind_of(text, x);
    if (text.size() <= kShortText && outcome_of(role_of(name), marks_of(name, false), text, kind, x) == 1) return true;
    if (kind != kText) return false;
    const View word = first_word(text);
    const bool opens = !word.empty() && word.size() < text.size() && text[word.size()] == ':';
    return (opens && (marks_of(word, true) & kWrong) != 0) || (marks_of(list, false) & kWrong) != 0;
}

namespace {

using namespace values;

constexpr double kFar = 6;
constexpr std::size_t kFewBelow = 20;         // of so many numbers one at most is below zero, where that is odd
constexpr double kApart = 0.6, kLarge = 0.4;  // for far numbers, and for large ones
constexpr double kRareColumn = 0.2;
constexpr float kLeast = 1.1F;  // worth from which a record has a standing
constexpr double kSevere = 4;   // worth of the highest severity
constexpr double kAgain = 0.8;  // of the standing, behind the first record of a reason
constexpr std::size_t kLengths = 32;
constexpr double kCount = 0.5;    // what numbers and ids tell beside words
constexpr float kNothing = 0.5F;  // what is absent, empty or 0 is worth beside other values
constexpr float kShape = 0.8F;    // what a rare shape is worth beside a rare value

constexpr std::uint64_t kNumberShape = 1;

// A hash of what is left of a value when each number in it is the same, as opaque ones are; `key` where it has none.
std::uint64_t shape_of(View value, Kind kind, std::uint64_t key) {
    if (kind == kNumeric) return kNumberShape;
    if (kind != kText && kind != kDigits) return key;
    if (is_opaque(value)) return kNumberShape;
    value = value.substr(0, kShaped);
    std::uint64_t hash = 0;
    std::size_t from = 0;  // where what is no number begins
    for (std::size_t at = 0; at < value.size(); ++at) {
        if (!ascii_digit(value[at])) continue;
        if (at > from || hash == 0) hash = hash_bytes(value.substr(from, at - from), hash);
        from = at + 1;
    }
    return hash == 0 ? key : hash_bytes(value.substr(from), hash);
}

double part(std::size_t some, std::size_t all) { return static_cast<double>(some) / static_cast<double>(all); }

// Rarity of one among `all`: `below` stand at most as often as its `times`; `typical`, `entropy` of all.
float rarity(std::size_t all, std::size_t below, std::size_t times, double typical, double entropy) {
    if (all < kFewest || below == 0) return 0;
    const double whole = std::log(static_cast<double>(all));
    const double rare = std::min(-std::log(part(below, all)), 2 * std::log(typical / static_cast<double>(times)));
    return static_cast<float>(std::max(0.0, (1 - entropy / whole) * rare));
}

double scaled_log(double x, double scale) { return std::copysign(std::log1p(std::abs(x) / scale), x); }

double middle(std::vector<double>& values) {
    const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), half, values.end());
    return *half;
}

}  // namespace

std::size_t RecordColumns::add_list() {
    lists_.emplace_back();
    return lists_.size() - 1;
}

std::size_t RecordColumns::add_column(std::size_t list, View name) {
    Column column;
    column.list = list;
    column.role = role_of(name);
    column.marks = marks_of(name, false);
    columns_.push_back(std::move(column));
    lists_[list].columns.push_back(columns_.size() - 1);
    return columns_.size() - 1;
}

RecordColumns::Cell RecordColumns::add(std::size_t number, View value) {
    Column& column = columns_[number];
    double x = 0;
    const Kind kind = kind_of(value, x);
    Cell cell{x, static_cast<std::uint32_t>(number), -1, kind};
    ++column.cells;
    ++column.kinds[kind];
    column.bytes += value.size();
    if (kind == kNumeric || x > 0) {
        column.below += x < 0 ? 1 : 0;
        if (column.numbers++ % column.step == 0) column.sample.push_back(x);
        if (column.sample.size() >= kSample) {
            for (std::size_t i = 0; 2 * i < column.sample.size(); ++i) column.sample[i] = column.sample[2 * i];
            column.sample.resize((column.sample.size() + 1) / 2);
            column.step *= 2;
        }
    }
    std::uint32_t outcome = kNoOutcome;
    if (column.distinct <= kMostValues) {
        const std::uint64_t key = hash_bytes(value, number);
        std::int32_t& place = places_[key];
        const bool known = place > 0;
        if (!known) {
            entries_.emplace_back();
            place = static_cast<std::int32_t>(entries_.size());
        }
        cell.entry = place - 1;
        Entry& entry = entries_[static_cast<std::size_t>(cell.entry)];
        if (!known) {
            ++column.distinct;
            entry.key = key;
            entry.column = static_cast<std::uint32_t>(number);
            entry.shape = shape_of(value, kind, key);
            entry.outcome = outcome_of(column.role, column.marks, value, kind, x) & 3U;
            column.shaped = column.shaped || (entry.shape != key && kind != kNumeric);
        }
        ++entry.times;
        outcome = entry.outcome;
        if (kind == kText && entry.shape == key) {
            column.lengths.resize(kLengths);
            ++column.lengths[std::min(value.size(), kLengths - 1)];
        }
    } else {
        outcome = outcome_of(column.role, column.marks, value, kind, x);
    }
    if (outcome == kFails || outcome == kTroubles) ++column.outcomes[outcome - 1];
    if (column.role == kSeverity && outcome == kFails && !column.severe) column.severe = is_severe(value);
    return cell;
}

void RecordColumns::settle() {
    settle_values();
    for (Column& column : columns_) {
        settle_lengths(column);
        settle_numbers(column);
        double entropy = 0;
        double typical = 0;
        for (const std::size_t times : column.kinds) {
            if (times == 0) continue;
            const double share = part(times, column.cells);
            entropy -= share * std::log(share);
            typical += share * static_cast<double>(times);
        }
        for (std::size_t kind = 0; kind < kKinds; ++kind) {
            std::size_t below = 0;
            for (const std::size_t times : column.kinds) below += times <= column.kinds[kind] ? times : 0;
            if (column.kinds[kind] == 0) continue;
            column.kind_worth[kind] = 0.7F * rarity(column.cells, below, column.kinds[kind], typical, entropy);
        }
    }
    for (List& list : lists_) {
        settle_columns(list);
        settle_names(list);
    }
}

void RecordColumns::settle_columns(const List& list) {
    std::vector<std::size_t> order = list.columns;
    std::erase_if(order, [&](std::size_t one) {
        return columns_[one].cells >= list.records || part(columns_[one].cells, list.records) > kRareColumn;
    });
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return columns_[a].cells < columns_[b].cells; });
    std::size_t below = 0;
    for (std::size_t first = 0; first < order.size();) {
        const std::size_t cells = columns_[order[first]].cells;
        std::size_t last = first;
        for (; last < order.size() && columns_[order[last]].cells == cells; ++last) below += cells;
        below = std::min(below, list.records);
        for (; first < last; ++first)
            columns_[order[first]].present = rarity(list.records, below, cells, static_cast<double>(list.records), 0);
    }
}

void RecordColumns::settle_values() {
    std::vector<std::vector<Entry*>> of_column(columns_.size());
    for (Entry& entry : entries_) of_column[entry.column].push_back(&entry);
    for (std::size_t number = 0; number < columns_.size(); ++number) {
        const Column& column = columns_[number];
        std::vector<Entry*>& values = of_column[number];
        if (column.distinct > kMostValues) continue;
        settle_rarity(values, column.cells);
        if (column.shaped) settle_shapes(values, column.cells);
    }
}

void RecordColumns::settle_shapes(std::vector<Entry*>& values, std::size_t cells) {
    std::sort(values.begin(), values.end(), [](const Entry* a, const Entry* b) { return a->shape < b->shape; });
    std::vector<Entry> shapes;
    for (const Entry* value : values) {
        if (shapes.empty() || shapes.back().key != value->shape) shapes.emplace_back().key = value->shape;
        shapes.back().times += value->times;
    }
    std::vector<Entry*> each(shapes.size());
    std::transform(shapes.begin(), shapes.end(), each.begin(), [](Entry& shape) { return &shape; });
    settle_rarity(each, cells);
    auto shape = shapes.begin();
    for (Entry* value : values) {
        while (shape->key != value->shape) ++shape;
        if (kShape * shape->worth <= value->worth) continue;
        value->worth = kShape * shape->worth;
        value->by_shape = 1;
    }
}

void RecordColumns::settle_rarity(std::vector<Entry*>& values, std::size_t cells) {
    std::sort(values.begin(), values.end(), [](const Entry* a, const Entry* b) {
        return a->times != b->times ? a->times < b->times : a->key < b->key;
    });
    double entropy = 0;
    double typical = 0;
    for (const Entry* value : values) {
        const double of_all = part(value->times, cells);
        entropy -= of_all * std::log(of_all);
        typical += of_all * value->times;
    }
    std::size_t below = 0;
    for (std::size_t first = 0; first < values.size();) {
        std::size_t last = first;
        while (last < values.size() && values[last]->times == values[first]->times) below += values[last++]->times;
        const float worth = rarity(cells, below, values[first]->times, typical, entropy);
        for (; first < last; ++first) values[first]->worth = worth;
    }
}

// After this, `lengths` has the usual length alone, if there is one.
void RecordColumns::settle_lengths(Column& column) {
    std::size_t cells = 0, usual = 0;
    for (std::size_t length = 0; length < column.lengths.size(); ++length) {
        cells += column.lengths[length];
        if (column.lengths[length] > column.lengths[usual]) usual = length;
    }
    const std::size_t others = cells == 0 ? 0 : cells - column.lengths[usual];
    const bool mostly = !column.shaped && 5 * others <= cells && cells >= 2 * kFewest && usual + 1 < kLengths;
    column.lengths.clear();
    if (!mostly || others == 0) return;
    column.odd_length = -kShape * static_cast<float>(std::log(part(others, cells)));
    column.lengths.push_back(static_cast<std::uint32_t>(usual));
}

RecordColumns::Center RecordColumns::center_of(std::vector<double> values) {
    Center center;
    center.median = middle(values);
    for (double& x : values) x = std::abs(x - center.median);
    center.spread = 1.4826 * middle(values);
    return center;
}

void RecordColumns::settle_numbers(Column& column) const {
    const bool differ = column.distinct > kMostValues || 4 * column.distinct > column.cells;
    std::vector<double>& sample = column.sample;
    if (!differ || 5 * column.numbers < 4 * column.cells || sample.size() < 2 * kFewest) {
        sample.clear();
        return;
    }
    std::vector<double> logs(sample.size());
    std::transform(sample.begin(), sample.end(), logs.begin(), [](double x) { return std::abs(x); });
    const auto [low, high] = std::minmax_element(sample.begin(), sample.end());
    const double usual = middle(logs);
    if (*low >= 0 || *high <= 0) {  // else the logarithms of what is near 0 would tell the signs apart
        for (const double x : logs) column.scale = x > 0 ? std::min(column.scale, x) : column.scale;
    } else if (usual > 0) {
        column.scale = usual;
    }
    std::transform(sample.begin(), sample.end(), logs.begin(), [&](double x) { return scaled_log(x, column.scale); });
    column.middle = center_of(sample);
    column.log_middle = center_of(logs);
    for (std::size_t i = 0; i < sample.size(); ++i) {
        logs[i] = std::abs(scaled_log(sample[i], column.scale) - column.log_middle.median);
    }
    sample = std::move(logs);
    std::sort(sample.begin(), sample.end());
}

void RecordColumns::settle_names(List& list) const {
    struct Candidate {
        int merit;
        std::size_t column;
    };
    std::vector<Candidate> candidates;
    for (const std::size_t number : list.columns) {
        const Column& column = columns_[number];
        if ((list.records < 2 && column.role != kName) || 5 * column.cells < 4 * list.records ||
            column.cells > list.records)
            continue;
        if (column.bytes > 120 * column.cells) continue;
        const std::size_t different = column.distinct > kMostValues ? column.cells : column.distinct;
        const bool all = 20 * different >= 19 * column.cells;
        if (!all && (column.role != kName || 2 * different < column.cells)) continue;
        const bool plain_number = 5 * column.numbers >= 4 * column.cells;
        int merit = column.role == kName ? 4 : column.role == kTime ? 0 : plain_number ? 1 : 2;
        if (all) merit += 2;
        candidates.push_back({merit, number});
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.merit > b.merit; });
    for (const Candidate& one : candidates) {
        if (list.names.size() < 2) list.names.push_back(one.column);
    }
}

float RecordColumns::worth(std::size_t number, View value, std::uint64_t* reason) const {
    Cell cell{0, static_cast<std::uint32_t>(number), -1, kAbsent};
    cell.kind = kind_of(value, cell.number);
    if (const std::int32_t* place = places_.find(hash_bytes(value, number))) cell.entry = *place - 1;
    return worth(cell, value, reason);
}

float RecordColumns::worth(const Cell& cell, View value, std::uint64_t* reason, float* tells) const {
    const std::size_t number = cell.column;
    const Column& column = columns_[number];
    const double x = cell.number;
    const Kind kind = cell.kind;
    const bool nothing = says_nothing(value, kind);
    double times = 1;
    float worth = std::max(column.kind_worth[kind], column.present);
    std::uint64_t why = 1U + kind;  // of what stands out by its kind or its column
    const auto stands_out = [&](float as, std::uint64_t for_what) {
        if (as <= worth) return;
        worth = as;
        why = for_what;
    };
    std::uint32_t outcome = kNoOutcome;
    if (column.distinct <= kMostValues) {
        if (cell.entry >= 0) {
            const Entry& entry = entries_[static_cast<std::size_t>(cell.entry)];
            stands_out(entry.worth, entry.by_shape != 0 ? entry.shape : entry.key);
            outcome = entry.outcome;
            times = entry.times;
        }
        if (kind == kText && !column.lengths.empty() && value.size() != column.lengths[0])
            stands_out(column.odd_length, hash_bytes(value, number));
    } else if (column.outcomes[0] + column.outcomes[1] > 0) {
        outcome = outcome_of(column.role, column.marks, value, kind, x);
    }
    if (kind == kNumeric && x < 0 && kFewBelow * column.below <= column.numbers) {
        const double all = static_cast<double>(column.numbers);
        stands_out(static_cast<float>(kApart * std::log(all / static_cast<double>(column.below))), 0);
    }
    if ((kind == kNumeric || x > 0) && !column.sample.empty()) {
        const double off = std::abs(scaled_log(x, column.scale) - column.log_middle.median);
        const bool apart = off > kFar * column.log_middle.spread;
        const double from = x - column.middle.median;
        if ((apart ? std::abs(from) : from) > kFar * column.middle.spread) {
            const auto above = column.sample.end() - std::lower_bound(column.sample.begin(), column.sample.end(), off);
            const double all = static_cast<double>(column.sample.size());
            stands_out(static_cast<float>((apart ? kApart : kLarge) * std::log(all / (1 + static_cast<double>(above)))),
                       0);
        }
    }
    const double share_of_others = 1 - times / static_cast<double>(std::max<std::size_t>(column.cells, 1));
    if (tells != nullptr) {
        const bool counts = kind == kNumeric || kind == kDigits;
        *tells = nothing ? 0 : static_cast<float>(counts ? kCount * share_of_others : share_of_others);
    }
    if (outcome == kSucceeds && column.outcomes[0] > 0) return 0;
    if (outcome == kSucceeds) outcome = kNoOutcome;
    if (nothing || (kind == kNumeric && x == 0)) worth *= kNothing;
    if (reason != nullptr) *reason = outcome != kNoOutcome || why == 0 ? 0 : why ^ (number << 1U);
    if (outcome == kNoOutcome) return worth;
    // A column that few records have says what it says to all of them.
    const std::size_t all = std::max(column.cells, lists_[column.list].records);
    const double share = part(column.outcomes[outcome - 1], all);
    const bool brief = value.size() <= kShortText;
    if (outcome == kFails && brief && share < 1) worth = std::max(worth, kOdd);
    if (share > 0.5 || all < kFewest) return worth;
    const double said = brief ? 1.0 : 0.5;
    if (column.role == kSeverity && outcome == kFails && (!column.severe || is_severe(value)))
        return worth + static_cast<float>(kSevere * (1 - 2 * share));
    worth = std::max(worth, static_cast<float>(-0.5 * std::log(share) * said));
    return worth + static_cast<float>((outcome == kFails ? 1.5 : 0.7) * (1 - 2 * share) * said);
}

bool RecordColumns::fails(std::size_t number, View value) const {
    const Column& column = columns_[number];
    if (column.outcomes[0] == 0 || column.role == kName || value.size() > kShortText) return false;
    double x = 0;
    const Kind kind = kind_of(value, x);
    return outcome_of(column.role, column.marks, value, kind, x) == kFails;
}

bool RecordColumns::is_mild(std::size_t number, View value) const {
    double x = 0;
    const Role role = columns_[number].role;
    return (role == kSeverity || role == kLevel) && value.size() <= kShortText && kind_of(value, x) == kText &&
           !fails(number, value);
}

void Standing::add(std::size_t record, float worth, std::uint64_t reason) {
    if (worth > first_[record]) {
        second_[record] = first_[record];
        first_[record] = worth;
        reason_[record] = reason;
    } else if (worth > second_[record]) {
        second_[record] = worth;
    }
}

std::vector<float> Standing::settle(std::span<const std::int32_t> list, std::size_t lists) const {
    std::vector<std::size_t> order(first_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<std::size_t> sizes(lists);
    for (const std::int32_t one : list) ++sizes[static_cast<std::size_t>(one)];
    std::erase_if(order, [&](std::size_t record) { return worth(record) < kLeast; });
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return worth(a) != worth(b) ? worth(a) > worth(b) : a < b; });
    std::vector<std::size_t> before(lists);
    std::unordered_set<std::uint64_t> met;  // reasons
    std::vector<float> standing(first_.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first;  // records of the same worth have the same rank
        for (; last < order.size() && worth(order[last]) >= worth(order[first]); ++last)
            ++before[static_cast<std::size_t>(list[order[last]])];
        for (; first < last; ++first) {
            const auto in = static_cast<std::size_t>(list[order[first]]);
            const double rank = std::log(static_cast<double>(sizes[in]) / static_cast<double>(before[in]));
            const double held = std::min(static_cast<double>(worth(order[first])), rank + 0.5);
            const std::uint64_t reason = reason_[order[first]];
            const bool again = reason != 0 && !met.insert(reason ^ (in << 40U)).second;
            standing[order[first]] = static_cast<float>(1 - std::exp(-std::max(again ? kAgain * held : held, 0.3) / 3));
        }
    }
    return standing;
}

}  // namespace tersely::content
