// Runs of left out units that are no longer than a marker for them, which are kept instead.
#pragma once

#include <cstdint>
#include <span>

namespace tersely::select {

// Sets `kept` for the rows of each run of rows without a `chosen` value (one below `kept`) that reach over at most
// `most` characters and stand beside another run of their document: a document of which nothing is kept has no markers.
// `bare`: first and last rows (half-open, ascending) of what has no markers; runs that begin in it stay out. O(n).
void fill_gaps(std::span<std::uint8_t> status, std::span<const std::int32_t> document,
               std::span<const std::int64_t> start, std::span<const std::int64_t> end,
               std::span<const std::int64_t> bare, std::uint8_t kept, std::int64_t most);

}  // namespace tersely::select
