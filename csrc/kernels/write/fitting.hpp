// Units under a budget: chosen under a target, written and counted, until the text is as close as it gets.
//
// Contract: the counts of units are estimates, since tokenizers are not additive; the count of the text decides. A
// search moves the target between one whose text fitted and one whose text did not, in a few rounds. O(units log units
// + characters kept) a round.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/select/budgeted.hpp"
#include "kernels/write/layout.hpp"

namespace tersely::write {

// A choice, written and counted.
struct Trial {
    std::vector<select::Status> status;
    Written written;
    std::int64_t tokens = 0;
    std::int64_t recounts = 0;  // texts that were counted up to it
};

struct Search {
    std::int64_t budget = 0;  // tokens of the text, at most 2^60
    std::int64_t target = 1;  // of estimated tokens, to begin with
    std::int64_t high = 2;    // a target that is more than all units
    bool estimated = false;   // whether costs are estimated by length: more rounds, and near the budget is enough
    Wording wording = Wording::kFull;
};

using Chosen = std::pair<std::vector<select::Status>, select::Tally>;

// Not for several threads at once. What it is given must outlive it.
struct Fitting {
    const select::Choice& choice;
    std::span<const std::uint8_t> pinned;
    std::int64_t original;  // tokens of all units
    std::function<Written(std::span<const std::int64_t> rows, Wording wording)> write;
    std::function<std::int64_t(const Written& written)> count;
    std::int64_t recounts = 0;

    // The choice, or all units where these take less; none where it keeps nothing.
    std::optional<Trial> attempt(std::vector<select::Status> status, Wording wording);
    // The largest text within the budget, or else the smallest that is over it; none where a choice keeps nothing.
    std::optional<Trial> search(const Search& asked, const std::function<Chosen(std::int64_t target)>& choose);
};

}  // namespace tersely::write
