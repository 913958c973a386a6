#include "kernels/similarity/panels.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace tersely::similarity {
namespace {

// The share of the columns after which products below the threshold can mostly be told: what stands behind it, about as
// long as the root of its share, adds less than is missing. Measured with sentence embeddings and random vectors.
std::size_t head_of(std::size_t groups, double threshold) {
    constexpr std::size_t kStep = simd::kSums / 4;
    const double share = std::clamp(1.3 - threshold, 0.25, 0.6);
    return static_cast<std::size_t>(share * static_cast<double>(groups)) / kStep * kStep;
}

}  // namespace

template <typename T>
Panels::Lines<T> Panels::lines(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
    return Lines<T>(static_cast<T*>(::operator new(count * sizeof(T), kLine)));
}

Panels::Panels(std::size_t rows, std::size_t depth, std::optional<double> threshold) : rows_(rows), depth_(depth) {
    constexpr std::size_t kMostColumns = std::size_t{1} << 17U;  // that products of codes are exact for
    const std::size_t padded = count() * simd::kPanel;
    if (depth != 0 && padded > std::numeric_limits<std::size_t>::max() / 8 / depth) throw std::bad_alloc();
    floats_ = lines<float>(padded * depth);
    if (!threshold || simd::dot_kernels().screening == nullptr || depth > kMostColumns) return;
    head_ = head_of(groups(), *threshold);
    codes_ = lines<signed char>(padded * groups() * 4);
    scale_ = lines<float>(padded);
    residual_ = lines<float>(padded);
    rest_ = lines<float>(padded);
    head_offset_ = lines<std::int32_t>(padded);
    rest_offset_ = lines<std::int32_t>(padded);
}

void Panels::clear(std::size_t panel) {
    const std::size_t row = panel * simd::kPanel;
    std::fill_n(floats_.get() + row * depth_, simd::kPanel * depth_, 0.0F);
    if (!screened()) return;
    std::fill_n(codes_.get() + row * groups() * 4, simd::kPanel * groups() * 4, static_cast<signed char>(0));
    for (float* of : {scale_.get(), residual_.get(), rest_.get()}) std::fill_n(of + row, simd::kPanel, 0.0F);
    for (std::int32_t* of : {head_offset_.get(), rest_offset_.get()}) std::fill_n(of + row, simd::kPanel, 0);
}

simd::CodedRows Panels::coded(std::size_t row) const {
    const std::size_t panel = row / simd::kPanel;
    const std::size_t place = (panel * groups() * simd::kPanel + row % simd::kPanel) * 4;
    return {codes_.get() + place, scale_.get() + row,       residual_.get() + row,
            rest_.get() + row,    head_offset_.get() + row, rest_offset_.get() + row};
}

// Sixteen rows stay in the first cache while they are scaled, and are then written side by side.
class Packer {
  public:
    Packer(const Rows& rows, Panels& panels)
        : panels_(panels),
          reader_(rows),
          stride_(reader_.padded()),
          floats_(std::make_unique_for_overwrite<float[]>(simd::kPackRows * stride_)) {
        if (panels.screened()) codes_ = std::make_unique_for_overwrite<signed char[]>(simd::kPackRows * stride_);
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
        const simd::RowCode made = simd::dot_kernels().screening->code(floats, stride_, panels_.head(), codes);
        panels_.scale_[row] = made.scale;
        panels_.residual_[row] = made.residual;
        panels_.rest_[row] = made.rest;
        panels_.head_offset_[row] = made.head_offset;
        panels_.rest_offset_[row] = made.rest_offset;
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
        copy_lines(from.coded(source).codes, const_cast<signed char*>(coded(target).codes), groups(), count);
        std::copy_n(&from.scale_[source], count, &scale_[target]);
        std::copy_n(&from.residual_[source], count, &residual_[target]);
        std::copy_n(&from.rest_[source], count, &rest_[target]);
        std::copy_n(&from.head_offset_[source], count, &head_offset_[target]);
        std::copy_n(&from.rest_offset_[source], count, &rest_offset_[target]);
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

}  // namespace tersely::similarity
