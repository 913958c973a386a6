// Which programming language a line speaks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/detect/line_marks.hpp"

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
    void say(Language language, std::uint32_t weight, std::size_t what) { count(language, weight, ++said_[what]); }
    void count(Language language, std::uint32_t weight, std::uint32_t times);

    const LanguageTables& tables_ = language_tables();
    LanguageScores scores_{}, distinct_{};
    std::array<std::uint16_t, kSaid> said_{};  // how often each word, sign and start was met
};

// The language that a command runs: "/usr/bin/env python3 -u"; none where it is not known.
Language interpreter_language(std::string_view command);

// The words and starts of all languages (language_words.inc, language_starts.inc), made to be looked up.

enum class Where : std::uint8_t { kFirst, kAnywhere, kCalled, kKeyed, kEnding, kMember, kTyped };

struct Word {
    std::string_view text;
    Where where;
    char last;  // of the line; 0: any
    Language language;
    std::uint8_t weight;
};

struct Start {
    std::string_view text;
    Language language;
    std::uint8_t weight;
};

inline constexpr std::size_t kMostWords = 2048, kMostStarts = 2304;

class LanguageTables {
  public:
    LanguageTables();
    static constexpr std::size_t kSlots = 4096;

    // The rows of a word, those that ask for the end of a line first. O(bytes of the word), expected.
    std::span<const Word> find(std::string_view word) const {
        std::size_t slot = slot_of(word);
        const std::uint16_t print = print_of(word);
        while (slots_[slot].row != kNone && (slots_[slot].print != print || words_[slots_[slot].row].text != word))
            slot = (slot + 1) & (kSlots - 1);
        if (slots_[slot].row == kNone) return {};
        const std::size_t first = slots_[slot].row;
        std::size_t end = first + 1;
        while (end < words_.size() && words_[end].text == word) ++end;
        return {words_.data() + first, end - first};
    }
    std::size_t row(const Word& word) const { return static_cast<std::size_t>(&word - words_.data()); }

    // Calls see(start, row) for each start of the line, the longest first. O(log of starts).
    template <typename See>
    void each_start(std::string_view line, See see) const {
        for (std::size_t row = last_start(line); row != kNone; row = shorter_[row]) {
            for (std::size_t same = row;; --same) {
                see(starts_[same], same);
                if (same == 0 || starts_[same - 1].text != starts_[row].text) break;
            }
        }
    }

  private:
    static constexpr std::uint16_t kNone = 65535;
    struct Slot {
        std::uint16_t row = kNone, print = 0;
    };

    static std::size_t slot_of(std::string_view word) {
        const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(word[i])); };
        return (byte(0) * 7 + byte(word.size() - 1) * 31 + byte(word.size() / 2) * 131 + word.size() * 17) &
               (kSlots - 1);
    }

    // Tells most words of a slot apart without a look at them.
    static std::uint16_t print_of(std::string_view word) {
        const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(word[i])); };
        return static_cast<std::uint16_t>(byte(0) | (byte(word.size() - 1) ^ static_cast<unsigned>(word.size())) << 8U);
    }

    std::size_t last_start(std::string_view line) const;

    std::string blanks_;                        // the starts as lines have them
    std::vector<Word> words_;                   // sorted by text
    std::vector<Slot> slots_;                   // the first row of each word, at its slot or the next free one
    std::vector<Start> starts_;                 // sorted by text
    std::vector<std::uint64_t> keys_;           // of the starts
    std::vector<std::uint16_t> shorter_;        // the longest start that is a proper beginning of each
    std::array<std::uint16_t, 257> by_byte_{};  // the first row whose first byte is this one or a later one
};

}  // namespace tersely::detect
