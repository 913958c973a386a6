// What a line of source code begins: an import, a definition, a branch, a comment.
#pragma once

#include <string_view>

#include "kernels/content/code_shape.hpp"

namespace tersely::content {

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

}  // namespace tersely::content
