// What the lexical kernels read: segments as rows of term ids, and where each segment stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tersely::lexical {

// Rows 0..size-1 are the segments, in document order; further rows (query, titles) may follow.
// Preconditions (checked at the border): offsets ascend from 0 to ids.size(), every id lies in
// [0, vocabulary), document and block ascend, heading[i] is -1 or below i and in the same document.
struct Corpus {
    std::span<const std::int32_t> ids;
    std::span<const std::int64_t> offsets;
    std::size_t vocabulary;
    std::span<const std::int32_t> document;
    std::span<const std::int32_t> block;
    std::span<const std::int32_t> heading;

    std::size_t size() const { return document.size(); }
    std::span<const std::int32_t> row(std::size_t i) const {
        const auto begin = static_cast<std::size_t>(offsets[i]);
        return ids.subspan(begin, static_cast<std::size_t>(offsets[i + 1]) - begin);
    }
};

// Number of segments that hold each term. O(terms).
std::vector<std::int32_t> segment_frequency(const Corpus& corpus);

// idf = ln(1 + (n - df + 0.5) / (df + 0.5)): BM25's, never negative (Robertson and Zaragoza 2009, with Lucene's + 1).
// Rounded to float32, so the last bit of the C library's log does not show.
float inverse_frequency(double df, double n);

// That of each term among the segments. O(terms).
std::vector<float> inverse_frequency(const Corpus& corpus);

}  // namespace tersely::lexical
