// Byte pairs of a piece merged into tokens.
//
// Contract: as tiktoken merges. The parts of a piece are its bytes at first; while some two neighbours together are a
// token, those whose token has the lowest rank become one part, the first of equal ones first. The tokens are the parts
// that are left. (A piece that is a token itself is one, whatever its pairs give: that is the caller's to look up.)
//  - Up to kFew bytes: the lowest pair of every eight is known, and looked for anew where one changes. Above it: a
//    heap, O(size log size).
//  - More than kWindow bytes are merged in windows, so O(size) for all but made up input, where windows have to grow:
//    O(size log size) at most. It is exact: parts t1..tk are what merging gives if, and only if, merging each two
//    neighbours alone gives just them, as no merge of two neighbours' bytes depends on what is outside until one
//    crosses their ends, and the first that did would do so when they are alone, too. So the tokens of a window hold up
//    to one that the window that begins with it gives as its first token again; where it does not, the window doubles,
//    and must begin with the same token as before, or all is merged anew in larger windows. Memory: that of a window.
//    The windows merged last are remembered: those of a run of one character, or of few, are merged once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/tokens/table.hpp"

namespace tersely::tokens {

// The ranks of the pairs that met: a cache of a fixed size, for one table.
class Pairs {
  public:
    Pairs() : of_bytes_(std::size_t{1} << 16U, kUnknown), all_(std::size_t{1} << kBits) {}

  private:
    friend class Merger;
    static constexpr unsigned kBits = 14;
    static constexpr std::uint32_t kUnknown = TokenTable::kNone - 1;  // larger than any rank
    struct Pair {  // bytes that were looked up: up to seven, and how many
        std::uint64_t bytes = 0;
        std::uint32_t rank = 0;
    };
    Pair& at(std::uint64_t bytes) { return all_[bytes * 0x9E3779B97F4A7C15U >> (64 - kBits)]; }

    std::vector<std::uint32_t> of_bytes_;  // the ranks of two bytes: each byte of a piece asks for one
    std::vector<Pair> all_;                // of longer ones; a pair gives way to another at its place
};

class Merger {
  public:
    static constexpr std::size_t kFew = 64;       // bytes
    static constexpr std::size_t kWindow = kFew;  // bytes

    Merger(const TokenTable& table, Pairs& pairs) : table_(&table), pairs_(&pairs) {}
    // Tokens of a piece of one byte or more. Throws Cancelled.
    std::size_t count(std::string_view piece, std::size_t window = kWindow);

  private:
    struct Merged {
        std::string_view piece;
        std::vector<std::uint32_t> starts;  // of its tokens, and its end
    };
    std::size_t count_in_windows(std::string_view piece, std::size_t window);
    const std::vector<std::uint32_t>& merge(std::string_view window);
    void merge_few(std::string_view piece);
    void merge_many(std::string_view piece);
    std::uint32_t rank(std::string_view piece, std::size_t first, std::size_t end);
    std::uint32_t rank_of_bytes(std::string_view piece, std::size_t first);

    const TokenTable* table_;
    Pairs* pairs_;
    std::size_t rounds_ = 0;
    std::array<Merged, 4> merged_;  // windows of the piece that is counted, merged last
    std::size_t merges_ = 0;
    std::vector<std::uint32_t> starts_;           // of the window that is being merged
    std::vector<std::uint32_t> next_, previous_;  // of the part that begins at a byte
    std::vector<std::uint32_t> ranks_;            // of it with the next one
    std::vector<std::uint64_t> heap_;             // ranks and places, stale ones among them
};

}  // namespace tersely::tokens
