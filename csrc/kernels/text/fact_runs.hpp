// Paths, addresses and identifiers (facts.hpp). `text` ends where the segment ends.
#pragma once

#include <string_view>

#include "kernels/text/fact_numbers.hpp"

namespace tersely::text {

// The URL, mail address, path, path:line, version, identifier or error type at the start of `run` (guard_runs.hpp),
// whatever it is; it may end before the run does, or behind it. Nothing for words and numbers. O(run + URL).
FoundFact read_code(std::string_view text, Span run);

}  // namespace tersely::text
