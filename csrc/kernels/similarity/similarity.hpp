// Cosine similarity of all rows, and the pairs that reach a threshold.
//
// Contract: a similarity is the product of two packed rows (one chain of fused multiply-adds), the same
// bits for every thread count, tile and instruction set; a zero row has similarity 0 to everything; a row with a NaN or
// an infinity throws NotFinite. Absolute error at most margin(depth).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "kernels/parallel.hpp"
#include "simd/dot.hpp"
#include "simd/screen.hpp"

namespace tersely::similarity {

// Vectors as the caller holds them, read in double and scaled to length one.

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

// Rows scaled to length one, as float, in the panels that simd::DotKernels reads.

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

// Whether a cosine reaches a threshold, decided as in double.

// The float product of two packed rows decides where it is further from the threshold than margin();
// the rest is computed again in double from the rows themselves. So the answer does not depend on float: a pair is in
// where its cosine, in double, is at least threshold - 1e-9 (identical rows reach 1).
class Threshold {
  public:
    Threshold(const Rows& rows, double threshold, int workers);

    float least() const { return least_; }  // products below it are out
    bool reached(std::size_t i, std::size_t j, float product, int worker) {
        return product >= certain_ || (product >= least_ && exactly(i, j, worker));
    }

  private:
    bool exactly(std::size_t i, std::size_t j, int worker);
    double exact_;
    float least_, certain_;
    std::vector<Cosine> cosines_;  // one a worker
};

// out[i * stride + j] = similarity of row i of x with row j of y (nullptr: of x). O(n m d) time, O((n + m) d) memory.
void all_similarities(const Rows& x, const Rows* y, float* out, std::size_t stride, const Workers& workers);

struct Pair {
    std::int32_t i, j;
    float similarity;
};

// The pairs of all lists by i (or j), which is below `rows`, those of one i in the order in which they are given.
// O(pairs + rows).
std::vector<Pair> grouped(std::span<const std::vector<Pair>> lists, std::size_t rows, std::int32_t Pair::* by);

struct TooManyPairs : std::length_error {
    explicit TooManyPairs(std::size_t most);
};

// The pairs i < j whose cosine reaches the threshold, by i, then j. Throws TooManyPairs when there are
// more than `most`. O(n^2 d) time, O(n d + pairs) memory.
std::vector<Pair> pairs_at_least(const Rows& x, double threshold, std::size_t most, const Workers& workers);

// 1 for each row whose cosine with some other row reaches the threshold, 0 for the others. O(n^2 d) time, O(n (d +
// threads)) memory.
std::vector<std::uint8_t> has_pair(const Rows& x, double threshold, const Workers& workers);

}  // namespace tersely::similarity
