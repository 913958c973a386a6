#include "kernels/lexical/centrality.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/select/units.hpp"
#include "kernels/text/term_class.hpp"

namespace tersely::lexical {
namespace {

constexpr double kCommon = 0.75;
constexpr double kShortPenalty = 4;
constexpr double kLead = 0.7;
constexpr double kLeadTerms = 400;
constexpr int kTold = 8;
constexpr int kFewWords = 2;

// Documents that have a segment alike, for the first of each kind; `alike` as first_alike gives it.
std::vector<std::int32_t> documents_of(const Corpus& corpus, const std::vector<std::int32_t>& alike) {
    std::vector<std::int32_t> documents(alike.size(), 0);
    std::vector<std::int32_t> last(alike.size(), -1);
    for (std::size_t i = 0; i < alike.size(); ++i) {
        const auto first = static_cast<std::size_t>(alike[i]);
        if (last[first] == corpus.document[i]) continue;
        last[first] = corpus.document[i];
        ++documents[first];
    }
    return documents;
}

}  // namespace

Centrality centrality(const Corpus& corpus, std::span<const std::uint8_t> term_class) {
    const std::size_t n = corpus.size();
    const std::vector<std::int32_t> alike = select::first_alike(corpus.ids, corpus.offsets.first(n + 1));
    std::vector<std::int32_t> frequency(corpus.vocabulary, 0);
    std::vector<std::int64_t> last(corpus.vocabulary, -1);
    for (std::size_t i = 0; i < n; ++i) {
        if (alike[i] != static_cast<std::int32_t>(i)) continue;
        for (const std::int32_t id : corpus.row(i)) {
            const auto term = static_cast<std::size_t>(id);
            frequency[term] += last[term] != static_cast<std::int64_t>(i) ? 1 : 0;
            last[term] = static_cast<std::int64_t>(i);
        }
    }
    const auto common = [&](std::size_t term) { return (term_class[term] & text::kCommonWord) != 0; };
    const std::int32_t most = frequency.empty() ? 0 : *std::max_element(frequency.begin(), frequency.end());
    std::vector<double> logarithm(static_cast<std::size_t>(most) + 2, 0.0);
    for (std::size_t i = 2; i < logarithm.size(); ++i) logarithm[i] = std::log(static_cast<double>(i));
    std::vector<float> weight(corpus.vocabulary);
    for (std::size_t term = 0; term < weight.size(); ++term) {
        const auto next = static_cast<std::size_t>(frequency[term]) + 1;
        weight[term] = static_cast<float>((common(term) ? kCommon : 1.0) * logarithm[next]);
    }
    std::fill(last.begin(), last.end(), -1);
    std::vector<double> central(n, 0.0);
    std::vector<int> told(n, 0);
    std::vector<float> apart(n, 1.0F);
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto row = corpus.row(i);
        double shared = 0;
        int words = 0;
        for (const std::int32_t id : row) {
            const auto term = static_cast<std::size_t>(id);
            if (last[term] == static_cast<std::int64_t>(i)) continue;
            last[term] = static_cast<std::int64_t>(i);
            central[i] += weight[term];
            told[i] += common(term) ? 0 : 1;
            if ((term_class[term] & (text::kCommonWord | text::kQuantity | text::kTime)) != 0) continue;
            shared += logarithm[static_cast<std::size_t>(frequency[term])];
            ++words;
        }
        if (shared > 0) apart[i] = static_cast<float>(std::exp(-shared / (words + kFewWords)));
        central[i] /= static_cast<double>(row.size()) + kShortPenalty;
        largest = std::max(largest, central[i]);
    }
    const std::vector<std::int32_t> documents = documents_of(corpus, alike);
    std::vector<float> score(n, 0.0F);
    std::size_t first = 0;  // of the document
    for (std::size_t i = 0; i < n; ++i) {
        if (corpus.document[i] != corpus.document[first]) first = i;
        if (corpus.row(i).empty()) continue;
        const auto before = static_cast<double>(corpus.offsets[i] - corpus.offsets[first]);
        const double lead = kLead * std::min(told[i], kTold) / kTold / (1 + before / kLeadTerms);
        const int frames = std::max(1, documents[static_cast<std::size_t>(alike[i])] - 1);
        score[i] = static_cast<float>((central[i] / largest + lead) / frames);
    }
    return {std::move(score), std::move(apart)};
}

}  // namespace tersely::lexical
