// Where the statements and bodies of a source file are, in lines: what every reader of source code gives.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/text/unicode.hpp"

namespace tersely::content {

enum class CodeLanguage : std::uint8_t { kPython, kScript, kGo, kRust, kJava, kC, kOther };  // kScript: JavaScript's

// "python", "javascript", "typescript", "tsx", "go", "rust", "java", "c", "cpp"; all else is kOther.
CodeLanguage code_language(std::string_view name);

// Of a name in any language: letters, digits, "_", "$", what is not ASCII.
inline constexpr std::array<bool, 256> kCodeWord = [] {
    std::array<bool, 256> words{};
    for (std::size_t byte = 0; byte < words.size(); ++byte) {
        words[byte] = text::ascii_word(static_cast<char>(byte)) || byte == '$' || byte >= 0x80U;
    }
    return words;
}();

// Ends of lines in text[begin, end).
inline std::int32_t line_ends(std::string_view text, std::size_t begin, std::size_t end) {
    const std::string_view part = text.substr(begin, end - begin);
    return static_cast<std::int32_t>(std::count(part.begin(), part.end(), '\n'));
}
constexpr bool code_word_byte(char byte) { return kCodeWord[static_cast<unsigned char>(byte)]; }

// Lines of a text, without the ASCII white space around them.
class CodeLines {
  public:
    explicit CodeLines(std::string_view text);

    std::int32_t count() const { return static_cast<std::int32_t>(begin_.size()); }
    std::string_view text() const { return text_; }
    std::size_t begin(std::int32_t line) const { return begin_[index(line)]; }
    std::size_t start(std::int32_t line) const { return start_[index(line)]; }  // of what is no white space
    std::size_t end(std::int32_t line) const { return end_[index(line)]; }
    bool blank(std::int32_t line) const { return start(line) == end(line); }
    std::string_view operator[](std::int32_t line) const { return text_.substr(start(line), end(line) - start(line)); }
    std::size_t columns(std::int32_t line) const;  // of indentation, a tab to the next eighth, as Python counts
    std::int32_t of(std::size_t byte) const;       // the line that holds it. O(log lines)

  private:
    static std::size_t index(std::int32_t line) { return static_cast<std::size_t>(line); }
    std::string_view text_;
    std::vector<std::size_t> begin_, start_, end_;
};

// First and last line, from 0, both in it.
struct LineSpan {
    std::int32_t first, last;
};

// Lines of a body without its braces, and of the statements in it, in order and apart.
struct CodeBody {
    LineSpan lines;
    std::vector<LineSpan> statements;
};

// A statement with bodies (`if ... {` `} else {` `}` has two), in order and apart; its first line is before them.
struct CodeFold {
    LineSpan lines;
    std::vector<CodeBody> bodies;
};

// `sure`: the reader understood all of the text.
struct CodeShape {
    std::vector<LineSpan> statements;  // of the file itself
    std::vector<CodeFold> folds;       // at any depth, by their first lines
    bool sure = true;

    void finish(std::vector<LineSpan>&& of_file);  // when all is read: puts the folds in order
};

struct ByteSpan {
    std::size_t start, end;
};

// What a parser found: bodies with their braces (Python's have none), the statements directly in them and in the file,
// both by their starts, outer ones first; and the starts of those that belong to what comes after them (attributes).
// Comments among the statements are passed over. Spans that do not nest give a shape all the same.
// O((spans + glued) log lines).
CodeShape shape_of_spans(const CodeLines& lines, CodeLanguage language, std::span<const ByteSpan> bodies,
                         std::span<const ByteSpan> statements, std::span<const std::size_t> glued);

// Literals and comments of source code: where they end.

inline constexpr std::size_t kOpen = static_cast<std::size_t>(-1);  // it has no end

// Where the Python string ends whose first quote stands at `at`. `formatted`: f-strings, whose expressions in braces
// may hold strings with the same quotes (PEP 701); deeper than a few, braces are text.
std::size_t python_string_end(std::string_view text, std::size_t at, bool formatted, int depth = 0);

// Where the literal or comment at `at` ends, of a language with braces; `at` itself where there is none, kOpen where it
// has no end. `value`: a value may begin here (so "/" begins a regular expression).
std::size_t literal_end(std::string_view text, std::size_t at, CodeLanguage language, bool value, int depth = 0);
// Whether one may begin with the byte, in any of these languages: a quick look before.
constexpr bool begins_literal(char byte) {
    return byte == '"' || byte == '\'' || byte == '`' || byte == '/' || byte == 'b' || byte == 'r' || byte == 'R';
}

// What a line of source code begins: an import, a definition, a branch, a comment.

inline constexpr std::size_t kLongestHead = 400;  // bytes of a signature that are looked at

// All take a line without white space around it. O(kLongestHead).
bool is_comment(std::string_view line, CodeLanguage language);  // begins with one, or lies in a block comment ("* x")
bool is_import(std::string_view line);
bool is_branch(std::string_view line);  // begins with if, for, return, ..., or with "}" and such a word
// Modifiers, then a word that defines ("pub async fn f", "export default class"); what exports; a name of an arrow
// function. `whole`: the lines of the head up to its "{" or ";", joined, where that may be a function without such a
// word (of C or Java, or in a class): a name, brackets, and that; a type before the name where it ends with ";". Or
// empty.
bool is_definition(std::string_view line, std::string_view whole);
// "type X =" with the type on the lines that follow, of TypeScript.
bool is_open_type(std::string_view line);

// Whether a statement of a language with braces ends: at a comma, a line's end, a closing brace.

// Where a reader of braces is.
struct BracePlace {
    std::size_t at = 0;       // byte
    std::int32_t line = 0;    // of it
    std::int32_t begun = -1;  // line of the statement that has not ended; -1: none has begun
    char bracket = '\0';      // the innermost that is open; '\0' for the file
    bool commas = false;      // commas end statements in it
    char last = '\n';         // what was read last but white space and comments
    char before_last = ' ';   // before it; '\0' for the start of a word
};

// A statement has begun where they are asked. Each looks at a bounded number of lines.
class StatementEnds {
  public:
    StatementEnds(const CodeLines& lines, CodeLanguage language)
        : lines_(lines), text_(lines.text()), language_(language) {}

    std::string_view head(const BracePlace& place) const;  // the statement's first line behind its attributes
    bool at_comma(const BracePlace& place) const;      // a field, a value, an arm; no parameters or bounds of a type
    bool at_line_end(const BracePlace& place) const;   // of Go and JavaScript: nothing on either side goes on
    bool at_semicolon(const BracePlace& place) const;  // behind it; not those of `for (a; b; c)`
    // Behind a "}": where the statement ends, 0 where it goes on.
    std::size_t behind_brace(const BracePlace& place) const;
    // A "/" would begin a regular expression.
    bool before_value(const BracePlace& place) const;

  private:
    std::int32_t next_line(const BracePlace& place) const;  // with something on it; -1: there is none near
    bool ends_line(std::size_t at) const;

    const CodeLines& lines_;
    const std::string_view text_;
    const CodeLanguage language_;
};

}  // namespace tersely::content
