// What a single line looks like, whatever stands around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernels/detect/line_bytes.hpp"

namespace tersely::detect {

enum Mark : std::uint32_t {
    kStamp = 1U << 0U,      // a time in its first 40 bytes
    kLevel = 1U << 1U,      // INFO, [error], WARN: at the start or after the stamp
    kAnchor = 1U << 2U,     // names a place: path:12:, path(12,3), at line 12
    kBuild = 1U << 3U,      // what builds, tests and package managers print
    kFrame = 1U << 4U,      // a frame of a stack
    kTraceHead = 1U << 5U,  // Traceback ..., Caused by: ..., panic: ...
    kHunk = 1U << 6U,       // @@ -1,2 +3,4 @@
    kDiffHead = 1U << 7U,   // diff --git, --- a/x, +++ b/x, Index: x
    kTag = 1U << 8U,        // starts with an HTML or XML tag
    kHeading = 1U << 9U,
    kList = 1U << 10U,
    kFence = 1U << 11U,
    kLink = 1U << 12U,       // [text](target), **bold**, `code`
    kPipe = 1U << 13U,       // a row of a Markdown table
    kTurn = 1U << 14U,       // Speaker: words
    kRole = 1U << 15U,       // User: words
    kComment = 1U << 16U,    // # ... // ... /* ... * ... -- ...
    kProse = 1U << 17U,      // words with spaces between them
    kCode = 1U << 18U,       // ends or runs like code
    kRule = 1U << 19U,       // ====, ----
    kDirective = 1U << 20U,  // .. name::
    kKeyValue = 1U << 21U,   // key: value
    kField = 1U << 22U,      // a property: name = value
    kMember = 1U << 23U,     // of a JSON object: "name": value; or brackets alone
    kPacked = 1U << 24U,     // long, without spaces, full of signs: minified
};
inline constexpr std::size_t kMarks = 25;

// Bytes of web addresses that are no letters: in a sentence an address is a word. O(line).
std::size_t signs_of_addresses(std::string_view line);

// Whether the line starts with a tag of HTML or XML.
bool is_tag(std::string_view line);

// `line`: without white space around it, not empty, at most kMostBytes, which `bytes` has looked at. `last`: the last
// byte of the whole line, of which `line` may be the start. O(bytes).
std::uint32_t line_marks(std::string_view line, const LineBytes& bytes, char last, bool indented);

// `line` without ANSI escape sequences, in `buffer`, which holds at least as many bytes.
std::string_view without_escapes(std::string_view line, char* buffer);

}  // namespace tersely::detect
