// Lines of logs and of tools' output, read in one pass in bounded memory: where each is, its template, what it says.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/content/hash_table.hpp"
#include "kernels/content/marks.hpp"
#include "kernels/content/odd_values.hpp"

namespace tersely::content {

// A line in words: what its template is made of, what it says at a glance, which words of a query it has.

// A token of a template: 0 a value, 1 to 255 a punctuation byte, else the hash of a word, odd for words of
// marks.hpp.
using Token = std::uint64_t;

inline constexpr Token kValue = 0;
inline constexpr Token kFirstWord = 256;

inline constexpr std::size_t kMostQueryWords = 64;

// The words of a query, to be found in lines: runs of letters and of digits, in lower case and without a plural s, and
// words with digits or inner punctuation (ids, paths) whole. The first kMostQueryWords count; stop words where there
// are no others. A word of letters with other endings ("restarted": "Restart") is another word.
class QueryWords {
  public:
    explicit QueryWords(std::string_view query);
    std::size_t size() const { return count_; }
    bool empty() const { return count_ == 0; }
    std::uint64_t ids() const {
        return ids_;
    }  // bits of the words that are whole names: a digit or inner punctuation, four bytes or more
    std::uint64_t find(std::uint64_t hash) const {  // its bits, or 0
        const std::uint64_t* bit = bits_.find(hash);
        return bit == nullptr ? 0 : *bit;
    }

  private:
    void add(std::uint64_t hash, bool id);
    void add_endings(std::string_view word, std::uint64_t hash);
    void read(std::string_view query, bool stop_words);
    HashTable<std::uint64_t> bits_;
    std::size_t count_ = 0;
    std::uint64_t ids_ = 0;
};

struct LineWords {
    std::vector<Token> tokens;
    struct Value {  // of a token: the hash and bytes of a word, or of what a quote holds; 0: it is a sign or the time
        std::uint64_t hash = 0;
        std::string_view bytes;
    };
    std::vector<Value> values;
    std::uint64_t plain =
        0;  // hash of its punctuation and of its words that are letters only; of a path alone, of its names
    std::uint32_t marks = 0;    // of marks.hpp
    std::uint64_t asked = 0;    // query words that it has
    std::uint64_t finding = 0;  // hash of the code of what was found, as E0308 or [unused-variable]; 0: none
    Stamp stamp;
    bool told = false;  // whether it opens with pytest's "E   "; before it is read: whether the line above does
};

// The end of "ESC [ ... letter", "ESC ] ... BEL" or another escape that starts at `at` of a line.
std::size_t after_escape(std::string_view line, std::size_t at);

// Reads a line (without its line end and escapes) into `words`, whose memory is used again. Values are: the time stamp,
// words with a digit, paths, words longer than 40 bytes, quoted text. Any bytes are safe; O(line), each byte is looked
// at a bounded number of times.
void read_words(std::string_view line, const QueryWords& query, LineWords& words);

// Templates of log lines, mined in one pass: Drain (He, Zhu, Zheng and Lyu, "Drain: An Online Log Parsing Approach with
// Fixed Depth Tree", ICWS 2017) with the punctuation of a line as its path.

// Contract:
//  - lines of one template have the same punctuation between their words and, where they are words of marks.hpp
//    ("ERROR", "failed"), the same ones; of the other words, positions that are a value in both left aside, at least
//    half are equal to the template's (ties: the template met first);
//  - words that differ become values of the template; templates only widen, ids go by first occurrence;
//  - at most kMostTemplates; of those that share a path, at most kMostAlike, and what fits none of them joins the
//    nearest. Lines beyond that have the id kMostTemplates - 1.
// O(tokens) for a line whose words were met before, else O(kMostAlike * tokens); memory is bounded.
class TemplateMiner {
  public:
    static constexpr std::int32_t kMostTemplates = 1 << 16;
    static constexpr std::size_t kMostAlike = 64;
    static constexpr std::size_t kMostKnown = std::size_t{1} << 17U;
    static constexpr std::size_t kMostTokens = 128;  // of a line that count

    std::int32_t add(std::span<const Token> tokens);
    std::size_t size() const { return templates_.size(); }
    // A hash of what is left of a template when words and values, with what joins them (-_./,'+~), are one: lines of
    // one form are names and numbers between the same signs, such as the lines of a wrapped list; of form 0 signs
    // alone. O(tokens).
    std::uint64_t form(std::int32_t id) const;
    // Where its tokens lie among those of all; those of a template with as many as kMostTokens are the first ones.
    std::size_t place(std::int32_t id) const { return templates_[static_cast<std::size_t>(id)].first; }
    // Of each place: the word before its "="; 0 without. Places of several templates may have one.
    std::span<const Token> names() const { return names_; }
    std::span<const Token> tokens(std::int32_t id) const {
        const auto [first, count] = templates_[static_cast<std::size_t>(id)];
        return std::span(arena_).subspan(first, count);
    }

  private:
    std::int32_t search(std::span<const Token> tokens, std::uint64_t path);

    std::vector<std::pair<std::size_t, std::size_t>> templates_;  // into arena_
    std::vector<Token> arena_, names_;
    HashTable<std::int32_t> known_;               // lines by their tokens; emptied when there are kMostKnown
    HashTable<std::vector<std::int32_t>> paths_;  // templates by path
};

inline constexpr std::size_t kLongestLine = 2048;  // bytes of a row; longer lines have more, cut at a space if they can
inline constexpr std::size_t kMostSeen = std::size_t{1} << 17U;
inline constexpr std::size_t kMostVariants = std::size_t{1} << 17U;
inline constexpr std::size_t kNearLines = 2;       // lines in which the next one of a series stands
inline constexpr std::size_t kLongestOfOne = 512;  // bytes of a line of a series
inline constexpr std::int64_t kKeptHead = 4;       // rows of a template that stay first and last, when rows are let go
inline constexpr std::int64_t kKeptTail = 2;

// One row a line; a line of white space has none, a long one has a row a piece: its head, then pieces with kContinued.
// What lies between rows is white space and line ends.
struct Row {
    std::int64_t start = 0, end = 0;  // bytes of its document
    std::int64_t line = 0;            // its number in the document, from 0; pieces of one line share it
    std::uint64_t asked = 0;          // query words that it has; of a head: that the line has
    std::uint32_t marks = 0;          // of marks.hpp; of a head: of the line
    std::int32_t document = 0;
    std::int32_t template_id = 0;  // of a line; that of a long one is read from its head
    std::int32_t variant = -1;  // lines of one variant have the same letters-only words too; -1: beyond kMostVariants
    std::int32_t copies =
        0;  // times that a line was met before, byte for byte (kMostSeen distinct ones are remembered)
    std::int64_t stands_for = 1;  // lines, as an earlier compression says (marks.hpp)
    std::int32_t finding = -1;  // lines of one have the same code of what was found; -1: none, or beyond kMostVariants
    std::int32_t series = -1;   // lines of one say the same, but for the time and counters; -1: one that is too long
    std::int32_t margin = 0;    // columns before its first word; -1 - columns, where branches of a tree are drawn there
    std::size_t said = 0;       // where the codes of its values begin (OddValues)
    float cost = 0;  // of an indented line: time or share that it says, times its loops; compared with others beside it
};

// Of one template, over all lines read.
struct TemplateFacts {
    std::int64_t count = 0;
    std::int64_t said = 0;                // lines, as an earlier compression says
    std::string first_stamp, last_stamp;  // as written; empty without
};

// Contract:
//  - rows are in the order of the documents and of the text; they are a function of the bytes alone, however they are
//    handed over;
//  - a line ends as on a terminal: at '\n', with any '\r' before it, or where text follows '\r', which is written over
//    it: then it has kOverwritten. Escapes (colours, titles, links) hide no words, but are part of the row;
//  - what an earlier compression wrote at the end of a line is no word of it; a line of which all is has kOwn;
//  - a line goes on in the series of one of the kNearLines before it, the nearest first, that is the same but for the
//    time stamp and for numbers that grow by one amount, as between the two before: in the first step of a series by
//    none, by one, or by as much as to its first line. Else it begins a series;
//  - templates, variants, series and asked_lines count lines, not their pieces;
//  - when there are more than `most_rows` (>= 1,024), half of them are let go: first and last rows of each template,
//    errors, rows of rare templates, odd rows, rows that have query words, and their neighbours stay longest (ties: the
//    earlier); no piece stays without its head.
// O(bytes) time; memory of at most `most_rows` rows, TemplateMiner's, and one line.
class LineReader {
  public:
    LineReader(std::string_view query, std::size_t most_rows);
    // The next bytes of the document, whose number it gives. `last`: the document ends with them.
    std::int32_t append(std::string_view bytes, bool last);

    const std::vector<Row>& rows() const { return rows_; }
    std::vector<Row>& rows() { return rows_; }
    // In [0, 1], how odd each row is: the most that a value of its line is at its place in lines of the template
    // (odd_values.hpp), over log2 of the lines read; of lines with costs as `mark_costly` says (tree_costs.hpp).
    // O(values).
    std::vector<float> odd() const;
    const std::vector<TemplateFacts>& templates() const { return templates_; }
    std::vector<std::uint64_t> forms() const;                                      // of each template
    const std::vector<std::int64_t>& variants() const { return variants_; }        // lines of each variant
    const std::vector<std::int64_t>& findings() const { return findings_; }        // lines of each finding
    const std::vector<std::int64_t>& asked_lines() const { return asked_lines_; }  // lines that have each query word
    const std::vector<std::int64_t>& series() const { return series_; }            // lines of each series
    std::uint64_t id_words() const { return query_.ids(); }
    bool has_let_go() const { return has_let_go_; }    // there were more than most_rows
    std::int64_t lines() const { return all_lines_; }  // of all documents, blank ones too

  private:
    std::size_t read_lines(std::string_view bytes, bool last);
    void read_piece(std::string_view piece);
    void end_line(bool overwritten);
    std::string_view without_escapes(std::string_view line);
    static std::int32_t counted(std::uint64_t hash, HashTable<std::int32_t>& ids, std::vector<std::int64_t>& counts);
    std::int32_t series_of(std::string_view line, std::int32_t variant);
    bool opens_with_id(std::string_view line, std::size_t at);
    void let_go();

    // A line that the next ones may follow in a series.
    struct Near {
        std::string text;
        Stamp stamp;
        std::int32_t variant = -1, series = -1;
        std::vector<std::int64_t> step;  // of its numbers, from the line that it was told from
        bool stepped = false;            // whether that is of its series
    };

    QueryWords query_;
    std::size_t most_rows_;
    TemplateMiner miner_;
    OddValues values_;
    std::vector<std::uint8_t> codes_;  // of the values of each row
    LineWords words_;
    std::vector<Row> rows_;
    std::vector<TemplateFacts> templates_;
    std::vector<std::int64_t> asked_lines_;
    std::vector<std::int64_t> variants_;
    HashTable<std::int32_t> variant_ids_;  // plus one
    std::vector<std::int64_t> findings_;
    HashTable<std::int32_t> finding_ids_;  // plus one
    bool has_let_go_ = false;
    static constexpr std::size_t kNone = ~std::size_t{0};
    std::size_t head_ = kNone;  // of rows_: the first of the line that is read
    bool has_escapes_ = false;  // whether the bytes that are read have any, and any of kDots
    bool has_dots_ = false;
    bool returned_ = false;  // '\r' ended its text; what follows says whether it is written over
    std::string plain_;      // of a line: without its escapes
    std::string waiting_;    // of a line that is not whole yet
    std::int64_t base_ = 0;  // bytes of the document before waiting_
    std::int64_t line_ = 0;
    std::int64_t all_lines_ = 0;
    std::int32_t document_ = 0;
    std::array<Near, kNearLines> near_;  // a ring, the next line's place is lines met % kNearLines
    std::size_t met_ = 0;                // lines of the document, but for long ones
    std::vector<std::int64_t> series_;
    std::vector<std::int64_t> steps_;  // of the line that is read, from another
    HashTable<bool> ids_;              // that lines opened with; emptied when there are kMostSeen
    HashTable<std::int32_t> copies_;   // lines, by how often they were met; emptied when there are kMostSeen
};

// Whether a text stands in lines, as what tools write does, or in sentences.

// False where half or more of the bytes read are lines of prose: seven words or more, of which four fifths are letters
// with at most punctuation around them, and which end as sentences do, or have 50 bytes
// and go on in a line that starts with a small letter, which counts with them, or have 200 bytes; and for texts of
// fewer than three lines. One that begins and ends as the one before it, and is another, is no prose: a tool says the
// same of many things. Of long texts seven pieces of 2 KB are read, the
// first and last among them: O(1).
bool is_lined(std::string_view text);

}  // namespace tersely::content
