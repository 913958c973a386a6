// What units are worth beside others: of several content types, below a heading, in a document that is to stay whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tersely::relevance {

// How units are written: as text, in the syntax of what a reader read, or behind the name of who said it.
enum class Form : std::uint8_t { kText, kPasted, kQuoted };

// Consecutive units of a document that are written in one way.
struct Region {
    std::size_t first = 0, last = 0;  // half-open
    Form form = Form::kText;
};

// Units with what a reader says of them. `first_segment`, `last_segment`: those that a unit has a part of. Empty
// columns: `essential`, `ordered`, `bulk`: no unit is.
struct Units {
    std::span<const std::int32_t> document;
    std::span<const std::int64_t> start, end;
    std::span<const std::int64_t> first_segment, last_segment;
    std::vector<Region> regions;              // together all units, in order
    std::span<const float> own;               // what each is worth to its reader
    std::span<const std::uint8_t> essential;  // before all others of their region
    std::span<const std::uint8_t> ordered;    // whose `own` knows the query
    std::span<const std::uint8_t> bulk;       // never kept: worth nothing
    std::span<const std::int32_t> follows;    // the unit whose worth each has, -1: its own

    std::size_t size() const { return document.size(); }
};

struct Worth {
    std::vector<float> of;   // each unit
    std::int64_t best = -1;  // the best of all, where it is pasted
};

// standing_i = the share of its region's characters that is worth no more than unit i, in (0, 1]: by `text_worth` of
// its
//              segments (the largest) in text, by `own` elsewhere; ties go to the first. In a region with essential
//              units these stand in the upper quarter, the others in the lower three. In text 1 - (1 - standing_i) / 4,
//              so that four times as much of it is kept.
// Without `relevance` (empty), of segments, that is the worth. With it worth_i = relevance_i / its largest + 0.3
// standing_i, where the standing of text counts only beside other regions of its document. Regions in a form whose
// units are all ordered keep their worths, in the order of `own`. O(units log units).
Worth worth_beside(const Units& units, std::span<const float> text_worth, std::span<const float> relevance);

// The units of `wanted` documents, pulled towards their document's mean worth: 0.95 of that, scaled so that the best
// such document has the largest worth of all of them, and 0.05 of their own. The worth as it is, where no mean is
// above 0. O(units).
std::vector<float> pulled_to_documents(std::span<const float> worth, std::span<const std::int32_t> document,
                                       std::span<const std::uint8_t> wanted);

// Segments as `led_to` reads them.
struct Rows {
    std::span<const std::int32_t> document, block, heading;
    std::span<const std::int64_t> start, end;
    std::span<const std::uint8_t> kind;      // text::Kind
    std::span<const std::string_view> said;  // the text of each
};

// Scores with what segments lead to: a note at the foot ("[^a]: ...", "[40] ...", at the start of a line) has seven
// tenths of the best score of what refers to it by its mark, as far as up to 800 characters go; a list item has seven
// tenths of the best score above it (its `heading`, and that one's), or of the block before a list of up to 800
// characters; fenced code of that size has half of the latter; an exception
// (text::opens_exception) has nine tenths of what the sentence before it has; a turn of a talk that takes back what was
// said (text::takes_back) has what one of the six before it has. All where what leads has seven tenths of
// the largest score at least. O(characters + segments times the depth of lists).
std::vector<float> led_to(const Rows& rows, std::span<const float> scores);

}  // namespace tersely::relevance
