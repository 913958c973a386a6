// Selection of segments under a token budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace tersely::select {

// What is chosen together, and what says the same.

// Groups of segments that are in or out together; a segment without a group (-1) is a unit of its own.
// Units are numbered by their lowest segment. O(n).
struct Units {
    Units(std::span<const std::int32_t> group, std::size_t n);  // group: empty, or n values in [-1, n)

    std::int32_t count() const { return static_cast<std::int32_t>(first.size()) - 1; }
    std::span<const std::int32_t> members(std::int32_t unit) const {  // ascending
        const auto at = static_cast<std::size_t>(unit);
        return std::span(order).subspan(first[at], first[at + 1] - first[at]);
    }

    std::vector<std::int32_t> of;    // unit of each segment
    std::vector<std::size_t> first;  // unit -> range of order
    std::vector<std::int32_t> order;
};

// For each piece of text, the first that is the same but for white space at its ends, itself where there is none; those
// marked `alone` are compared with none. What is compared is trimmed in `pieces`. Exact; O(bytes) expected.
std::vector<std::int32_t> first_equal(std::span<std::string_view> pieces, std::span<const std::uint8_t> alone);

// Why a segment is in or out.
enum class Status : std::uint8_t {
    kBudget,     // out: no room was left when its turn came
    kRedundant,  // out: what it says is said by segments that are in
    kSelected,   // in, for its own score
    kPinned,     // in, because the caller said so
    kContext,    // in, beside a selected segment
    kHeading,    // in, above a selected segment
    kCut,        // in, as far as it was cut
    kFits,       // in, because all is
    kPreserved,  // in, before others: for facts in it, or as it goes first
};

struct Problem {
    std::span<const float> score;            // value per token, finite; negative counts as 0
    std::span<const std::int64_t> cost;      // tokens, >= 0
    std::int64_t budget = 0;                 // >= 0
    std::span<const std::uint8_t> pinned;    // non-zero: must be in, whatever it costs
    std::span<const std::int32_t> group;     // equal values >= 0: all in or all out; -1: on its own
    std::span<const std::int32_t> document;  // ascending
    std::span<const std::int32_t> heading;   // -1, or the segment above, which this one brings along; may be empty
    std::span<const std::int32_t> term_ids;  // CSR rows of the segments (redundancy); may be empty
    std::span<const std::int64_t> term_offsets;
    std::span<const float> term_weight;  // per term id, >= 0
    float redundancy = 0;                // 0 = ignore, 1 = terms that chosen segments hold count least
    std::int32_t context = 0;            // neighbours taken on each side of a selected segment
    bool coverage = false;  // a unit is worth the terms that it adds, and one that adds nothing is left out
    bool ranked = false;    // scores are an order: a unit's gain is its best score, whatever it and its headings cost
    std::span<const std::int64_t> cap;    // tokens that each document may take at most, one a document; may be empty
    std::span<const std::int32_t> same;   // the first segment with the same text, or itself; may be empty
    std::span<const std::uint8_t> kind;   // text::Kind, where a heading is no choice by itself; may be empty
    std::span<const std::int32_t> above;  // with `kind`: -1, or the segment that each stands under
};

// Greedy by marginal value per token with completion: a unit that does not fit is passed over, the
// rest goes on. The value of a unit is the sum over its segments of score * cost, its gain
// value * (1 - redundancy * overlap^2) with overlap = the weight share of its terms that chosen segments
// hold, and 0 where each of its segments has the same terms in the same order as a chosen one. With `coverage`, the
// gain is value * (1 - redundancy * overlap), and a unit that has none is left out. Whatever room there is, a unit is
// left out each of whose segments has the text of one that is in (`same`), unless it is pinned, context or needed.
// Gains only fall, but for those of units below a heading that came in, which are offered anew; so a lazy heap finds
// the same order as a full search. The greedy set is replaced by the best single unit (completed the same way) where
// that is worth more. Without redundancy, context, headings and pins this is at least half of the best possible value
// (Dantzig 1957; Khuller, Moss and Naor 1999). With `ranked` there is no such replacement. With `cap`, a unit is passed
// over that would take a document beyond its cap, what it brings included; pinned units and context count, but only
// selected ones are passed over. With `kind`, ungrouped headings that were selected with nothing in that stands under
// them are worth nothing: all is selected once more, and those of them that are left are out. Ties go to the lowest
// segment index. Pinned units are taken first and may exceed budget and caps: the caller checks. O((n
// + terms) log n) in practice.
std::vector<Status> select_budgeted(const Problem& problem);

// The rules of a reading beside its problem: what goes first, and what follows a choice. Empty: there are none.
struct Rules {
    std::span<const std::int64_t> price;       // tokens; Problem::cost may be more for units that are to stay out
    std::span<const float> gist;               // scores for the first `gist_room` tokens of a larger target
    std::int64_t gist_room = 0;                // 0: there is no gist
    std::span<const std::uint8_t> essential;   // units before all others; of ranked ones the scores say it
    std::span<const std::uint8_t> auxiliary;   // units that are kept only where others need them
    std::span<const std::int64_t> leading;     // first and last rows (half-open) that go first, in this order
    double leading_share = 0;                  // of a target, that they may take
    std::span<const std::int64_t> fences;      // opening and closing rows, kept only where something between them is
    bool fill = false;                         // whether short gaps are kept (fill_gaps)
    std::span<const std::int64_t> start, end;  // characters of each segment, for that
    std::span<const std::int64_t> bare;       // first and last rows (half-open, ascending) of what has no markers: runs
                                              // that begin in it are not filled
    std::span<const std::int64_t> head_cost;  // headings that are sent above documents, units bring and pay for them
    std::span<const std::int32_t> head_above;  // the one above each, -1: none
    std::span<const std::int32_t> head_of;     // the one right above each document, -1: none
};

// What must be in under a target.
struct Held {
    std::vector<std::uint8_t> rows;
    bool more = false;             // whether that is more than what is pinned
    bool essential_alone = false;  // no other units have room
};

// What a choice costs by the prices of its units and of the headings above them, and the cheapest unit that is left
// out and says what no kept one does; -1: there is none.
struct Tally {
    std::int64_t kept = 0, cheapest_left = -1;
};

struct Shape;
struct Offers;

// The units of a reading, for any number of targets: what they share is made once. The arrays must outlive it. Not for
// several threads at once.
class Choice {
  public:
    Choice(const Problem& problem, const Rules& rules);
    Choice(const Choice&) = delete;
    Choice& operator=(const Choice&) = delete;

    // First what is held: pins, essential units where all fit, and then leading ones; the caller may add to it. Then
    // the gist, then the best of the others: of essential units alone where not all fit. Units that were held and are
    // no pins are kPreserved.
    Held hold(std::int64_t target, std::span<const std::uint8_t> held, bool more) const;
    std::vector<Status> choose(std::int64_t target, Held held) const;
    // The held units and what they need, and nothing else.
    std::vector<Status> only(std::span<const std::uint8_t> held) const;
    // Keeps each run of left out rows that reaches over at most 20 characters, no longer than a marker for it, and
    // stands beside another run of its document: one of which nothing is kept has no markers. O(n).
    void fill_gaps(std::span<Status> status) const;
    // Drops auxiliary units that are neither needed by a kept unit nor pinned. O(n).
    void leave_unneeded_out(std::span<Status> status) const;
    Tally tally(std::span<const Status> status) const;

  private:
    void put_heads_before();
    std::vector<Status> pick(std::span<const float> score, std::int64_t budget, std::span<const std::uint8_t> pinned,
                             bool with_kinds) const;

    Problem p_;
    Rules rules_;
    Problem wide_;  // with a row for each heading that is sent, before all others
    std::vector<std::vector<std::int32_t>> ids_;
    std::vector<std::int64_t> cost_, cap_, offsets_;
    std::vector<float> score_;
    std::vector<std::uint8_t> kind_;
    mutable std::shared_ptr<const Shape> shape_;                      // made by the first choice
    mutable std::vector<float> alone_;                                // scores where essential units alone have room
    mutable std::map<const float*, std::shared_ptr<Offers>> offers_;  // by each of the scores, of the first choice
};

}  // namespace tersely::select
