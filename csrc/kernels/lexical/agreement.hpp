// Whether two texts say the same in the same words.
//
// Contract. Texts a and b agree where all of these hold:
//  - they have one guard id (text/guards.hpp);
//  - each name of one is among the terms of the other;
//  - |A & B| > share * |A | B| for their sets of distinct terms A and B;
//  - of the terms that stand once in each, the longest sequence in one order in both (longest increasing subsequence,
//    Fredman 1975) holds at least the share `order`.
// It depends on the two texts alone, and is symmetric. O(a + b) for texts of a and b terms, and O(s log s) for s shared
// ones; equal ids are compared first. O(terms) memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tersely::lexical {

// Rows of ids, one after another: offsets has an entry more than there are rows.
struct IdRows {
    std::span<const std::int32_t> ids;
    std::span<const std::int64_t> offsets;
    std::span<const std::int32_t> operator[](std::size_t row) const {
        const auto begin = static_cast<std::size_t>(offsets[row]);
        return ids.subspan(begin, static_cast<std::size_t>(offsets[row + 1]) - begin);
    }
};

class Agreement {
  public:
    // terms: in text order, with repeats. The guards are viewed, the rest is copied.
    Agreement(std::span<const std::int32_t> guard, const IdRows& terms, const IdRows& names, double share,
              double order);

    // Safe to call from several threads at once.
    bool operator()(std::size_t a, std::size_t b) const;

  private:
    struct Term {
        std::int32_t id;
        std::int32_t place;  // in the text; -1 where the term stands there more than once
    };
    std::span<const Term> terms(std::size_t row) const {
        return std::span(terms_).subspan(term_begin_[row], term_begin_[row + 1] - term_begin_[row]);
    }
    bool names_among(std::size_t of, std::span<const Term> terms) const;

    std::span<const std::int32_t> guard_;
    double share_, order_;
    std::vector<Term> terms_;  // of each text, by id
    std::vector<std::size_t> term_begin_ = {0};
    std::vector<std::int32_t> names_;  // of each text, sorted
    std::vector<std::size_t> name_begin_ = {0};
};

}  // namespace tersely::lexical
