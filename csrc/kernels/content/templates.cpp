#include "kernels/content/templates.hpp"

#include <algorithm>

namespace tersely::content {
namespace {

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

std::int32_t TemplateMiner::add(std::span<const Token> tokens) {
    tokens = tokens.first(std::min(tokens.size(), kMostTokens));
    std::uint64_t hash = 1, path = 1;
    for (const Token token : tokens) {
        hash = mix(hash, token);
        path = mix(path, token < kFirstWord && token != kValue ? token : fixed(token) ? token : kFirstWord);
    }
    if (const std::int32_t* id = known_.find(hash)) return *id;
    if (known_.size() == kMostKnown) known_.clear();
    return known_[hash] = search(tokens, path);
}

std::int32_t TemplateMiner::search(std::span<const Token> tokens, std::uint64_t path) {
    const bool full = templates_.size() >= static_cast<std::size_t>(kMostTemplates) - 1;
    if (full && paths_.find(path) == nullptr) return kMostTemplates - 1;
    std::vector<std::int32_t>& ids = paths_[path];
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
