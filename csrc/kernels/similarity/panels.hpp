// Rows scaled to length one, as float, in the panels that simd::DotKernels reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/parallel.hpp"
#include "kernels/similarity/rows.hpp"
#include "simd/dot.hpp"

namespace tersely::similarity {

// Room for `rows` rows; those never written to are zero and take no memory.
class Panels {
  public:
    // `screened`: with codes beside the floats, where the instruction set has a use for them.
    Panels(std::size_t rows, std::size_t depth, bool screened = false);

    std::size_t rows() const { return rows_; }
    std::size_t depth() const { return depth_; }
    std::size_t count() const { return (rows_ + simd::kPanel - 1) / simd::kPanel; }
    const float* panel(std::size_t number) const { return floats_.get() + number * simd::kPanel * depth_; }
    float* row(std::size_t number) {  // element k of it stands k * kPanel further
        return floats_.get() + (number / simd::kPanel) * simd::kPanel * depth_ + number % simd::kPanel;
    }
    const float* row(std::size_t number) const { return const_cast<Panels*>(this)->row(number); }

    bool screened() const { return codes_ != nullptr; }
    std::size_t groups() const { return (depth_ + 3) / 4; }  // of four columns
    // The codes from this row of its panel on; a multiple of kTileRows, or of kPanel for all of a panel.
    simd::CodedRows coded(std::size_t row) const;
    // Copies packed rows, which ascend, to the rows from `place` on.
    void append(const Panels& from, std::span<const std::int32_t> taken, std::size_t place);

    // Scales, rounds and codes rows order[0], order[1], ... as the rows from `first` on, a multiple of kPackRows; at
    // most kPackRows of them.
    void write(RowReader& reader, std::span<const std::int32_t> order, std::size_t first);

  private:
    struct Free {
        void operator()(void* memory) const;
    };
    template <typename T>
    using Zeros = std::unique_ptr<T[], Free>;  // on a cache line; pages not written to take no memory
    template <typename T>
    static Zeros<T> zeros(std::size_t count);

    std::size_t rows_, depth_;
    Zeros<float> floats_;
    Zeros<signed char> codes_;
    Zeros<float> scale_, residual_;  // of each row
    Zeros<std::int32_t> offset_;
};

// Writes row order[i] of `rows` (row i where `order` is empty) as row i of `panels`. Each value is rounded once to
// float. Throws NotFinite. O(rows * depth).
void pack(const Rows& rows, std::span<const std::int32_t> order, Panels& panels, const Workers& workers);

// Largest difference between a product of packed rows and the cosine of the rows themselves.
//
// Packing gives u' with |u'_k - u_k| <= r |u_k| + 2^-63, r = 2^-24 (1 + 2^-20) for the rounding to float after a few
// roundings in double. With Cauchy-Schwarz, sum |u_k v_k| <= 1, so exact products of packed rows are off by at most
// 2 r + r^2 + 2^-62 sqrt(d) (1 + r). The chain of d fused multiply-adds adds at most g (1 + r)^2 with
// g = d e / (1 - d e), e = 2^-24 (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 3.1: each of d
// roundings). For d <= 2^20 all of this is below (d + 4) 2^-24 / (1 - (d + 4) 2^-24).
double margin(std::size_t depth);

}  // namespace tersely::similarity
