// Lines of logs and of tools' output, read in one pass in bounded memory: where each is, its template, what it says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/content/hash_table.hpp"
#include "kernels/content/line_words.hpp"
#include "kernels/content/templates.hpp"

namespace tersely::content {

inline constexpr std::size_t kLongestLine = 2048;  // bytes of a row; longer lines have more, cut at a space if they can
inline constexpr std::size_t kMostSeen = std::size_t{1} << 17U;
inline constexpr std::size_t kMostVariants = std::size_t{1} << 17U;
inline constexpr std::int64_t kKeptHead = 4;  // rows of a template that stay first and last, when rows are let go
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
    std::int64_t stands_for = 1;  // lines, as an earlier compression says (own_marks.hpp)
    std::int32_t finding = -1;  // lines of one have the same code of what was found; -1: none, or beyond kMostVariants
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
//  - templates, variants and asked_lines count lines, not their pieces;
//  - when there are more than `most_rows` (>= 1,024), half of them are let go: first and last rows of each template,
//    errors, rows of rare templates, rows that have query words, and their neighbours stay longest (ties: the earlier);
//    no piece stays without its head.
// O(bytes) time; memory of at most `most_rows` rows, TemplateMiner's, and one line.
class LineReader {
  public:
    LineReader(std::string_view query, std::size_t most_rows);
    // The next bytes of the document, whose number it gives. `last`: the document ends with them.
    std::int32_t append(std::string_view bytes, bool last);

    const std::vector<Row>& rows() const { return rows_; }
    std::vector<Row>& rows() { return rows_; }
    const std::vector<TemplateFacts>& templates() const { return templates_; }
    const std::vector<std::int64_t>& variants() const { return variants_; }        // lines of each variant
    const std::vector<std::int64_t>& findings() const { return findings_; }        // lines of each finding
    const std::vector<std::int64_t>& asked_lines() const { return asked_lines_; }  // lines that have each query word
    std::uint64_t id_words() const { return query_.ids(); }
    bool has_let_go() const { return has_let_go_; }    // there were more than most_rows
    std::int64_t lines() const { return all_lines_; }  // of all documents, blank ones too

  private:
    std::size_t read_lines(std::string_view bytes, bool last);
    void read_piece(std::string_view piece);
    void end_line(bool overwritten);
    std::string_view without_escapes(std::string_view line);
    static std::int32_t counted(std::uint64_t hash, HashTable<std::int32_t>& ids, std::vector<std::int64_t>& counts);
    void let_go();

    QueryWords query_;
    std::size_t most_rows_;
    TemplateMiner miner_;
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
    bool returned_ = false;     // '\r' ended its text; what follows says whether it is written over
    std::string plain_;         // of a line: without its escapes
    std::string waiting_;       // of a line that is not whole yet
    std::int64_t base_ = 0;     // bytes of the document before waiting_
    std::int64_t line_ = 0;
    std::int64_t all_lines_ = 0;
    std::int32_t document_ = 0;
    HashTable<std::int32_t> copies_;  // lines, by how often they were met; emptied when there are kMostSeen
};

}  // namespace tersely::content
