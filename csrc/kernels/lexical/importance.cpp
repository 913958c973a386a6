#include "kernels/lexical/importance.hpp"

#include <algorithm>
#include <cmath>

namespace tersely::lexical {
namespace {

// Fitted and measured with the commands of importance.hpp.
constexpr float kFacts = 4.75F;
constexpr float kMost = 6.0F;   // tables of numbers are not worth any more
constexpr double kSaid = 1.5;   // of the bits of standing alone among all
constexpr double kFew = 16;     // segments, among which that says nothing
constexpr double kToken = 4.5;  // characters
constexpr double kRoom = 8;

}  // namespace

std::vector<float> importance(std::span<const float> score, std::span<const float> apart, std::span<const float> facts,
                              std::span<const double> characters) {
    std::vector<float> worth(score.begin(), score.end());
    const auto said = static_cast<float>(kSaid * std::log2((static_cast<double>(worth.size()) + kFew) / kFew));
    for (std::size_t i = 0; i < worth.size(); ++i) {
        const auto told = static_cast<double>(kFacts * std::min(apart[i] * (said + facts[i]), kMost));
        worth[i] = static_cast<float>(static_cast<double>(worth[i]) + told / (characters[i] / kToken + kRoom));
    }
    return worth;
}

}  // namespace tersely::lexical
