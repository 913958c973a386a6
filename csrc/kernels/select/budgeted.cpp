#include "kernels/select/budgeted.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "kernels/lexical/corpus.hpp"
#include "kernels/parallel.hpp"
#include "kernels/select/lazy_heap.hpp"
#include "kernels/text/segment.hpp"
#include "kernels/text/sentences.hpp"

namespace tersely::select {

Units::Units(std::span<const std::int32_t> group, std::size_t n) : of(n, -1), order(n) {
    std::vector<std::int32_t> unit_of_group(group.empty() ? 0 : n, -1);
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t mine = group.empty() ? -1 : group[i];
        std::int32_t unit = mine < 0 ? -1 : unit_of_group[static_cast<std::size_t>(mine)];
        if (unit < 0) {
            unit = static_cast<std::int32_t>(sizes.size());
            sizes.push_back(0);
            if (mine >= 0) unit_of_group[static_cast<std::size_t>(mine)] = unit;
        }
        of[i] = unit;
        ++sizes[static_cast<std::size_t>(unit)];
    }
    first.assign(sizes.size() + 1, 0);
    std::partial_sum(sizes.begin(), sizes.end(), first.begin() + 1);
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < n; ++i) order[next[static_cast<std::size_t>(of[i])]++] = static_cast<std::int32_t>(i);
}

std::vector<std::int32_t> first_equal(std::span<std::string_view> pieces, std::span<const std::uint8_t> alone) {
    const std::size_t n = pieces.size();
    std::vector<std::int32_t> equal(n);
    std::vector<std::int32_t> slots(std::bit_ceil(2 * n + 1), -1);  // firsts, by hash, linear probing
    Rounds<256> rounds;
    for (std::size_t i = 0; i < n; ++i) {
        rounds.check_cancelled();
        equal[i] = static_cast<std::int32_t>(i);
        if (alone[i] != 0) continue;
        const text::Span span = text::trim(pieces[i], {0, pieces[i].size()});
        pieces[i] = pieces[i].substr(span.begin, span.end - span.begin);
        std::size_t at = std::hash<std::string_view>()(pieces[i]) & (slots.size() - 1);
        while (slots[at] >= 0 && pieces[static_cast<std::size_t>(slots[at])] != pieces[i]) {
            at = (at + 1) & (slots.size() - 1);
        }
        if (slots[at] < 0) slots[at] = static_cast<std::int32_t>(i);
        equal[i] = slots[at];
    }
    return equal;
}

// What choices of the same segments share.
struct Shape {
    explicit Shape(const Problem& problem) : units(problem.group, problem.score.size()) {
        if (problem.redundancy > 0 && !problem.term_offsets.empty()) {
            alike = lexical::first_alike(problem.term_ids, problem.term_offsets.first(problem.score.size() + 1));
        }
        if (!problem.heading.empty() && !problem.ranked) list_below(problem.heading);
    }

    // The segments below each heading, so that their units are offered anew when it is in: they cost less then.
    void list_below(std::span<const std::int32_t> heading) {
        first_below.assign(heading.size() + 1, 0);
        for (const std::int32_t above : heading) {
            if (above >= 0) ++first_below[static_cast<std::size_t>(above) + 1];
        }
        for (std::size_t i = 1; i < first_below.size(); ++i) first_below[i] += first_below[i - 1];
        below.resize(static_cast<std::size_t>(first_below.back()));
        std::vector<std::int32_t> next(first_below.begin(), first_below.end() - 1);
        for (std::size_t i = 0; i < heading.size(); ++i) {
            if (heading[i] < 0) continue;
            below[static_cast<std::size_t>(next[static_cast<std::size_t>(heading[i])]++)] =
                static_cast<std::int32_t>(i);
        }
    }

    Units units;
    std::vector<std::int32_t> alike;        // first segment with the same terms; empty without redundancy
    std::vector<std::int32_t> first_below;  // per segment: where the segments below it begin in `below`
    std::vector<std::int32_t> below;
};

// What a unit that is not in costs and brings, in one place: units come in order of gain, which is no order in
// memory, so that each array looked at would be another cache miss.
struct Offer {
    double value = 0;         // sum of score * tokens
    double best = 0;          // the largest score of its segments
    double gain = 0;          // per token, where it brings nothing and repeats nothing
    double weight = 0;        // of all its terms
    std::int64_t tokens = 0;  // of its segments
    std::size_t terms = 0;    // where the terms begin, and how many, of a unit of one segment
    std::uint32_t term_count = 0;
    std::int32_t segment = -1;  // the only one, or -1: ask the members
    std::int32_t alike = -1;    // the first segment with the same terms as the only one
};

// What choices by the same scores share: offers, and their order where gains never change.
struct Offers {
    std::vector<Offer> of;             // per unit; empty: not made yet
    std::vector<std::int32_t> sorted;  // the best units, as many as were asked for
    std::vector<Entry> heap;           // the others

    // The unit of the i-th largest gain. i: at most one more than was asked for before.
    std::int32_t in_order(std::size_t i) {
        if (i == sorted.size()) {
            sorted.push_back(heap.front().unit);
            std::pop_heap(heap.begin(), heap.end());
            heap.pop_back();
        }
        return sorted[i];
    }
};

namespace {

constexpr float kEssential = 1e-3F;  // what essential units are worth at least where they are not all in
constexpr std::int64_t kShort = 20;  // characters of units that are kept rather than marked as left out
constexpr double kRepeat = 0.9;      // overlap from which a segment left out is called redundant

class Selection {
  public:
    Selection(const Problem& problem, const Shape& shape, Offers& shared)
        : p_(problem),
          shared_(shared),
          units_(shape.units),
          first_below_(shape.first_below),
          below_(shape.below),
          alike_(shape.alike) {
        state_.status.assign(problem.score.size(), Status::kBudget);
        state_.covered_weight.assign(problem.term_weight.size(), 0);
        state_.repeated.assign(alike_.size(), 0);
        state_.said.assign(p_.same.size(), 0);
        state_.spent.assign(p_.cap.size(), 0);
        if (!shared_.of.empty()) return;
        shared_.of.reserve(static_cast<std::size_t>(units_.count()));
        for (std::int32_t unit = 0; unit < units_.count(); ++unit) shared_.of.push_back(offer(unit));
    }

    std::vector<Status> run() {
        const std::int64_t pinned_cost = take_pinned();
        if (p_.ranked) {
            fill(-1, pinned_cost);
            return std::move(state_.status);
        }
        const State after_pins = state_;
        const auto [best, most] = best_single(pinned_cost);
        if (most > fill(-1, pinned_cost)) {
            state_ = after_pins;
            fill(best, pinned_cost);
        }
        return std::move(state_.status);
    }

  private:
    struct State {
        std::vector<Status> status;
        std::vector<float> covered_weight;   // of terms that chosen segments hold; 0 for the others
        std::size_t taken = 0;               // chosen segments
        std::vector<std::uint8_t> repeated;  // at alike_[i]: a segment with these terms is in
        std::vector<std::uint8_t> said;      // at same[i]: a segment with this text is in
        std::vector<std::int64_t> spent;     // tokens of each document, where documents have caps
    };

    std::span<const std::int32_t> members(std::int32_t unit) const { return units_.members(unit); }

    std::span<const std::int32_t> terms(std::size_t segment) const {
        const auto begin = static_cast<std::size_t>(p_.term_offsets[segment]);
        return p_.term_ids.subspan(begin, static_cast<std::size_t>(p_.term_offsets[segment + 1]) - begin);
    }

    const Offer& offer_of(std::int32_t unit) const { return shared_.of[static_cast<std::size_t>(unit)]; }

    // Whether every segment of the unit repeats one that is in, word for word.
    bool only_repeats(std::int32_t unit) const {
        if (alike_.empty()) return false;
        const auto repeats = [&](std::int32_t i) {
            return state_.repeated[static_cast<std::size_t>(alike_[static_cast<std::size_t>(i)])] != 0;
        };
        const Offer& mine = offer_of(unit);
        if (mine.segment >= 0) return state_.repeated[static_cast<std::size_t>(mine.alike)] != 0;
        const auto all = members(unit);
        return std::all_of(all.begin(), all.end(), repeats);
    }

    // Whether every segment of the unit has the text of one that is in.
    bool is_said(std::int32_t unit) const {
        if (p_.same.empty()) return false;
        const auto said = [&](std::int32_t i) {
            return state_.said[static_cast<std::size_t>(p_.same[static_cast<std::size_t>(i)])] != 0;
        };
        const Offer& mine = offer_of(unit);
        if (mine.segment >= 0) return said(mine.segment);
        const auto all = members(unit);
        return std::all_of(all.begin(), all.end(), said);
    }

    bool in(std::size_t segment) const { return state_.status[segment] > Status::kRedundant; }

    bool unit_in(std::int32_t unit) const {
        const Offer& mine = offer_of(unit);
        return in(static_cast<std::size_t>(mine.segment >= 0 ? mine.segment : members(unit)[0]));
    }

    Offer offer(std::int32_t unit) const {
        Offer made;
        for (const std::int32_t i : members(unit)) {
            const auto at = static_cast<std::size_t>(i);
            made.value += std::max(0.0, static_cast<double>(p_.score[at])) *
                          static_cast<double>(std::max<std::int64_t>(p_.cost[at], 1));
            made.best = std::max(made.best, static_cast<double>(p_.score[at]));
            made.tokens += p_.cost[at];
            if (p_.term_offsets.empty()) continue;
            for (const std::int32_t id : terms(at)) made.weight += p_.term_weight[static_cast<std::size_t>(id)];
        }
        made.gain = p_.ranked ? made.best : made.value / tokens_of(made.tokens);
        if (members(unit).size() == 1) {
            made.segment = members(unit)[0];
            if (!alike_.empty()) made.alike = alike_[static_cast<std::size_t>(made.segment)];
            if (!p_.term_offsets.empty()) {
                const auto at = static_cast<std::size_t>(made.segment);
                made.terms = static_cast<std::size_t>(p_.term_offsets[at]);
                made.term_count = static_cast<std::uint32_t>(terms(at).size());
            }
        }
        return made;
    }

    // The unit and what it brings: the units of the headings above its segments, and so on. Only those that
    // are not in. Valid until the next call.
    const std::vector<std::int32_t>& with_headings(std::int32_t unit) const {
        needed_.assign(1, unit);
        if (p_.heading.empty()) return needed_;
        asked_.resize(static_cast<std::size_t>(units_.count()), 0);
        asked_[static_cast<std::size_t>(unit)] = ++question_;
        for (std::size_t next = 0; next < needed_.size(); ++next) {
            for (const std::int32_t i : members(needed_[next])) {
                const std::int32_t above = p_.heading[static_cast<std::size_t>(i)];
                if (above < 0 || in(static_cast<std::size_t>(above))) continue;
                const std::int32_t other = units_.of[static_cast<std::size_t>(above)];
                if (asked_[static_cast<std::size_t>(other)] == question_) continue;
                asked_[static_cast<std::size_t>(other)] = question_;
                needed_.push_back(other);
            }
        }
        return needed_;
    }

    // Tokens that taking the unit would add, what it brings included.
    std::int64_t price(std::int32_t unit) const {
        if (p_.heading.empty()) return offer_of(unit).tokens;
        std::int64_t sum = 0;
        for (const std::int32_t other : with_headings(unit)) sum += offer_of(other).tokens;
        return sum;
    }

    double covered(std::span<const std::int32_t> ids, double sum) const {
        for (const std::int32_t id : ids) sum += state_.covered_weight[static_cast<std::size_t>(id)];
        return sum;
    }

    // Share of the weight of the unit's terms that chosen segments hold.
    double overlap(std::int32_t unit) const {
        const Offer& mine = offer_of(unit);
        if (mine.weight <= 0) return 0;
        double held = 0;
        if (mine.segment >= 0) {
            held = covered(p_.term_ids.subspan(mine.terms, mine.term_count), held);
        } else {
            for (const std::int32_t i : members(unit)) held = covered(terms(static_cast<std::size_t>(i)), held);
        }
        return held / mine.weight;
    }

    static double tokens_of(std::int64_t price) { return static_cast<double>(std::max<std::int64_t>(price, 1)); }

    // Whether no choice changes what another unit gains.
    bool steady() const { return p_.redundancy <= 0 && !p_.coverage && (p_.ranked || p_.heading.empty()); }

    // What the unit adds, per token.
    double gain(std::int32_t unit) const {
        if (steady()) return offer_of(unit).gain;
        double factor = 1;
        if (p_.redundancy > 0 && state_.taken > 0) {
            if (only_repeats(unit)) return 0;
            const double share = overlap(unit);
            factor = 1 - p_.redundancy * share * (p_.coverage ? 1 : share);
        }
        if (p_.ranked) return offer_of(unit).best * factor;
        return offer_of(unit).value * factor / tokens_of(price(unit));
    }

    // Whether the unit, with what it brings, leaves every document within its cap.
    bool within_caps(std::int32_t unit) const {
        if (p_.cap.empty()) return true;
        more_.resize(p_.cap.size(), 0);
        bool fits = true;
        touched_.clear();
        for (const std::int32_t other : with_headings(unit)) {
            for (const std::int32_t i : members(other)) {
                const auto at = static_cast<std::size_t>(i);
                if (in(at)) continue;
                const auto document = static_cast<std::size_t>(p_.document[at]);
                if (more_[document] == 0) touched_.push_back(document);
                more_[document] += p_.cost[at];
                fits = fits && state_.spent[document] + more_[document] <= p_.cap[document];
            }
        }
        for (const std::size_t document : touched_) more_[document] = 0;
        return fits;
    }

    std::int64_t mark(std::size_t segment, Status as) {
        if (in(segment)) return 0;
        state_.status[segment] = as;
        ++state_.taken;
        if (!below_.empty()) fresh_.push_back(static_cast<std::int32_t>(segment));
        if (!p_.cap.empty()) state_.spent[static_cast<std::size_t>(p_.document[segment])] += p_.cost[segment];
        if (!alike_.empty()) state_.repeated[static_cast<std::size_t>(alike_[segment])] = 1;
        if (!p_.same.empty()) state_.said[static_cast<std::size_t>(p_.same[segment])] = 1;
        if (!p_.term_offsets.empty()) {
            for (const std::int32_t id : terms(segment)) {
                const auto term = static_cast<std::size_t>(id);
                state_.covered_weight[term] = p_.term_weight[term];
            }
        }
        return p_.cost[segment];
    }

    std::int64_t take(std::int32_t unit, Status as) {
        std::int64_t spent = 0;
        for (const std::int32_t other : with_headings(unit)) {
            for (const std::int32_t i : members(other)) {
                spent += mark(static_cast<std::size_t>(i), other == unit ? as : Status::kHeading);
            }
        }
        return spent;
    }

    std::int64_t take_pinned() {
        std::int64_t spent = 0;
        for (std::size_t i = 0; i < p_.pinned.size(); ++i) {
            if (p_.pinned[i] != 0 && !in(i)) spent += take(units_.of[i], Status::kPinned);
        }
        return spent;
    }

    // Neighbours of a unit, nearest first, while they fit. Grouped ones come with their group.
    std::int64_t take_context(std::int32_t unit, std::int64_t room) {
        std::int64_t spent = 0;
        const auto n = static_cast<std::int64_t>(p_.score.size());
        for (std::int32_t distance = 1; distance <= p_.context; ++distance) {
            for (const std::int32_t i : members(unit)) {
                for (const std::int64_t at :
                     {static_cast<std::int64_t>(i) - distance, static_cast<std::int64_t>(i) + distance}) {
                    if (at < 0 || at >= n || in(static_cast<std::size_t>(at))) continue;
                    if (p_.document[static_cast<std::size_t>(at)] != p_.document[static_cast<std::size_t>(i)]) continue;
                    const std::int32_t other = units_.of[static_cast<std::size_t>(at)];
                    if (spent + price(other) <= room) spent += take(other, Status::kContext);
                }
            }
        }
        return spent;
    }

    // Greedy from the current state, `start` first (or -1). Returns the value taken.
    double fill(std::int32_t start, std::int64_t used) {
        double total = 0;
        std::uint32_t round = 0;
        const auto accept = [&](std::int32_t unit) {
            total += gain(unit) * tokens_of(price(unit));
            used += take(unit, Status::kSelected);
            used += take_context(unit, p_.budget - used);
            ++round;
        };
        const auto possible = [&](std::int32_t unit) {
            if (used + offer_of(unit).tokens > p_.budget) return false;  // whatever it brings: most fail here
            return !unit_in(unit) && !is_said(unit) && used + price(unit) <= p_.budget && within_caps(unit);
        };
        if (start >= 0) accept(start);
        // All units in a heap where their order is kept, else those that are not in.
        const bool kept = steady();
        const bool made = kept && shared_.sorted.size() + shared_.heap.size() == shared_.of.size();
        std::vector<Entry> entries;  // shared only when it is whole: a cancelled choice leaves none behind
        std::int64_t cheapest = std::numeric_limits<std::int64_t>::max();
        Rounds<256> rounds;
        for (std::int32_t unit = 0; unit < units_.count(); ++unit) {
            rounds.check_cancelled();
            const bool out = !unit_in(unit);
            if (!made && (kept || out)) entries.push_back({gain(unit), unit, round});
            if (out) cheapest = std::min(cheapest, offer_of(unit).tokens);
        }
        if (!made) std::make_heap(entries.begin(), entries.end());
        if (kept && !made) shared_.heap = std::move(entries);
        for (std::size_t i = 0; kept && i < shared_.of.size() && cheapest <= p_.budget - used; ++i) {
            rounds.check_cancelled();
            const std::int32_t unit = shared_.in_order(i);
            if (possible(unit)) accept(unit);
        }
        fresh_.clear();
        while (!kept && !entries.empty() && cheapest <= p_.budget - used) {
            check_cancelled();
            Entry top = entries.front();
            const bool fits = possible(top.unit);
            if (fits && top.round != round) {
                top.gain = gain(top.unit);
                top.round = round;
                replace_top(entries, top);
                if (entries.front().unit != top.unit) continue;
            }
            if (p_.coverage && top.gain <= 0) break;
            std::pop_heap(entries.begin(), entries.end());
            entries.pop_back();
            if (!fits) continue;
            accept(top.unit);
            offer_below(entries, round);
        }
        for (std::int32_t unit = 0; unit < units_.count(); ++unit) leave_out(unit);
        return total;
    }

    // Offers what stands below the segments taken last at its new price.
    void offer_below(std::vector<Entry>& entries, std::uint32_t round) {
        for (const std::int32_t heading : fresh_) {
            const auto at = static_cast<std::size_t>(heading);
            for (std::int32_t i = first_below_[at]; i < first_below_[at + 1]; ++i) {
                const std::int32_t unit = units_.of[static_cast<std::size_t>(below_[static_cast<std::size_t>(i)])];
                if (unit_in(unit)) continue;
                entries.push_back({gain(unit), unit, round});
                std::push_heap(entries.begin(), entries.end());
            }
        }
        fresh_.clear();
    }

    // Says why a unit that is not in was left out.
    void leave_out(std::int32_t unit) {
        if (unit_in(unit)) return;
        const bool repeat = is_said(unit) || (p_.redundancy > 0 && (only_repeats(unit) || overlap(unit) >= kRepeat));
        for (const std::int32_t i : members(unit)) {
            if (!in(static_cast<std::size_t>(i)))
                state_.status[static_cast<std::size_t>(i)] = repeat ? Status::kRedundant : Status::kBudget;
        }
    }

    // The unit that is worth most on its own, and its worth; (-1, 0) where none fits.
    std::pair<std::int32_t, double> best_single(std::int64_t used) const {
        std::pair<std::int32_t, double> best{-1, 0};
        for (std::int32_t unit = 0; unit < units_.count(); ++unit) {
            const std::int64_t tokens = price(unit);
            if (unit_in(unit) || is_said(unit) || used + tokens > p_.budget || !within_caps(unit)) continue;
            const double worth = gain(unit) * tokens_of(tokens);
            if (worth > best.second) best = {unit, worth};
        }
        return best;
    }

    const Problem& p_;
    Offers& shared_;
    const Units& units_;
    std::span<const std::int32_t> first_below_, below_, alike_;  // of Shape
    State state_;
    mutable std::vector<std::int32_t> needed_;  // answer of with_headings
    mutable std::vector<std::uint64_t> asked_;  // per unit: the question it was last part of
    mutable std::uint64_t question_ = 0;
    mutable std::vector<std::int64_t> more_;    // of within_caps: tokens a document would get, 0 between calls
    mutable std::vector<std::size_t> touched_;  // documents whose entry in more_ is not 0
    std::vector<std::int32_t> fresh_;           // segments taken since units below them were offered anew
};

// Headings that were selected on their own though nothing that is in stands under them, ascending. O(n).
std::vector<std::size_t> bare_headings(const Problem& problem, std::span<const Status> status) {
    std::vector<std::size_t> bare;
    for (std::size_t i = 0; i < problem.kind.size(); ++i) {
        if (problem.kind[i] == static_cast<std::uint8_t>(text::Kind::kHeading) && status[i] == Status::kSelected &&
            (problem.group.empty() || problem.group[i] < 0)) {
            bare.push_back(i);
        }
    }
    if (bare.empty()) return bare;
    std::vector<bool> said(status.size());  // that something under it is in
    auto next = bare.begin();
    for (std::size_t i = 0; i < status.size(); ++i) {
        const bool is_bare = next != bare.end() && *next == i;
        if (is_bare) ++next;
        if (is_bare || status[i] < Status::kSelected) continue;
        for (std::int32_t at = problem.above[i]; at >= 0 && !said[static_cast<std::size_t>(at)];
             at = problem.above[static_cast<std::size_t>(at)]) {
            said[static_cast<std::size_t>(at)] = true;
        }
    }
    std::erase_if(bare, [&](std::size_t i) { return said[i]; });
    return bare;
}

std::vector<Status> select_within(const Problem& problem, const Shape& shape, Offers& offers) {
    std::vector<Status> chosen = Selection(problem, shape, offers).run();
    const std::vector<std::size_t> bare = bare_headings(problem, chosen);
    if (bare.empty()) return chosen;
    std::vector<float> score(problem.score.begin(), problem.score.end());
    for (const std::size_t i : bare) score[i] = 0;
    Problem without = problem;
    without.score = score;
    Offers others;
    chosen = Selection(without, shape, others).run();
    for (const std::size_t i : bare_headings(without, chosen)) chosen[i] = Status::kBudget;
    return chosen;
}

bool is_in(Status status) { return status >= Status::kSelected; }

// Rows of their own before others: ids of rows move along, -1 stays.
std::vector<std::int32_t> behind(std::span<const std::int32_t> before, std::span<const std::int32_t> rows) {
    std::vector<std::int32_t> result(before.begin(), before.end());
    const auto more = static_cast<std::int32_t>(before.size());
    for (const std::int32_t row : rows) result.push_back(row < 0 ? row : row + more);
    return result;
}

template <typename T>
std::vector<T> padded(std::size_t more, std::span<const T> values) {
    std::vector<T> result(more);
    result.insert(result.end(), values.begin(), values.end());
    return result;
}

}  // namespace

std::vector<Status> select_budgeted(const Problem& problem) {
    Offers offers;
    return select_within(problem, Shape(problem), offers);
}

Choice::Choice(const Problem& problem, const Rules& rules) : p_(problem), rules_(rules), wide_(problem) {
    if (!rules.head_cost.empty()) put_heads_before();
    const auto& needs = wide_.heading;
    if (std::all_of(needs.begin(), needs.end(), [](std::int32_t above) { return above < 0; })) wide_.heading = {};
}

void Choice::put_heads_before() {
    const std::size_t more = rules_.head_cost.size();
    std::vector<std::int32_t> own(more);
    std::iota(own.begin(), own.end(), 0);
    const std::vector<std::int32_t> none(more, -1);
    std::vector<std::int32_t> needs = behind(rules_.head_above, p_.heading);
    needs.resize(more + p_.score.size(), -1);
    for (std::size_t i = 0; i < p_.document.size(); ++i) {
        if (needs[more + i] < 0) needs[more + i] = rules_.head_of[static_cast<std::size_t>(p_.document[i])];
    }
    ids_ = {std::move(needs), behind(own, p_.document), behind(none, p_.group), behind(none, p_.above),
            behind(own, p_.same)};
    cost_.assign(rules_.head_cost.begin(), rules_.head_cost.end());
    cap_ = cost_;
    cost_.insert(cost_.end(), p_.cost.begin(), p_.cost.end());
    cap_.insert(cap_.end(), p_.cap.begin(), p_.cap.end());
    score_ = padded(more, p_.score);
    offsets_ = padded(more, p_.term_offsets);
    kind_ = padded(more, p_.kind);
    wide_.score = score_;
    wide_.heading = ids_[0];
    wide_.document = ids_[1];
    wide_.cost = cost_;
    if (!p_.group.empty()) wide_.group = ids_[2];
    if (!p_.above.empty()) wide_.above = ids_[3];
    if (!p_.kind.empty()) wide_.kind = kind_;
    if (!p_.same.empty()) wide_.same = ids_[4];
    if (!p_.cap.empty()) wide_.cap = cap_;
    if (!p_.term_offsets.empty()) wide_.term_offsets = offsets_;
}

std::vector<Status> Choice::pick(std::span<const float> score, std::int64_t budget,
                                 std::span<const std::uint8_t> pinned, bool with_kinds) const {
    if (!shape_) shape_ = std::make_shared<const Shape>(wide_);
    const std::size_t more = rules_.head_cost.size();
    Problem one = wide_;
    one.score = score;
    one.pinned = pinned;
    one.budget = budget;
    if (!with_kinds) {
        one.kind = {};
        one.above = {};
    }
    std::shared_ptr<Offers>& offers = offers_[score.data()];
    if (!offers) offers = std::make_shared<Offers>();
    if (more == 0) return select_within(one, *shape_, *offers);
    const std::vector<float> scores = padded(more, score);
    const std::vector<std::uint8_t> pins = padded(more, pinned);
    one.score = scores;
    one.pinned = pins;
    std::vector<Status> chosen = select_within(one, *shape_, *offers);
    chosen.erase(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(more));
    return chosen;
}

std::vector<Status> Choice::only(std::span<const std::uint8_t> held) const {
    const std::vector<float> nothing(p_.score.size());
    Problem bare;
    bare.score = nothing;
    bare.cost = rules_.price;
    bare.pinned = held;
    bare.group = p_.group;
    bare.document = p_.document;
    bare.heading = p_.heading;
    return select_budgeted(bare);
}

Held Choice::hold(std::int64_t target, std::span<const std::uint8_t> held, bool more) const {
    Held result{{held.begin(), held.end()}, more, false};
    const auto sum = [](std::span<const std::int64_t> cost, auto counts) {
        std::int64_t total = 0;
        for (std::size_t i = 0; i < cost.size(); ++i) total += counts(i) ? cost[i] : 0;
        return total;
    };
    if (!rules_.essential.empty() && !p_.ranked) {
        std::vector<std::uint8_t> needed = result.rows;
        for (std::size_t i = 0; i < needed.size(); ++i) needed[i] |= rules_.essential[i];
        const std::vector<Status> whole = only(needed);  // with what these need, beside the pins
        if (sum(p_.cost, [&](std::size_t i) { return is_in(whole[i]); }) <= target) {
            result.rows = std::move(needed);
            result.more = true;
        } else {
            result.essential_alone = true;
        }
    }
    if (rules_.leading.empty() || result.essential_alone) return result;
    result.more = true;
    std::int64_t room = std::min(static_cast<std::int64_t>(rules_.leading_share * static_cast<double>(target)),
                                 target - sum(rules_.price, [&](std::size_t i) { return result.rows[i] != 0; }));
    for (std::size_t run = 0; run + 1 < rules_.leading.size(); run += 2) {
        const auto first = static_cast<std::size_t>(rules_.leading[run]);
        const auto last = static_cast<std::size_t>(rules_.leading[run + 1]);
        std::int64_t cost = 0;
        for (std::size_t i = first; i < last; ++i) cost += result.rows[i] == 0 ? rules_.price[i] : 0;
        if (cost > room) break;
        std::fill(result.rows.begin() + static_cast<std::ptrdiff_t>(first),
                  result.rows.begin() + static_cast<std::ptrdiff_t>(last), std::uint8_t{1});
        room -= cost;
    }
    return result;
}

std::vector<Status> Choice::choose(std::int64_t target, Held held) const {
    const std::vector<std::uint8_t> first = held.rows;
    if (held.essential_alone && alone_.empty()) {
        alone_.resize(p_.score.size());
        for (std::size_t i = 0; i < alone_.size(); ++i) {
            alone_[i] = rules_.essential[i] != 0 ? p_.score[i] + kEssential : 0.0F;
        }
    }
    if (!held.essential_alone && 0 < rules_.gist_room && rules_.gist_room < target) {
        const std::vector<Status> gist = pick(rules_.gist, rules_.gist_room, held.rows, false);
        for (std::size_t i = 0; i < gist.size(); ++i) {
            if (is_in(gist[i])) held.rows[i] = 1;
        }
        held.more = true;
    }
    if (held.essential_alone) {
        const std::vector<Status> alone = pick(alone_, target, held.rows, true);
        for (std::size_t i = 0; i < alone.size(); ++i) {
            if (is_in(alone[i])) held.rows[i] |= rules_.essential[i];
        }
        held.more = true;
    }
    std::vector<Status> status = pick(p_.score, target, held.rows, true);
    for (std::size_t i = 0; held.more && i < status.size(); ++i) {
        if (status[i] != Status::kPinned || p_.pinned[i] != 0) continue;
        status[i] = first[i] != 0 ? Status::kPreserved : Status::kSelected;
    }
    if (target > 0 && rules_.fill) fill_gaps(status);
    leave_unneeded_out(status);
    for (std::size_t fence = 0; fence + 1 < rules_.fences.size(); fence += 2) {
        const auto opening = static_cast<std::size_t>(rules_.fences[fence]);
        const auto closing = static_cast<std::size_t>(rules_.fences[fence + 1]);
        bool says = p_.pinned[opening] != 0 || p_.pinned[closing] != 0;
        for (std::size_t i = opening + 1; i < closing && !says; ++i) says = is_in(status[i]);
        if (!says) status[opening] = status[closing] = Status::kBudget;
    }
    return status;
}

void Choice::fill_gaps(std::span<Status> status) const {
    const std::size_t n = status.size();
    std::size_t without = 0;
    for (std::size_t first = 0; first < n;) {
        const bool chosen = is_in(status[first]);
        std::size_t next = first + 1;
        while (next < n && is_in(status[next]) == chosen && p_.document[next] == p_.document[first]) ++next;
        const auto& bare = rules_.bare;
        while (without < bare.size() && static_cast<std::size_t>(bare[without + 1]) <= first) without += 2;
        const bool marked = without >= bare.size() || first < static_cast<std::size_t>(bare[without]);
        const bool beside = (first > 0 && p_.document[first - 1] == p_.document[first]) ||
                            (next < n && p_.document[next] == p_.document[first]);
        if (!chosen && marked && beside && rules_.end[next - 1] - rules_.start[first] <= kShort) {
            std::fill(status.begin() + static_cast<std::ptrdiff_t>(first),
                      status.begin() + static_cast<std::ptrdiff_t>(next), Status::kSelected);
        }
        first = next;
    }
}

void Choice::leave_unneeded_out(std::span<Status> status) const {
    if (rules_.auxiliary.empty()) return;
    std::vector<bool> needed(status.size());
    for (std::size_t i = 0; i < p_.heading.size(); ++i) {
        if (is_in(status[i]) && p_.heading[i] >= 0) needed[static_cast<std::size_t>(p_.heading[i])] = true;
    }
    for (std::size_t i = 0; i < status.size(); ++i) {
        const bool unneeded = rules_.auxiliary[i] != 0 && is_in(status[i]) && p_.pinned[i] == 0 && !needed[i];
        if (unneeded) status[i] = Status::kBudget;
    }
}

Tally Choice::tally(std::span<const Status> status) const {
    std::vector<bool> said(p_.same.size()), sent(rules_.head_cost.size());
    Tally result;
    for (std::size_t i = 0; i < status.size(); ++i) {
        if (!is_in(status[i])) continue;
        result.kept += rules_.price[i];
        if (!p_.same.empty()) said[static_cast<std::size_t>(p_.same[i])] = true;
        std::int32_t head = sent.empty() ? -1 : rules_.head_of[static_cast<std::size_t>(p_.document[i])];
        for (; head >= 0 && !sent[static_cast<std::size_t>(head)];
             head = rules_.head_above[static_cast<std::size_t>(head)]) {
            sent[static_cast<std::size_t>(head)] = true;
            result.kept += rules_.head_cost[static_cast<std::size_t>(head)];
        }
    }
    for (std::size_t i = 0; i < status.size(); ++i) {
        if (is_in(status[i]) || (!p_.same.empty() && said[static_cast<std::size_t>(p_.same[i])])) continue;
        if (result.cheapest_left < 0 || rules_.price[i] < result.cheapest_left) result.cheapest_left = rules_.price[i];
    }
    return result;
}

}  // namespace tersely::select
