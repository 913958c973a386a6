#include "kernels/similarity/similarity.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>

#include "kernels/similarity/tiles.hpp"

namespace tersely::similarity {

namespace {

// IEEE 754 binary16, exact.
double half(std::uint16_t bits) {
    const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
    const int exponent = (bits >> 10U) & 0x1F;
    const double fraction = bits & 0x3FFU;
    if (exponent == 0) return sign * fraction * 0x1p-24;
    if (exponent == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
    return sign * std::ldexp(1024 + fraction, exponent - 25);
}

template <typename T>
T at(const std::byte* place) {  // need not be aligned
    T value;
    std::memcpy(&value, place, sizeof(T));
    return value;
}

}  // namespace

NotFinite::NotFinite(std::size_t at)
    : std::invalid_argument("row " + std::to_string(at) + " holds a NaN or an infinity"), row(at) {}

void RowReader::load(std::size_t row) {
    const std::byte* place = rows_.data + static_cast<std::ptrdiff_t>(row) * rows_.row_stride;
    const bool aligned = reinterpret_cast<std::uintptr_t>(place) % alignof(float) == 0;
    if (rows_.format == Format::kSingle && rows_.column_stride == sizeof(float) && aligned) {
        simd::dot_kernels().widen(reinterpret_cast<const float*>(place), rows_.depth, values_.data());
        return;
    }
    for (double& value : std::span(values_).first(rows_.depth)) {
        switch (rows_.format) {
            case Format::kHalf:
                value = half(at<std::uint16_t>(place));
                break;
            case Format::kSingle:
                value = static_cast<double>(at<float>(place));
                break;
            case Format::kDouble:
                value = at<double>(place);
                break;
        }
        place += rows_.column_stride;
    }
}

double RowReader::read(std::size_t row) {
    load(row);
    const simd::DotKernels& kernels = simd::dot_kernels();
    double sum = kernels.dot(values_.data(), values_.data(), values_.size());
    if (!(sum >= 0x1p-600 && sum <= 0x1p600)) {  // too large or small to square, zero, or not finite
        double largest = 0;
        for (const double value : values_) {
            if (!std::isfinite(value)) throw NotFinite(row);
            largest = std::fmax(largest, std::fabs(value));
        }
        if (largest == 0) return 0;
        const int exponent = std::ilogb(largest);
        for (double& value : values_) value = std::scalbn(value, -exponent);
        sum = kernels.dot(values_.data(), values_.data(), values_.size());
    }
    return 1 / std::sqrt(sum);
}

double Cosine::operator()(std::size_t i, std::size_t j) {
    if (held_ != i) {
        factor_ = left_.read(i);
        held_ = i;
    }
    const double other = right_.read(j);
    return simd::dot_kernels().dot(left_.values(), right_.values(), depth_) * factor_ * other;
}

namespace {

constexpr std::size_t kStep = simd::kSums;  // columns; heads are multiples of it

// Some rows, as floats of length one, column by column: value k of row r stands at [k * rows + r].
std::vector<float> sampled(const Rows& rows, std::size_t count) {
    RowReader reader(rows);
    std::vector<float> values(rows.depth * count);
    for (std::size_t r = 0; r < count; ++r) {
        const double factor = reader.read(r * (rows.count / count));
        for (std::size_t k = 0; k < rows.depth; ++k) {
            values[k * count + r] = static_cast<float>(reader.values()[k] * factor);
        }
    }
    return values;
}

// The share of the pairs of sampled rows that could reach `least` after 0, kStep, 2 kStep, ... columns, what stands
// behind them adding at most the product of its lengths: as counted, or as a normal distribution has it if that is
// more.
std::vector<double> reachable(const std::vector<float>& values, std::size_t rows, float least) {
    const std::size_t depth = values.size() / rows, steps = depth / kStep;
    const double pairs = static_cast<double>(rows) * static_cast<double>(rows - 1) / 2;
    std::vector<float> products(rows * rows), rest(rows, 1), lengths(rows);
    std::vector<double> shares(steps + 1, 1);
    for (std::size_t step = 0; step < steps; ++step) {
        for (std::size_t k = step * kStep; k < (step + 1) * kStep; ++k) {
            const float* column = &values[k * rows];
            for (std::size_t r = 0; r < rows; ++r) rest[r] -= column[r] * column[r];
            for (std::size_t i = 0; i < rows; ++i) {
                for (std::size_t j = 0; j < i; ++j) products[i * rows + j] += column[i] * column[j];
            }
        }
        std::transform(rest.begin(), rest.end(), lengths.begin(), [](float x) { return std::sqrt(std::max(x, 0.0F)); });
        double found = 0, sum = 0, squares = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                const double missing = least - (products[i * rows + j] + lengths[i] * lengths[j]);
                found += missing <= 0 ? 1 : 0;
                sum += missing;
                squares += missing * missing;
            }
        }
        const double mean = sum / pairs, variance = std::max(squares / pairs - mean * mean, 1e-12);
        shares[step + 1] = std::max(found / pairs, std::erfc(mean / std::sqrt(2 * variance)) / 2);
    }
    return shares;
}

}  // namespace

std::optional<std::size_t> screen_head(const Rows& rows, double threshold) {
    constexpr std::size_t kMostColumns = std::size_t{1} << 17U;  // that products of codes are exact for
    constexpr std::size_t kMostRows = 64, kLeastRows = 16, kRowsToOne = 64;
    constexpr double kLost = 0.03;  // to the roundings of codes, about
    const simd::ScreenKernels* screening = simd::dot_kernels().screening;
    if (screening == nullptr || rows.depth > kMostColumns) return {};
    const std::size_t count = std::min(kMostRows, rows.count / kRowsToOne);
    if (count < kLeastRows) {  // measured with sentence embeddings and random vectors
        if (threshold < 0.25) return {};
        const double share = std::clamp(1.3 - threshold, 0.25, 0.6);
        return static_cast<std::size_t>(share * static_cast<double>(rows.depth)) / kStep * kStep / 4;
    }
    const std::vector<double> shares = reachable(sampled(rows, count), count, static_cast<float>(threshold - kLost));
    if (shares.back() * simd::kPanel > 1) return {};  // most rows have something in most panels
    const auto cost = [&](std::size_t step) {         // columns read
        const double head = static_cast<double>(step * kStep);
        const double on = std::min(1.0, shares[step] * static_cast<double>(screening->together));
        return head + on * (static_cast<double>(rows.depth) - head);
    };
    std::size_t best = 0;
    for (std::size_t step = 1; step < shares.size(); ++step) {
        if (cost(step) < cost(best)) best = step;
    }
    return best * kStep / 4;
}

template <typename T>
Panels::Lines<T> Panels::lines(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
    return Lines<T>(static_cast<T*>(::operator new(count * sizeof(T), kLine)));
}

Panels::Panels(std::size_t rows, std::size_t depth, std::optional<std::size_t> head) : rows_(rows), depth_(depth) {
    const std::size_t padded = count() * simd::kPanel;
    if (depth != 0 && padded > std::numeric_limits<std::size_t>::max() / 8 / depth) throw std::bad_alloc();
    floats_ = lines<float>(padded * depth);
    if (!head) return;
    head_ = *head;
    codes_ = lines<signed char>(padded * groups() * 4);
    scale_ = lines<float>(padded);
    reach_ = lines<float>(padded);
    rest_ = lines<float>(padded);
    blocks_ = simd::dot_kernels().screening->blocks(head_, groups());
    offsets_ = lines<std::int32_t>(padded * blocks_);
}

void Panels::clear(std::size_t panel) {
    const std::size_t row = panel * simd::kPanel;
    std::fill_n(floats_.get() + row * depth_, simd::kPanel * depth_, 0.0F);
    if (!screened()) return;
    std::fill_n(codes_.get() + row * groups() * 4, simd::kPanel * groups() * 4, static_cast<signed char>(0));
    for (float* of : {scale_.get(), rest_.get()}) std::fill_n(of + row, simd::kPanel, 0.0F);
    std::fill_n(reach_.get() + row, simd::kPanel, 1.0F);
    std::fill_n(offsets_.get() + row * blocks_, simd::kPanel * blocks_, 0);
}

simd::CodedRows Panels::coded(std::size_t row) const {
    const std::size_t first = row / simd::kPanel * simd::kPanel, place = row % simd::kPanel;
    return {codes_.get() + (first * groups() + place) * 4, scale_.get() + row, reach_.get() + row, rest_.get() + row,
            offsets_.get() + first * blocks_ + place};
}

// Sixteen rows stay in the first cache while they are scaled, and are then written side by side.
class Packer {
  public:
    Packer(const Rows& rows, Panels& panels)
        : panels_(panels), reader_(rows), stride_(reader_.padded()), floats_(new float[simd::kPackRows * stride_]) {
        if (panels.screened()) codes_.reset(new signed char[simd::kPackRows * stride_]);
    }

    // Scales, rounds and codes rows order[0], order[1], ... as the rows from `first` on, a multiple of kPackRows; at
    // most kPackRows of them.
    void write(std::span<const std::int32_t> order, std::size_t first) {
        const simd::DotKernels& kernels = simd::dot_kernels();
        for (std::size_t r = 0; r < order.size(); ++r) {
            const double factor = reader_.read(static_cast<std::size_t>(order[r]));
            kernels.scale(reader_.values(), stride_, factor, floats_.get() + r * stride_);
            if (codes_) write_code(r, first + r);
        }
        if (order.size() < simd::kPackRows) {
            const std::size_t left = (simd::kPackRows - order.size()) * stride_;
            std::fill_n(floats_.get() + order.size() * stride_, left, 0.0F);
            if (codes_) std::fill_n(codes_.get() + order.size() * stride_, left, static_cast<signed char>(0));
        }
        kernels.interleave(floats_.get(), stride_, panels_.depth(), panels_.row(first));
        if (!codes_) return;
        auto* words = const_cast<signed char*>(panels_.coded(first).codes);
        kernels.interleave(codes_.get(), stride_ / 4, panels_.groups(), words);
    }

  private:
    void write_code(std::size_t r, std::size_t row) {
        const float* floats = floats_.get() + r * stride_;
        signed char* codes = codes_.get() + r * stride_;
        auto* offsets = const_cast<std::int32_t*>(panels_.coded(row).offsets);
        const simd::RowCode made = simd::dot_kernels().screening->code(floats, stride_, panels_.head(), codes, offsets);
        panels_.scale_[row] = made.scale;
        panels_.reach_[row] = made.reach;
        panels_.rest_[row] = made.rest;
    }

    Panels& panels_;
    RowReader reader_;
    std::size_t stride_;
    std::unique_ptr<float[]> floats_;
    std::unique_ptr<signed char[]> codes_;
};

namespace {

// Copies `count` words of 4 bytes of each of so many lines of kPanel words.
void copy_lines(const void* from, void* to, std::size_t lines, std::size_t count) {
    constexpr std::size_t kBytes = simd::kPanel * 4;
    const auto* source = static_cast<const std::byte*>(from);
    auto* target = static_cast<std::byte*>(to);
    for (std::size_t line = 0; line < lines; ++line)
        std::memcpy(target + line * kBytes, source + line * kBytes, count * 4);
}

}  // namespace

// A panel of the target at a time: its memory is new, so that most of the time goes into getting it.
void Panels::append(const Panels& from, std::span<const std::int32_t> taken, std::size_t place,
                    const Workers& workers) {
    constexpr std::size_t kPanel = simd::kPanel;
    constexpr double kWork = 32;  // a value takes the time of so many multiply-adds
    if (taken.empty()) return;
    const std::size_t first = place / kPanel, end = place + taken.size();
    const auto append_panel = [&](std::size_t unit, int) {
        const std::size_t begin = std::max((first + unit) * kPanel, place);
        if (begin % kPanel == 0) clear(first + unit);
        copy_rows(from, taken.subspan(begin - place, std::min((first + unit + 1) * kPanel, end) - begin), begin);
    };
    run_units(workers.at_most(kWork * static_cast<double>(taken.size() * depth_)), (end - 1) / kPanel + 1 - first,
              append_panel);
}

// In runs of rows that stand side by side in both.
void Panels::copy_rows(const Panels& from, std::span<const std::int32_t> taken, std::size_t place) {
    constexpr std::size_t kPanel = simd::kPanel;
    for (std::size_t begin = 0, end = 0; begin < taken.size(); begin = end) {
        const auto source = static_cast<std::size_t>(taken[begin]);
        const std::size_t target = place + begin;
        const std::size_t most = std::min(kPanel - source % kPanel, kPanel - target % kPanel);
        for (end = begin + 1; end < taken.size() && end - begin < most; ++end) {
            if (static_cast<std::size_t>(taken[end]) != source + (end - begin)) break;
        }
        const std::size_t count = end - begin;
        copy_lines(from.row(source), row(target), depth_, count);
        if (!screened()) continue;
        const simd::CodedRows read = from.coded(source), written = coded(target);
        copy_lines(read.codes, const_cast<signed char*>(written.codes), groups(), count);
        copy_lines(read.offsets, const_cast<std::int32_t*>(written.offsets), blocks_, count);
        std::copy_n(read.scale, count, &scale_[target]);
        std::copy_n(read.reach, count, &reach_[target]);
        std::copy_n(read.rest, count, &rest_[target]);
    }
}

void pack(const Rows& rows, std::span<const std::int32_t> order, Panels& panels, const Workers& workers) {
    constexpr std::size_t kRows = simd::kPackRows;
    const std::size_t count = order.empty() ? rows.count : order.size();
    constexpr double kWork = 48;  // a value takes the time of so many multiply-adds
    const double work = kWork * static_cast<double>(count) * static_cast<double>(rows.depth);
    const std::size_t units = (count + simd::kPanel - 1) / simd::kPanel;
    if (count % simd::kPanel != 0) panels.clear(units - 1);
    const auto pack_panel = [&](std::size_t unit, int) {
        Packer packer(rows, panels);
        std::array<std::int32_t, kRows> numbers;
        for (std::size_t i = unit * simd::kPanel; i < std::min(count, (unit + 1) * simd::kPanel); i += kRows) {
            const auto some = std::span(numbers).first(std::min(kRows, count - i));
            for (std::size_t r = 0; r < some.size(); ++r) {
                some[r] = order.empty() ? static_cast<std::int32_t>(i + r) : order[i + r];
            }
            packer.write(some, i);
        }
    };
    run_units(workers.at_most(work), units, pack_panel, 0, 0);
}

double margin(std::size_t depth) {
    const double roundings = (static_cast<double>(depth) + 4) * 0x1p-24;
    return roundings / (1 - roundings);
}

Threshold::Threshold(const Rows& rows, double threshold, int workers) : exact_(threshold - 1e-9) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    least_ = std::nextafter(static_cast<float>(exact_ - margin(rows.depth)), -kInfinity);
    certain_ = std::nextafter(static_cast<float>(exact_ + margin(rows.depth)), kInfinity);
    cosines_.reserve(static_cast<std::size_t>(workers));
    for (int worker = 0; worker < workers; ++worker) cosines_.emplace_back(rows);
}

bool Threshold::exactly(std::size_t i, std::size_t j, int worker) {
    return cosines_[static_cast<std::size_t>(worker)](i, j) >= exact_;
}

namespace {

// Writes the products of two panels, and where `mirrored` their transpose too (a product is the same both ways).
void write_panels(const Panels& left, std::size_t left_panel, const Panels& right, std::size_t right_panel, float* out,
                  std::size_t stride, bool mirrored) {
    constexpr std::size_t kRows = simd::kTileRows;
    constexpr std::size_t kPanel = simd::kPanel;
    alignas(64) float products[kRows * kPanel];
    std::uint64_t hits[kRows];
    const std::size_t first = right_panel * kPanel;
    const std::size_t columns = std::min(kPanel, right.rows() - first);
    const std::size_t last = std::min((left_panel + 1) * kPanel, left.rows());
    for (std::size_t row = left_panel * kPanel; row < last; row += kRows) {
        simd::dot_kernels().tile(left.row(row), right.panel(right_panel), left.depth(),
                                 -std::numeric_limits<float>::infinity(), products, hits);
        const std::size_t rows = std::min(kRows, last - row);
        for (std::size_t r = 0; r < rows; ++r) {
            std::copy_n(products + r * kPanel, columns, out + (row + r) * stride + first);
        }
        if (!mirrored) continue;
        for (std::size_t c = 0; c < columns; ++c) {
            float* target = out + (first + c) * stride + row;
            for (std::size_t r = 0; r < rows; ++r) target[r] = products[r * kPanel + c];
        }
    }
}

}  // namespace

void all_similarities(const Rows& x, const Rows* y, float* out, std::size_t stride, const Workers& workers) {
    Panels left(x.count, x.depth);
    pack(x, {}, left, workers);
    Panels other(y != nullptr ? y->count : 0, x.depth);
    if (y != nullptr) pack(*y, {}, other, workers);
    const Panels& right = y != nullptr ? other : left;
    const double work = static_cast<double>(x.count) * static_cast<double>(right.rows() * x.depth);
    const Workers useful = workers.at_most(y != nullptr ? work : work / 2);
    const std::size_t size = block_panels(x.depth, std::max(left.count(), right.count()), useful.threads);
    const std::size_t rows = (left.count() + size - 1) / size;
    const std::size_t columns = (right.count() + size - 1) / size;
    const std::size_t units = y != nullptr ? rows * columns : triangle_units(rows);
    run_units(useful, units, [&](std::size_t unit, int) {
        const auto [row, column] = y != nullptr ? std::pair(unit / columns, unit % columns) : triangle(unit);
        for (std::size_t q = column * size; q < std::min((column + 1) * size, right.count()); ++q) {
            for (std::size_t p = row * size; p < std::min((row + 1) * size, left.count()); ++p) {
                if (y == nullptr && p > q) break;
                write_panels(left, p, right, q, out, stride, y == nullptr && p != q);
            }
        }
    });
}

std::vector<Pair> grouped(std::span<const std::vector<Pair>> lists, std::size_t rows, std::int32_t Pair::* by) {
    std::vector<std::size_t> next(rows + 1);
    for (const std::vector<Pair>& list : lists) {
        for (const Pair& pair : list) ++next[static_cast<std::size_t>(pair.*by) + 1];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<Pair> all(next.back());
    for (const std::vector<Pair>& list : lists) {
        for (const Pair& pair : list) all[next[static_cast<std::size_t>(pair.*by)]++] = pair;
    }
    return all;
}

TooManyPairs::TooManyPairs(std::size_t most)
    : std::length_error("more than max_pairs = " + std::to_string(most) + " pairs reach the threshold") {}

std::vector<Pair> pairs_at_least(const Rows& x, double threshold, std::size_t most, const Workers& workers) {
    Panels packed(x.count, x.depth, screen_head(x, threshold));
    pack(x, {}, packed, workers);
    Threshold decide(x, threshold, workers.threads);
    std::vector<std::vector<Pair>> found(static_cast<std::size_t>(workers.threads));
    std::atomic<std::size_t> total{0};
    visit_pairs(packed, decide.least(), workers, [&](std::size_t i, std::size_t j, float product, int worker) {
        if (!decide.reached(i, j, product, worker)) return;
        if (++total > most) throw TooManyPairs(most);
        found[static_cast<std::size_t>(worker)].push_back(
            {static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), product});
    });
    std::vector<Pair> all = grouped(found, x.count, &Pair::i);
    std::vector<std::vector<Pair>>().swap(found);
    for (auto begin = all.begin(), end = begin; begin != all.end(); begin = end) {
        end = std::find_if(begin, all.end(), [&](const Pair& pair) { return pair.i != begin->i; });
        std::sort(begin, end, [](const Pair& a, const Pair& b) { return a.j < b.j; });
        workers.check(1);
    }
    return all;
}

std::vector<std::uint8_t> has_pair(const Rows& x, double threshold, const Workers& workers) {
    Panels packed(x.count, x.depth, screen_head(x, threshold));
    pack(x, {}, packed, workers);
    Threshold decide(x, threshold, workers.threads);
    std::vector<std::vector<std::uint8_t>> found(static_cast<std::size_t>(workers.threads),
                                                 std::vector<std::uint8_t>(x.count));
    visit_pairs(packed, decide.least(), workers, [&](std::size_t i, std::size_t j, float product, int worker) {
        std::vector<std::uint8_t>& mine = found[static_cast<std::size_t>(worker)];
        if ((mine[i] & mine[j]) == 0 && decide.reached(i, j, product, worker)) mine[i] = mine[j] = 1;
    });
    for (std::size_t worker = 1; worker < found.size(); ++worker) {
        for (std::size_t row = 0; row < x.count; ++row) found[0][row] |= found[worker][row];
    }
    return std::move(found[0]);
}

}  // namespace tersely::similarity
