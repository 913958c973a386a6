#include "kernels/lexical/corpus.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "kernels/text/terms.hpp"

namespace tersely::lexical {

std::vector<std::int32_t> first_alike(std::span<const std::int32_t> ids, std::span<const std::int64_t> offsets) {
    const std::size_t n = offsets.size() - 1;
    const auto row_of = [&](std::size_t i) {
        const auto begin = static_cast<std::size_t>(offsets[i]);
        return ids.subspan(begin, static_cast<std::size_t>(offsets[i + 1]) - begin);
    };
    std::vector<std::int32_t> alike(n);
    std::vector<std::int32_t> slots(std::bit_ceil(2 * n + 1), -1);  // firsts, by hash, linear probing
    for (std::size_t i = 0; i < n; ++i) {
        alike[i] = static_cast<std::int32_t>(i);
        const auto row = row_of(i);
        if (row.empty()) continue;
        std::uint64_t key = row.size();
        for (const std::int32_t id : row) key = (key ^ static_cast<std::uint64_t>(id)) * 0x9E3779B97F4A7C15ULL;
        std::size_t at = (key >> 20U) & (slots.size() - 1);
        const auto same = [&](std::int32_t other_row) {
            const auto other = row_of(static_cast<std::size_t>(other_row));
            return std::equal(other.begin(), other.end(), row.begin(), row.end());
        };
        while (slots[at] >= 0 && !same(slots[at])) {
            at = (at + 1) & (slots.size() - 1);
        }
        if (slots[at] < 0) slots[at] = static_cast<std::int32_t>(i);
        alike[i] = slots[at];
    }
    return alike;
}

std::vector<std::int32_t> segment_frequency(const Corpus& corpus, std::span<const std::int32_t> alike) {
    std::vector<std::int32_t> frequency(corpus.vocabulary, 0);
    std::vector<std::int32_t> last(corpus.vocabulary, -1);
    for (std::size_t i = 0; i < corpus.size(); ++i) {
        const auto here = static_cast<std::int32_t>(i);
        if (!alike.empty() && alike[i] != here) continue;
        for (const std::int32_t id : corpus.row(i)) {
            const auto term = static_cast<std::size_t>(id);
            frequency[term] += last[term] != here ? 1 : 0;
            last[term] = here;
        }
    }
    return frequency;
}

float inverse_frequency(double df, double n) { return static_cast<float>(std::log(1.0 + (n - df + 0.5) / (df + 0.5))); }

std::vector<float> inverse_frequency(const Corpus& corpus) {
    const std::vector<std::int32_t> frequency = segment_frequency(corpus);
    const auto n = static_cast<double>(corpus.size());
    std::vector<float> idf(corpus.vocabulary);
    for (std::size_t term = 0; term < idf.size(); ++term) {
        idf[term] = inverse_frequency(frequency[term], n);
    }
    return idf;
}

namespace {

constexpr double kCommon = 0.75;
constexpr double kShortPenalty = 4;
constexpr double kLead = 0.7;
constexpr double kLeadTerms = 400;
constexpr int kTold = 8;
constexpr int kFewWords = 2;
constexpr std::uint8_t kMeasured = text::kQuantity | text::kTime;
constexpr std::int32_t kFewest = 4;   // segments that follow a mould
constexpr std::size_t kShortest = 3;  // terms of a mould
constexpr std::size_t kMany = 32;     // a mould of less than such a part of the segments repeats too little
constexpr std::int32_t kTimes = 2;    // that a mould is met: later ones say as little
constexpr double kFrame = 3;          // segments of a mould: more are a frame, and what is unlike them says more

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

// How many rows have each as their first.
std::vector<std::int32_t> members(const std::vector<std::int32_t>& firsts) {
    std::vector<std::int32_t> members(firsts.size(), 0);
    for (const std::int32_t first : firsts) ++members[static_cast<std::size_t>(first)];
    return members;
}

// For each segment the first that is made in the same mould: alike but for what varies. A mould of few is none: then
// the first that is alike.
std::vector<std::int32_t> first_moulded(const Corpus& corpus, const std::vector<std::int32_t>& alike,
                                        std::span<const std::int32_t> frequency,
                                        std::span<const std::uint8_t> term_class) {
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> offsets = {0};
    ids.reserve(corpus.ids.size());
    const auto fewest = std::max(kFewest, static_cast<std::int32_t>(corpus.size() / kMany));
    for (std::size_t i = 0; i < corpus.size(); ++i) {
        const auto row = corpus.row(i);
        const std::size_t begin = ids.size();
        std::size_t varies = 0;
        for (const std::int32_t id : row) {
            const auto term = static_cast<std::size_t>(id);
            if ((term_class[term] & kMeasured) != 0) continue;
            if (frequency[term] < fewest)
                ++varies;
            else
                ids.push_back(id);
        }
        const std::size_t kept = ids.size() - begin;
        if (kept == 0 || kept < 2 * varies || (varies > 0 && kept < kShortest)) {
            ids.resize(begin);
            ids.insert(ids.end(), row.begin(), row.end());
        }
        offsets.push_back(static_cast<std::int64_t>(ids.size()));
    }
    std::vector<std::int32_t> mould = first_alike(ids, offsets);
    const std::vector<std::int32_t> made = members(mould);
    for (std::size_t i = 0; i < mould.size(); ++i) {
        if (made[static_cast<std::size_t>(mould[i])] < fewest) mould[i] = alike[i];
    }
    return mould;
}

}  // namespace

Centrality centrality(const Corpus& corpus, std::span<const std::uint8_t> term_class) {
    const std::size_t n = corpus.size();
    const std::vector<std::int32_t> alike = first_alike(corpus.ids, corpus.offsets.first(n + 1));
    const std::vector<std::int32_t> frequency = segment_frequency(corpus, alike);
    const std::vector<std::int32_t> mould = first_moulded(corpus, alike, frequency, term_class);
    const std::vector<std::int32_t> told_once = segment_frequency(corpus, mould);
    std::vector<std::int64_t> last(corpus.vocabulary, -1);
    const auto common = [&](std::size_t term) { return (term_class[term] & text::kCommonWord) != 0; };
    const std::int32_t most = frequency.empty() ? 0 : *std::max_element(frequency.begin(), frequency.end());
    std::vector<double> logarithm(static_cast<std::size_t>(most) + 2, 0.0);
    for (std::size_t i = 2; i < logarithm.size(); ++i) logarithm[i] = std::log(static_cast<double>(i));
    std::vector<float> weight(corpus.vocabulary);
    for (std::size_t term = 0; term < weight.size(); ++term) {
        const auto next = static_cast<std::size_t>(told_once[term]) + 1;
        weight[term] = static_cast<float>((common(term) ? kCommon : 1.0) * logarithm[next]);
    }
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
            if ((term_class[term] & (text::kCommonWord | kMeasured)) != 0) continue;
            shared += logarithm[static_cast<std::size_t>(frequency[term])];
            ++words;
        }
        if (shared > 0) apart[i] = static_cast<float>(std::exp(-shared / (words + kFewWords)));
        central[i] /= static_cast<double>(row.size()) + kShortPenalty;
        largest = std::max(largest, central[i]);
    }
    const std::vector<std::int32_t> documents = documents_of(corpus, alike);
    std::vector<float> score(n, 0.0F);
    const std::vector<std::int32_t> made = members(mould);
    std::vector<std::int32_t> met(n, 0), place(n, -1);  // of these, those of the document so far, and which it is
    std::size_t first = 0;                              // of the document
    for (std::size_t i = 0; i < n; ++i) {
        if (corpus.document[i] != corpus.document[first]) first = i;
        if (corpus.row(i).empty()) continue;
        const auto before = static_cast<double>(corpus.offsets[i] - corpus.offsets[first]);
        const double lead = kLead * std::min(told[i], kTold) / kTold / (1 + before / kLeadTerms);
        const int frames = std::max(1, documents[static_cast<std::size_t>(alike[i])] - 1);
        const auto like = static_cast<std::size_t>(mould[i]);
        if (std::exchange(place[like], corpus.document[i]) != corpus.document[i]) met[like] = 0;
        const double again =
            made[like] < kFewest ? 1 : std::min(++met[like], kTimes) * (1 + std::log(made[like] / kFrame));
        score[i] = static_cast<float>((central[i] / largest + lead) / frames / again);
    }
    return {std::move(score), std::move(apart)};
}

namespace {

// Fitted and measured with the commands of corpus.hpp.
constexpr float kFacts = 4.75F;
constexpr float kMost = 6.0F;   // tables of numbers are not worth any more
constexpr double kSaid = 1.5;   // of the bits of standing alone among all
constexpr double kFew = 16;     // segments, among which that says nothing
constexpr double kToken = 4.5;  // characters
constexpr double kRoom = 8;
constexpr float kForbids = 8;      // as much as that weight of facts
constexpr float kExplains = 0.6F;  // is added: what happened is told in sentences of any length
constexpr float kGreets = 0.05F;
constexpr float kRefers = 0.7F;
constexpr float kAround = 0.1F;
constexpr float kOlder = 0.4F;

}  // namespace

std::vector<float> importance(std::span<const float> score, std::span<const float> apart, std::span<const float> facts,
                              std::span<const text::Statement> statements, std::span<const double> characters) {
    std::vector<float> worth(score.begin(), score.end());
    const auto said = static_cast<float>(kSaid * std::log2((static_cast<double>(worth.size()) + kFew) / kFew));
    for (std::size_t i = 0; i < worth.size(); ++i) {
        const text::Statement is = statements[i];
        const float weight = facts[i] + (is == text::Statement::kForbids ? kForbids : 0);
        const auto told = static_cast<double>(kFacts * std::min(apart[i] * (said + weight), kMost));
        worth[i] = static_cast<float>(static_cast<double>(worth[i]) + told / (characters[i] / kToken + kRoom));
        if (is == text::Statement::kExplains || is == text::Statement::kForbids) worth[i] += kExplains;
        if (is == text::Statement::kGreets) worth[i] *= kGreets;
        if (is == text::Statement::kRefers) worth[i] *= kRefers;
        if (is == text::Statement::kAround) worth[i] *= kAround;
        if (is == text::Statement::kOlder) worth[i] *= kOlder;
    }
    return worth;
}

}  // namespace tersely::lexical
