#include "kernels/content/templates.hpp"

#include <algorithm>

namespace tersely::content {
namespace {

constexpr std::size_t kKnownSlots = std::size_t{1} << 17U;
constexpr std::size_t kPathSlots = std::size_t{1} << 17U;  // twice kMostTemplates: a path has a template

std::uint64_t mix(std::uint64_t hash, std::uint64_t more) {
    hash = (hash ^ more) * 0x9E3779B97F4A7C15ULL;
    return hash ^ (hash >> 29U);
}

bool fixed(Token token) { return token >= kFirstWord && (token & 1U) != 0; }  // a word of marks.hpp

// Equal words and all words of two lines with the same punctuation; all is 0 where the lines are not alike.
struct Likeness {
    std::size_t equal = 0, all = 0;
    bool enough() const { return 2 * equal >= all; }
    bool operator>(const Likeness& other) const { return equal * other.all > other.equal * all; }
};

bool like(std::span<const Token> line, std::span<const Token> known, Likeness& found) {
    found = {};
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == known[i]) {
            if (line[i] >= kFirstWord) {
                ++found.equal;
                ++found.all;
            }
            continue;
        }
        if (fixed(line[i]) || fixed(known[i])) return false;
        ++found.all;
    }
    return true;
}

}  // namespace

TemplateMiner::TemplateMiner() : known_(kKnownSlots), path_slots_(kPathSlots) {}

std::int32_t TemplateMiner::add(std::span<const Token> tokens) {
    tokens = tokens.first(std::min(tokens.size(), kMostTokens));
    std::uint64_t hash = 1, path = 1;
    for (const Token token : tokens) {
        hash = mix(hash, token);
        path = mix(path, token < kFirstWord && token != kValue ? token : fixed(token) ? token : kFirstWord);
    }
    for (std::size_t at = hash % kKnownSlots; known_[at].id >= 0; at = (at + 1) % kKnownSlots) {
        if (known_[at].hash == hash) return known_[at].id;
    }
    const std::int32_t id = search(tokens, path);
    remember(hash, id);
    return id;
}

void TemplateMiner::remember(std::uint64_t hash, std::int32_t id) {
    if (4 * ++known_count_ > 3 * kKnownSlots) {
        std::fill(known_.begin(), known_.end(), Known{});
        known_count_ = 1;
    }
    std::size_t at = hash % kKnownSlots;
    while (known_[at].id >= 0) at = (at + 1) % kKnownSlots;
    known_[at] = {hash, id};
}

std::vector<std::int32_t>& TemplateMiner::alike(std::uint64_t path) {
    std::size_t at = path % kPathSlots;
    while (path_slots_[at] != 0 && paths_[path_slots_[at] - 1].hash != path) at = (at + 1) % kPathSlots;
    if (path_slots_[at] == 0) {
        paths_.push_back({path, {}});
        path_slots_[at] = paths_.size();
    }
    return paths_[path_slots_[at] - 1].ids;
}

std::int32_t TemplateMiner::search(std::span<const Token> tokens, std::uint64_t path) {
    const bool full = templates_.size() >= static_cast<std::size_t>(kMostTemplates) - 1;
    if (full && paths_.size() > static_cast<std::size_t>(kMostTemplates)) return kMostTemplates - 1;
    std::vector<std::int32_t>& ids = alike(path);
    std::int32_t best = -1;
    Likeness most;
    for (const std::int32_t id : ids) {
        Likeness found;
        if (!like(tokens, this->tokens(id), found)) continue;
        if (best < 0 || found > most) {
            best = id;
            most = found;
        }
    }
    if (best >= 0 && (most.enough() || ids.size() >= kMostAlike)) {
        const std::size_t first = templates_[static_cast<std::size_t>(best)].first;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (arena_[first + i] != tokens[i]) arena_[first + i] = kValue;
        }
        return best;
    }
    if (full) return kMostTemplates - 1;
    const auto id = static_cast<std::int32_t>(templates_.size());
    templates_.emplace_back(arena_.size(), tokens.size());
    arena_.insert(arena_.end(), tokens.begin(), tokens.end());
    ids.push_back(id);
    return id;
}

}  // namespace tersely::content
