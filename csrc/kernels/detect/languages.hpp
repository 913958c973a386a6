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

inline constexpr std::size_t kSaid = 768;  // words, signs and starts at most

using LanguageScores = std::array<std::uint32_t, kLanguages>;

// What the words and signs of lines say for each language. What is said again says less: of one word or sign the first
// three count, then the fourth, eighth, sixteenth ... A file that says "$(" on every line has one sign, not a hundred.
class LanguageReader {
  public:
    // Adds a line: without white space around it, not empty, ASCII or UTF-8. Whether it says anything. O(bytes).
    bool add(std::string_view line, bool indented);
    void add_recipe();     // a line behind a tab, below a target
    void add_docstring();  // that the text opens with
    LanguageScores& scores() { return scores_; }
    const LanguageScores& scores() const { return scores_; }

  private:
    bool add_word(std::string_view word, bool first, char last, std::string_view rest);
    bool add_signs(char one, char two, char three, bool& own);
    bool add_start(std::string_view line);
    bool add_import(std::string_view line);
    bool add_package(std::string_view line);
    void say(Language language, std::uint32_t weight, std::size_t what);

    LanguageScores scores_{};
    std::array<std::uint16_t, kSaid> said_{};  // how often each word, sign and start was met
};

// The language that a command runs: "/usr/bin/env python3 -u"; none where it is not known.
Language interpreter_language(std::string_view command);

}  // namespace tersely::detect
