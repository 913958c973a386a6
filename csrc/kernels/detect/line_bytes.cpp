#include "kernels/detect/line_bytes.hpp"

#include <algorithm>
#include <cstring>

namespace tersely::detect {

LineBytes::LineBytes(std::string_view line, std::size_t readable)
    : size_(line.size()), blocks_((line.size() + simd::kMaskBlock - 1) / simd::kMaskBlock) {
    std::array<char, kMostBytes> copy;
    const char* from = line.data();
    if (readable < blocks_ * simd::kMaskBlock) {
        copy.fill(0);
        std::memcpy(copy.data(), from, size_);
        from = copy.data();
    }
    const auto look = simd::byte_kernels().masks;
    for (std::size_t block = 0; block < blocks_; ++block) {
        simd::ByteMasks& masks = masks_[block];
        const std::size_t begin = block * simd::kMaskBlock;
        look(from + begin, std::min(size_ - begin, simd::kMaskBlock), &masks);
        letters_ += masks.lettered;
        spaces_ += masks.spaced;
        digits_ += masks.counted;
        coding_ += masks.coded;
    }
}

}  // namespace tersely::detect
