// Signs that speak for a programming language.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/detect/languages.hpp"

namespace tersely::detect {

inline constexpr char kAny = '\0';
inline constexpr char kWord = 'w';     // a letter, a digit or "_"
inline constexpr char kCapital = 'C';  // a capital letter

struct Vote {
    Language language = Language::none;
    std::uint8_t weight = 0;  // 0: there is no more
};
inline constexpr std::size_t kMostVotes = 6;

// Two or three signs that belong together, and the languages that they speak for.
struct Sign {
    char one, two, three;
    bool own;  // whether few languages have it: a line with it says something
    std::array<Vote, kMostVotes> votes;
};

// Sorted by the first; of those of one first sign, the first that matches counts.
inline constexpr auto kSigns = [] {
    using enum Language;
    return std::to_array<Sign>({
        {'!', '(', kAny, false, {{{rust, 2}}}},
        {'!', 'i', 'm', false, {{{css, 5}}}},
        {'!', 'v', 'o', false, {{{zig, 6}}}},
        {'!', '=', '=', false, {{{javascript, 3}, {php, 1}}}},
        {'!', '!', kAny, false, {{{kotlin, 1}}}},
        {'"', '"', '"', true, {{{python, 3}}}},
        {'#', '!', '[', true, {{{rust, 5}}}},
        {'#', '[', kAny, true, {{{rust, 5}}}},
        {'#', '{', kAny, false, {{{ruby, 2}, {coffeescript, 2}, {elixir, 1}}}},
        {'#', 't', ')', false, {{{scheme, 3}}}},
        {'#', 'f', ')', false, {{{scheme, 3}}}},
        {'#', '\'', kWord, false, {{{commonlisp, 2}, {elisp, 1}}}},
        {'#', '(', kAny, false, {{{clojure, 2}}}},
        {'$', '(', kCapital, false, {{{makefile, 2}}}},
        {'$', '(', kAny, false, {{{shell, 1}, {javascript, 1}, {makefile, 1}}}},
        {'$', '@', kAny, true, {{{makefile, 3}}}},
        {'$', '<', kAny, true, {{{makefile, 3}}}},
        {'$', '^', kAny, true, {{{makefile, 3}}}},
        {'$', '{', kAny, false, {{{shell, 2}, {javascript, 1}, {cmake, 2}, {hcl, 1}, {groovy, 1}, {perl, 1}}}},
        {'$', '_', '.', false, {{{powershell, 4}}}},
        {'$', 't', 'h', false, {{{php, 2}}}},
        {'$', 's', 'e', false, {{{perl, 2}}}},
        {'$', 'e', 'n', false, {{{powershell, 2}}}},
        {'$', 'n', 'u', false, {{{powershell, 2}}}},
        {'$', 't', 'r', false, {{{powershell, 2}}}},
        {'$', 'f', 'a', false, {{{powershell, 2}}}},
        {'$', kWord, kAny, false, {{{php, 1}, {perl, 1}, {shell, 1}, {powershell, 1}, {tcl, 1}}}},
        {'%', '>', '%', true, {{{r, 6}}}},
        {'%', 'i', 'n', false, {{{r, 6}}}},
        {'%', '%', '%', false, {{{erlang, 1}}}},
        {'%', '{', kAny, false, {{{elixir, 3}}}},
        {'%', '~', kAny, false, {{{batch, 6}}}},
        {'%', '%', kWord, false, {{{batch, 2}}}},
        {'%', '%', ' ', false, {{{scala, 2}}}},
        {'%', 'e', 'a', false, {{{assembly, 5}}}},
        {'%', 'r', kWord, false, {{{assembly, 3}}}},
        {'%', 'e', 'b', false, {{{assembly, 4}}}},
        {'%', 'e', 's', false, {{{assembly, 4}}}},
        {'%', kCapital, kAny, false, {{{batch, 2}}}},
        {'&', '\'', kAny, true, {{{rust, 3}}}},
        {'&', 'm', 'u', true, {{{rust, 5}}}},
        {'&', 's', 'e', true, {{{rust, 4}}}},
        {'&', 's', 't', true, {{{rust, 4}}}},
        {'&', '[', kAny, false, {{{rust, 2}}}},
        {'\'', 'b', '0', false, {{{verilog, 6}}}},
        {'\'', 'b', '1', false, {{{verilog, 6}}}},
        {'\'', 'h', kWord, false, {{{verilog, 6}}}},
        {'\'', 'd', kWord, false, {{{verilog, 3}}}},
        {'(', 'c', '(', false, {{{r, 2}}}},
        {'(', '$', kWord, false, {{{php, 1}, {perl, 1}, {powershell, 1}}}},
        {'-', '>', '{', false, {{{perl, 3}}}},
        {'-', '>', '[', false, {{{perl, 3}}}},
        {'-', '>', kAny, false, {{{rust, 1}, {c, 1}, {php, 1}, {perl, 1}, {swift, 1}}}},
        {'-', 'e', 'q', false, {{{powershell, 1}, {shell, 1}}}},
        {'-', 'n', 'o', false, {{{powershell, 1}}}},
        {'-', 'E', 'r', false, {{{powershell, 4}}}},
        {'.', '{', kAny, false, {{{zig, 5}}}},
        {'.', '.', '<', true, {{{swift, 6}}}},
        {'.', '.', '=', false, {{{rust, 3}}}},
        {'.', '*', '(', false, {{{matlab, 2}}}},
        {'.', '*', ' ', false, {{{matlab, 2}}}},
        {'.', '^', kAny, false, {{{matlab, 3}, {julia, 2}}}},
        {'.', 'a', 'n', false, {{{fortran, 1}}}},
        {'.', 'e', 'q', false, {{{fortran, 3}}}},
        {'.', '.', ' ', false, {{{lua, 2}}}},
        {':', ':', ' ', false, {{{haskell, 3}, {odin, 2}}}},
        {':', ':', kCapital, false, {{{julia, 1}, {cpp, 2}, {rust, 1}, {perl, 1}, {ruby, 1}}}},
        {':', ':', '~', false, {{{cpp, 6}}}},
        {':', ':', kAny, false, {{{rust, 1}, {cpp, 2}, {perl, 1}}}},
        {':', '=', kAny, true, {{{go, 3}, {pascal, 2}, {makefile, 2}, {ada, 2}, {vlang, 2}}}},
        {':', '-', ' ', true, {{{prolog, 6}}}},
        {';', ';', kAny, true, {{{shell, 2}, {ocaml, 1}}}},
        {'<', '?', 'p', true, {{{php, 20}}}},
        {'<', '-', ' ', false, {{{r, 3}, {haskell, 1}, {julia, 1}}}},
        {'<', '<', '"', false, {{{erlang, 5}}}},
        {'<', '/', '>', false, {{{javascript, 2}, {typescript, 2}}}},
        {'<', '=', ' ', false, {{{vhdl, 1}, {verilog, 1}}}},
        {'=', '=', '=', false, {{{javascript, 3}, {php, 1}}}},
        {'=', '~', ' ', false, {{{perl, 4}, {ruby, 1}}}},
        {'=', '>', kAny, false, {{{javascript, 2}, {rust, 1}, {php, 1}, {perl, 1}, {scala, 1}, {csharp, 1}}}},
        {'>', '&', '1', false, {{{shell, 4}}}},
        {'>', '&', '2', false, {{{shell, 6}}}},
        {'>', '>', '=', false, {{{haskell, 2}}}},
        {'?', '=', kAny, true, {{{makefile, 4}}}},
        {'?', 'M', 'O', false, {{{erlang, 8}}}},
        {'?', '.', kWord, false, {{{kotlin, 1}, {swift, 1}, {typescript, 1}, {csharp, 1}, {dart, 1}}}},
        {'?', '?', ' ', false, {{{csharp, 1}, {dart, 1}, {swift, 1}}}},
        {'?', ':', ' ', false, {{{typescript, 4}, {groovy, 1}}}},
        {'@', '"', kAny, true, {{{objectivec, 4}}}},
        {'@', '_', kAny, false, {{{perl, 3}}}},
        {'@', '@', kWord, false, {{{ruby, 2}, {sql, 1}}}},
        {'@', 'i', 'm', false, {{{zig, 6}}}},
        {'@', 'a', 's', false, {{{zig, 2}}}},
        {'@', 'p', 't', false, {{{zig, 3}}}},
        {'@', 'i', 'n', false, {{{zig, 2}}}},
        {'@', 's', 'i', false, {{{zig, 1}}}},
        {'@', 't', 'r', false, {{{zig, 2}}}},
        {'@', '[', kAny, false, {{{objectivec, 3}}}},
        {'@', '(', kAny, false, {{{objectivec, 1}, {powershell, 2}}}},
        {'@', '{', kAny, false, {{{perl, 3}, {powershell, 3}, {objectivec, 1}}}},
        {'@', kWord, kAny, false, {{{ruby, 1}, {coffeescript, 1}}}},
        {'[', '[', kAny, false, {{{shell, 3}}}},
        {'[', '$', kAny, false, {{{perl, 1}, {tcl, 2}, {php, 1}}}},
        {'[', 's', 'e', false, {{{objectivec, 3}}}},
        {'[', 'e', 'x', false, {{{tcl, 5}}}},
        {'[', 's', 't', false, {{{powershell, 1}, {tcl, 2}}}},
        {'[', ']', 'c', false, {{{zig, 6}}}},
        {'[', ']', 'u', false, {{{zig, 4}}}},
        {'[', ']', 'b', false, {{{go, 3}}}},
        {'[', ']', 's', false, {{{go, 3}}}},
        {'[', ' ', kAny, false, {{{shell, 1}}}},
        {'\\', '(', kAny, false, {{{swift, 4}, {latex, 1}}}},
        {'\\', 'b', 'e', false, {{{latex, 2}}}},
        {'\\', 't', 'e', false, {{{latex, 3}}}},
        {'\\', 'r', 'e', false, {{{latex, 2}}}},
        {']', '$', kAny, false, {{{powershell, 3}}}},
        {']', '!', kAny, false, {{{graphql, 4}}}},
        {'{', '.', kWord, false, {{{nim, 6}}}},
        {'{', 'o', 'k', false, {{{erlang, 5}}}},
        {'{', ':', 'h', false, {{{elixir, 6}}}},
        {'{', '-', '#', false, {{{haskell, 6}}}},
        {'|', '>', kAny, false, {{{elixir, 3}, {fsharp, 2}, {ocaml, 1}}}},
        {'~', '=', kAny, false, {{{lua, 3}, {matlab, 3}}}},
    });
}();

}  // namespace tersely::detect
