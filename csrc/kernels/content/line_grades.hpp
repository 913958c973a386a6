// How much each line says of what went wrong, or how all ended, whatever the text is; and the grades of units.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/content/line_reader.hpp"
#include "kernels/content/tree.hpp"
#include "kernels/content/tree_rank.hpp"

namespace tersely::content {

// How unlike the others of its text a line of a tree by indentation is: YAML, outlines, snapshots of pages.
//
// Contract. A column is lines with one key below lines of one column; all that hold others below a line that holds
// nothing else, four at least; and without a key lines of one form below such: what is left without quoted words and
// digits where there are quotes or brackets ("button [disabled]"), else all. Of a column with n of the N lines, rarity
// is 1 - log n / log N; of a text that c of n lines of a column have, surprise is (log n/c - H) / log n, at least 0,
// with H the mean of log n/c: nothing in a column where all are alike or all differ. O(bytes) time, O(lines) memory.

// Writes the priority of lines that lead nothing (`lead` 0) and hold nothing, or are items: half their rarity, their
// surprise, a fifth of log n/c / log N, a tenth for the first of a column, and a tenth of what it is (where they
// stand). What names the record of one that surprises by 0.4 or more, the first of a column of which nine lines in ten
// differ, has `brought` of that at least.
void rank_lines(std::string_view text, const TreeUnits& units, const Records& records, const std::vector<float>& lead,
                double brought, std::vector<double>& priority);

inline constexpr double kFailedGrade = 0.7;    // from which a line says that something failed
inline constexpr std::int64_t kRareLines = 3;  // with the same words, at most: these are rare
inline constexpr double kErrorGrade = 0.45;    // from which it has words of errors

// What grades of lines are read from: rows in the order of documents, and counts over all lines.
struct GradedLines {
    std::span<const Row> rows;               // one without a template (-1), or with kOwn, stands for other lines
    std::span<const std::int64_t> counts;    // lines of each template
    std::span<const std::int64_t> findings;  // lines of each finding
    std::span<const std::int64_t> variants;  // lines of each variant
    std::span<const std::uint64_t> forms;    // of each template (TemplateMiner::form)
    std::span<const float> odd;              // of each row (LineReader::odd); empty: none is
    std::int64_t total = 0;                  // lines, blank ones too
};

inline bool has(const Row& row, std::uint32_t marks) { return (row.marks & marks) != 0; }
// Whether it is no line by itself, but what an earlier compression left out, or what no rows are kept of.
inline bool stands_for_others(const Row& row) { return row.template_id < 0 || has(row, kOwn); }
std::vector<std::size_t> ends_of_documents(std::span<const Row> rows);  // of each row: the end of its document's rows

// For each line 0 for the first row of its template, 1 for its last, 2 for its second, ...; pieces of a long line
// have the place of its head. O(rows).
std::vector<std::int64_t> places_of_lines(std::span<const Row> rows);

// In [0, 1], 0: nothing. From kFailedGrade: what tools write of failures (kFailure), of a template less and less, and
// the first line of each finding, rare ones before others; where few findings are errors, the others stay below. From
// kErrorGrade: words of errors, counts of results, values that were compared behind a failure, or in pairs that name an
// error, the line above a trace and its first new frame, what went well where few lines say so (kConcludes), the
// place of one's own that an error came from (kFromHere), and the line above a quote of a file with signs below
// (kPoints): its message, with its place (less of a note: kNotes), and the line that stands indented below a place with
// words of errors. Below: warnings, how something stands, counts of none where a line says that something failed.
// Quotes count less, lines that came before, byte for byte, share what one is worth. O(rows).
std::vector<float> outcome_grades(const GradedLines& lines);

// outcome_grades of lines that report to somebody, in sections and to an end. From kErrorGrade too: the head of a
// section in which something failed, where few do, and numbers in the closing lines. Below: numbers right below a
// heading of totals ("HEAP SUMMARY:"). O(rows).
std::vector<float> report_grades(const GradedLines& lines);

// In [0, 1]: how much lines tell of the failures that they stand beside, where these are few, by `grade`. What follows
// tells more than what precedes, and less and less with the distance; what passed tells nothing. O(rows).
std::vector<float> scenes(const GradedLines& lines, std::span<const float> grade);

inline constexpr std::uint8_t kFails = 1;  // says that something failed, in words that are not said all over the text
inline constexpr std::uint8_t kIsNew = 2;  // is the first line of its template, or has rare words

struct LineWorth {
    std::vector<float> worth;
    std::vector<std::uint8_t> first;  // kFails, kIsNew: what may come before all other lines; 0 for copies
};

// The worth of each line by `grade` (report_grades), and what a query adds to it (`asked`). What all lines say tells
// nothing: a grade that the line's own words have counts over the root of how often its template came, but for rare
// words and failures. Of a line that came
// k times before, byte for byte, a part of 2 + k counts; an odd value counts twice where few lines have one; less of a
// long line without words of errors, and of a quote of a file; of one that is written over next to nothing; signs alone
// are unlike no other line; 0 for what stands for other lines. `end - start` of a row counts, in characters. O(rows).
LineWorth line_worth(const GradedLines& lines, std::span<const float> grade, std::span<const float> asked,
                     std::size_t context);

struct Repeats {
    std::vector<std::int32_t> told;   // of each row: the one that says the same of the first such trace, -1: none
    std::vector<std::int64_t> times;  // of one row of a trace that comes again: how often it comes, else 0
};

// Traces that came before: runs of two frames or more, no more than two other lines between them, whose frames came
// before byte for byte and whose lines have the templates of an earlier run. Up to three lines above and below such a
// run are told, too, where they have the templates of those around the first one. The row that counts them is what says
// most by `grade`. Empty: nothing comes again. O(rows) expected.
Repeats repeated_traces(const GradedLines& lines, std::span<const float> grade);

// Units of documents that ascend with their places.
struct UnitPlaces {
    std::span<const std::int32_t> document;
    std::span<const std::int64_t> start, end;  // characters
};

// The best grade of the lines that a unit has a part of: report_grades, and a part of scenes; 0.5 for lines with an odd
// value, and of a shape that few have where most have one (a row with another mark, a row of units); 0 for small parts
// of long lines, and for units of which `graded` (empty: none is) says that others graded them: 1. Read are texts that
// stand in lines (line_reader.hpp) and have other units, or one that is known to be of what a tool gave (kOfTool),
// which may be a line or two; of many lines the `most` most telling ones. Empty: no line says anything. O(bytes of
// texts that are read + units).
inline constexpr std::uint8_t kOfTool = 2;
std::vector<float> grades_of_units(std::span<const std::string_view> texts, const UnitPlaces& units,
                                   std::span<const std::uint8_t> graded, std::size_t most);

}  // namespace tersely::content
