// Terms: what a segment says, as ids of one vocabulary.
//
// Contract:
//  - a term is a Unicode word (letters, marks, digits, underscore), folded (unicode.hpp; combining accents
//    are dropped) and stemmed where that leaves plain ASCII letters, or letters of a script that stem.hpp
//    knows; stop words and single ASCII letters are left out; joiners without width inside a word are dropped;
//  - a number keeps its inner separators: 3.14, 1,000, 2024-01-31, 10:30, v1.2.3 are one term each;
//  - an identifier in snake_case or camelCase gives itself whole and each of its parts;
//  - a run of letters of a script without spaces gives its character bigrams (a lone one, itself);
//  - ids are numbered by first occurrence over all texts, in order; a segment's terms are in text
//    order with repeats; of a word or number longer than kLongestTerm bytes, the first ones count.
// O(text) time, O(terms + vocabulary) memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/parallel.hpp"
#include "kernels/text/segment.hpp"

namespace tersely::text {

inline constexpr std::size_t kLongestTerm = 64;
inline constexpr std::size_t kFewestSlots = 64;  // of a vocabulary that has read nothing
inline constexpr std::size_t kMostSlots = 4096;  // distinct terms grow slower than the text

// Interned strings: id of a string (at least one byte), by first occurrence. Exact: short strings are
// their own key, longer ones are compared byte by byte.
class Vocabulary {
  public:
    // `slots`: a power of two. Memory that is reserved but not written to costs nothing, growing costs twice.
    explicit Vocabulary(std::size_t slots) : slots_(slots) {
        arena_.reserve(slots * 6);
        offsets_.reserve(slots);
    }
    std::int32_t intern(std::string_view term);
    std::string_view operator[](std::size_t id) const {
        return std::string_view(arena_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
    }
    std::size_t size() const { return offsets_.size() - 1; }

  private:
    struct __attribute__((packed, aligned(4))) Slot {  // 12 bytes: most of the memory of a short text's terms
        std::uint64_t key = 0;                         // 0: empty
        std::int32_t id = 0;
    };
    void grow();
    std::string arena_;
    std::vector<std::size_t> offsets_ = {0};
    std::vector<Slot> slots_;  // linear probing
};

// Slots for what is met in so many bytes, so that few tables grow and short texts have small ones.
constexpr std::size_t slots_for(std::size_t bytes) {
    return std::bit_ceil(std::clamp(bytes / 16, kFewestSlots, kMostSlots));
}

// Reads terms. Remembers what each spelling gave, so that folding, stemming and stop words are paid once.
class TermReader {
  public:
    // `bytes`: of all texts to come, about; tables of the right size from the start need not grow.
    explicit TermReader(std::size_t bytes) : vocabulary_(slots_for(bytes)), spellings_(slots_for(bytes)) {
        given_.reserve(slots_for(bytes));
        given_end_.reserve(slots_for(bytes));
    }
    // Appends the term ids of text[span].
    void append(std::string_view text, Span span, std::vector<std::int32_t>& ids);
    const Vocabulary& vocabulary() const { return vocabulary_; }

  private:
    std::size_t number_end(std::string_view text, std::size_t at) const;
    std::size_t word_end(std::string_view text, std::size_t at) const;
    std::size_t append_bigrams(std::string_view text, std::size_t at, std::vector<std::int32_t>& ids);
    void append_spelling(std::string_view raw, std::vector<std::int32_t>& ids);
    void read_spelling(std::string_view raw, std::vector<std::int32_t>& ids);
    void read_identifier(std::string_view raw, std::string_view folded, std::vector<std::int32_t>& ids);
    void emit(std::string_view term, std::vector<std::int32_t>& ids) { ids.push_back(vocabulary_.intern(term)); }
    void emit_word(std::string& term, std::vector<std::int32_t>& ids);

    Vocabulary vocabulary_;
    Vocabulary spellings_;
    std::vector<std::int32_t> given_;     // terms of each spelling, one after another
    std::vector<std::size_t> given_end_;  // where those of each spelling end
    std::string term_;
    Rounds<256> rounds_;
};

bool is_stop_word(std::string_view folded);
bool is_stop_word(std::u32string_view normal);  // of other scripts, as stem.hpp normalizes them

}  // namespace tersely::text
