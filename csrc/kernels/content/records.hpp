// What records are worth by the values in them: the one engine behind lists in JSON and XML, tables, columns, events.
//
// Records of one list are compared column by column: a row of a table by its cells, an object by the values at each
// path in it. Readers say where cells are, in two passes over the same cells:
//     list = add_list(); column = add_column(list, "status"); add_record(list); cell = add(column, "failed"); ...
//     settle(); worth(column, "failed"), or worth(cell, "failed") where the cells are kept
//
// Contract. Of a column with n cells, in natural logarithms (so 3 is "one in twenty"); v stands c times, H is the
// entropy of the column's values, R(v) how many cells hold a value that stands at most c times, T the mean of c over
// the cells:
//  - rare value: (1 - H / ln n) min(ln(n / R), 2 ln(T / c)): 0 where all values differ (ids, times, counters) or all
//    are alike often, ln n for the one that is unlike all others;
//  - rare kind (absent, number, true or false, container, text, text that begins with a digit): 0.7 of the same, of
//    kinds instead of values;
//  - rare shape, where values have numbers in them: 0.8 of the same as of values, of what is left of their first
//    kShaped bytes when each number is the same; all that is opaque (json_scan.hpp) has one;
//  - odd length: of texts without numbers of which four fifths or more have one length, of the others 0.8 ln(n / those
//    others);
//  - rare column, that at most a fifth of the list's N records have: min(ln(N / R), 2 ln(N / n)), R the cells of all
//    columns of the list that have no more cells, N at most: keys that are ids are not rare;
//  - number below zero, where one in twenty numbers is at most: 0.6 ln(numbers / those);
//  - far number, or date, in columns of at least four fifths numbers that mostly differ: with m its
//    median and s 1.4826 times the median of |x - m|: 0.6 ln(k / (1 + those as far)) where |x - m| > 6 s for both x and
//    sign(x) ln(1 + |x| / u), by which "as far" goes, over a sample of k <= kSample cells, every 2^i-th; u is the least
//    |x| but 0, and 1 at most, so that what falls by a factor a step is not far; where x has both signs, the median.
//    0.4 instead of 0.6 for a large one: x - m > 6 s holds of x alone, as for the largest times of a profile;
//  - outcome: words of failure (marks.hpp), a name that says failure with a value that does not deny it, 5xx in a
//    status, not 0 as an exit code, 50 and above as a level, or (as trouble) a text that opens with a place: half of
//    ln(n / n that say so), and 1.5 more (0.7 for mere trouble) times 1 - 2 (their share), where at most half of the
//    cells do; half as much in texts over kShortText. A failure in a shorter value is worth kOdd at least, unless all
//    fail. Words of the highest severity that a column named severity, priority, risk, ... has (critical, ..., else
//    high) are failures, and 4 more instead of 1.5.
// worth = the largest of the first seven, half of that for 0 and what says nothing (absent, an empty container), and
// the additions of the last; 0 for success in a column that says failure, too. Fewer than kFewest cells: 0. A column of
// more than kMostValues values has none that are rare. Memory O(columns + values kept), time O(bytes).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/content/hash_table.hpp"

namespace tersely::content {

// What a value of a record is and says, by itself and by the name it stands under.

inline constexpr std::size_t kShortText = 80;  // bytes

namespace values {

enum Kind : std::uint8_t { kAbsent, kNumeric, kBool, kContainer, kText, kDigits };
enum Role : std::uint8_t { kPlain, kName, kStatus, kExit, kLevel, kSeverity, kTime };
enum Outcome : std::uint8_t { kNoOutcome, kFails, kTroubles, kSucceeds };

// What a column is for, by its name.
Role role_of(std::string_view name);

// What a value is; `number`: its value, where it is one; of a date its days, about; else as it was. O(length).
Kind kind_of(std::string_view value, double& number);

// Whether a value is absent, or a container without values.
bool says_nothing(std::string_view value, Kind kind);

// Whether the first word of a value is one of the highest severity: critical, blocker, ...
bool is_severe(std::string_view value);

// `name_marks`: the marks (marks.hpp) of the name of the column. O(length, up to 256).
Outcome outcome_of(Role role, std::uint32_t name_marks, std::string_view value, Kind kind, double number);

}  // namespace values

// Whether a value under a name says that something failed: what `RecordColumns::fails` says of a column.
bool says_failure(std::string_view name, std::string_view value);

// Whether a value is absent ("", null, "-", n/a, ...) or an empty container.
bool says_nothing(std::string_view value);

// Whether a value says that something is wrong: by what its own name makes of it (an exit code that is not 0), by its
// first word, before a colon ("WARNING: no swap"), or by the name of the list that it stands in ("errors", "warnings").
bool complains(std::string_view list, std::string_view name, std::string_view text);

inline constexpr std::size_t kFewest = 4;
inline constexpr std::size_t kMostValues = 1U << 13U;
inline constexpr std::size_t kSample = 4096;
inline constexpr std::size_t kShaped = 96;
inline constexpr float kOdd = 1.5F;  // worth from which a record stands out

class RecordColumns {
  public:
    std::size_t add_list();
    // `name`: a key or heading, which says what numbers mean and which column names its records; may be empty.
    std::size_t add_column(std::size_t list, std::string_view name);

    void add_record(std::size_t list) { ++lists_[list].records; }
    // What is known of a cell without looking at its value again. Of cells of one entry, `worth` is the same.
    struct Cell {
        double number;  // its value, where it is one
        std::uint32_t column;
        std::int32_t entry;  // of its column and value, from 0; -1: none
        values::Kind kind;
    };
    Cell add(std::size_t column, std::string_view value);
    void settle();  // once, between the passes
    std::size_t entries() const { return entries_.size(); }

    // `reason`, where given: the same for values that stand out as one does; 0 where each tells of its own: outcomes,
    // far numbers.
    // `tells`: how much a value tells of its record, the share of the column's cells that have another value, half of
    // it for numbers; 0 for what says nothing.
    float worth(const Cell& cell, std::string_view value, std::uint64_t* reason = nullptr,
                float* tells = nullptr) const;
    float worth(std::size_t column, std::string_view value, std::uint64_t* reason) const;
    // Whether a value says that its record failed, however many do; what names records says nothing.
    bool fails(std::size_t column, std::string_view value) const;
    // Whether a value is a severity in words, and none of a failure: "warning", "info", "style".
    bool is_mild(std::size_t column, std::string_view value) const;
    // At most two columns that tell the records of a list apart, best first: nearly all different and short; columns
    // called id, name, key, path ... before others, and those before plain numbers.
    std::span<const std::size_t> names_of(std::size_t list) const { return lists_[list].names; }
    std::size_t records(std::size_t list) const { return lists_[list].records; }
    std::size_t lists() const { return lists_.size(); }

  private:
    static constexpr std::size_t kKinds = 6;

    struct List {
        std::size_t records = 0;
        std::vector<std::size_t> columns;
        std::vector<std::size_t> names;
    };
    struct Center {
        double median = 0, spread = 0;
    };
    struct Column {
        values::Role role = values::kPlain;  // what its name says
        std::uint32_t marks = 0;             // of its name
        bool severe = false;                 // a severity is the highest that there is, not just high
        std::size_t list = 0;
        std::size_t cells = 0, distinct = 0, numbers = 0, below = 0, bytes = 0;  // below: zero
        std::vector<std::uint32_t> lengths;  // of texts without numbers, how many have each; the last: all longer ones
        float odd_length = 0;
        bool shaped = false;  // some values have numbers in them
        std::array<std::size_t, kKinds> kinds{};
        std::array<std::size_t, 2> outcomes{};  // cells that say failure, trouble
        std::size_t step = 1;                   // every so many numbers are in the sample
        std::vector<double> sample;             // after settle(): distances of logarithms, ascending
        Center middle, log_middle;
        double scale = 1;  // of the logarithms
        std::array<float, kKinds> kind_worth{};
        float present = 0;
    };
    struct Entry {
        std::uint64_t key = 0;
        std::uint64_t shape = 0;  // what is left of the value when each number is the same
        std::uint32_t column = 0, times = 0;
        float worth = 0;
        std::uint32_t outcome : 2 = 0;
        std::uint32_t by_shape : 1 = 0;  // it is the shape that is rare
    };

    void settle_values();
    static void settle_rarity(std::vector<Entry*>& values, std::size_t cells);
    static void settle_shapes(std::vector<Entry*>& values, std::size_t cells);
    static Center center_of(std::vector<double> values);
    static void settle_lengths(Column& column);
    void settle_numbers(Column& column) const;
    void settle_columns(const List& list);
    void settle_names(List& list) const;

    std::vector<List> lists_;
    std::vector<Column> columns_;
    std::vector<Entry> entries_;
    HashTable<std::int32_t> places_;  // in entries_, from 1, by key
};

// How much records stand out in their list, in (0, 1), or 0, for a worth below 1.1: of each record the largest
// worth of its cells and 0.15 of the second largest (columns say the same), held against how many records of the list
// have as much; 0.8 of that behind the first of those whose largest worth has one reason.
class Standing {
  public:
    explicit Standing(std::size_t records) : first_(records), second_(records), reason_(records) {}
    void add(std::size_t record, float worth, std::uint64_t reason);
    // `list`: of each record.
    std::vector<float> settle(std::span<const std::int32_t> list, std::size_t lists) const;
    float worth(std::size_t record) const { return first_[record] + 0.15F * second_[record]; }

  private:
    std::vector<float> first_, second_;
    std::vector<std::uint64_t> reason_;  // of the largest
};

}  // namespace tersely::content
