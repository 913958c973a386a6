// How rare each of some texts is among them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace tersely::content {

// double[n] in (0, 1]: the mean of 1 / sqrt(m), of m texts that have its form, and of the mean of 1 / n over its words,
// of n texts that have each (0 without words). The form is what stands beside names, numbers and white space; words are
// runs of letters, cut before a capital, without their case. Hashes of 64 bits stand for both. O(bytes) time,
// O(texts + distinct words and forms) memory.
std::vector<double> rarity(std::span<const std::string_view> texts);

}  // namespace tersely::content
