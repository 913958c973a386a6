// Paths (facts.hpp): of runs, in any script, in brackets, with spaces. `text` ends where the segment ends.
#pragma once

#include <string_view>

#include "kernels/text/fact_numbers.hpp"

namespace tersely::text {

// Whether a file of this name needs no ending: "Makefile", "go.mod", ".env".
bool is_named_file(std::string_view name);

// Past the line number behind a path that ends at `at` (":12", "(12,5)", "\", line 12"); 0 where there is none.
std::size_t place_end(std::string_view text, std::size_t at);

// The path, or path with a line, that `run` (guard_runs.hpp) is. O(run).
FoundFact path_at(std::string_view text, Span run);

// The path that begins before `run`, at `begin` or later, and ends with it: behind letters of a script without spaces
// or a bracket, as in "app/[slug]/page.tsx". O(1): as many bytes as paths have are looked at.
FoundFact wider_path(std::string_view text, std::size_t begin, Span run);

// The path that begins with `run` at the name of a drive and has spaces in its folders: "C:\\Program Files\\x". O(1).
FoundFact spaced_path(std::string_view text, Span run);

// The path with spaces that stands between the quotation mark or backtick at `at` and the next one. O(1).
FoundFact quoted_path(std::string_view text, std::size_t at);

}  // namespace tersely::text
