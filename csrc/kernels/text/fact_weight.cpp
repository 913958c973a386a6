#include "kernels/text/fact_weight.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {
namespace {

constexpr std::size_t kMostDigits = 4;
constexpr double kPrior = 4;  // segments, half of them with a fact, that are added to what a text has

// Digits of any script, up to kMostDigits.
std::size_t digits_in(std::string_view fact) {
    std::size_t digits = 0;
    for (std::size_t at = 0; at < fact.size() && digits < kMostDigits;) {
        const Decoded here = decode(fact, at);
        digits += is_digit(here.code) ? 1 : 0;
        at += here.length;
    }
    return digits;
}

bool is_year(std::string_view number) {
    return number.size() == 4 && ((number[0] == '1' && number[1] >= '6') || (number[0] == '2' && number[1] == '0'));
}

float number_weight(std::string_view fact, float digits) {
    if (!std::all_of(fact.begin(), fact.end(), ascii_digit)) return 0.75F + 0.45F * digits;
    if (fact.size() <= 2) return 0.3F;
    return is_year(fact) ? 0.5F : 0.5F + 0.4F * digits;
}

}  // namespace

float fact_weight(FactKind kind, std::string_view fact) {
    const auto digits = static_cast<float>(digits_in(fact));
    switch (kind) {
        case FactKind::kNumber:
            return number_weight(fact, digits);
        case FactKind::kDate:
            return digits == 0 ? 0.5F : 1.5F + 0.25F * digits;
        case FactKind::kName:
            if (digits > 0) return digits > 2 ? 2.5F : 1.2F;
            return fact.find_first_of(" \n") == std::string_view::npos ? 0.4F : 1.0F;
        case FactKind::kIdentifier:
            return 2.0F + 0.25F * digits;
        case FactKind::kPath:
        case FactKind::kPathLine:
        case FactKind::kUrl:
            return 3.0F;
        case FactKind::kError:
            return 2.0F;
        case FactKind::kVersion:
            return 2.25F;
        case FactKind::kFencedCode:
        case FactKind::kInlineCode:
        case FactKind::kDecision:
            return 1.5F;
        case FactKind::kObligation:
            return 1.0F;
        default:
            return 0.7F;
    }
}

std::vector<float> weights_in_text(std::span<const std::uint8_t> kind, std::span<const std::int32_t> segment,
                                   std::span<const float> weight, std::size_t n) {
    constexpr std::size_t kSteps = 64;
    constexpr float kStep = 0.05F;
    const auto like = [&](std::size_t i) {
        return kind[i] * kSteps + std::min(static_cast<std::size_t>(weight[i] / kStep + 0.5F), kSteps - 1);
    };
    constexpr std::size_t kKinds = static_cast<std::size_t>(FactKind::kDecision) + 1;
    std::vector<std::int32_t> last(kKinds * kSteps, -1);  // the segment with the last one like it
    std::vector<std::int32_t> held(kKinds * kSteps, 0);   // segments that hold one like it
    for (std::size_t i = 0; i < kind.size(); ++i) {
        held[like(i)] += last[like(i)] != segment[i] ? 1 : 0;
        last[like(i)] = segment[i];
    }
    std::vector<float> bits(held.size(), 0.0F);
    std::vector<float> weights(kind.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
        float& known = bits[like(i)];
        if (known == 0) {
            known = static_cast<float>(std::log2((static_cast<double>(n) + kPrior) / (held[like(i)] + kPrior / 2)));
        }
        weights[i] = weight[i] * known;
    }
    return weights;
}

std::vector<float> weights_of_segments(const std::vector<std::string_view>& texts, const std::vector<FactRow>& facts,
                                       std::int32_t keys, std::size_t segments) {
    std::vector<std::int32_t> times(static_cast<std::size_t>(keys), 0);
    std::vector<std::uint8_t> kind;
    std::vector<std::int32_t> segment;
    std::vector<float> alone;
    for (const FactRow& fact : facts) {
        ++times[static_cast<std::size_t>(fact.key)];
        kind.push_back(static_cast<std::uint8_t>(fact.kind));
        segment.push_back(fact.segment);
        const std::string_view text = texts[static_cast<std::size_t>(fact.document)];
        alone.push_back(fact_weight(fact.kind, text.substr(fact.span.begin, fact.span.end - fact.span.begin)));
    }
    const std::vector<float> weight = weights_in_text(kind, segment, alone, segments);
    std::vector<std::int32_t> last(times.size(), -1);  // the segment that each fact was stated in last
    std::vector<float> weights(segments, 0.0F);
    for (std::size_t i = 0; i < facts.size(); ++i) {
        const auto key = static_cast<std::size_t>(facts[i].key);
        if (last[key] == segment[i]) continue;
        last[key] = segment[i];
        weights[static_cast<std::size_t>(segment[i])] += weight[i] / static_cast<float>(times[key]);
    }
    return weights;
}

}  // namespace tersely::text
