// Rows scaled to length one, as float, in the panels that simd::DotKernels reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>

#include "kernels/parallel.hpp"
#include "kernels/similarity/rows.hpp"
#include "simd/screen.hpp"

namespace tersely::similarity {

// Room for `rows` rows: written by pack(), all of them, or by append(), from the first on. What is not written to takes
// no memory where there is much of it.
class Panels {
  public:
    // `head`: what screen_head() says. With one, rows get codes beside the floats.
    Panels(std::size_t rows, std::size_t depth, std::optional<std::size_t> head = {});

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
    std::size_t head() const { return head_; }               // of the groups, after which the screen may stop
    // The codes from this row of its panel on; a multiple of kTileRows, or of kPanel for all of a panel.
    simd::CodedRows coded(std::size_t row) const;
    // Makes the rows of a panel zero.
    void clear(std::size_t panel);
    // Copies packed rows, which ascend, to the rows from `place` on, where the last call ended.
    void append(const Panels& from, std::span<const std::int32_t> taken, std::size_t place, const Workers& workers);

  private:
    void copy_rows(const Panels& from, std::span<const std::int32_t> taken, std::size_t place);

    friend class Packer;
    struct Free {
        void operator()(void* memory) const { ::operator delete(memory, kLine); }
    };
    template <typename T>
    using Lines = std::unique_ptr<T[], Free>;  // not initialized, on a cache line
    template <typename T>
    static Lines<T> lines(std::size_t count);
    static constexpr std::align_val_t kLine{64};

    std::size_t rows_, depth_, head_ = 0, blocks_ = 0;
    Lines<float> floats_;
    Lines<signed char> codes_;
    Lines<float> scale_, reach_, rest_;  // of each row
    Lines<std::int32_t> offsets_;        // of each row for each block of columns, panel by panel
};

// Writes row order[i] of `rows` (row i where `order` is empty) as row i of `panels`, which they fill. Each value is
// rounded once to float. Throws NotFinite. O(rows * depth).
void pack(const Rows& rows, std::span<const std::int32_t> order, Panels& panels, const Workers& workers);

// The groups of four columns after which the screen for products that reach `threshold` should first stop: where it has
// read least, by a sample of the rows where they are many. None where the instruction set has no screen, or too much
// would pass it. It changes time only. Throws NotFinite. O(d) a pair of up to 64 rows.
std::optional<std::size_t> screen_head(const Rows& rows, double threshold);

// Largest difference between a product of packed rows and the cosine of the rows themselves.
//
// Packing gives u' with |u'_k - u_k| <= r |u_k| + 2^-63, r = 2^-24 (1 + 2^-20) for the rounding to float after a few
// roundings in double. With Cauchy-Schwarz, sum |u_k v_k| <= 1, so exact products of packed rows are off by at most
// 2 r + r^2 + 2^-62 sqrt(d) (1 + r). The chain of d fused multiply-adds adds at most g (1 + r)^2 with
// g = d e / (1 - d e), e = 2^-24 (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 3.1: each of d
// roundings). For d <= 2^20 all of this is below (d + 4) 2^-24 / (1 - (d + 4) 2^-24).
double margin(std::size_t depth);

}  // namespace tersely::similarity
