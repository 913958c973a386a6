// Segmentation: text -> lossless spans.
//
// Contract (for every level):
//  - spans are half-open, non-empty, sorted and disjoint; they start and end on characters;
//  - what lies between spans is white space only, so the text is spans plus gaps, byte for byte;
//  - time is linear in the text, memory linear in the number of spans;
//  - clauses lie in sentences (sentences.hpp), tables are rows, headings and lines of code stay whole;
//  - lines of kTinyLine bytes or fewer, of which there are many, are no spans each: pieces of kTinyPiece bytes or more;
//  - no span of the levels SENTENCE, CLAUSE and WORD is longer than kLongestSegment bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tersely::text {

enum class Kind : std::uint8_t {
    kProse,
    kHeading,
    kListItem,
    kQuote,
    kTable,
    kFencedCode,
    kCode,  // indented, or lines that look like code or data
    kLogLine,
    kChatTurn,
};

enum class Level : std::uint8_t { kCharacter, kWord, kClause, kSentence, kParagraph, kSection };

inline constexpr std::size_t kLongestSegment = 2048;
inline constexpr std::size_t kLongestUnmarked = 512;  // bytes of words without a mark: they are cut there
inline constexpr std::size_t kLongestLead = 512;
inline constexpr std::size_t kWholePieces = 2;
inline constexpr std::size_t kWholeTurn = 240;  // bytes of a turn of a talk that stays whole: some 50 tokens
inline constexpr std::size_t kTinyLine = 3;     // bytes: such a line says nothing by itself
inline constexpr std::size_t kTinyPiece = 128;  // bytes of lines that are a span together
inline constexpr std::size_t kManyTiny = 256;   // bytes of a block of such lines: a few stay as they are

struct Span {
    std::size_t begin, end;
};

struct Segments {
    std::vector<std::int64_t> start, end;  // bytes, or characters after to_characters()
    std::vector<Kind> kind;
    std::vector<std::int32_t> block;    // which block (paragraph, list item, ...) of this text
    std::vector<std::int32_t> heading;  // index of the nearest heading above; -1 where there is none. Of items of a
                                        // list the sentence or clause that leads into it, of kLongestLead bytes or
                                        // fewer: prose before the first item that ends in a colon;
                                        // indented paragraphs between items do not end the list

    void push(Span span, Kind of, std::int32_t in_block, std::int32_t under) {
        start.push_back(static_cast<std::int64_t>(span.begin));
        end.push_back(static_cast<std::int64_t>(span.end));
        kind.push_back(of);
        block.push_back(in_block);
        heading.push_back(under);
    }
    void reserve(std::size_t rows) {
        start.reserve(rows);
        end.reserve(rows);
        kind.reserve(rows);
        block.reserve(rows);
        heading.reserve(rows);
    }
    std::size_t size() const { return start.size(); }
};

// `window`: length in characters of a CHARACTER segment (>= 1), unused by the other levels.
// `piece`: 0, or bytes: SENTENCE segments of more than kWholePieces times as many, headings aside, are cut at the ends
// of lines, and of what is longer than a piece, at the best break. Each row of a table has its head as its heading,
// with which the line of dashes below it is one segment.
// `whole`: whether a text of kWholeTurn bytes or fewer is one SENTENCE segment.
Segments segment(std::string_view text, Level level, std::size_t window, std::size_t piece = 0, bool whole = false);

// Byte offsets -> character offsets. O(text), one pass.
void to_characters(std::string_view text, std::vector<std::int64_t>& start, std::vector<std::int64_t>& end);

}  // namespace tersely::text
