#include "kernels/text/occurrences.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/parallel.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {
namespace {

constexpr std::uint32_t kRounds = 1U << 16U;  // bytes between looks for Ctrl-C

}  // namespace

StringFinder::StringFinder(std::span<const std::string_view> strings, bool every) : every_(every) {
    std::vector<std::int32_t> order(strings.size());
    std::iota(order.begin(), order.end(), 0);
    const auto string = [&](std::size_t place) { return strings[static_cast<std::size_t>(order[place])]; };
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return strings[static_cast<std::size_t>(a)] < strings[static_cast<std::size_t>(b)];
    });
    struct Shared {  // what begins as a node does, in order
        std::size_t first, end, length;
    };
    std::vector<Shared> shared = {{0, strings.size(), 0}};
    std::vector<std::int32_t> parents = {0};
    nodes_.push_back({kNone, 0, kNone, kNone, 0, false});
    Rounds<kRounds> rounds;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        nodes_[node].children = static_cast<std::int32_t>(nodes_.size());
        auto [at, end, length] = shared[node];
        if (at < end && string(at).size() == length) nodes_[node].string = order[at++];
        while (at < end) {
            const auto byte = static_cast<unsigned char>(string(at)[length]);
            const std::size_t first = at;
            while (at < end && static_cast<unsigned char>(string(at)[length]) == byte) {
                rounds.check_cancelled();
                ++at;
            }
            shared.push_back({first, at, length + 1});
            parents.push_back(static_cast<std::int32_t>(node));
            nodes_.push_back({kNone, 0, kNone, kNone, byte, false});
        }
    }
    const std::size_t nodes = nodes_.size();
    for (std::size_t node = 1; node < nodes && parents[node] == 0; ++node) {
        first_[nodes_[node].byte] = static_cast<std::int32_t>(node);
    }
    nodes_.push_back(
        {static_cast<std::int32_t>(nodes), 0, kNone, kNone, 0, false});  // where the last one's children end
    for (std::size_t node = 1; node < nodes; ++node) {
        Node& here = nodes_[node];
        const std::int32_t above = parents[node];
        if (above != 0) here.longest = next(nodes_[static_cast<std::size_t>(above)].longest, here.byte);
        here.ended = here.string == kNone ? nodes_[static_cast<std::size_t>(here.longest)].ended
                                          : static_cast<std::int32_t>(node);
    }
    for (const std::string_view one : strings) {
        lengths_.push_back(std::count_if(one.begin(), one.end(), [](char byte) { return !is_continuation(byte); }));
    }
}

std::int32_t StringFinder::child(std::int32_t node, unsigned char byte) const {
    const auto at = nodes_.begin() + nodes_[static_cast<std::size_t>(node)].children;
    const auto end = nodes_.begin() + nodes_[static_cast<std::size_t>(node) + 1].children;
    const auto found =
        std::lower_bound(at, end, byte, [](const Node& one, unsigned char last) { return one.byte < last; });
    return found != end && found->byte == byte ? static_cast<std::int32_t>(found - nodes_.begin()) : kNone;
}

std::int32_t StringFinder::next(std::int32_t node, unsigned char byte) const {
    for (;; node = nodes_[static_cast<std::size_t>(node)].longest) {
        if (node == 0) return first_[byte];
        const std::int32_t to = child(node, byte);
        if (to != kNone) return to;
    }
}

void StringFinder::find(std::string_view text, std::vector<Found>& found) {
    Rounds<kRounds> rounds;
    std::int64_t characters = 0;
    std::int32_t node = 0;
    for (const char byte : text) {
        rounds.check_cancelled();
        characters += is_continuation(byte) ? 0 : 1;
        node = next(node, static_cast<unsigned char>(byte));
        for (std::int32_t at = nodes_[static_cast<std::size_t>(node)].ended; at != kNone;) {
            Node& one = nodes_[static_cast<std::size_t>(at)];
            found.push_back({one.string, characters - lengths_[static_cast<std::size_t>(one.string)], characters});
            if (one.reported && !every_) break;
            one.reported = true;
            at = nodes_[static_cast<std::size_t>(one.longest)].ended;
        }
    }
}

}  // namespace tersely::text
