// Places in Python strings, which count characters, as bytes of their UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bind/arrays.hpp"
#include "kernels/text/places.hpp"

namespace tersely::bind {

// The UTF-8 of each texts[document[i]][start[i]:end[i]]. Raises ValueError for one that is not in its text.
// O(characters of the texts) where rows ascend.
inline std::vector<std::string_view> pieces(std::span<const std::string_view> texts,
                                            std::span<const std::int32_t> document, std::span<const std::int64_t> start,
                                            std::span<const std::int64_t> end) {
    require(document.size() == start.size() && document.size() == end.size(),
            "document, start and end must have as many rows");
    std::vector<std::string_view> found(document.size());
    text::Places places("");
    for (std::size_t i = 0; i < document.size(); ++i) {
        require(0 <= document[i] && static_cast<std::size_t>(document[i]) < texts.size(),
                "document must be a text's row");
        const std::string_view text = texts[static_cast<std::size_t>(document[i])];
        if (i == 0 || document[i] != document[i - 1]) places = text::Places(text);
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
    text::Places places(text);
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
