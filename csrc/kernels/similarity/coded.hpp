// Rows quantized to int8: bounds of their products with a query rule out most before any is compared exactly. Unlike
// the codes of simd/screen.hpp, which each instruction set makes for itself in memory, these are the same everywhere,
// as they are kept in files.
//
// Contract: row r, of length one at most, is about scale[r] * code with |code| <= 127, and what is left of it has a
// length of at most rest[r]. A query q is about step * c, with |c| as large as sums of products below 2^31 allow. Then
//   |u.q - scale step code.c| <= rest |q| + |scale code| |q - step c| <= rest |q| + (1 + rest) |q - step c|,
// so lower[r] <= u.q <= upper[r], for the product of real numbers: a product that was summed in float32 may lie beyond
// by what its own roundings make. The bounds are worked out in double and have room for their rounding to float32. The
// same bits on every instruction set. O(rows * width) time; memory of the caller's, and 16 KB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tersely::similarity {

struct CodedRows {
    std::span<const std::int8_t> codes;  // scale.size() x width
    std::span<const float> scale;
    std::span<const float> rest;
    std::size_t width = 0;
};

// `rows`: finite, n x width. Writes n x width codes, n scales and n rests.
void code_rows(std::span<const float> rows, std::size_t width, std::int8_t* codes, float* scale, float* rest);

// `query`: finite, as wide as the rows, up to 2^20 columns. Writes a bound a row each.
void bound_products(const CodedRows& rows, std::span<const float> query, float* lower, float* upper);

}  // namespace tersely::similarity
