// What the characters of texts tell at a glance, and where segments lie.
//
// Contract.
//  - A code is letters and digits in one word, or a long whole number. It begins at the border of a word (of letters,
//    digits and "_"): up to 40 of A-Z, a-z, "_" and "-" and then a digit ("HAT039", "c-17"), or a digit, up to 40
//    digits, "_" and "-" and then a letter of A-Z ("3f2a"), and two or more letters, digits, "_" and "-" behind; or it
//    is 6 to 20 digits that are no part of a word, number, time or address. The first from the left, then from its end
//    on. O(characters).
//  - Letters: whether two of a text stand side by side.
//  - The row of a place is the last one of its document that begins at or before it, or else the first.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/text/segment.hpp"

namespace tersely::text {

std::vector<Span> find_codes(std::string_view text);

bool has_letters(std::string_view text);

// The row of each place (document, at), among segments that ascend. O(documents + places log segments).
std::vector<std::int32_t> rows_at(std::span<const std::int32_t> documents, std::span<const std::int64_t> starts,
                                  std::span<const std::int32_t> document, std::span<const std::int64_t> at);

}  // namespace tersely::text
