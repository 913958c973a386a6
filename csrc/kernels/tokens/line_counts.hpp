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
#include <string>
#include <string_view>
#include <vector>

#include "kernels/parallel.hpp"
#include "kernels/tokens/count.hpp"

namespace tersely::tokens {

class LineCounts {
  public:
    std::size_t count(Counter& counter, std::string_view text) {
        if (text.size() > kMost) return counter.count(text);
        if (lines_ == 0) return count_first(counter, text);
        std::size_t tokens = 0;
        for (std::size_t at = 0; at < text.size();) {
            check_cancelled();
            const std::string_view line = text.substr(at, line_end(text, at) - at);
            if (2 * lines_ >= slots_.size()) grow();
            Line& slot = slots_[slot_of(line)];
            if (slot.size == 0) remember(slot, line, counter.count(line));
            tokens += slot.tokens;
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

    struct Line {
        std::size_t begin = 0;               // of its bytes
        std::uint32_t size = 0, tokens = 0;  // no size: there is none
    };

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
            if (2 * lines_ >= slots_.size()) grow();
            Line& slot = slots_[slot_of(line)];
            if (slot.size == 0) remember(slot, line, marks.tokens[piece] - before);
            before = marks.tokens[piece];
        }
        return tokens;
    }

    void remember(Line& slot, std::string_view line, std::size_t tokens) {
        slot = {bytes_.size(), static_cast<std::uint32_t>(line.size()), static_cast<std::uint32_t>(tokens)};
        bytes_ += line;
        ++lines_;
    }

    // Where a line is, or would be.
    std::size_t slot_of(std::string_view line) const {
        std::size_t at = Key(line.data(), line.size(), line.size()).mixed & (slots_.size() - 1);
        while (slots_[at].size != 0 && bytes_of(slots_[at]) != line) at = (at + 1) & (slots_.size() - 1);
        return at;
    }
    std::string_view bytes_of(const Line& line) const { return std::string_view(bytes_).substr(line.begin, line.size); }

    void grow() {
        std::vector<Line> old(slots_.empty() ? 256 : 2 * slots_.size());
        old.swap(slots_);
        for (const Line& line : old) {
            if (line.size != 0) slots_[slot_of(bytes_of(line))] = line;
        }
    }

    std::vector<Line> slots_;  // by hash, linear probing; a power of two
    std::size_t lines_ = 0;
    std::string bytes_;  // of all lines
};

}  // namespace tersely::tokens
