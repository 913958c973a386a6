// Vectors as the caller holds them, read in double and scaled to length one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "simd/dot.hpp"

namespace tersely::similarity {

enum class Format : std::uint8_t { kHalf, kSingle, kDouble };

// A matrix of floating point numbers of any strides (in bytes; may be 0 or negative).
struct Rows {
    const std::byte* data = nullptr;
    Format format = Format::kSingle;
    std::size_t count = 0;
    std::size_t depth = 0;
    std::ptrdiff_t row_stride = 0;
    std::ptrdiff_t column_stride = 0;
};

// A row with a NaN or an infinity. Where several threads meet one, the lowest is not always named first.
struct NotFinite : std::invalid_argument {
    explicit NotFinite(std::size_t at);
    std::size_t row;
};

// Reads rows one after another into one buffer.
class RowReader {
  public:
    explicit RowReader(const Rows& rows)
        : rows_(rows), values_((rows.depth + simd::kSums - 1) / simd::kSums * simd::kSums) {}

    // The row's values times a power of two that is the same for all of them, and the factor that makes them a vector
    // of length one (0 for a zero row): values() * factor is exact to double's rounding for norms that float or double
    // cannot hold. Throws NotFinite. O(depth).
    double read(std::size_t row);
    const double* values() const { return values_.data(); }
    std::size_t padded() const { return values_.size(); }  // with zeros, to a multiple of simd::kSums

  private:
    void load(std::size_t row);
    const Rows& rows_;
    std::vector<double> values_;
};

// Cosine of two rows in double: 0 where one is zero. Sums in the order of simd::DotKernels::dot.
class Cosine {
  public:
    explicit Cosine(const Rows& rows) : left_(rows), right_(rows), depth_(rows.depth) {}
    double operator()(std::size_t i, std::size_t j);

  private:
    RowReader left_, right_;
    std::size_t depth_;
    std::size_t held_ = static_cast<std::size_t>(-1);  // row in left_
    double factor_ = 0;
};

}  // namespace tersely::similarity
