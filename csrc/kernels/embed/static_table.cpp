#include "kernels/embed/static_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "kernels/parallel.hpp"
#include "simd/codes.hpp"
#include "simd/dot.hpp"

namespace tersely::embed {
namespace {

constexpr std::uint8_t kZeros = 0x88;  // two columns of value 0

void scale_to_one(const std::vector<float>& sums, std::vector<double>& wide, float* out) {
    const simd::DotKernels& kernels = simd::dot_kernels();
    kernels.widen(sums.data(), sums.size(), wide.data());
    const double squares = kernels.dot(wide.data(), wide.data(), wide.size());
    kernels.scale(wide.data(), wide.size(), squares > 0 ? 1 / std::sqrt(squares) : 0, out);
}

}  // namespace

StaticTable::StaticTable(std::string_view words, std::span<const std::uint8_t> rows, std::span<const float> scales)
    : tokenizer_(words), scales_(scales.begin(), scales.end()) {
    const std::size_t count = tokenizer_.words().size();
    if (scales.size() != count) {
        throw std::invalid_argument("there are " + std::to_string(count) + " words and " +
                                    std::to_string(scales.size()) + " scales");
    }
    if (rows.empty() || rows.size() % count != 0 || rows.size() / count * 2 > kMostDimensions) {
        throw std::invalid_argument("rows must have 2 to " + std::to_string(kMostDimensions) + " dimensions");
    }
    dimensions_ = rows.size() / count * 2;
    check_scales();
    pack(rows);
}

void StaticTable::check_scales() const {
    for (std::size_t row = 0; row < scales_.size(); ++row) {
        const float size = std::fabs(scales_[row]);
        if (size == 0 || (size >= kLeastScale && size <= kMostScale)) continue;
        std::array<char, 32> written{};
        std::snprintf(written.data(), written.size(), "%g", static_cast<double>(scales_[row]));
        throw std::invalid_argument("the scale of row " + std::to_string(row) + " is " + written.data() +
                                    "; its magnitude must be 0 or from 2^-64 to 2^64");
    }
}

void StaticTable::pack(std::span<const std::uint8_t> rows) {
    const std::size_t half = dimensions_ / 2;
    width_ = (half + simd::kCodeBlock - 1) / simd::kCodeBlock * simd::kCodeBlock;
    codes_.reserve(width_ * size());
    for (std::size_t row = 0; row < size(); ++row) {
        const auto from = rows.begin() + static_cast<std::ptrdiff_t>(row * half);
        codes_.insert(codes_.end(), from, from + static_cast<std::ptrdiff_t>(half));
        codes_.resize((row + 1) * width_, kZeros);
    }
}

struct StaticTable::Scratch {
    explicit Scratch(const StaticTable& table)
        : padded(2 * table.width_), sums(table.dimensions_), wide(table.dimensions_), known(table.known_) {}
    std::vector<float> padded, sums;
    std::vector<double> wide;
    std::vector<std::int32_t> ids;
    Spare<KnownWords>::Lent known;
};

void StaticTable::embed_one(std::string_view text, Scratch& scratch, float* out) const {
    const simd::CodeKernels& kernels = simd::code_kernels();
    const std::size_t half = dimensions_ / 2;
    std::fill(scratch.padded.begin(), scratch.padded.end(), 0.0F);
    for (std::size_t at = 0; at < text.size();) {
        check_cancelled();
        scratch.ids.clear();
        at = tokenizer_.append(text, at, kChunk, scratch.known.get(), scratch.ids);
        kernels.add_rows(codes_.data(), width_, scales_.data(), scratch.ids.data(), scratch.ids.size(),
                         scratch.padded.data());
    }
    std::copy_n(scratch.padded.data(), half, scratch.sums.data());
    std::copy_n(scratch.padded.data() + width_, half, scratch.sums.data() + half);
    scale_to_one(scratch.sums, scratch.wide, out);
}

void StaticTable::embed(std::span<const std::string_view> texts, float* out) const {
    Scratch scratch(*this);
    for (const std::string_view text : texts) {
        embed_one(text, scratch, out);
        out += dimensions_;
    }
}

void StaticTable::similarity(std::string_view query, std::span<const std::string_view> texts, float* out) const {
    const simd::DotKernels& kernels = simd::dot_kernels();
    Scratch scratch(*this);
    std::vector<float> vector(dimensions_);
    std::vector<double> wanted(dimensions_), wide(dimensions_);
    embed_one(query, scratch, vector.data());
    kernels.widen(vector.data(), dimensions_, wanted.data());
    for (const std::string_view text : texts) {
        embed_one(text, scratch, vector.data());
        kernels.widen(vector.data(), dimensions_, wide.data());
        *out++ = static_cast<float>(kernels.dot(wanted.data(), wide.data(), dimensions_));
    }
}

}  // namespace tersely::embed
