// A screen in front of products of packed rows: codes of a byte a value rule most of them out.
//
// Contract: whatever the screen passes over is provably below the threshold, so it changes time only; instruction sets
// have codes of their own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/dot.hpp"

namespace tersely::simd {

inline constexpr float kScreenSlack = 4e-6F;

// Rows of a panel (dot.hpp) in bytes: row r is about scale[r] * code. The length of what is left is at most
// reach[r] - 1, that of the row's columns from 4 * head on at most rest[r]. Bytes 4 g to 4 g + 3 of row r stand at
// codes[(g * kPanel + r) * 4]; what is beyond the depth is 0.
struct CodedRows {
    const signed char* codes;
    const float* scale;
    const float* reach;
    const float* rest;
    const std::int32_t* offsets;  // of row r for block b of columns: offsets[b * kPanel + r]
};

struct RowCode {
    float scale, reach, rest;
};

struct ScreenKernels {
    // Which of the products that DotKernels::tile would give could reach `threshold`, as far as the codes tell: bit c
    // of hits[r] is clear where product (r, c) cannot. Returns whether any is set; hits are written only then. With u =
    // s q + r and v = s' q' + r', |u.v - s s' q.q'| <= |r| |v| + |r'| |s q|, for rows of length one at most (1 + |r|)
    // (1 + |r'|) - 1. The same holds for the first 4 * head columns alone, and the others add at most rest * rest'
    // (Cauchy-Schwarz): where that leaves no product, they are not read. The sum of products of codes is exact for up
    // to 2^17 columns; the caller lowers the threshold by kScreenSlack for the roundings of the float operations that
    // follow it.
    bool (*screen)(const CodedRows& left, const CodedRows& right, std::size_t head, std::size_t groups, float threshold,
                   std::uint64_t* hits);
    // x in bytes, for a row of length about one and up to 2^17 columns. reach and rest are rounded up: the difference
    // of each value is off by 2^-24 of it, all of them by 6e-8 in length; a sum of squares by less than a thousandth.
    // `size` and 4 * head are multiples of kSums. Block b of columns writes offsets[b * kPanel].
    RowCode (*code)(const float* x, std::size_t size, std::size_t head, signed char* out, std::int32_t* offsets);
    // Groups of four columns whose products are summed together; blocks begin anew after the head.
    std::size_t block;
    std::size_t together;  // products of which one alone has the others' remaining columns read

    std::size_t blocks(std::size_t head, std::size_t groups) const {
        return (head + block - 1) / block + (groups - head + block - 1) / block;
    }
};

}  // namespace tersely::simd
