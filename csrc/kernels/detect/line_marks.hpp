// What a single line looks like, whatever stands around it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "simd/bytes.hpp"

namespace tersely::detect {

// Where the bytes of a line are that the marks of detection ask for: looked at once, asked by bits.
//
// Contract: of a line of at most kMostBytes. Words are runs of letters, digits and "_", all of ASCII.

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
    kTurn = 1U << 14U,       // Speaker: words; behind a time of a chat it has no kStamp, kBuild, kAnchor
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
    kBanner = 1U << 25U,     // ==== words ====: what opens a section of a report
};
inline constexpr std::size_t kMarks = 26;

// Bytes of web addresses that are no letters: in a sentence an address is a word. O(line).
std::size_t signs_of_addresses(std::string_view line);

// Whether the line starts with a tag of HTML or XML.
bool is_tag(std::string_view line);

// `line`: without white space around it, not empty, at most kMostBytes, which `bytes` has looked at. `last`: the last
// byte of the whole line, of which `line` may be the start. O(bytes).
std::uint32_t line_marks(std::string_view line, const LineBytes& bytes, char last, bool indented);

// `line` without ANSI escape sequences, in `buffer`, which holds at least as many bytes.
std::string_view without_escapes(std::string_view line, char* buffer);

// What a line says of a stack: a frame of it, or what was thrown and why.

// kFrame and kTraceHead of line_marks.hpp. `line`: without white space around it, not empty. `placed`: whether it
// names a place; `anchor`: where the number of its first path:12 ends, npos without one. O(bytes).
//
// Frames as Python, Java and Kotlin, JavaScript (V8, SpiderMonkey), Go, Rust, C#, Ruby, PHP, Perl, Lua, Elixir, Julia,
// Dart, Swift, gdb and the sanitizers print them.
std::uint32_t trace_marks(std::string_view line, bool indented, bool placed, std::size_t anchor);

// Whether it is a frame of Python, which the lines of the source stand below.
bool is_python_frame(std::string_view line);

// What a line says of events: when, how bad, where in which file.

// kStamp, kLevel, kAnchor, kBuild, kFrame, kTraceHead, kHunk and kDiffHead of line_marks.hpp. `line`: without white
// space around it, not empty, at most kMostBytes, which `bytes` has looked at. O(bytes).
std::uint32_t event_marks(std::string_view line, const LineBytes& bytes, bool indented);

}  // namespace tersely::detect
