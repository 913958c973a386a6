#include "kernels/relevance/standing.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "kernels/text/lines.hpp"
#include "kernels/text/segment.hpp"
#include "kernels/text/statements.hpp"

namespace tersely::relevance {
namespace {

constexpr double kOwnShare = 0.3;     // what a unit's standing counts beside its relevance
constexpr double kText = 4.0;         // what people wrote beside data is worth so many times as much a character
constexpr double kTop = 0.25;         // of the range of a region's own worth: for essential units
constexpr double kWhole = 0.95;       // what the document counts beside the unit where it is to stay whole
constexpr double kLeads = 0.7;        // of the largest score: what leads to others has that
constexpr float kLed = 0.5F;          // of its score that code gets
constexpr float kLedItem = 0.7F;      // that items get: steps come before remarks on what they are about
constexpr float kExcept = 0.9F;       // that an exception gets
constexpr std::size_t kTurns = 6;     // behind a turn in which another takes back what it says
constexpr std::int64_t kShort = 800;  // characters of a list or code: of a longer one too little would fit

// The largest value of the segments of each unit.
std::vector<float> largest_of(std::span<const float> values, const Units& units) {
    std::vector<float> largest(units.size());
    for (std::size_t i = 0; i < largest.size() && !values.empty(); ++i) {
        const auto first = static_cast<std::size_t>(units.first_segment[i]);
        const auto last = static_cast<std::size_t>(units.last_segment[i]);
        largest[i] = *std::max_element(values.begin() + static_cast<std::ptrdiff_t>(first),
                                       values.begin() + static_cast<std::ptrdiff_t>(last) + 1);
    }
    return largest;
}

bool is(std::span<const std::uint8_t> column, std::size_t row) { return !column.empty() && column[row] != 0; }

// Rows of a region by what they are worth, least first; of equal ones the last first.
std::vector<std::size_t> by_worth(const Region& region, std::span<const float> worth,
                                  std::span<const std::uint8_t> essential) {
    std::vector<std::size_t> order(region.last - region.first);
    std::iota(order.begin(), order.end(), region.first);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (is(essential, a) != is(essential, b)) return is(essential, b);
        return worth[a] != worth[b] ? worth[a] < worth[b] : a > b;
    });
    return order;
}

std::vector<double> standing_of(const Units& units, std::span<const float> text_worth) {
    std::vector<double> standing(units.size());
    const std::vector<float> of_text = largest_of(text_worth, units);
    for (const Region& region : units.regions) {
        const bool text = region.form == Form::kText;
        const std::vector<std::size_t> order = by_worth(region, text ? of_text : units.own, units.essential);
        std::int64_t all = 0, below = 0;
        for (const std::size_t row : order) all += units.end[row] - units.start[row];
        const bool raised = !order.empty() && is(units.essential, order.back());
        for (const std::size_t row : order) {
            below += units.end[row] - units.start[row];
            double share = static_cast<double>(below) / static_cast<double>(all);
            if (raised) share = share * (1 - kTop) + kTop * (is(units.essential, row) ? 1.0 : 0.0);
            standing[row] = text ? 1 - (1 - share) / kText : share;
        }
    }
    return standing;
}

// Whether each region is of a document with a region in a form.
std::vector<bool> beside_forms(const Units& units) {
    std::vector<bool> beside(units.regions.size());
    for (std::size_t first = 0; first < beside.size();) {
        const auto document = [&](std::size_t i) { return units.document[units.regions[i].first]; };
        std::size_t last = first;
        bool form = false;
        for (; last < beside.size() && document(last) == document(first); ++last)
            form = form || units.regions[last].form != Form::kText;
        std::fill(beside.begin() + static_cast<std::ptrdiff_t>(first),
                  beside.begin() + static_cast<std::ptrdiff_t>(last), form);
        first = last;
    }
    return beside;
}

// Gives the units of a region the same worths in the order of their own.
void order_as_alone(const Region& region, std::span<const float> own, std::vector<float>& worth) {
    std::vector<std::size_t> order(region.last - region.first);
    std::iota(order.begin(), order.end(), region.first);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return own[a] > own[b]; });
    std::vector<float> sorted(worth.begin() + static_cast<std::ptrdiff_t>(region.first),
                              worth.begin() + static_cast<std::ptrdiff_t>(region.last));
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    for (std::size_t i = 0; i < order.size(); ++i) worth[order[i]] = sorted[i];
}

}  // namespace

Worth worth_beside(const Units& units, std::span<const float> text_worth, std::span<const float> relevance) {
    const std::size_t n = units.size();
    std::vector<double> standing = standing_of(units, text_worth);
    Worth made{std::vector<float>(n)};
    if (relevance.empty()) {
        std::transform(standing.begin(), standing.end(), made.of.begin(),
                       [](double x) { return static_cast<float>(x); });
    } else {
        const std::vector<bool> beside = beside_forms(units);
        for (std::size_t i = 0; i < units.regions.size(); ++i) {
            const Region& region = units.regions[i];
            if (!beside[i])
                std::fill_n(standing.begin() + static_cast<std::ptrdiff_t>(region.first), region.last - region.first,
                            0.0);
        }
        const std::vector<float> of_units = largest_of(relevance, units);
        float top = 0.0F;
        for (const float value : of_units) top = std::max(top, value);
        if (top == 0.0F) top = 1.0F;
        for (std::size_t i = 0; i < n; ++i)
            made.of[i] = static_cast<float>(static_cast<double>(of_units[i] / top) + kOwnShare * standing[i]);
        for (const Region& region : units.regions) {
            bool ordered = region.form != Form::kText && !units.ordered.empty();
            for (std::size_t i = region.first; ordered && i < region.last; ++i) ordered = is(units.ordered, i);
            if (ordered) order_as_alone(region, units.own, made.of);
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (is(units.bulk, i)) made.of[i] = 0.0F;
    }
    const auto best = static_cast<std::size_t>(std::max_element(made.of.begin(), made.of.end()) - made.of.begin());
    for (const Region& region : units.regions) {
        if (region.form == Form::kPasted && region.first <= best && best < region.last)
            made.best = static_cast<std::int64_t>(best);
    }
    const std::vector<float> before = made.of;
    for (std::size_t i = 0; i < n; ++i) {
        if (units.follows[i] >= 0) made.of[i] = before[static_cast<std::size_t>(units.follows[i])];
    }
    return made;
}

std::vector<float> pulled_to_documents(std::span<const float> worth, std::span<const std::int32_t> document,
                                       std::span<const std::uint8_t> wanted) {
    std::vector<float> pulled(worth.begin(), worth.end());
    std::vector<double> mean(wanted.size()), units(wanted.size());
    float top = 0.0F;
    bool some = false;
    for (std::size_t i = 0; i < pulled.size(); ++i) {
        const auto of = static_cast<std::size_t>(document[i]);
        if (wanted[of] == 0) continue;
        mean[of] += static_cast<double>(worth[i]);
        ++units[of];
        top = some ? std::max(top, worth[i]) : worth[i];
        some = true;
    }
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] /= std::max(units[i], 1.0);
    const double best = mean.empty() ? 0.0 : *std::max_element(mean.begin(), mean.end());
    if (best <= 0) return pulled;
    const double scale = static_cast<double>(top) / best;
    for (std::size_t i = 0; i < pulled.size(); ++i) {
        const auto of = static_cast<std::size_t>(document[i]);
        if (wanted[of] == 0) continue;
        // The second product is one of float32, as its addend's rounding shows in nobody's choice.
        pulled[i] = static_cast<float>(kWhole * (mean[of] * scale) +
                                       static_cast<double>(static_cast<float>(1 - kWhole) * worth[i]));
    }
    return pulled;
}

namespace {

// Calls lead(note, by) for each row of a note, and each row that refers to it of those that lead.
template <typename Leads, typename Lead>
void lead_to_notes(const Rows& rows, const Leads& leads, const Lead& lead) {
    const std::size_t n = rows.said.size();
    for (std::size_t first = 0; first < n;) {
        std::size_t last = first;
        std::unordered_map<std::string_view, std::size_t> notes;  // of the document, by their marks
        for (; last < n && rows.document[last] == rows.document[first]; ++last) {
            const std::size_t mark = text::note_mark(rows.said[last]);
            if (mark > 0 && mark < rows.said[last].size()) notes.try_emplace(rows.said[last].substr(0, mark), last);
        }
        for (std::size_t row = first; row < last && !notes.empty(); ++row) {
            if (!leads(row)) continue;
            const std::string_view said = rows.said[row];
            for (std::size_t at = said.find('[', 1); at < said.size(); at = said.find('[', at + 1)) {
                const auto note = notes.find(said.substr(at, text::note_mark(said.substr(at))));
                if (note == notes.end() || note->second == row) continue;
                for (std::size_t i = note->second; i < last; ++i) {  // its sentences, up to the next note
                    const bool other =
                        i > note->second && (rows.block[i] != rows.block[i - 1] || rows.said[i].starts_with('['));
                    if (other || rows.end[i] - rows.start[note->second] > kShort) break;
                    lead(i, row);
                }
            }
        }
        first = last;
    }
}

}  // namespace

std::vector<float> led_to(const Rows& rows, std::span<const float> scores) {
    constexpr auto kItem = static_cast<std::uint8_t>(text::Kind::kListItem);
    constexpr auto kProse = static_cast<std::uint8_t>(text::Kind::kProse);
    constexpr auto kTurn = static_cast<std::uint8_t>(text::Kind::kChatTurn);
    constexpr auto kCode = static_cast<std::uint8_t>(text::Kind::kFencedCode);
    std::vector<float> raised(scores.begin(), scores.end());
    const std::size_t n = raised.size();
    if (n == 0) return raised;
    const float top = *std::max_element(scores.begin(), scores.end());
    const auto least = static_cast<float>(kLeads * static_cast<double>(top));
    const auto lead = [&](std::size_t row, float by, float share) {
        if (by >= least) raised[row] = std::max(raised[row], share * by);
    };
    float before = 0.0F;  // the best score of the block before
    for (std::size_t first = 0; first < n;) {
        const bool other = first == 0 || rows.document[first] != rows.document[first - 1];
        std::size_t last = first + 1;
        float best = scores[first];
        while (last < n && rows.document[last] == rows.document[last - 1] &&
               (rows.block[last] == rows.block[last - 1] ||
                (rows.kind[last] == rows.kind[last - 1] &&  // a fence with blank lines is one block, and so is a list
                 (rows.kind[last] == kCode || rows.kind[last] == kItem)))) {
            best = std::max(best, scores[last++]);
        }
        const float behind = !other && rows.end[last - 1] - rows.start[first] <= kShort ? before : 0.0F;
        for (std::size_t row = first; row < last; ++row) {
            if (rows.kind[row] == kCode) {
                lead(row, behind, kLed);
            } else if (rows.kind[row] == kItem) {
                float above = behind;
                for (std::int32_t at = rows.heading[row]; at >= 0; at = rows.heading[static_cast<std::size_t>(at)])
                    above = std::max(above, scores[static_cast<std::size_t>(at)]);
                lead(row, above, kLedItem);
            }
        }
        before = best;
        first = last;
    }
    for (std::size_t row = 0; row < n; ++row) {  // what takes back a turn stays with it
        if (scores[row] < least || rows.kind[row] != kTurn) continue;
        for (std::size_t next = row + 1; next < std::min(n, row + 1 + kTurns); ++next) {
            if (rows.kind[next] != kTurn || rows.document[next] != rows.document[row]) break;
            if (text::takes_back(rows.said[next])) lead(next, scores[row], 1.0F);
        }
    }
    for (std::size_t row = 1; row < n; ++row) {
        if (scores[row - 1] < least) continue;  // only what leads: most sentences are not read for their words
        if (rows.kind[row] == kProse && rows.document[row] == rows.document[row - 1] &&
            rows.end[row] - rows.start[row - 1] <= kShort && text::opens_exception(rows.said[row]))
            lead(row, scores[row - 1], kExcept);
    }
    lead_to_notes(
        rows, [&](std::size_t row) { return scores[row] >= least; },
        [&](std::size_t note, std::size_t by) { lead(note, scores[by], kLedItem); });
    return raised;
}

}  // namespace tersely::relevance
