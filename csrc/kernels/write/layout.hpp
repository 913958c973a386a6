// Kept rows of documents as one text: what stands between them, and what is said of those that are left out.
//
// Contract: rows are units of documents, in source order, each [start, end) in characters. Documents are joined by
// `separator`, kept rows of one that do not touch by `within`. Rows touch where they follow one another and no more
// than kWidestGap characters lie between: they keep the source's own gap. Regions are runs of rows of one document that
// are written in one way; between two of them stands the source's gap where that is short and white space, else a line
// feed. O(regions + kept rows + characters kept).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/write/markers.hpp"

namespace tersely::write {

// Characters between two kept neighbours that are written as they are. No unit pays for a gap: wider white space
// becomes what stands where something is left out, and before a nested unit its line break and indent.
inline constexpr std::int64_t kWidestGap = 64;

// How much is said of what is left out (render.py, Wording).
enum class Wording : std::uint8_t { kFull, kShort, kTotal, kSigns, kBare };

// The characters of a text, of `width` (1, 2 or 4) bytes each, which somebody else owns.
struct Characters {
    const void* data = nullptr;
    std::int64_t size = 0;
    int width = 1;
    bool ascii = false;  // whether all are known to be

    char32_t operator[](std::int64_t at) const {
        if (width == 1) return static_cast<const std::uint8_t*>(data)[at];
        if (width == 2) return static_cast<const std::uint16_t*>(data)[at];
        return static_cast<const char32_t*>(data)[at];
    }
};

using Note = std::function<std::string(std::int64_t row)>;
using Total = std::function<std::shared_ptr<const RunMarker>(std::span<const std::int64_t> kept)>;

// The forms of regions (content/units.py says what each field means). Markers, notes and columns count rows from the
// region's `shift` on.
struct Plain {};
struct Lines {
    std::shared_ptr<const RunMarker> marker, sign;
    Total total;
    Note note;
    std::vector<std::uint8_t> continued, noted;  // empty: none goes on; all have notes
    std::vector<std::int32_t> told;
    std::string joint, elision;
};
struct Nested {
    std::shared_ptr<const RunMarker> marker, short_marker, bare;
    Total total;
    Note gap;
    bool numbered = false;
};
struct Quoted {
    std::string indent;
};

struct Region {
    std::int32_t document = 0;
    std::int64_t first = 0, last = 0, shift = 0;
    std::variant<Plain, Lines, Nested, Quoted> form;
};

// What is written: pieces of texts, or of `said`.
struct Piece {
    std::int32_t document;  // -1: of `said`
    std::int64_t begin, stop;
};
struct Part {
    std::int32_t document;
    std::int64_t begin, end;  // of the written text
};
struct Written {
    std::vector<Piece> pieces;
    std::u32string said;
    std::vector<std::int64_t> places;  // where what is no source's begins and ends
    std::vector<Part> parts;           // of the documents that are in it, in order
    std::int64_t length = 0;
};

// The columns and texts must outlive it. Raises std::invalid_argument for rows that do not ascend in their texts.
struct Layout {
    std::vector<Characters> texts;  // of the documents
    std::span<const std::int32_t> document, block, heading;
    std::span<const std::int64_t> start, end;
    std::span<const std::uint8_t> kind;
    std::vector<Region> regions;  // together all rows, in order
    std::string separator, within;
    bool clauses = false, pieces = false;  // whether units are parts of sentences, of lines: an "…" says what is left

    void check() const;
    bool marks_joints() const;  // whether what joins pieces may be words
    Written write(std::span<const std::int64_t> rows, Wording wording) const;
    Characters source(const Written& written, const Piece& piece) const;
    std::string utf8(const Written& written) const;  // U+FFFD for lone surrogates; O(characters)
    bool touch(std::int64_t row, std::int64_t next) const {
        return next == row + 1 &&
               start[static_cast<std::size_t>(next)] - end[static_cast<std::size_t>(row)] <= kWidestGap;
    }
};

}  // namespace tersely::write
