// Statements and bodies of source code -> units of whole lines, each with what it needs.
#pragma once

#include <cstdint>
#include <string_view>
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
// lines of their own. `piece`: 0, or bytes: longer units are cut at their lines; in Python, statements between the
// elements in their brackets, so that what parses still does. O(lines + statements), with `piece` O(bytes).
CodeUnits cut_code(const CodeLines& lines, CodeLanguage language, bool typed, const CodeShape& shape,
                   std::size_t piece = 0);

// Units of source code in the order of what is kept first.

// double[n], higher first: signatures (10; each level of definitions around one 0.3 less, a line more 0.02 less; what
// is public, in words, 0.1 more; `impl`, which only holds others, 0.8 less), imports (8), comments with a word such as
// FIXME (7), first lines of docstrings (5), statements of the file (1 to 4), statements of bodies (1 to 2, those of
// short bodies more), other comments (0.8, 0.5).
// Outside of functions, what repeats in form and words is worth less: imports down to 2, declarations by 0.01,
// statements to 1, and comments have up to 0.3 more for what is their own. With a query, what is no signature or import
// counts at least 9.5 s^2, s the share of the query (rarity.hpp) that the definition around it holds, by the best
// one's; outside of definitions the outermost statement with a body, else the lines without a blank one between, as
// sections of settings are. What gives a value to a name that such a definition of s >= 0.7 uses comes before
// signatures: 0.8 more. O(bytes).
std::vector<double> rank_code(const CodeLines& lines, const CodeUnits& units, std::string_view query);

}  // namespace tersely::content
