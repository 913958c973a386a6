// Components of texts that agree, found without comparing all pairs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/lexical/agreement.hpp"

namespace tersely::cluster {

// component[row] = the lowest row that it is connected with by pairs that agree (lexical/agreement.hpp); itself where
// it agrees with none. Exact: two texts agree only if they share more than `share` of their terms, so one of the rarest
// terms of either is common to both (prefix filter: Chaudhuri, Ganti, Kaushik 2006; here with the sizes of Bayardo, Ma,
// Srikant 2007), and every pair that has one is decided by Agreement, unless it is connected already. Texts with the
// same terms and names in the same order are decided once. share: in [0, 1]; term ids: from 0 up.
//
// O(terms log terms) time, and for each text the texts of its guard that share one of its rarest terms; O(terms + ids)
// memory. On the calling thread.
std::vector<std::int32_t> agreeing(std::span<const std::int32_t> guard, const lexical::IdRows& terms,
                                   const lexical::IdRows& names, double share, double order);

}  // namespace tersely::cluster
