// A static embedder: the vector of a text is the scaled sum of its tokens' rows.
//
// Contract:
//  - row r of a table of d columns is d / 2 bytes: byte b holds column b in its low four bits and column d / 2 + b in
//    its high ones, each as value + 8 with a value of -8 to 7; column c stands for scale[r] * value;
//  - a text's vector is the sum of its tokens' rows (wordpiece.hpp), with repeats, in float32, column by column in the
//    order of the tokens (simd/codes.hpp), then scaled to length one: the sum of squares in double in the order of
//    DotKernels::dot, each element times 1 / its root in double, rounded to float32. What weight a token has is part
//    of its scale. A text without tokens, or whose rows cancel, gives zeros;
//  - a scale is 0 or of magnitude kLeastScale to kMostScale, so that no sum overflows or is denormal;
//  - std::invalid_argument for anything else, naming the row.
// O(text + tokens * d) time; memory for kChunk tokens, however long the text is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/embed/wordpiece.hpp"
#include "kernels/large_pages.hpp"
#include "kernels/spare.hpp"

namespace tersely::embed {

class StaticTable {
  public:
    static constexpr float kLeastScale = 0x1p-64F, kMostScale = 0x1p64F;
    static constexpr std::size_t kMostDimensions = 8192;

    // `rows`: `scales.size()` rows of the same even number of columns, as many as there are words.
    StaticTable(std::string_view words, std::span<const std::uint8_t> rows, std::span<const float> scales);
    std::size_t dimensions() const { return dimensions_; }
    std::size_t size() const { return scales_.size(); }
    const WordPiece& tokenizer() const { return tokenizer_; }

    // Writes the dimensions() floats of each text's vector, one after another.
    void embed(std::span<const std::string_view> texts, float* out) const;
    // Writes the product of each text's vector with that of `query`, summed in double in the order of
    // DotKernels::dot and rounded to float32; keeps no vectors.
    void similarity(std::string_view query, std::span<const std::string_view> texts, float* out) const;

  private:
    struct Scratch;
    static constexpr std::size_t kChunk = 4096;  // tokens
    void embed_one(std::string_view text, Scratch& scratch, float* out) const;
    void check_scales() const;
    void pack(std::span<const std::uint8_t> rows);

    WordPiece tokenizer_;
    std::vector<float> scales_;
    std::size_t dimensions_ = 0;
    std::size_t width_ = 0;           // bytes of a row, padded with zero columns to whole blocks
    LargeTable<std::uint8_t> codes_;  // row after row
    Spare<KnownWords> known_;         // words that earlier calls met
};

}  // namespace tersely::embed
