// Where the statements and bodies of a source file are, in lines: what every reader of source code gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tersely::content {

enum class CodeLanguage : std::uint8_t { kPython, kScript, kGo, kRust, kJava, kC, kOther };  // kScript: JavaScript's

// "python", "javascript", "typescript", "tsx", "go", "rust", "java", "c", "cpp"; all else is kOther.
CodeLanguage code_language(std::string_view name);

// Of a name in any language: letters, digits, "_", "$", what is not ASCII.
constexpr bool code_word_byte(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '_' || byte == '$' || static_cast<unsigned char>(byte) >= 0x80U;
}

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

}  // namespace tersely::content
