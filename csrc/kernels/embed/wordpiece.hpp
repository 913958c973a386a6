// BERT's uncased WordPiece tokenizer.
//
// Contract: the ids of the reference (the package `tokenizers`: BertWordPieceTokenizer over the same words) for the
// same text, without the [CLS] and [SEP] around it and without a limit of length:
//  - characters are normalised and words cut as wordpiece.hpp says;
//  - a word is itself where the vocabulary has it, else the longest pieces from its start on; [UNK] where it has more
//    than kLongestWord characters or a part that no piece starts;
//  - [PAD], [UNK], [CLS], [SEP] and [MASK] in the text are those tokens, where the vocabulary has them.
// The text is valid UTF-8. O(text): a word is at most kLongestWord characters long before it is given up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/large_pages.hpp"

namespace tersely::embed {

// What BERT's uncased tokenizer does with each character before it looks for words.
//
// Contract: the reference is the package `tokenizers` (BertNormalizer with clean_text, handle_chinese_chars,
// strip_accents and lowercase, then BertPreTokenizer), whose treatment of every code point is recorded by
// tools/make_wordpiece_tables.py. Per character it is a class and what stands in its place (canonical decomposition
// without nonspacing marks, in lower case); across characters only the order of kMark characters depends on others.

enum class CharAction : std::uint8_t {
    kLetter,   // part of a word
    kDropped,  // as if it were not there
    kBreak,    // not there either, but marks on its two sides are not sorted together
    kSpace,    // ends a word
    kAlone,    // punctuation, Chinese characters: a word of one character
    kMark      // part of a word; sorted by combining class among the marks it stands with
};

struct Normalized {
    CharAction action = CharAction::kLetter;
    std::uint8_t size = 1;  // characters in `parts`; parts[0] is defined for kLetter, kAlone and kMark
    char32_t parts[4] = {};
};

// O(1) below U+32400, O(log n) above. `code` <= U+10FFFF.
Normalized normalize(char32_t code);

// Canonical combining class of a character that `normalize` gave; 0 for all but kMark. O(log n).
std::uint8_t combining_class(char32_t code);

// A WordPiece vocabulary: ids of whole words, and the longest piece at a place.
//
// Contract:
//  - one word a line, UTF-8, a last line feed allowed; its id is its line, from 0; a word that starts with ## stands
//    for the rest of a word, any other for a whole word or its start;
//  - std::invalid_argument, naming the line, for an empty or repeated word or one with a NUL, and for a vocabulary
//    without [UNK] or of more than kMostBytes bytes;
//  - `find` costs a hash, `longest` one step of a trie for each byte that some piece goes on with.

// A word in units of eight bytes. When it is whole, zeros follow its last byte up to the next multiple of eight, at
// least one.
struct WordBytes {
    static constexpr std::size_t kMost = 400;  // bytes: a hundred characters
    std::array<std::uint64_t, kMost / 8 + 1> eights;
    std::size_t size = 0;

    void push_back(char byte) { reinterpret_cast<char*>(eights.data())[size++] = byte; }
    void end() { std::memset(reinterpret_cast<char*>(eights.data()) + size, 0, 8 - size % 8); }
    std::string_view view() const { return {reinterpret_cast<const char*>(eights.data()), size}; }
};

struct Piece {
    std::int32_t id = -1;  // -1: none
    std::size_t size = 0;  // bytes
};

class Words {
  public:
    static constexpr std::size_t kMostBytes = (std::size_t{1} << 24U) - 2;  // a node of the trie has 24 bits

    explicit Words(std::string_view lines);
    std::size_t size() const { return count_; }
    std::int32_t unknown() const { return unknown_; }
    // The id of a word that does not start with ##, -1 where the vocabulary does not have it.
    std::int32_t find(const WordBytes& word) const;
    // The longest word that starts `rest`; at the start of a word one without ##, else one with it.
    Piece longest(std::string_view rest, bool at_start) const;

  private:
    struct Slot {
        std::uint64_t key = 0;  // 0: empty
        std::int32_t id = -1;
        std::uint32_t line = 0;  // where the word stands in lines_
    };
    struct Edge {
        std::uint32_t key = 0;    // node and byte
        std::uint32_t child = 0;  // a node, and kEndsWord where a word ends at it; 0: empty slot
    };
    static constexpr std::uint32_t kEndsWord = 1U << 31U;
    bool add_piece(std::string_view piece, std::uint32_t root, std::int32_t id);
    void add_whole(const Slot& word);
    bool stands_at(const WordBytes& word, std::uint32_t line) const;
    std::size_t slot(std::uint32_t key) const;
    void grow();

    std::string lines_;
    std::size_t count_ = 0;
    std::int32_t unknown_ = -1;
    LargeTable<Slot> whole_;  // linear probing; the first words, which BERT orders by frequency, are met first
    LargeTable<Edge> edges_;  // linear probing, at most half full
    std::vector<std::int32_t> piece_of_;  // the word that ends at a node
};

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
