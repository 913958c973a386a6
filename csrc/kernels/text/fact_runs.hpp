// Facts that a run of characters tells by itself: paths, names in code, numbers, dates, times, versions.
//
// Paths, addresses and identifiers (facts.hpp). `text` ends where the segment ends.
#pragma once

#include <string_view>

#include "kernels/text/facts.hpp"

namespace tersely::text {

// Numbers, dates, times and versions (facts.hpp). `text` ends where the segment ends. Each looks at a bounded number
// of bytes beyond the run.

struct FoundFact {
    FactKind kind = FactKind::kNumber;
    Span span = {0, 0};  // empty: nothing was found
    explicit operator bool() const { return span.end > span.begin; }
};

// The number, date, time, version or address in `run` (guards.hpp), whose first digit is at `digit`: only signs and
// currencies stand before it. It may end before the run does, or behind it with the unit, month, year or time of day.
FoundFact read_number(std::string_view text, Span run, std::size_t digit);

// A date that begins with the month in `word`: "March 12, 2024", "Mar 2024", "Jun 14 15:16:01".
FoundFact read_month_first(std::string_view text, Span word);

// "v1.2.3", "V2": the run is a version behind a letter.
bool is_marked_version(std::string_view run);

// Paths (facts.hpp): of runs, in any script, in brackets, with spaces. `text` ends where the segment ends.

// Whether a file of this name needs no ending: "Makefile", "go.mod", ".env".
bool is_named_file(std::string_view name);

// Past the line number behind a path that ends at `at` (":12", "(12,5)", "\", line 12"); 0 where there is none.
std::size_t place_end(std::string_view text, std::size_t at);

// The path, or path with a line, that `run` (guards.hpp) is. O(run).
FoundFact path_at(std::string_view text, Span run);

// The path that begins before `run`, at `begin` or later, and ends with it: behind letters of a script without spaces
// or a bracket, as in "app/[slug]/page.tsx". O(1): as many bytes as paths have are looked at.
FoundFact wider_path(std::string_view text, std::size_t begin, Span run);

// The path that begins with `run` at the name of a drive and has spaces in its folders: "C:\\Program Files\\x". O(1).
FoundFact spaced_path(std::string_view text, Span run);

// The path with spaces that stands between the quotation mark or backtick at `at` and the next one. O(1).
FoundFact quoted_path(std::string_view text, std::size_t at);

// The URL, mail address, path, path:line, version, identifier or error type at the start of `run` (guards.hpp),
// whatever it is; it may end before the run does, or behind it. Nothing for words and numbers. O(run + URL).
FoundFact read_code(std::string_view text, Span run);

}  // namespace tersely::text
