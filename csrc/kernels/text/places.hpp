// Places in a text, counted in characters, as bytes of its UTF-8.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernels/text/utf8.hpp"
#include "simd/bytes.hpp"

namespace tersely::text {

// Which byte of a text a character begins at.
class Places {
  public:
    explicit Places(std::string_view text)
        : text_(text), ascii_(simd::byte_kernels().count_chars(text.data(), text.size()) == text.size()) {}

    // The byte at which character `index` >= 0 begins; the end for one past it. O(characters between it and the last).
    std::size_t byte(std::int64_t index) {
        if (ascii_) {
            at_ = std::min(static_cast<std::size_t>(index), text_.size());
            passed_ = static_cast<std::int64_t>(at_);
            return at_;
        }
        while (passed_ > index) {
            do {
                --at_;
            } while (is_continuation(text_[at_]));
            --passed_;
        }
        while (index - passed_ >= 8 && text_.size() - at_ >= 8) {
            const std::size_t most = std::min(static_cast<std::size_t>(index - passed_), text_.size() - at_) / 8 * 8;
            passed_ += static_cast<std::int64_t>(simd::byte_kernels().count_chars(text_.data() + at_, most));
            at_ += most;
        }
        while (at_ < text_.size() && (passed_ < index || is_continuation(text_[at_]))) {
            passed_ += is_continuation(text_[at_]) ? 0 : 1;
            ++at_;
        }
        return at_;
    }
    // The one that was asked for last, or how many there are.
    std::int64_t character() const { return passed_; }

  private:
    std::string_view text_;
    bool ascii_;  // then a byte is a character
    std::size_t at_ = 0;
    std::int64_t passed_ = 0;  // characters that begin before at_
};

}  // namespace tersely::text
