#include "kernels/similarity/panels.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <new>

namespace tersely::similarity {

template <typename T>
Panels::Zeros<T> Panels::zeros(std::size_t count) {
    constexpr std::size_t kLine = 64;
    if (count > (std::numeric_limits<std::size_t>::max() >> 1U) / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = (count * sizeof(T) + kLine - 1) / kLine * kLine;
    void* memory = std::calloc(bytes + kLine, 1);  // large ones come as pages that are zero without being written to
    if (memory == nullptr) throw std::bad_alloc();
    const std::size_t gap = kLine - reinterpret_cast<std::uintptr_t>(memory) % kLine;
    auto* place = static_cast<std::byte*>(memory) + gap;
    place[-1] = static_cast<std::byte>(gap);  // for Free: 1 to kLine
    return Zeros<T>(static_cast<T*>(static_cast<void*>(place)));
}

Panels::Panels(std::size_t rows, std::size_t depth, bool screened) : rows_(rows), depth_(depth) {
    constexpr std::size_t kMostColumns = std::size_t{1} << 17U;  // that products of codes are exact for
    const std::size_t padded = count() * simd::kPanel;
    if (depth != 0 && padded > std::numeric_limits<std::size_t>::max() / 8 / depth) throw std::bad_alloc();
    floats_ = zeros<float>(padded * depth);
    if (!screened || simd::dot_kernels().screen == nullptr || depth > kMostColumns) return;
    codes_ = zeros<signed char>(padded * groups() * 4);
    scale_ = zeros<float>(padded);
    residual_ = zeros<float>(padded);
    offset_ = zeros<std::int32_t>(padded);
}

void Panels::Free::operator()(void* place) const {
    auto* bytes = static_cast<std::byte*>(place);
    std::free(bytes - static_cast<std::size_t>(bytes[-1]));
}

simd::CodedRows Panels::coded(std::size_t row) const {
    const std::size_t panel = row / simd::kPanel;
    const std::size_t place = (panel * groups() * simd::kPanel + row % simd::kPanel) * 4;
    return {codes_.get() + place, scale_.get() + row, residual_.get() + row, offset_.get() + row};
}

// Sixteen rows stay in the first cache while they are scaled, and are then written side by side.
void Panels::write(RowReader& reader, std::span<const std::int32_t> order, std::size_t first) {
    const simd::DotKernels& kernels = simd::dot_kernels();
    const std::size_t stride = reader.padded();
    std::vector<float> floats(simd::kPackRows * stride);
    std::vector<signed char> codes(screened() ? simd::kPackRows * stride : 0);
    for (std::size_t r = 0; r < order.size(); ++r) {
        const double factor = reader.read(static_cast<std::size_t>(order[r]));
        kernels.scale(reader.values(), stride, factor, floats.data() + r * stride);
        if (!screened()) continue;
        kernels.code(floats.data() + r * stride, stride, codes.data() + r * stride, &scale_[first + r],
                     &residual_[first + r], &offset_[first + r]);
    }
    kernels.interleave(floats.data(), stride, depth_, row(first));
    if (!screened()) return;
    kernels.interleave(codes.data(), stride / 4, groups(), const_cast<signed char*>(coded(first).codes));
}

// Column by column over the rows of one panel: a cache line of each holds a value of all of them.
void Panels::append(const Panels& from, std::span<const std::int32_t> taken, std::size_t place) {
    constexpr std::size_t kPanel = simd::kPanel;
    for (std::size_t begin = 0, end = 0; begin < taken.size(); begin = end) {
        const auto panel = static_cast<std::size_t>(taken[begin]) / kPanel;
        while (end < taken.size() && static_cast<std::size_t>(taken[end]) / kPanel == panel) ++end;
        for (std::size_t k = 0; k < depth_; ++k) {
            for (std::size_t i = begin; i < end; ++i) {
                row(place + i)[k * kPanel] = from.row(static_cast<std::size_t>(taken[i]))[k * kPanel];
            }
        }
        if (!screened()) continue;
        for (std::size_t g = 0; g < groups(); ++g) {
            for (std::size_t i = begin; i < end; ++i) {
                const signed char* code = from.coded(static_cast<std::size_t>(taken[i])).codes + g * 4 * kPanel;
                std::copy_n(code, 4, const_cast<signed char*>(coded(place + i).codes) + g * 4 * kPanel);
            }
        }
        for (std::size_t i = begin; i < end; ++i) {
            const auto source = static_cast<std::size_t>(taken[i]);
            scale_[place + i] = from.scale_[source];
            residual_[place + i] = from.residual_[source];
            offset_[place + i] = from.offset_[source];
        }
    }
}

void pack(const Rows& rows, std::span<const std::int32_t> order, Panels& panels, const Workers& workers) {
    constexpr std::size_t kRows = simd::kPackRows;
    const std::size_t count = order.empty() ? rows.count : order.size();
    const double work = 8 * static_cast<double>(count) * static_cast<double>(rows.depth);
    const std::size_t units = (count + simd::kPanel - 1) / simd::kPanel;
    const auto pack_panel = [&](std::size_t unit, int) {
        RowReader reader(rows);
        std::array<std::int32_t, kRows> numbers;
        for (std::size_t i = unit * simd::kPanel; i < std::min(count, (unit + 1) * simd::kPanel); i += kRows) {
            const auto some = std::span(numbers).first(std::min(kRows, count - i));
            for (std::size_t r = 0; r < some.size(); ++r) {
                some[r] = order.empty() ? static_cast<std::int32_t>(i + r) : order[i + r];
            }
            panels.write(reader, some, i);
        }
    };
    run_units(workers.at_most(work), units, pack_panel, 0, 0);
}

double margin(std::size_t depth) {
    const double roundings = (static_cast<double>(depth) + 4) * 0x1p-24;
    return roundings / (1 - roundings);
}

}  // namespace tersely::similarity
