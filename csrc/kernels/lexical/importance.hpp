// What segments are worth per token without a query.
#pragma once

#include <span>
#include <vector>

namespace tersely::lexical {

// worth_i = score_i + 4.75 min(6, apart_i (1.5 log2((n + 16) / 16) + facts_i)) / (tokens_i + 8), float32, n segments:
// what the context comes back to, and what nothing else in it tells, in bits: standing alone says the more, the more
// there is to stand beside. `score`, `apart`: from `centrality`; `facts`: text::weights_of_segments; tokens_i: a 4.5th
// of `characters`. The 8 tokens keep a fact alone in its line from winning. Fitted with
// `python -m benchmarks.strategies.facts --half tuned`, so that `python -m benchmarks.quality --parts summaries --half
// tuned` loses nothing. O(segments).
std::vector<float> importance(std::span<const float> score, std::span<const float> apart, std::span<const float> facts,
                              std::span<const double> characters);

}  // namespace tersely::lexical
