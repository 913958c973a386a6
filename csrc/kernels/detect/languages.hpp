// Which programming language a line speaks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernels/detect/line_bytes.hpp"

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
    // The last that is claimed. Those below are told from their relatives above, and called none.
    crystal,
    coffeescript,
    fsharp,
    groovy,
    d,
    vala,
    haxe,
    actionscript,
    solidity,
    shader,
    matlab,
    vim,
    nix,
    elm,
    nginx,
    prisma,
    gdscript,
    cython,
    sml,
    ada,
    basic,
    m4,
    coq,
    lean,
    odin,
    vlang,
    bicep,
    mql,
    llvm,
    puppet,
    fish,
    cypher,
    scheme,
    lispkin,
    prolog,
    qml,
    awk,
    swig,
    postscript,
    bitbake,
    carbon,
};
inline constexpr std::size_t kLanguages = 55;  // that are claimed
inline constexpr std::size_t kAllLanguages = static_cast<std::size_t>(Language::carbon) + 1;
static_assert(static_cast<std::size_t>(Language::crystal) == kLanguages);

inline constexpr std::size_t kSaid = 4672;  // words, signs and starts at most

using LanguageScores = std::array<std::uint32_t, kAllLanguages>;

class LanguageTables;
const LanguageTables& language_tables();

// Whether a line has words of a language: slightly where sentences have them, too.
enum class Spoken : std::uint8_t { kNot, kSlightly, kClearly };

// What the words and signs of lines say for each language. What is said again says less: of one word or sign the first
// three count, then the fourth, eighth, sixteenth ... A file that says "$(" on every line has one sign, not a hundred.
class LanguageReader {
  public:
    // Adds a line: without white space around it, not empty, UTF-8, at most kMostBytes. Whether it speaks a language.
    // O(bytes).
    Spoken add(std::string_view line, const LineBytes& bytes, bool indented);
    void add_recipe();     // a line behind a tab, below a target
    void add_docstring();  // that the text opens with
    LanguageScores& scores() { return scores_; }
    const LanguageScores& scores() const { return scores_; }
    const LanguageScores& distinct() const { return distinct_; }  // how many different things speak for each

  private:
    std::uint32_t add_word(std::string_view line, std::size_t begin, std::size_t end, bool first);
    bool add_signs(char one, char two, char three, bool& own);
    std::uint32_t add_start(std::string_view line);
    bool add_import(std::string_view line);
    bool add_package(std::string_view line);
    void say(Language language, std::uint32_t weight, std::size_t what);

    const LanguageTables& tables_ = language_tables();
    LanguageScores scores_{}, distinct_{};
    std::array<std::uint16_t, kSaid> said_{};  // how often each word, sign and start was met
};

// The language that a command runs: "/usr/bin/env python3 -u"; none where it is not known.
Language interpreter_language(std::string_view command);

}  // namespace tersely::detect
