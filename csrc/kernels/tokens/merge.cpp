#include "kernels/tokens/merge.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include "kernels/parallel.hpp"

namespace tersely::tokens {
namespace {

constexpr std::uint32_t kNone = TokenTable::kNone;
constexpr std::size_t kRounds = 256;  // windows between looks for Ctrl-C

}  // namespace

std::size_t Merger::count(std::string_view piece, std::size_t window) {
    for (Merged& one : merged_) one.piece = {};
    std::size_t tokens = count_in_windows(piece, window);
    for (; tokens == 0; window *= 2) tokens = count_in_windows(piece, 2 * window);
    return tokens;
}

// 0: a window that had to grow began otherwise than the one before it had said.
std::size_t Merger::count_in_windows(std::string_view piece, std::size_t window) {
    std::size_t tokens = 0;
    std::size_t begin = 0;
    std::size_t first = 0;  // bytes of the token at `begin`, as the window before it has it; 0: there is none
    std::size_t size = window;
    const std::vector<std::uint32_t>* starts = &merge(piece.substr(0, size));
    while (begin + size < piece.size()) {
        if (++rounds_ % kRounds == 0) check_cancelled();
        const auto last = std::upper_bound(starts->begin(), starts->end() - 1, size - size / 4) - 1;
        const std::uint32_t from = *last;
        const std::uint32_t length = *(last + 1) - from;
        const auto before = static_cast<std::size_t>(last - starts->begin());
        if (before > 0) {
            const std::size_t next = std::max(window, size / 2);
            starts = &merge(piece.substr(begin + from, next));
            if ((*starts)[1] == length) {
                tokens += before;
                begin += from;
                first = length;
                size = next;
                continue;
            }
        }
        size *= 2;
        starts = &merge(piece.substr(begin, size));
        if (first != 0 && (*starts)[1] != first) return 0;
    }
    return tokens + starts->size() - 1;
}

std::uint32_t Merger::rank(std::string_view piece, std::size_t first, std::size_t end) {
    const std::size_t size = end - first;
    if (size > table_->longest()) return kNone;
    const char* bytes = piece.data() + first;
    if (size > 7) return table_->find(Key(bytes, size, piece.size() - first));
    const std::uint64_t known = load_first(bytes, size, piece.size() - first) | std::uint64_t{size} << 56U;
    Pairs::Pair& pair = pairs_->at(known);
    if (pair.bytes != known) pair = {known, table_->find(Key(bytes, size, piece.size() - first))};
    return pair.rank;
}

// That of two bytes.
std::uint32_t Merger::rank_of_bytes(std::string_view piece, std::size_t first) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(piece[at]); };
    std::uint32_t& known = pairs_->of_bytes_[byte(first) | std::size_t{byte(first + 1)} << 8U];
    if (known == Pairs::kUnknown) known = table_->find(Key(piece.data() + first, 2, piece.size() - first));
    return known;
}

// Where the tokens of a window start, and its end. Windows of a piece that repeats itself are the same few.
const std::vector<std::uint32_t>& Merger::merge(std::string_view window) {
    for (const Merged& one : merged_) {
        if (one.piece == window) return one.starts;
    }
    Merged& oldest = merged_[++merges_ % merged_.size()];
    starts_.clear();
    window.size() <= kFew ? merge_few(window) : merge_many(window);
    starts_.push_back(static_cast<std::uint32_t>(window.size()));
    oldest.piece = window;
    oldest.starts.swap(starts_);
    return oldest.starts;
}

// Ranks stand in groups of eight, whose lowest is looked for again where one of them changes; a part that is gone has
// none.
void Merger::merge_few(std::string_view piece) {
    constexpr std::int32_t kNoPair = std::numeric_limits<std::int32_t>::max();
    constexpr std::size_t kGroup = 8;
    const std::size_t size = piece.size();
    const std::size_t groups = (size + kGroup - 1) / kGroup;
    std::array<std::int32_t, kFew> pairs;  // rank and place of a part with the next
    std::array<std::int32_t, kFew / kGroup> lows;
    std::array<std::uint8_t, kFew + 1> next, previous;
    const auto set = [&](std::size_t at, std::uint32_t found) {
        pairs[at] = found == kNone ? kNoPair : static_cast<std::int32_t>(found * kFew + at);
    };
    const auto lowest_of = [](const std::int32_t* eight) {
        const auto low = [&](std::size_t i) { return std::min(eight[i], eight[i + 4]); };
        return std::min(std::min(low(0), low(1)), std::min(low(2), low(3)));
    };
    const auto look_again = [&](std::size_t group) { lows[group] = lowest_of(&pairs[group * kGroup]); };
    std::fill(pairs.begin() + static_cast<std::ptrdiff_t>(size - 1),
              pairs.begin() + static_cast<std::ptrdiff_t>(groups * kGroup), kNoPair);
    for (std::size_t at = 0; at + 1 < size; ++at) set(at, rank_of_bytes(piece, at));
    for (std::size_t at = 0; at <= size; ++at) {
        next[at] = static_cast<std::uint8_t>(at + 1);
        previous[at] = static_cast<std::uint8_t>(at - 1);  // of the first: never asked for
    }
    lows.fill(kNoPair);
    for (std::size_t group = 0; group < groups; ++group) look_again(group);
    while (true) {
        const std::int32_t lowest = lowest_of(lows.data());
        if (lowest == kNoPair) break;
        const std::size_t at = static_cast<std::size_t>(lowest) % kFew;
        const std::size_t gone = next[at];
        const std::size_t after = next[gone];
        const std::size_t before = at > 0 ? previous[at] : at;
        pairs[gone] = kNoPair;
        next[at] = static_cast<std::uint8_t>(after);
        previous[after] = static_cast<std::uint8_t>(at);
        set(at, after < size ? rank(piece, at, next[after]) : kNone);
        if (at > 0) set(before, rank(piece, before, after));
        look_again(at / kGroup);
        if (gone / kGroup != at / kGroup) look_again(gone / kGroup);
        if (before / kGroup != at / kGroup) look_again(before / kGroup);
    }
    for (std::size_t at = 0; at < size; at = next[at]) starts_.push_back(static_cast<std::uint32_t>(at));
}

void Merger::merge_many(std::string_view piece) {
    const auto size = static_cast<std::uint32_t>(piece.size());
    next_.resize(size + 1);
    previous_.resize(size + 1);
    ranks_.assign(size + 1, kNone);
    heap_.clear();
    const auto offer = [&](std::uint32_t at) {
        const std::uint32_t middle = next_[at];
        ranks_[at] = middle == size ? kNone : rank(piece, at, next_[middle]);
        if (ranks_[at] != kNone) heap_.push_back(std::uint64_t{ranks_[at]} << 32U | at);
    };
    for (std::uint32_t at = 0; at <= size; ++at) {
        next_[at] = at + 1;
        previous_[at] = at - 1;
    }
    for (std::uint32_t at = 0; at + 1 < size; ++at) offer(at);
    std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
    while (!heap_.empty()) {
        std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
        const std::uint64_t top = heap_.back();
        heap_.pop_back();
        const auto at = static_cast<std::uint32_t>(top);
        if (ranks_[at] != top >> 32U) continue;  // one of the two has become longer
        if ((heap_.size() & 0xFFFU) == 0) check_cancelled();
        const std::uint32_t gone = next_[at];
        ranks_[gone] = kNone;
        next_[at] = next_[gone];
        previous_[next_[at]] = at;
        for (const std::uint32_t changed : {at, previous_[at]}) {
            if (changed >= size) continue;  // before the first
            const std::size_t held = heap_.size();
            offer(changed);
            if (heap_.size() > held) std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
        }
    }
    for (std::uint32_t at = 0; at < size; at = next_[at]) starts_.push_back(at);
}

}  // namespace tersely::tokens
