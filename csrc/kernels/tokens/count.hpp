// Tokens of texts.
//
// Contract: len(tiktoken.Encoding.encode_ordinary(text)) of the table's encoding: special tokens in a text are ordinary
// text. A text is cut into pieces (pieces.hpp); a piece that is a token is one, any other is merged (merge.hpp), once
// for each spelling, as far as they are remembered (Known: a spelling gives way to another at its place).
// Texts are valid UTF-8 and must not change while a Counter lives. O(bytes) but for what merge.hpp says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/tokens/merge.hpp"
#include "kernels/tokens/table.hpp"

namespace tersely::tokens {

// What is known of spellings of up to 16 bytes and of pairs in longer ones, whichever texts they come from: a cache of
// a fixed size that may be handed from one Counter of a table to the next.
class Known {
  public:
    Known() : all_(kSpellings), merged_(kMerged) {}

  private:
    friend class Counter;
    static constexpr std::size_t kSpellings = std::size_t{1} << 14U, kMerged = std::size_t{1} << 15U;
    struct Spelling {
        std::uint64_t first = 0, last = 0;
        std::uint32_t size = 0, tokens = 0;

        bool is(const Key& key) const { return first == key.first && last == key.last && size == key.size; }
    };
    std::vector<Spelling> all_;     // by hash; a spelling gives way to another at its place
    std::vector<Spelling> merged_;  // those that are no tokens, so that common words do not drive them out
    Pairs pairs_;
};

// Where the pieces of a text end, and how many tokens it has up to there: what counting it finds on its way, by which
// parts of it, and what it is a part of, are counted without looking at most of it again.
struct Marks {
    std::vector<std::uint32_t> end;     // bytes, ascending
    std::vector<std::uint32_t> tokens;  // up to each end
};

class Counter {
  public:
    Counter(const TokenTable& table, Known& known) : table_(&table), known_(&known), merger_(table, known.pairs_) {}
    std::size_t count(std::string_view text);
    // The same, and the marks of a text of less than 4 GB.
    std::size_t count(std::string_view text, Marks& marks);
    // What `count` says of text[begin, end), given the marks of the text: none, or all. O(pieces near both ends,
    // white space at its end and log(marks)), O(end - begin) without marks or at the most.
    std::size_t count_part(std::string_view text, std::size_t begin, std::size_t end, const Marks& marks);
    // What `count` says of `joined`, in which a text for each of `marks` stands at `starts`, of so many bytes. Cost:
    // that of `count_part` for each.
    std::size_t count_joined(std::string_view joined, std::span<const std::size_t> starts,
                             std::span<const std::size_t> sizes, std::span<const Marks> marks);

  private:
    struct Marked {  // a text with marks, in another
        std::size_t start;
        const Marks* marks;
        std::size_t settled;  // pieces that end up to here, from its start on, end there in the other text, too
    };
    static constexpr std::size_t kLong = 1024, kLongest = 2048;  // spellings, bytes of one that is remembered
    struct Long {  // a spelling of more than 16 bytes that is no token, where it was met last
        const char* at = nullptr;
        std::uint32_t size = 0, tokens = 0;
    };
    template <Pattern pattern, bool marked>
    std::size_t count_text(std::string_view text, Marks* marks);
    template <Pattern pattern>
    std::size_t count_through(std::string_view text, std::size_t& at, std::size_t stop, const Marked& within);
    std::size_t count_through(std::string_view text, std::size_t& at, std::size_t stop, const Marked& within);
    std::size_t piece_tokens(std::string_view text, std::size_t at, std::size_t end);
    std::uint32_t new_tokens(const Key& key);
    std::size_t long_tokens(std::string_view text, std::size_t at, std::size_t end);
    std::size_t short_tokens(const Key& key);

    const TokenTable* table_;
    Known* known_;
    Merger merger_;
    std::vector<Long> long_;  // made when the first is met
};

}  // namespace tersely::tokens
