// Blocks: the lines of a text grouped into paragraphs, list items, tables, code, ...
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/text/segment.hpp"

namespace tersely::text {

struct Block {
    std::size_t begin, end;  // without the white space around it
    Kind kind;
    std::uint8_t level;   // of a heading: 1 (highest) to 6; else 0
    std::uint32_t width;  // longest line in bytes: tells hard-wrapped lines from meant ones
    bool cue = false;     // of subtitles: its number, its time and its words, a kChatTurn that is not cut
};

// Every character that is not white space lies in exactly one block; blocks are in text order.
// An unclosed fence runs to the end of the text (as in CommonMark). O(text).
std::vector<Block> find_blocks(std::string_view text);

}  // namespace tersely::text
