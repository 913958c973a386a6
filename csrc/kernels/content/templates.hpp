// Templates of log lines, mined in one pass: Drain (He, Zhu, Zheng and Lyu, "Drain: An Online Log Parsing Approach with
// Fixed Depth Tree", ICWS 2017) with the punctuation of a line as its path.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/content/hash_table.hpp"
#include "kernels/content/line_words.hpp"

namespace tersely::content {

// Contract:
//  - lines of one template have the same punctuation between their words and, where they are words of marks.hpp
//    ("ERROR", "failed"), the same ones; of the other words, positions that are a value in both left aside, at least
//    half are equal to the template's (ties: the template met first);
//  - words that differ become values of the template; templates only widen, ids go by first occurrence;
//  - at most kMostTemplates; of those that share a path, at most kMostAlike, and what fits none of them joins the
//    nearest. Lines beyond that have the id kMostTemplates - 1.
// O(tokens) for a line whose words were met before, else O(kMostAlike * tokens); memory is bounded.
class TemplateMiner {
  public:
    static constexpr std::int32_t kMostTemplates = 1 << 16;
    static constexpr std::size_t kMostAlike = 64;
    static constexpr std::size_t kMostKnown = std::size_t{1} << 17U;
    static constexpr std::size_t kMostTokens = 128;  // of a line that count

    std::int32_t add(std::span<const Token> tokens);
    std::size_t size() const { return templates_.size(); }
    std::span<const Token> tokens(std::int32_t id) const {
        const auto [first, count] = templates_[static_cast<std::size_t>(id)];
        return std::span(arena_).subspan(first, count);
    }

  private:
    std::int32_t search(std::span<const Token> tokens, std::uint64_t path);

    std::vector<std::pair<std::size_t, std::size_t>> templates_;  // into arena_
    std::vector<Token> arena_;
    HashTable<std::int32_t> known_;               // lines by their tokens; emptied when there are kMostKnown
    HashTable<std::vector<std::int32_t>> paths_;  // templates by path
};

}  // namespace tersely::content
