// Which programming language a line speaks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tersely::detect {

enum class Language : std::uint8_t {
    none,
    python,
    javascript,
    typescript,
    go,
    rust,
    java,
    c,
    cpp,
    csharp,
    kotlin,
    swift,
    php,
    ruby,
    perl,
    lua,
    shell,
    sql,
    css,
    yaml,
    toml,
    rst,
    html,
    xml,
    cmake,
    makefile,
    dockerfile,
    fortran,
    hcl,
    ini,
    powershell,
    batch,
    scala,
    r,
    dart,
    elixir,
    haskell,
    objectivec,
    protobuf,
    graphql,
    pascal,
    verilog,
    vhdl,
    assembly,
    tcl,
    nim,
    ocaml,
    zig,
    julia,
    erlang,
    clojure,
    commonlisp,
    elisp,
    latex,
    starlark,
};
inline constexpr std::size_t kLanguages = 55;

using LanguageScores = std::array<std::uint32_t, kLanguages>;

// Adds what the line says for each language; returns whether it says anything. `line`: without white space around
// it, not empty, ASCII or UTF-8. O(bytes).
bool add_language_scores(std::string_view line, bool indented, LanguageScores& scores);

// The language of a "#!" line; none where it is not one, or an unknown one.
Language shebang_language(std::string_view line);

}  // namespace tersely::detect
