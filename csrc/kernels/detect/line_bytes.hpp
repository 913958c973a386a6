// Where the bytes of a line are that the marks of detection ask for: looked at once, asked by bits.
//
// Contract: of a line of at most kMostBytes. Words are runs of letters, digits and "_", all of ASCII.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "simd/bytes.hpp"

namespace tersely::detect {

inline constexpr std::size_t kMostBytes = 192;

class LineBytes {
  public:
    // `readable`: bytes that may be read from the start of the line on, those behind it among them.
    LineBytes(std::string_view line, std::size_t readable);

    std::size_t letters() const { return letters_; }  // of ASCII, and bytes of others
    std::size_t spaces() const { return spaces_; }
    std::size_t digits() const { return digits_; }
    std::size_t coding() const { return coding_; }  // signs that code is full of
    bool has_colon() const { return any(&simd::ByteMasks::colons); }
    bool has_telling() const { return any(&simd::ByteMasks::telling); }

    // 64 bits from a byte on.
    std::uint64_t from(std::uint64_t simd::ByteMasks::* mask, std::size_t at) const {
        const std::size_t block = at / simd::kMaskBlock, shift = at % simd::kMaskBlock;
        if (block >= blocks_) return 0;
        const std::uint64_t low = masks_[block].*mask >> shift;
        return shift == 0 || block + 1 >= blocks_ ? low : low | masks_[block + 1].*mask << (simd::kMaskBlock - shift);
    }

    // Calls see(at) for each byte of a mask, in order.
    template <typename See>
    void each(std::uint64_t simd::ByteMasks::* mask, See see) const {
        for (std::size_t block = 0; block < blocks_; ++block) {
            for (std::uint64_t bits = masks_[block].*mask; bits != 0; bits &= bits - 1)
                see(block * simd::kMaskBlock + static_cast<std::size_t>(std::countr_zero(bits)));
        }
    }

    // The same for the starts of words, and signs between them, until see(at) says where to go on.
    template <typename See>
    void each_token(See see) const {
        std::uint64_t carry = 0;
        std::size_t next = 0;
        for (std::size_t block = 0; block < blocks_; ++block) {
            const std::uint64_t word = words(block);
            std::uint64_t bits = (word & ~(word << 1U | carry)) | (masks_[block].signs);
            carry = word >> (simd::kMaskBlock - 1);
            for (; bits != 0; bits &= bits - 1) {
                const std::size_t at = block * simd::kMaskBlock + static_cast<std::size_t>(std::countr_zero(bits));
                if (at >= next) next = see(at);
            }
        }
    }

    // Calls see(at) for each run of letters of `least` to 8 that starts there.
    template <typename See>
    void each_run(See see) const {
        std::uint64_t carry = 0;
        for (std::size_t block = 0; block < blocks_; ++block) {
            const std::uint64_t letter = masks_[block].letters;
            const std::uint64_t after = block + 1 < blocks_ ? masks_[block + 1].letters : 0;
            const auto behind = [&](unsigned by) { return letter >> by | after << (simd::kMaskBlock - by); };
            std::uint64_t bits = letter & ~(letter << 1U | carry) & behind(1) & behind(2) & behind(3);
            carry = letter >> (simd::kMaskBlock - 1);
            for (; bits != 0; bits &= bits - 1)
                see(block * simd::kMaskBlock + static_cast<std::size_t>(std::countr_zero(bits)));
        }
    }

    std::size_t word_end(std::size_t at) const {
        for (std::size_t block = at / simd::kMaskBlock; block < blocks_; ++block) {
            const std::uint64_t other = ~words(block) >> (at % simd::kMaskBlock);
            if (other != 0) return at + static_cast<std::size_t>(std::countr_zero(other));
            at = (block + 1) * simd::kMaskBlock;
        }
        return size_;
    }

  private:
    std::uint64_t words(std::size_t block) const {
        return masks_[block].letters | masks_[block].digits | masks_[block].underscores;
    }
    bool any(std::uint64_t simd::ByteMasks::* mask) const {
        std::uint64_t all = 0;
        for (std::size_t block = 0; block < blocks_; ++block) all |= masks_[block].*mask;
        return all != 0;
    }

    std::array<simd::ByteMasks, kMostBytes / simd::kMaskBlock> masks_;
    std::size_t size_, blocks_;
    std::size_t letters_ = 0, spaces_ = 0, digits_ = 0, coding_ = 0;
};

}  // namespace tersely::detect
