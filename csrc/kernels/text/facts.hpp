// Facts: what of a text should neither get lost nor be made up.
//
// Contract. Texts are read segment by segment (segment.hpp, level SENTENCE). What is found, and its key (equal facts
// have one key; keys of two kinds differ):
//  - NUMBER: digits with sign, comparison, currency, exponent, percent and unit ("-5", "$1,200", "40%", "3.5 ms",
//    "3億円"); as written without commas and spaces. Not: marks of lists and sections, and time stamps of log lines, at
//    the start of a segment; citations ("[12]").
//  - DATE: ISO and day-first dates, "12 March 2024", "March 12, 2024", "10:30", "5 pm", "2024年1月31日", days of the
//    week; folded.
//  - VERSION: "v1.2.3", "1.2.3", "2.0-rc1"; without the v.
//  - NAME: words with a capital one after another, "of", "de", "van" and the like between them; acronyms; words with a
//    capital and digits ("COVID-19"). A single word counts where it stands inside a sentence somewhere in the texts.
//    Not in code, logs and lines of capitals; where all nouns have capitals (German), single words do not count.
//    Folded.
//  - QUOTE: "…", “…”, „…“, «…», 「…」, 『…』 of two words, or four characters of a script without spaces, and more,
//    within one block, not in code or data; folded words.
//  - FENCED_CODE: the whole block, nothing in it counts by itself. INLINE_CODE: `…` within a block; what is nothing but
//    one fact of another kind in backticks ("`a/b.py`") is that fact.
//  - PATH: "/a/b", "./x", "src/x.py", "C:\x", "setup.py", "app/[id]/x.ts", "データ/読込.py", "Makefile"; with spaces
//  where
//    it stands in quotation marks or behind a drive (fact_runs.hpp). PATH_LINE: a path with ":12", ":12:5", "(12)",
//    "(12,5)", ":[12,5]" or "\", line 12" behind. URL: with a scheme, "www.", a host; mail addresses.
//  - IDENTIFIER: snake_case, camelCase, CONST_CASE, dotted.names, a::b, call(), --flags, #123, @user, sha256, hashes,
//    UUIDs, IP addresses; without "()".
//  - ERROR: a type ("ValueError"), or a level with a colon behind ("error: ", "error[E0308]: "), with the message up to
//    the end of its line or segment; log lines from "ERROR" on; "E1234"; "exit code 1". Not inside another one. Folded,
//    white space is one space.
//  - NEGATION, OBLIGATION: the clause (up to , ; : brackets, dashes and the segment's ends) with a word like "not",
//    "without", or "must", "forbidden", "have to". A clause with both is an OBLIGATION; folded words.
//  - DECISION: the segment with a word like "decided", "agreed", "we will"; its negations and obligations do not count.
//    Folded words.
// Numbers to identifiers do not overlap each other, nor lie in code; quotes, errors, clauses and decisions may hold
// others. Quotes, code in backticks, messages and runs (guards.hpp) are read up to fixed lengths. Rows are in text
// order (ties: the longer first); keys are numbered by first occurrence. Offsets are bytes, on characters. Any valid
// UTF-8. O(text) time but for sorting rows that are nearly sorted, O(facts) memory with their texts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/text/key_words.hpp"
#include "kernels/text/segment.hpp"
#include "kernels/text/terms.hpp"

namespace tersely::text {

enum class FactKind : std::uint8_t {
    kNumber,
    kDate,
    kVersion,
    kName,
    kQuote,
    kFencedCode,
    kInlineCode,
    kPath,
    kPathLine,
    kUrl,
    kIdentifier,
    kError,
    kNegation,
    kObligation,
    kDecision,
};

struct FoundFact;

struct FactRow {
    FactKind kind;
    std::uint8_t counts;  // 0: a single word at the start of a sentence, so far
    std::int32_t document;
    std::int32_t segment;  // of all documents, the one it starts in
    std::int32_t key;
    Span span;
};

// Appends what makes a fact of this kind equal to another.
void append_key(FactKind kind, std::string_view fact, std::string& key);

// The words of a name so far (fact_marks.cpp).
struct OpenName {
    Span span = {0, 0};
    std::size_t last = 0;  // where its last word begins
    int words = 0;
    bool starts = false;  // at the start of a sentence
    bool digits = false;
    bool capitals = false;  // its first word has two capitals and no small letter
    bool camel = false;     // its first word has a capital inside
    bool common = false;    // its first word may well be none of it: it starts a sentence
    bool weighty = false;   // a word of two letters or more, no title
};

// Which facts are read: all, or only those that a run of characters tells by itself, which takes a fraction of the
// time: NUMBER, DATE, VERSION, INLINE_CODE, FENCED_CODE, PATH, PATH_LINE, URL, IDENTIFIER, and NAME with digits; no
// paths with spaces in quotation marks, nor files named by a word.
enum class FactScope : std::uint8_t { kAll, kRuns };

class FactReader {
  public:
    // `bytes`: of all documents to come, about.
    explicit FactReader(FactScope scope = FactScope::kAll, std::size_t bytes = kMostSlots * 16)
        : runs_only_(scope == FactScope::kRuns), spellings_(slots_for(bytes)), keys_(kFewestSlots) {}

    // The facts of the next document, whose segments are `rows` (bytes).
    void append(std::string_view text, const Segments& rows);
    // All facts, in order; their keys lie in [0, keys). The reader is used up.
    std::vector<FactRow> finish(std::int32_t& keys);

  private:
    void read_segment(const Segments& rows, std::size_t row);
    std::size_t skip_plain(std::size_t at);
    std::size_t step(std::size_t at);
    std::size_t step_wide(std::size_t at);
    std::uint32_t use_of(std::string_view word);
    void emit(FactKind kind, Span span, bool counts = true);
    void give_keys();

    std::size_t read_letters(std::size_t at);  // facts.cpp
    std::size_t read_run(std::size_t at);
    std::size_t read_led_by_digit(Span run, std::size_t digit);
    std::size_t read_words(Span run);
    std::size_t take_path(const FoundFact& path);
    std::size_t read_capital(Span word, std::uint32_t use);
    std::size_t use_word(Span word, std::uint32_t use);
    void close_run(std::size_t end, std::size_t whole);

    std::size_t skip_label(const Segments& rows, std::size_t row) const;  // fact_marks.cpp
    std::size_t skip_citation(std::size_t at) const;
    std::size_t read_backticks(std::size_t at);
    std::size_t read_quoted_path(std::size_t at);
    void read_quote(std::size_t at, char32_t open);
    std::size_t read_error(Span type, bool level);
    std::size_t read_exit(Span word);
    void read_clause(Span word, FactKind kind);

    void extend_name(Span word);  // fact_marks.cpp
    bool continues_name(std::size_t begin) const;
    void flush_name();
    bool shouts();

    bool runs_only_;
    Vocabulary spellings_;
    std::vector<std::uint32_t> uses_;  // of each spelling
    Vocabulary keys_;
    std::vector<FactRow> rows_;
    std::string key_;
    std::int32_t document_ = 0;
    std::int32_t first_segment_ = 0;  // of the document

    std::string_view whole_;  // the document
    std::string_view text_;   // up to the end of the segment
    std::size_t begin_ = 0;   // of the segment
    std::size_t block_end_ = 0;
    Kind kind_ = Kind::kProse;
    std::int32_t segment_ = 0;
    std::size_t first_row_ = 0;   // of the segment
    std::size_t covered_ = 0;     // everything before this is read
    std::size_t run_end_ = 0;     // of the run that was read last
    std::size_t clause_ = 0;      // where the clause begins
    std::size_t clause_end_ = 0;  // up to here a clause is a fact, at clause_row_
    std::size_t clause_row_ = 0;
    std::size_t quoted_ = 0;      // no quote begins before this
    std::size_t unquoted_ = 0;    // no quotation mark closes a quote before this
    std::size_t ticked_ = 0;      // no backtick closes code before this
    std::size_t error_ = 0;       // an error up to here holds those in it
    std::size_t told_ = 0;        // where runs are looked for: the next one that may tell a fact ends behind this
    std::uint32_t previous_ = 0;  // use of the word before
    bool starts_ = true;          // a sentence, a cell, a line
    bool decides_ = false;
    int shouts_ = -1;  // whether the segment has no small letters; -1: not looked at
    int nouns_ = -1;   // whether all nouns of the document have capitals; -1: not looked at
    OpenName name_;
};

// How hard facts are to recover once they are gone, and how much they say in their text.

// In [0.3, 3], 1 for a name of two words. What nobody can guess, look up or infer from what is around it weighs most;
// of its digits, up to four count:
//  - NUMBER: 0.3 for one or two digits alone, 0.5 for a year (1600 to 2099), 0.5 + 0.4 a digit for other digits alone,
//    0.75 + 0.45 a digit for those with a unit, currency, sign or separator;
//  - DATE: 0.5 for a day of the week or a month, 1.5 + 0.25 a digit for others;
//  - NAME: 0.4 for one word, 1 for several, 1.2 with one or two digits, 2.5 with more ("QX-123");
//  - IDENTIFIER: 2 + 0.25 a digit; PATH, PATH_LINE, URL 3; VERSION 2.25; ERROR 2; code and DECISION 1.5; OBLIGATION 1;
//    QUOTE and NEGATION 0.7.
// Measured with `python -m benchmarks.strategies.facts`: the facts that are left, by kind. O(length).
float fact_weight(FactKind kind, std::string_view fact);

// What facts weigh in the text they stand in: their weight times log2((n + 4) / (u + 2)), where u of its n segments
// have a fact of the same kind and weight (in steps of 0.05). A number in a page of numbers says little, the only URL
// much. The 4 and the 2 are measured with `python -m benchmarks.strategies.facts --parts planted`. `kind`, `segment`
// (in [0, n), ascending), `weight` (fact_weight): of each fact. O(facts).
std::vector<float> weights_in_text(std::span<const std::uint8_t> kind, std::span<const std::int32_t> segment,
                                   std::span<const float> weight, std::size_t n);

// What each of `segments` segments holds: the sum over its distinct facts of their weight in the text by the number of
// times that the fact is stated. `texts`: of the documents; `facts`: from FactReader::finish, with keys in [0, keys).
// Sums in row order. O(facts + segments).
std::vector<float> weights_of_segments(const std::vector<std::string_view>& texts, const std::vector<FactRow>& facts,
                                       std::int32_t keys, std::size_t segments);

}  // namespace tersely::text
