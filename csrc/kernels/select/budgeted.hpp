// Selection of segments under a token budget.
#pragma once

#include <cstddef>
#include <cstdint>
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

// For each row of terms, the first row with the same ids in the same order (itself where there is none, or
// where it is empty). Exact; O(terms) expected.
std::vector<std::int32_t> first_alike(std::span<const std::int32_t> ids, std::span<const std::int64_t> offsets);

// For each piece of text, the first that is the same but for white space at its ends, itself where there is none.
// Compared with none: what `alone` marks, and what is indented, by the two bytes or less that stand `before` it.
// Exact; O(bytes) expected.
std::vector<std::int32_t> first_equal(std::span<const std::string_view> pieces,
                                      std::span<const std::string_view> before, std::span<const std::uint8_t> alone);

// What a choice costs as its units are priced, and the cheapest unit that is left out and says what no kept one does;
// -1: there is none. Kept are those of status `first_kept` or more; `same`: of first_equal, or empty. O(n).
struct Tally {
    std::int64_t kept = 0, cheapest_left = -1;
};
Tally tally(std::span<const std::uint8_t> status, std::span<const std::int64_t> cost,
            std::span<const std::int32_t> same, std::uint8_t first_kept);

// Why a segment is in or out.
enum class Status : std::uint8_t {
    kBudget,     // out: no room was left when its turn came
    kRedundant,  // out: what it says is said by segments that are in
    kSelected,   // in, for its own score
    kPinned,     // in, because the caller said so
    kContext,    // in, beside a selected segment
    kHeading,    // in, above a selected segment
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

// Runs of left out units that are no longer than a marker for them, which are kept instead.

// Sets `kept` for the rows of each run of rows without a `chosen` value (one below `kept`) that reach over at most
// `most` characters and stand beside another run of their document: a document of which nothing is kept has no markers.
// `bare`: first and last rows (half-open, ascending) of what has no markers; runs that begin in it stay out. O(n).
void fill_gaps(std::span<std::uint8_t> status, std::span<const std::int32_t> document,
               std::span<const std::int64_t> start, std::span<const std::int64_t> end,
               std::span<const std::int64_t> bare, std::uint8_t kept, std::int64_t most);

}  // namespace tersely::select
