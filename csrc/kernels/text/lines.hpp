// Lines of a text, and the blocks they form.
//
// Single lines: reading them, and what a line looks like on its own.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/text/segment.hpp"

namespace tersely::text {

struct Line {
    std::size_t begin = 0;  // first byte of the line
    std::size_t first = 0;  // first byte that is not white space; == last when blank
    std::size_t last = 0;   // end without trailing white space
    std::size_t next = 0;   // first byte of the next line
    int indent = 0;         // columns of leading white space, a tab going to the next multiple of 4
    bool blank() const { return first == last; }
    std::size_t width() const { return last - begin; }
};

// Whether a line is a turn of a conversation: "Jane Doe: ..." is one among others, "User: ...", "#Person1#: ..." are.
// Behind a time a name may be small, or in angle brackets.
enum class Turn : std::uint8_t { kNone, kPossible, kCertain };

inline constexpr std::string_view kMonthsOfThree = "JanFebMarAprMayJunJulAugSepOctNovDec";
// Whether it is one of names of three letters that stand one behind the other.
inline bool one_of_threes(std::string_view three, std::string_view names) {
    const std::size_t found = three.size() == 3 ? names.find(three) : std::string_view::npos;
    return found != std::string_view::npos && found % 3 == 0;
}

// The line that starts at `at` (<= text.size()). Ends at '\n'; '\r' counts as white space.
Line read_line(std::string_view text, std::size_t at);

// All of these take the line without its surrounding white space.
int atx_heading_level(std::string_view line);     // 1..6, 0 = not a heading
bool is_rule(std::string_view line);              // three or more of one of - = * _ ~ and nothing else
bool is_setext_underline(std::string_view line);  // two or more = or -
std::size_t list_marker(std::string_view line);   // length of "- ", "1. ", "a) ", "[1] ", "[^a]: ", ...; 0 = none
std::size_t note_mark(std::string_view text);     // length of the mark of a note that it begins with, "[12]", "[^a]"
std::size_t fence_length(std::string_view line);  // of an opening ``` or ~~~; 0 = none
bool closes_fence(std::string_view line, char mark, std::size_t length);
bool is_table_row(std::string_view line);        // starts with a pipe, or a grid border
bool is_table_delimiter(std::string_view line);  // |---|:--:| under a header row
bool is_log_line(std::string_view line);         // starts with a time stamp or a level
bool is_data_line(std::string_view line);        // JSON, braces, statements: meant line by line
Turn chat_turn(std::string_view line);
// Where a line goes on behind the time that it opens with, to the minute, as people's chats have it: "[09:02] ",
// "24.11.26, 09:02 - ", "9:02 AM "; 0 without. O(1).
std::size_t behind_time(std::string_view line);
// Four bytes or less without a capital, two letters, a letter of a script without spaces or three digits: "}", "9.",
// "i".
bool says_nothing(std::string_view line);
bool is_cue_time(std::string_view line);         // of subtitles: "00:01:02,500 --> 00:01:04,000"
int plain_heading_level(std::string_view line);  // "2.1 Methods", "CHAPTER III", "ALL CAPITALS"; 0 = no, else its depth

// Blocks: the lines of a text grouped into paragraphs, list items, tables, code, ...

struct Block {
    std::size_t begin, end;  // without the white space around it
    Kind kind;
    std::uint8_t level;     // of a heading: 1 (highest) to 6; else 0
    std::uint32_t width;    // longest line in bytes: tells hard-wrapped lines from meant ones
    bool answered = false;  // a question and the turn that answers it: "Q: ...?", "A: ..."
    bool cue = false;       // of subtitles: its number, its time and its words, a kChatTurn that is not cut
};

// Every character that is not white space lies in exactly one block; blocks are in text order.
// An unclosed fence runs to the end of the text (as in CommonMark). A formula between lines of "$$" is a block like
// fenced code, up to 64 lines. O(text).
std::vector<Block> find_blocks(std::string_view text);

}  // namespace tersely::text
