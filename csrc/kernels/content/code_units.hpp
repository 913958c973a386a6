// Statements and bodies of source code -> units of whole lines, each with what it needs.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/content/code_shape.hpp"

namespace tersely::content {

inline constexpr int kDeepestBody = 60;          // bodies in bodies; what is deeper stays one unit
inline constexpr std::int32_t kLongComment = 2;  // lines: a longer comment or docstring is cut

enum class CodeRole : std::uint8_t {
    kStatement,
    kImport,
    kDefinition,   // the lines of a definition before its body
    kBranch,       // the lines of another statement before its body
    kDeclaration,  // a definition without a body
    kComment,
    kDocstring,  // its first lines
    kText,       // a further line of a comment or docstring
    kAfter,      // lines that stand or fall with others: `else:`, `}`
};

// One row a unit, in order. Every line that is not blank is in exactly one; lines begin and end with something.
struct CodeUnits {
    std::vector<std::int32_t> first, last;  // lines, both in it
    std::vector<std::int32_t> parent;       // the row that each needs, -1 for none
    std::vector<std::int32_t> follows;      // the row that each is in or out with, -1 for none
    std::vector<CodeRole> role;
    std::vector<std::int32_t> suite;  // of the first row of what cannot be left out without a word, its last row; or -1
    std::vector<std::uint8_t> inside;  // 1 for rows in a block comment or docstring: a comment marker would not be one

    std::size_t size() const { return first.size(); }
};

// A file in units. Suites are bodies of Python and, in `typed` languages (TypeScript), the types of `type X =` on
// lines of their own. O(lines + statements).
CodeUnits cut_code(const CodeLines& lines, CodeLanguage language, bool typed, const CodeShape& shape);

}  // namespace tersely::content
