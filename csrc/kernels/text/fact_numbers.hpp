// Numbers, dates, times and versions (facts.hpp). `text` ends where the segment ends. Each looks at a bounded number
// of bytes beyond the run.
#pragma once

#include <string_view>

#include "kernels/text/facts.hpp"

namespace tersely::text {

struct FoundFact {
    FactKind kind = FactKind::kNumber;
    Span span = {0, 0};  // empty: nothing was found
    explicit operator bool() const { return span.end > span.begin; }
};

// The number, date, time, version or address in `run` (guard_runs.hpp), whose first digit is at `digit`: only signs and
// currencies stand before it. It may end before the run does, or behind it with the unit, month, year or time of day.
FoundFact read_number(std::string_view text, Span run, std::size_t digit);

// A date that begins with the month in `word`: "March 12, 2024", "Mar 2024", "Jun 14 15:16:01".
FoundFact read_month_first(std::string_view text, Span word);

// "v1.2.3", "V2": the run is a version behind a letter.
bool is_marked_version(std::string_view run);

}  // namespace tersely::text
