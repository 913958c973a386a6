// Terms: what a segment says, as ids of one vocabulary.
//
// Contract:
//  - a term is a Unicode word (letters, marks, digits, underscore), folded (unicode.hpp) and, when it
//    is plain ASCII letters, stemmed (stem.hpp); stop words are left out;
//  - a number keeps its inner separators: 3.14, 1,000, 2024-01-31, 10:30, v1.2.3 are one term each;
//  - an identifier in snake_case or camelCase gives itself whole and each of its parts;
//  - a run of letters of a script without spaces gives its character bigrams (a lone one, itself);
//  - ids are numbered by first occurrence over all texts, in order; a segment's terms are in text
//    order with repeats; at most kLongestTerm bytes of a word are looked at.
// O(text) time, O(terms + vocabulary) memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/text/segment.hpp"

namespace tersely::text {

inline constexpr std::size_t kLongestTerm = 64;

// Interned strings: id of a string, by first occurrence. Exact (compares bytes, not only hashes).
class Vocabulary {
  public:
    std::int32_t intern(std::string_view term);
    std::string_view operator[](std::size_t id) const {
        return std::string_view(arena_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
    }
    std::size_t size() const { return offsets_.size() - 1; }

  private:
    void grow();
    std::string arena_;
    std::vector<std::size_t> offsets_ = {0};
    std::vector<std::uint32_t> hashes_;
    std::vector<std::int32_t> slots_ = std::vector<std::int32_t>(256, -1);  // power of two, linear probing
};

// Appends the term ids of text[span].
void append_terms(std::string_view text, Span span, Vocabulary& vocabulary, std::vector<std::int32_t>& ids);

bool is_stop_word(std::string_view folded);

}  // namespace tersely::text
