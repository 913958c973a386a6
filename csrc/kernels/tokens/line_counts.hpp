// Tokens of texts that have many lines in common: each line is counted once.
//
// Contract: what Counter::count says of each text, by a table that is the same for all. A text is cut behind line feeds
// where a piece of the encodings' patterns (pieces.hpp) ends, whatever stands before it and behind it: those before a
// line that has something else than white space on it, in ASCII, and does not begin with "/". Nothing but symbols and
// white space go on behind a line feed: the former with what ends lines and "/" alone, the latter up to the last line
// feed of a run. So the tokens of the lines add up. Texts of more than a megabyte are not cut. O(bytes) time, memory of
// all lines that differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/parallel.hpp"
#include "kernels/text/terms.hpp"
#include "kernels/tokens/count.hpp"

namespace tersely::tokens {

class LineCounts {
  public:
    std::size_t count(Counter& counter, std::string_view text) {
        if (text.size() > kMost) return counter.count(text);
        if (tokens_.empty()) return count_first(counter, text);
        std::size_t tokens = 0;
        for (std::size_t at = 0; at < text.size();) {
            check_cancelled();
            const std::string_view line = text.substr(at, line_end(text, at) - at);
            std::uint32_t& known = tokens_of(line);
            if (known == kUnknown) known = static_cast<std::uint32_t>(counter.count(line));
            tokens += known;
            at += line.size();
        }
        return tokens;
    }

    // The end of the line at `at`, or of a later one, where a piece surely ends.
    static std::size_t line_end(std::string_view text, std::size_t at) {
        for (;;) {
            const std::size_t feed = text.find('\n', at);
            if (feed == std::string_view::npos) return text.size();
            at = feed + 1;
            std::size_t next = at;
            while (next < text.size() && (text[next] == ' ' || text[next] == '\t')) ++next;
            if (next == text.size()) return next;
            if (text[next] > ' ' && text[next] <= '~' && (text[next] != '/' || next > at)) return at;
        }
    }

  private:
    static constexpr std::size_t kMost = std::size_t{1} << 20U;  // bytes of a text that is cut

    static constexpr auto kUnknown = static_cast<std::uint32_t>(-1);

    // All at once, which is faster than line by line.
    std::size_t count_first(Counter& counter, std::string_view text) {
        Marks marks;
        const std::size_t tokens = counter.count(text, marks);
        std::size_t piece = 0;
        std::uint32_t before = 0;
        for (std::size_t at = 0; at < text.size();) {
            const std::string_view line = text.substr(at, line_end(text, at) - at);
            at += line.size();
            while (marks.end[piece] < at) ++piece;
            tokens_of(line) = marks.tokens[piece] - before;
            before = marks.tokens[piece];
        }
        return tokens;
    }

    // Of a line, kUnknown where it is new; valid until the next call.
    std::uint32_t& tokens_of(std::string_view line) {
        const auto id = static_cast<std::size_t>(lines_.intern(line));
        if (id >= tokens_.size()) tokens_.resize(id + 1, kUnknown);
        return tokens_[id];
    }

    text::Vocabulary lines_{text::kFewestSlots};
    std::vector<std::uint32_t> tokens_;  // of each line
};

}  // namespace tersely::tokens
