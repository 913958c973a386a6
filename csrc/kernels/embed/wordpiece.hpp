// BERT's uncased WordPiece tokenizer.
//
// Contract: the ids of the reference (the package `tokenizers`: BertWordPieceTokenizer over the same words) for the
// same text, without the [CLS] and [SEP] around it and without a limit of length:
//  - characters are normalised and words cut as characters.hpp says;
//  - a word is itself where the vocabulary has it, else the longest pieces from its start on; [UNK] where it has more
//    than kLongestWord characters or a part that no piece starts;
//  - [PAD], [UNK], [CLS], [SEP] and [MASK] in the text are those tokens, where the vocabulary has them.
// The text is valid UTF-8. O(text): a word is at most kLongestWord characters long before it is given up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/embed/words.hpp"

namespace tersely::embed {

// What short words were cut into, whichever texts they come from: a small cache, so that a spelling that comes again is
// looked up once. Of one WordPiece only.
class KnownWords {
  public:
    KnownWords() : pairs_(kPairs) {}

  private:
    friend class WordPiece;
    static constexpr std::size_t kPairs = 16384, kMostIds = 7, kMostBytes = 15;
    static constexpr std::int32_t kLargestId = 0xFFFF;
    struct Word {
        std::uint64_t first = 0, last = 0;  // bytes, zeros behind them
        std::uint16_t size = 0;
        std::array<std::uint16_t, kMostIds> ids{};
    };
    struct alignas(64) Pair {  // a line of memory
        Word newer, older;
    };
    std::vector<Pair> pairs_;  // by hash; of three words at a place, the one that was met longest ago gives way
};

class WordPiece {
  public:
    static constexpr std::size_t kLongestWord = 100;  // characters
    static constexpr std::size_t kTogether = 16;      // words that are looked up together
    static constexpr std::size_t kMostMore = kTogether * KnownWords::kMostBytes + kLongestWord;

    explicit WordPiece(std::string_view lines);  // throws what Words throws
    const Words& words() const { return words_; }

    // Appends the ids of text[from, ...) until the text ends or `enough` are appended (at most kMostMore more).
    // Returns where it stopped, which is between words: going on from there gives the rest.
    std::size_t append(std::string_view text, std::size_t from, std::size_t enough, KnownWords& known,
                       std::vector<std::int32_t>& ids) const;

  private:
    class Lookups;
    std::size_t read_ascii_word(std::string_view text, std::size_t at, Lookups& lookups) const;
    std::size_t read_word(std::string_view text, std::size_t at, Lookups& lookups) const;
    std::size_t read_other(std::string_view text, std::size_t at, Lookups& lookups) const;
    void append_ids(const WordBytes& bytes, std::vector<std::int32_t>& ids) const;
    std::int32_t id_of_alone(char32_t code) const;

    enum class Ascii : std::uint8_t { kLetter, kSpace, kAlone, kOther };  // kOther: controls, what is not ASCII
    Words words_;
    std::array<Ascii, 256> ascii_;         // by byte
    std::array<std::int32_t, 128> alone_;  // of the kAlone ones
    std::vector<std::pair<std::string_view, std::int32_t>> special_;
};

}  // namespace tersely::embed
