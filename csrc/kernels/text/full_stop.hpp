// Whether a full stop ends a sentence. `start` is where the sentence starts, `text` ends with the block.
#pragma once

#include <cstddef>
#include <string_view>

#include "kernels/text/abbreviations.hpp"

namespace tersely::text {

// Whether the single full stop at `stop` may end the sentence before the word at `next`. Where `ordinal_stops` say so,
// one or two digits with a stop are an ordinal ("am 3. Juni"). O(1): looks at most 24 bytes back.
bool stop_ends(std::string_view text, std::size_t start, std::size_t stop, std::size_t next,
               const OrdinalStops& ordinal_stops);

// Whether a stop of full width, U+FF0E, ends nothing: within a number or a name, between letters or digits that are
// none of scripts without spaces ("３．１４"), or behind the number of an item at `start` ("２．はじめに").
bool is_inner_stop(std::string_view text, std::size_t start, std::size_t stop);

// Whether a lower-case word of three letters or more, and no known abbreviation, stands before `mark`.
bool ends_word(std::string_view text, std::size_t start, std::size_t mark);

// "end.Next": whether only a space is missing between `mark` and `next`; no file or host name.
bool lacks_space(std::string_view text, std::size_t start, std::size_t mark, std::size_t next);

}  // namespace tersely::text
