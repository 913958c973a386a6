#include "kernels/write/fitting.hpp"

#include <algorithm>
#include <map>

namespace tersely::write {
namespace {

constexpr int kRounds = 5;                  // of choosing, writing and counting; each narrows the target
constexpr int kMoreRounds = 16;             // the same where costs are estimated by length
constexpr double kAim = 0.995, kWay = 0.8;  // of the budget, and of the way to it, between two counted targets
constexpr std::int64_t kUnused = 100;       // a text of estimated costs that leaves less (1 / kUnused) is good enough
constexpr std::int64_t kLargest = std::int64_t{1} << 61U;  // of targets

// a * b / c, no more than kLargest, where the product may be more than there are numbers; a, b >= 0, c >= 1.
std::int64_t scaled(std::int64_t a, std::int64_t b, std::int64_t c) {
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(a, b, &product)) return std::min(product / c, kLargest);
    const double share = static_cast<double>(a) / static_cast<double>(c) * static_cast<double>(b);
    return share < static_cast<double>(kLargest) ? static_cast<std::int64_t>(share) : kLargest;
}

}  // namespace

std::optional<Trial> Fitting::attempt(std::vector<select::Status> status, Wording wording) {
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < status.size(); ++i) {
        if (status[i] >= select::Status::kSelected) rows.push_back(static_cast<std::int64_t>(i));
    }
    Written written = write(rows, wording);
    if (written.length == 0) return {};  // nothing is kept, or sources without any words of theirs
    const std::int64_t tokens = count(written);
    ++recounts;
    if (tokens > original && rows.size() < status.size()) {  // what joins pieces is dear
        std::vector<select::Status> all(status.size(), select::Status::kSelected);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (pinned[i] != 0) all[i] = select::Status::kPinned;
        }
        std::optional<Trial> whole = attempt(std::move(all), Wording::kBare);
        if (whole && whole->tokens < tokens) return whole;
    }
    return Trial{std::move(status), std::move(written), tokens, recounts};
}

std::optional<Trial> Fitting::search(const Search& asked, const std::function<Chosen(std::int64_t)>& choose) {
    const std::int64_t budget = asked.budget;
    std::int64_t low = 0;
    std::int64_t high = asked.high;
    std::int64_t target = asked.target;
    std::optional<Trial>* best = nullptr;
    std::optional<Trial>* least = nullptr;         // the smallest text over the budget
    std::map<std::int64_t, std::int64_t> counted;  // tokens by target
    std::map<std::vector<select::Status>, std::optional<Trial>> tried;
    for (int round = 0; round < (asked.estimated ? kMoreRounds : kRounds); ++round) {
        auto [status, tally] = choose(target);
        const auto [place, is_new] = tried.try_emplace(std::move(status));
        std::optional<Trial>& fitted = place->second;
        if (is_new) fitted = attempt(place->first, asked.wording);
        if (!fitted) {
            if (!asked.estimated || target + 1 >= high) break;
            const std::int64_t before = target;
            target = std::min(2 * target + 1, (target + high) / 2);
            low = before;
            continue;  // the best unit may need less than its estimate
        }
        if (fitted->status != place->first) tally = choice.tally(fitted->status);  // all units took less
        const std::int64_t tokens = fitted->tokens;
        counted[target] = tokens;
        if (tokens <= budget) {
            if (best == nullptr || tokens > (*best)->tokens) best = &fitted;
            low = target;
            const std::int64_t room = budget - tokens;
            if (asked.estimated && room <= scaled(budget, 1 + round / 2, kUnused)) break;
            if (tally.cheapest_left < 0 || room < std::max(tally.cheapest_left, budget / 200)) break;
            target += std::max<std::int64_t>(1, scaled(room, tally.kept, std::max<std::int64_t>(tokens, 1)));
        } else {
            if (least == nullptr || tokens < (*least)->tokens) least = &fitted;
            high = target;
            const std::int64_t over = std::max<std::int64_t>(1, scaled(tokens - budget, tally.kept, tokens));
            target = std::min(target, tally.kept) -
                     scaled(over, std::int64_t{1} << static_cast<unsigned>(std::min(round, 6)), 1);
            if (const auto known = counted.find(low); known != counted.end()) {  // never far below what lies between
                const double share =
                    static_cast<double>(budget - known->second) / static_cast<double>(tokens - known->second);
                target =
                    std::max(target, low + static_cast<std::int64_t>(kWay * (share * static_cast<double>(high - low))));
            }
        }
        const auto below = counted.find(low);
        const auto above = counted.find(high);
        if (asked.estimated && below != counted.end() && above != counted.end()) {  // between what these two gave
            const std::int64_t wide = std::max<std::int64_t>(above->second - below->second, 1);
            const double share =
                (kAim * static_cast<double>(budget) - static_cast<double>(below->second)) / static_cast<double>(wide);
            target = low + static_cast<std::int64_t>(static_cast<double>(high - low) * std::clamp(share, 0.1, 0.9));
        }
        if (!(low < target && target < high)) target = (low + high) / 2;
        if (target == low || target == high) break;
    }
    if (best != nullptr) return std::move(*best);
    return least != nullptr ? std::move(*least) : std::nullopt;
}

}  // namespace tersely::write
