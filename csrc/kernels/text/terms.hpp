// Terms: what a segment says, as ids of one vocabulary.
//
// Contract:
//  - a term is a Unicode word (letters, marks, digits, underscore), folded (unicode.hpp; combining accents
//    are dropped) and stemmed where that leaves plain ASCII letters, or letters of a script that terms.hpp
//    knows; endings of Turkish are taken off words that have a letter of it, "-dir"
//    and its like of Turkish off all ("kapalıdır" is "kapalı"); stop words and single ASCII letters are left out;
//    joiners without width inside a word are dropped;
//  - a number keeps its inner separators: 3.14, 1,000, 2024-01-31, 10:30, v1.2.3 are one term each;
//  - an identifier in snake_case or camelCase gives itself whole and each of its parts;
//  - a run of letters of a script without spaces gives its character bigrams (a lone one, itself);
//  - ids are numbered by first occurrence over all texts, in order; a segment's terms are in text
//    order with repeats; of a word or number longer than kLongestTerm bytes, the first ones count.
// O(text) time, O(terms + vocabulary) memory.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/parallel.hpp"
#include "kernels/text/segment.hpp"

namespace tersely::text {

inline constexpr std::size_t kLongestTerm = 64;
inline constexpr std::size_t kFewestSlots = 64;  // of a vocabulary that has read nothing
inline constexpr std::size_t kMostSlots = 4096;  // distinct terms grow slower than the text

// Interned strings: id of a string (at least one byte), by first occurrence. Exact: short strings are
// their own key, longer ones are compared byte by byte.
class Vocabulary {
  public:
    // `slots`: a power of two. Memory that is reserved but not written to costs nothing, growing costs twice.
    explicit Vocabulary(std::size_t slots) : slots_(slots) {
        arena_.reserve(slots * 6);
        offsets_.reserve(slots);
    }
    std::int32_t intern(std::string_view term);
    std::string_view operator[](std::size_t id) const {
        return std::string_view(arena_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
    }
    std::size_t size() const { return offsets_.size() - 1; }

  private:
    struct __attribute__((packed, aligned(4))) Slot {  // 12 bytes: most of the memory of a short text's terms
        std::uint64_t key = 0;                         // 0: empty
        std::int32_t id = 0;
    };
    void grow();
    std::string arena_;
    std::vector<std::size_t> offsets_ = {0};
    std::vector<Slot> slots_;  // linear probing
};

// Slots for what is met in so many bytes, so that few tables grow and short texts have small ones.
constexpr std::size_t slots_for(std::size_t bytes) {
    return std::bit_ceil(std::clamp(bytes / 16, kFewestSlots, kMostSlots));
}

// Reads terms. Remembers what each spelling gave, so that folding, stemming and stop words are paid once.
class TermReader {
  public:
    // `bytes`: of all texts to come, about; tables of the right size from the start need not grow.
    explicit TermReader(std::size_t bytes) : vocabulary_(slots_for(bytes)), spellings_(slots_for(bytes)) {
        given_.reserve(slots_for(bytes));
        given_end_.reserve(slots_for(bytes));
    }
    // Appends the term ids of text[span].
    void append(std::string_view text, Span span, std::vector<std::int32_t>& ids);
    const Vocabulary& vocabulary() const { return vocabulary_; }

  private:
    std::size_t number_end(std::string_view text, std::size_t at) const;
    std::size_t word_end(std::string_view text, std::size_t at) const;
    std::size_t append_bigrams(std::string_view text, std::size_t at, std::vector<std::int32_t>& ids);
    void append_spelling(std::string_view raw, std::vector<std::int32_t>& ids);
    void read_spelling(std::string_view raw, std::vector<std::int32_t>& ids);
    void read_identifier(std::string_view raw, std::string_view folded, std::vector<std::int32_t>& ids);
    void emit(std::string_view term, std::vector<std::int32_t>& ids) { ids.push_back(vocabulary_.intern(term)); }
    void emit_word(std::string& term, std::vector<std::int32_t>& ids);

    Vocabulary vocabulary_;
    Vocabulary spellings_;
    std::vector<std::int32_t> given_;     // terms of each spelling, one after another
    std::vector<std::size_t> given_end_;  // where those of each spelling end
    std::string term_;
    Rounds<256> rounds_;
};

bool is_stop_word(std::string_view folded);
bool is_stop_word(std::u32string_view normal);  // of other scripts, as terms.hpp normalizes them

// Light stemmers: endings of English words, endings and articles of words in other scripts.

// Takes plural, past, progressive and adverb endings off a lower-case ASCII word of four letters or
// more, in place ("parties" -> "party", "running" -> "run", "quickly" -> "quick"). Never leaves fewer than
// three letters; other words stay as they are. O(1).
void stem(std::string& word);

// Takes what inflection adds off a folded word that is all of one script, in place; other words stay as they are. False
// for a stop word. Spelling first, then stop words, then endings:
//  - Arabic: vowel marks and tatweel go, forms of alef, ya, kaf and ta marbuta become one; "and" or "so" may be
//    written onto a stop word; then the article goes, with "and", "in", "as", "then" or "for" before it, and "and"
//    alone; then an ending of two letters and one of one letter. Leaves two letters or more, three behind "and" alone;
//  - Devanagari: nukta goes, chandrabindu is anusvara; vowel signs and nasal marks at the end, "iy" before them; leaves
//    two letters or more;
//  - Cyrillic: the longest of the Russian endings of nouns and adjectives, as folded (й is и); leaves three letters or
//    more;
//  - Greek and Hebrew: nothing.
// O(1): a term has at most kLongestTerm bytes.
bool stem_script(std::string& word);

// What kind of thing a term is, as far as its letters tell: what a question may ask for, and what says little.

enum TermClass : std::uint8_t {
    kQuantity = 1,    // begins with a digit, or an English word for a number ("seven", "million", "percent")
    kTime = 2,        // a year (1000 to 2099, "1990s" too), a date or time of day with separators, an English month
    kCommonWord = 4,  // one of the English words that texts of all kinds have: "hope", "please", "really", "cookies"
};

// Bits of TermClass; `term` as the vocabulary holds it (folded and stemmed). O(length).
std::uint8_t term_class(std::string_view term);

// Where given strings occur in texts (Aho and Corasick 1975).
//
// Contract: `strings` are distinct, none is empty. At every place of a text where one of them ends, the longest of
// these is reported; the others that end there are parts of it and are reported with it the first time only, or always
// where every one is asked for. So each string that occurs is reported, each of its other occurrences is, or lies in
// one that is, and there are no more reports than bytes and strings. In the order of texts and ends, the longest first.
// O(bytes of the texts, bytes of the strings times log(strings), and reports).
// Asked for what stands alone, each string is reported once, at the first place where it is no part of a longer word or
// number ("5" in "15", "1.5", "5%"), name ("row" in "a_row") or path ("a.py" in "a.py.bak"); of strings that end at one
// place, kMostTried are tried.

class StringFinder {
  public:
    struct Found {
        std::int32_t string;
        std::int64_t start, end;  // characters of the text
    };

    enum class Report : std::uint8_t { kOnce, kEvery, kAlone };
    static constexpr int kMostTried = 200;

    StringFinder(std::span<const std::string_view> strings, Report report);
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
        bool reported;          // all strings that it ends in were; of what stands alone: its own was
    };
    std::int32_t child(std::int32_t node, unsigned char byte) const;
    std::int32_t next(std::int32_t node, unsigned char byte) const;
    void add_alone(std::string_view text, std::size_t end, std::int64_t characters, std::int32_t at,
                   std::vector<Found>& found);

    std::array<std::int32_t, 256> first_{};  // the node of one byte; 0: none
    std::vector<Node> nodes_;                // by length, and one behind the last
    std::vector<std::int64_t> lengths_;      // characters of each string
    std::vector<std::size_t> sizes_;         // bytes of each
    std::vector<bool> paths_;                // whether it is a path, or the name of a file
    Report report_;
};

}  // namespace tersely::text
