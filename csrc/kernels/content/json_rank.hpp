// Which units of JSON come first.
//
// Contract. The weight of a root is 1. A value weighs what its container does, times
//  - in an object of few or different members: 0.95 (1 - 0.2 place / count), 0.7 of that for a long string;
//  - in an array, among the roots of JSON lines, and in an object of kMap or more members that are all objects or
//    arrays: 1 for the first, 0.7 for an outlier, 0.6 for the last, else 0.5 b / B with b the lowest one bit of `place`
//    and B the highest of the count: the middle, the quarters, the eighths ...
// Pieces of a string weigh 0.3 / (1 + place) of their head.
// With relevance r in [0, 1] a unit: m of a unit is the best r of what is in it; e = max(r, 0.9 e of its container),
// but of what is sampled (as above) e = max(0.9 m, r, 0.6 e of its container): a match brings the record it is in.
// The priority is weight + 3 e^2, and that of a container never less than that of what is in it.
//
// Outliers, where kSampled or more are sampled: elements whose keys, or the value of one of whose keys, are those of at
// most a twentieth, in a column that has at most a quarter as many different values as rows; and numbers more than four
// standard deviations from the mean of a column of numbers. O(units) time and memory.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/content/json_scan.hpp"

namespace tersely::content {

inline constexpr std::int32_t kMap = 32;
inline constexpr std::int32_t kSampled = 8;

// 1 for units that are outliers among the values of their container.
std::vector<std::uint8_t> json_outliers(std::string_view text, const JsonUnits& units);

// `relevance`: one a unit, or none.
std::vector<double> rank_json(const JsonUnits& units, std::span<const std::uint8_t> outliers,
                              std::span<const float> relevance);

}  // namespace tersely::content
