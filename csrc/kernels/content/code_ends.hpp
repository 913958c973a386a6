// Whether a statement of a language with braces ends: at a comma, a line's end, a closing brace.
#pragma once

#include "kernels/content/code_shape.hpp"

namespace tersely::content {

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
