// A line in words: what its template is made of, what it says at a glance, which words of a query it has.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/content/anchors.hpp"
#include "kernels/content/stamps.hpp"

namespace tersely::content {

// A token of a template: 0 a value, 1 to 255 a punctuation byte, else the hash of a word, odd for words of marks.hpp.
using Token = std::uint64_t;

inline constexpr Token kValue = 0;
inline constexpr Token kFirstWord = 256;

inline constexpr std::size_t kMostQueryWords = 64;

// The words of a query, to be found in lines: runs of letters and of digits, in lower case and without a plural s, and
// words with digits or inner punctuation (ids, paths) whole. The first kMostQueryWords count.
class QueryWords {
  public:
    explicit QueryWords(std::string_view query);
    std::size_t size() const { return count_; }
    bool empty() const { return count_ == 0; }
    std::uint64_t ids() const {
        return ids_;
    }  // bits of the words that are whole names: a digit or inner punctuation, four bytes or more
    std::uint64_t find(std::uint64_t hash) const {  // its bit, or 0
        for (std::size_t at = slot(hash); slots_[at].second != 0; at = (at + 1) % kSlots) {
            if (slots_[at].first == hash) return slots_[at].second;
        }
        return 0;
    }

  private:
    static constexpr std::size_t kSlots = 256;
    static std::size_t slot(std::uint64_t hash) { return static_cast<std::size_t>(hash ^ (hash >> 29U)) % kSlots; }
    void add(std::uint64_t hash, bool id);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> slots_;
    std::size_t count_ = 0;
    std::uint64_t ids_ = 0;
};

struct LineWords {
    std::vector<Token> tokens;
    std::uint64_t plain = 0;    // hash of its punctuation and of its words that are letters only
    std::uint32_t marks = 0;    // of marks.hpp
    std::uint64_t asked = 0;    // query words that it has
    std::uint64_t finding = 0;  // hash of the code of what was found, as E0308 or [unused-variable]; 0: none
    Stamp stamp;
};

// The end of "ESC [ ... letter", "ESC ] ... BEL" or another escape that starts at `at` of a line.
std::size_t after_escape(std::string_view line, std::size_t at);

// Reads a line (without its line end and escapes) into `words`, whose memory is used again. Values are: the time stamp,
// words with a digit, paths, words longer than 40 bytes, quoted text. Any bytes are safe; O(line), each byte is looked
// at a bounded number of times.
void read_words(std::string_view line, const QueryWords& query, LineWords& words);

}  // namespace tersely::content
