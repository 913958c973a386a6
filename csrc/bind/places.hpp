// Places in Python strings, which count characters, as bytes of their UTF-8.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bind/arrays.hpp"
#include "kernels/text/utf8.hpp"
#include "simd/bytes.hpp"

namespace tersely::bind {

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
            } while (text::is_continuation(text_[at_]));
            --passed_;
        }
        while (index - passed_ >= 8 && text_.size() - at_ >= 8) {
            const std::size_t most = std::min(static_cast<std::size_t>(index - passed_), text_.size() - at_) / 8 * 8;
            passed_ += static_cast<std::int64_t>(simd::byte_kernels().count_chars(text_.data() + at_, most));
            at_ += most;
        }
        while (at_ < text_.size() && (passed_ < index || text::is_continuation(text_[at_]))) {
            passed_ += text::is_continuation(text_[at_]) ? 0 : 1;
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

// The UTF-8 of each texts[document[i]][start[i]:end[i]]. Raises ValueError for one that is not in its text.
// O(characters of the texts) where rows ascend.
inline std::vector<std::string_view> pieces(std::span<const std::string_view> texts,
                                            std::span<const std::int32_t> document, std::span<const std::int64_t> start,
                                            std::span<const std::int64_t> end) {
    require(document.size() == start.size() && document.size() == end.size(),
            "document, start and end must have as many rows");
    std::vector<std::string_view> found(document.size());
    Places places("");
    for (std::size_t i = 0; i < document.size(); ++i) {
        require(0 <= document[i] && static_cast<std::size_t>(document[i]) < texts.size(),
                "document must be a text's row");
        const std::string_view text = texts[static_cast<std::size_t>(document[i])];
        if (i == 0 || document[i] != document[i - 1]) places = Places(text);
        require(0 <= start[i] && start[i] <= end[i], "spans must lie in their texts");
        const std::size_t from = places.byte(start[i]);
        const std::size_t size = places.byte(end[i]) - from;
        require(places.character() == end[i], "spans must lie in their texts");
        found[i] = text.substr(from, size);
    }
    return found;
}

// The byte at which each of the ascending characters begins. Raises ValueError for one behind the text.
inline void to_bytes(std::string_view text, std::vector<std::int64_t>& start, std::vector<std::int64_t>& end) {
    Places places(text);
    const auto to_byte = [&](std::int64_t& offset) {
        const std::size_t byte = places.byte(offset);
        require(places.character() == offset, "segments must lie in their texts");
        offset = static_cast<std::int64_t>(byte);
    };
    for (std::size_t i = 0; i < start.size(); ++i) {
        to_byte(start[i]);
        to_byte(end[i]);
    }
}

}  // namespace tersely::bind
