#include "kernels/similarity/panels.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>

namespace tersely::similarity {

Panels::Panels(std::size_t rows, std::size_t depth) : rows_(rows), depth_(depth) {
    constexpr std::size_t kLine = 64;
    const std::size_t floats = count() * simd::kPanel;
    if (depth != 0 && floats > std::numeric_limits<std::size_t>::max() / 8 / depth) throw std::bad_alloc();
    std::size_t room = floats * depth * sizeof(float) + kLine;
    memory_.reset(std::calloc(room, 1));  // large ones come as pages that are zero without being written to
    void* place = memory_.get();
    if (place == nullptr) throw std::bad_alloc();
    floats_ = static_cast<float*>(std::align(kLine, floats * depth * sizeof(float), place, room));
}

void Panels::Free::operator()(void* memory) const { std::free(memory); }

void pack(const Rows& rows, std::span<const std::int32_t> order, Panels& panels, std::size_t first,
          const Workers& workers) {
    const std::size_t count = order.empty() ? rows.count : order.size();
    const std::size_t units = (count + simd::kPanel - 1) / simd::kPanel;
    const double work = 8 * static_cast<double>(count) * static_cast<double>(rows.depth);
    const auto pack_panel = [&](std::size_t unit, int) {
        RowReader reader(rows);
        for (std::size_t i = unit * simd::kPanel; i < std::min(count, (unit + 1) * simd::kPanel); ++i) {
            const double factor = reader.read(order.empty() ? i : static_cast<std::size_t>(order[i]));
            simd::dot_kernels().scatter(reader.values(), rows.depth, factor, panels.row(first + i));
        }
    };
    run_units(workers.at_most(work), units, pack_panel, 0, 0);
}

void copy_row(const Panels& from, std::size_t row, Panels& to, std::size_t place) {
    const float* source = from.row(row);
    float* target = to.row(place);
    for (std::size_t k = 0; k < from.depth(); ++k) target[k * simd::kPanel] = source[k * simd::kPanel];
}

double margin(std::size_t depth) {
    const double roundings = (static_cast<double>(depth) + 4) * 0x1p-24;
    return roundings / (1 - roundings);
}

}  // namespace tersely::similarity
