// Kept rows as text: what Python strings have of them.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <span>

namespace tersely::bind {

// Characters between two kept neighbours that are written as they are. No unit pays for a gap: wider white space
// becomes what stands where something is left out, and before a nested unit its line break and indent.
inline constexpr std::int64_t kWidestGap = 64;

// The pieces with the separator between them; one piece is itself, none is "".
pybind11::str join(const pybind11::str& separator, const pybind11::list& pieces);

// What the rows leave of each text: runs of rows that follow one another keep the source's gaps, unless these are
// wide; others the separator.
// Raises ValueError where rows do not ascend, or are of no text.
pybind11::list join_rows(const pybind11::list& texts, std::span<const std::int32_t> document,
                         std::span<const std::int64_t> start, std::span<const std::int64_t> end,
                         std::span<const std::int64_t> rows, const pybind11::str& separator);

}  // namespace tersely::bind
