#include "kernels/detect/line_bytes.hpp"

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
    const auto count = [](std::uint64_t bits) { return static_cast<std::size_t>(std::popcount(bits)); };
    for (std::size_t block = 0; block < blocks_; ++block) {
        simd::ByteMasks& masks = masks_[block];
        look(from + block * simd::kMaskBlock, &masks);
        const std::size_t rest = size_ - block * simd::kMaskBlock;
        if (rest < simd::kMaskBlock) {
            const std::uint64_t inside = (std::uint64_t{1} << rest) - 1;
            for (std::uint64_t* mask : {&masks.letters, &masks.wide, &masks.digits, &masks.spaces, &masks.underscores,
                                        &masks.signs, &masks.coding, &masks.openers, &masks.colons, &masks.telling})
                *mask &= inside;
        }
        letters_ += count(masks.letters) + count(masks.wide);
        spaces_ += count(masks.spaces);
        digits_ += count(masks.digits);
        coding_ += count(masks.coding);
    }
}

}  // namespace tersely::detect
