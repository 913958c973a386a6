// Where given strings occur in texts (Aho and Corasick 1975).
//
// Contract: `strings` are distinct, none is empty. At every place of a text where one of them ends, the longest of
// these is reported; the others that end there are parts of it and are reported with it the first time only, or always
// where `every` is asked for. So each string that occurs is reported, each of its other occurrences is, or lies in one
// that is, and there are no more reports than bytes and strings. In the order of texts and ends, the longest first.
// O(bytes of the texts, bytes of the strings times log(strings), and reports).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tersely::text {

class StringFinder {
  public:
    struct Found {
        std::int32_t string;
        std::int64_t start, end;  // characters of the text
    };

    StringFinder(std::span<const std::string_view> strings, bool every);
    // Adds what is found in a text of valid UTF-8; throws Cancelled.
    void find(std::string_view text, std::vector<Found>& found);

  private:
    static constexpr std::int32_t kNone = -1;
    struct Node {               // a beginning of strings; the first one is empty
        std::int32_t children;  // the first of them: they follow each other, and those of the next node follow them
        std::int32_t longest;   // other node that it ends in
        std::int32_t string;    // it is; kNone: none
        std::int32_t ended;     // the longest node that it ends in, itself too, which is a string; kNone: none
        unsigned char byte;     // its last
        bool reported;          // all strings that it ends in were
    };
    std::int32_t child(std::int32_t node, unsigned char byte) const;
    std::int32_t next(std::int32_t node, unsigned char byte) const;

    std::array<std::int32_t, 256> first_{};  // the node of one byte; 0: none
    std::vector<Node> nodes_;                // by length, and one behind the last
    std::vector<std::int64_t> lengths_;      // characters of each string
    bool every_;
};

}  // namespace tersely::text
