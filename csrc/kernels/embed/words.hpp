// A WordPiece vocabulary: ids of whole words, and the longest piece at a place.
//
// Contract:
//  - one word a line, UTF-8, a last line feed allowed; its id is its line, from 0; a word that starts with ## stands
//    for the rest of a word, any other for a whole word or its start;
//  - std::invalid_argument, naming the line, for an empty or repeated word or one with a NUL, and for a vocabulary
//    without [UNK] or of more than kMostBytes bytes;
//  - `find` costs a hash, `longest` one step of a trie for each byte that some piece goes on with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/large_pages.hpp"

namespace tersely::embed {

// A word in units of eight bytes. When it is whole, zeros follow its last byte up to the next multiple of eight, at
// least one.
struct WordBytes {
    static constexpr std::size_t kMost = 400;  // bytes: a hundred characters
    std::array<std::uint64_t, kMost / 8 + 1> eights;
    std::size_t size = 0;

    void push_back(char byte) { reinterpret_cast<char*>(eights.data())[size++] = byte; }
    void end() { std::memset(reinterpret_cast<char*>(eights.data()) + size, 0, 8 - size % 8); }
    std::string_view view() const { return {reinterpret_cast<const char*>(eights.data()), size}; }
};

struct Piece {
    std::int32_t id = -1;  // -1: none
    std::size_t size = 0;  // bytes
};

class Words {
  public:
    static constexpr std::size_t kMostBytes = (std::size_t{1} << 24U) - 2;  // a node of the trie has 24 bits

    explicit Words(std::string_view lines);
    std::size_t size() const { return count_; }
    std::int32_t unknown() const { return unknown_; }
    // The id of a word that does not start with ##, -1 where the vocabulary does not have it.
    std::int32_t find(const WordBytes& word) const;
    // The longest word that starts `rest`; at the start of a word one without ##, else one with it.
    Piece longest(std::string_view rest, bool at_start) const;

  private:
    struct Slot {
        std::uint64_t key = 0;  // 0: empty
        std::int32_t id = -1;
        std::uint32_t line = 0;  // where the word stands in lines_
    };
    struct Edge {
        std::uint32_t key = 0;    // node and byte
        std::uint32_t child = 0;  // a node, and kEndsWord where a word ends at it; 0: empty slot
    };
    static constexpr std::uint32_t kEndsWord = 1U << 31U;
    bool add_piece(std::string_view piece, std::uint32_t root, std::int32_t id);
    void add_whole(const Slot& word);
    bool stands_at(const WordBytes& word, std::uint32_t line) const;
    std::size_t slot(std::uint32_t key) const;
    void grow();

    std::string lines_;
    std::size_t count_ = 0;
    std::int32_t unknown_ = -1;
    LargeTable<Slot> whole_;  // linear probing; the first words, which BERT orders by frequency, are met first
    LargeTable<Edge> edges_;  // linear probing, at most half full
    std::vector<std::int32_t> piece_of_;  // the word that ends at a node
};

}  // namespace tersely::embed
