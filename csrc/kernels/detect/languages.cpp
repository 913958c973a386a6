#include "kernels/detect/languages.hpp"

#include <algorithm>
#include <utility>

#include "kernels/detect/language_words.hpp"

namespace tersely::detect {
namespace {

using enum Language;

constexpr std::size_t kWordSlots = 2048;

constexpr std::size_t slot_of(std::string_view word) {
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(word[i])); };
    return (byte(0) * 7 + byte(word.size() - 1) * 31 + byte(word.size() / 2) * 131 + word.size() * 17) &
           (kWordSlots - 1);
}

constexpr std::uint16_t kNoWord = 65535;
static_assert(kWordCount < kNoWord);

// The first row of each word, at its slot or the next free one.
constexpr std::array<std::uint16_t, kWordSlots> word_slots() {
    std::array<std::uint16_t, kWordSlots> slots{};
    slots.fill(kNoWord);
    for (std::size_t row = 0; row < kWordCount; ++row) {
        if (row > 0 && kWords[row].text == kWords[row - 1].text) continue;
        std::size_t slot = slot_of(kWords[row].text);
        while (slots[slot] != kNoWord) slot = (slot + 1) & (kWordSlots - 1);
        slots[slot] = static_cast<std::uint16_t>(row);
    }
    return slots;
}
constexpr std::array<std::uint16_t, kWordSlots> kSlots = word_slots();

constexpr bool word_byte(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' || (byte >= '0' && byte <= '9');
}

constexpr char kAny = '\0';
constexpr char kWord = 'w';     // a letter, a digit or "_"
constexpr char kCapital = 'C';  // a capital letter

// Two or three signs that belong together, and a language that they speak for.
struct Sign {
    char one, two, three;
    Language language;
    std::uint8_t weight;
    bool own;  // whether few languages have it: a line with it says something
};

// Sorted by the first; of the rows of a first sign, those that look as the first one that matches count.
constexpr std::array kSigns = {
    Sign{'"', '"', '"', python, 3, true},
    Sign{'#', '!', '[', rust, 5, true},
    Sign{'#', '[', kAny, rust, 5, true},
    Sign{'$', '(', kCapital, makefile, 2, false},
    Sign{'$', '(', kAny, shell, 1, false},
    Sign{'$', '(', kAny, javascript, 1, false},
    Sign{'$', '(', kAny, makefile, 1, false},
    Sign{'$', '@', kAny, makefile, 3, true},
    Sign{'$', '<', kAny, makefile, 3, true},
    Sign{'$', '{', kAny, shell, 2, false},
    Sign{'$', '{', kAny, javascript, 1, false},
    Sign{'$', '_', '.', powershell, 4, false},
    Sign{'$', kWord, kAny, php, 1, false},
    Sign{'$', kWord, kAny, perl, 1, false},
    Sign{'$', kWord, kAny, shell, 1, false},
    Sign{'$', kWord, kAny, powershell, 1, false},
    Sign{'%', '>', '%', r, 6, true},
    Sign{'&', '\'', kAny, rust, 3, true},
    Sign{'-', '>', kAny, rust, 1, false},
    Sign{'-', '>', kAny, c, 1, false},
    Sign{'-', '>', kAny, php, 1, false},
    Sign{'-', '>', kAny, perl, 1, false},
    Sign{'-', '>', kAny, swift, 1, false},
    Sign{':', '=', kAny, go, 3, true},
    Sign{':', '=', kAny, pascal, 2, true},
    Sign{':', '=', kAny, makefile, 2, true},
    Sign{':', ':', ' ', haskell, 3, false},
    Sign{':', ':', kAny, rust, 1, false},
    Sign{':', ':', kAny, cpp, 1, false},
    Sign{':', ':', kAny, perl, 1, false},
    Sign{';', ';', kAny, shell, 3, true},
    Sign{'<', '?', 'p', php, 20, true},
    Sign{'<', '-', ' ', r, 3, false},
    Sign{'<', '-', ' ', haskell, 1, false},
    Sign{'<', '-', ' ', julia, 1, false},
    Sign{'=', '=', '=', javascript, 3, false},
    Sign{'=', '>', kAny, javascript, 1, false},
    Sign{'=', '>', kAny, rust, 1, false},
    Sign{'=', '>', kAny, php, 1, false},
    Sign{'=', '>', kAny, perl, 1, false},
    Sign{'?', '=', kAny, makefile, 4, true},
    Sign{'@', '"', kAny, objectivec, 4, true},
    Sign{'@', '_', kAny, perl, 3, false},
    Sign{'@', 'i', 'm', zig, 6, false},
    Sign{'@', '{', kAny, perl, 3, false},
    Sign{'[', '[', kAny, shell, 3, false},
    Sign{'[', ' ', kAny, shell, 1, false},
    Sign{']', '$', kAny, powershell, 3, false},
    Sign{'|', '>', kAny, elixir, 3, false},
};

// The first row of each first sign, and the one after its last.
struct SignRows {
    std::uint8_t first = 0, last = 0;
};
constexpr std::array<SignRows, 256> sign_rows() {
    std::array<SignRows, 256> table{};
    for (std::size_t row = 0; row < kSigns.size(); ++row) {
        SignRows& rows = table[static_cast<unsigned char>(kSigns[row].one)];
        if (rows.last == 0) rows.first = static_cast<std::uint8_t>(row);
        rows.last = static_cast<std::uint8_t>(row + 1);
    }
    return table;
}
constexpr std::array<SignRows, 256> kSignRows = sign_rows();

struct Start {
    std::string_view text;
    Language language;
    std::uint32_t weight;
};

// What lines of some languages begin with, where it is no word.
constexpr std::array kStarts = {
    Start{"(ns ", clojure, 20},
    Start{"(defn", clojure, 8},
    Start{"(:require ", clojure, 10},
    Start{"(let [", clojure, 5},
    Start{"(deftest", clojure, 8},
    Start{"(defun ", commonlisp, 4},
    Start{"(defun ", elisp, 4},
    Start{"(defvar ", commonlisp, 2},
    Start{"(defvar ", elisp, 2},
    Start{"(defmacro ", commonlisp, 3},
    Start{"(defpackage", commonlisp, 20},
    Start{"(in-package", commonlisp, 20},
    Start{"(defclass", commonlisp, 8},
    Start{"(defmethod", commonlisp, 8},
    Start{"(defgeneric", commonlisp, 8},
    Start{"(defparameter", commonlisp, 8},
    Start{"(setf ", commonlisp, 4},
    Start{"(setq ", elisp, 5},
    Start{"(provide '", elisp, 20},
    Start{"(interactive", elisp, 12},
    Start{"(defcustom", elisp, 20},
    Start{"(require '", elisp, 10},
    Start{"(use-package", elisp, 20},
    Start{"(add-hook", elisp, 12},
    Start{"-module(", erlang, 20},
    Start{"-export(", erlang, 10},
    Start{"-include", erlang, 8},
    Start{"-define(", erlang, 8},
    Start{"-record(", erlang, 8},
    Start{"-spec ", erlang, 8},
    Start{".PHONY", makefile, 12},
    Start{"-include ", makefile, 4},
    Start{"\\begin{", latex, 8},
    Start{"\\end{", latex, 5},
    Start{"\\section", latex, 8},
    Start{"\\documentclass", latex, 20},
    Start{"\\usepackage", latex, 12},
    Start{"\\newcommand", latex, 8},
    Start{"\\def\\", latex, 8},
    Start{"\\subsection", latex, 8},
    Start{"\\item", latex, 3},
    Start{"\\label", latex, 4},
    Start{"`timescale", verilog, 20},
    Start{"`include", verilog, 6},
    Start{"`define", verilog, 6},
    Start{"`ifdef", verilog, 6},
    Start{".globl", assembly, 8},
    Start{".section", assembly, 8},
    Start{".text", assembly, 4},
    Start{".byte", assembly, 6},
    Start{".word", assembly, 5},
    Start{"%macro", assembly, 8},
    Start{"%define", assembly, 8},
    Start{"load(\"", starlark, 20},
    Start{"import 'package:", dart, 20},
    Start{"import 'dart:", dart, 20},
    Start{"#pragma mark", objectivec, 8},
    Start{"- (", objectivec, 5},
    Start{"+ (", objectivec, 5},
    Start{"::", batch, 3},
    Start{"%%", erlang, 1},
    Start{"{-# ", haskell, 12},
    Start{"let rec ", ocaml, 8},
    Start{"(* ", ocaml, 4},
    Start{"#!/usr/bin/env Rscript", r, 20},
};

constexpr std::array<bool, 256> start_bytes() {
    std::array<bool, 256> bytes{};
    for (const Start& start : kStarts) bytes[static_cast<unsigned char>(start.text[0])] = true;
    return bytes;
}
constexpr std::array<bool, 256> kStartBytes = start_bytes();

// Places of what was said: words, signs, starts, then the others.
constexpr std::size_t kSignsFrom = kWordCount;
constexpr std::size_t kStartsFrom = kSignsFrom + kSigns.size();
constexpr std::size_t kOthersFrom = kStartsFrom + kStarts.size();
enum Other : std::size_t {
    kHeader = kOthersFrom,
    kModule,
    kTypes,
    kPackages,
    kLisp,
    kDocumented,
    kNamed,
    kAdorned,
    kClass,
    kMessage,
    kBlock,
    kCommand,
    kRecipe,
    kOpens,
    kEnd
};
static_assert(kEnd <= kSaid);

}  // namespace

namespace {

// "Get-Item", "ConvertTo-Json": verb and noun in capitals, as PowerShell calls its commands.
bool is_command(std::string_view word) {
    const auto capital = [](char byte) { return byte >= 'A' && byte <= 'Z'; };
    const std::size_t dash = word.find('-');
    return dash != std::string_view::npos && dash >= 3 && dash + 2 < word.size() && capital(word[0]) &&
           capital(word[dash + 1]) && !capital(word[1]) && word.find('-', dash + 1) == std::string_view::npos;
}

bool goes_on_with(std::string_view rest, char sign) {
    const std::size_t at = rest.find_first_not_of(' ');
    return at != std::string_view::npos && rest[at] == sign;
}

}  // namespace

void LanguageReader::say(Language language, std::uint32_t weight, std::size_t what) {
    const std::uint32_t times = ++said_[what];
    if (times <= 3 || (times & (times - 1)) == 0) scores_[static_cast<std::size_t>(language)] += weight;
}

bool LanguageReader::add_word(std::string_view word, bool first, char last, std::string_view rest) {
    std::size_t slot = slot_of(word);
    while (kSlots[slot] != kNoWord && kWords[kSlots[slot]].text != word) slot = (slot + 1) & (kWordSlots - 1);
    if (kSlots[slot] == kNoWord) return false;
    bool found = false;
    bool ended = false;  // a row that asks for the line's end was met: rows that do not are for other ends
    for (std::size_t row = kSlots[slot]; row < kWordCount && kWords[row].text == word; ++row) {
        const Word& rule = kWords[row];
        if ((rule.where == kFirst && !first) || (rule.last != 0 && rule.last != last)) continue;
        if (rule.last == 0 && ended) continue;
        if (rule.language == cmake && !goes_on_with(rest, '(')) continue;
        if (rule.language == css && rule.last == ';' && !goes_on_with(rest, ':')) continue;
        ended = ended || rule.last != 0;
        say(rule.language, rule.weight, row);
        found = found || rule.weight > 0;
    }
    return found;
}

// Whether signs that belong together start here. `own`: whether few languages have them.
bool LanguageReader::add_signs(char one, char two, char three, bool& own) {
    const SignRows rows = kSignRows[static_cast<unsigned char>(one)];
    const Sign* like = nullptr;
    for (std::size_t row = rows.first; row < rows.last; ++row) {
        const Sign& sign = kSigns[row];
        if (like != nullptr) {
            if (sign.two != like->two || sign.three != like->three) break;
        } else if ((sign.two == kWord ? word_byte(two) : sign.two == two) &&
                   (sign.three == kAny || sign.three == three ||
                    (sign.three == kCapital && three >= 'A' && three <= 'Z'))) {
            like = &sign;
        } else {
            continue;
        }
        say(sign.language, sign.weight, kSignsFrom + row);
        own = own || sign.own;
    }
    return like != nullptr;
}

bool LanguageReader::add_start(std::string_view line) {
    if (!kStartBytes[static_cast<unsigned char>(line[0])]) return false;
    bool found = false;
    for (const Start& start : kStarts) {
        if (!line.starts_with(start.text)) continue;
        say(start.language, start.weight, kStartsFrom + static_cast<std::size_t>(&start - kStarts.data()));
        found = true;
    }
    return found;
}

// import ... from "x"; is JavaScript, #include <x> without ".h" C++; both have words of other languages.
bool LanguageReader::add_import(std::string_view line) {
    if (line.starts_with("#include <") && line.find(".h") == std::string_view::npos) {
        say(cpp, 6, kHeader);
        return true;
    }
    const bool module = line.starts_with("import ") || line.starts_with("} from ");
    if (!module || (line.find(" from '") == std::string_view::npos && line.find(" from \"") == std::string_view::npos))
        return false;
    say(javascript, 5, kModule);
    if (line.starts_with("import type")) say(typescript, 5, kTypes);
    return true;
}

// "package main" alone is Go; with dots and no semicolon, Kotlin or Scala.
bool LanguageReader::add_package(std::string_view line) {
    static constexpr std::string_view kPackage = "package ";
    if (!line.starts_with(kPackage)) return false;
    const std::string_view name = line.substr(kPackage.size());
    if (std::all_of(name.begin(), name.end(), word_byte)) {
        say(go, name == "main" ? 20 : 8, kPackages);
    } else if (name.find(' ') == std::string_view::npos && line.back() != ';' && line.back() != '{') {
        say(kotlin, 8, kPackages);
        say(scala, 8, kPackages);
    } else {
        return false;
    }
    return true;
}

bool LanguageReader::add(std::string_view line, bool indented) {
    const char last = line.back();
    bool found = add_start(line);
    if (!indented && (add_package(line) || add_import(line))) return true;
    if (line.starts_with(";")) {
        for (const Language lisp : {commonlisp, elisp, clojure}) say(lisp, 1, kLisp);
        return false;
    }
    std::size_t start = 0;
    if (line[0] == '#' || line[0] == '@' || line[0] == '=') {
        start = 1;
        if (line[0] == '#' && line.size() > 1 && line[1] == ' ') return false;  // a comment
    }
    if (line.starts_with("//") || line.starts_with("* ") || line.starts_with("/*") || line.starts_with("--")) {
        if (line.starts_with("///") || line.starts_with("//!")) say(rust, 1, kDocumented);
        return false;
    }
    bool first = true;
    for (std::size_t i = start; i < line.size();) {
        const char byte = line[i];
        if (word_byte(byte)) {
            std::size_t end = i + 1;
            while (end < line.size() && (word_byte(line[end]) || (first && line[end] == '-'))) ++end;
            const std::string_view word = line.substr(first ? 0 : i, first ? end : end - i);
            found = add_word(word, first, last, line.substr(end)) || found;
            if (first && is_command(word) && (end == line.size() || line[end] != ':')) {
                say(powershell, 5, kCommand);
                found = true;
            }
            if (first && !indented && end + 1 < line.size() && line[end] == '=' && word_byte(line[end - 1]) &&
                line[end + 1] != '=' && last != ',' && last != '(' && last != ';') {
                say(shell, 2, kNamed);  // NAME=value
                found = true;
            }
            first = false;
            i = end;
            continue;
        }
        const char two = i + 1 < line.size() ? line[i + 1] : '\0';
        const char three = i + 2 < line.size() ? line[i + 2] : '\0';
        if (add_signs(byte, two, three, found)) {
            i += 2;
            first = false;
            continue;
        }
        if (byte != ' ') first = false;
        ++i;
    }
    if (line[0] == '@' && !indented && last != ';' && last != '{') say(python, 1, kAdorned);
    if (line[0] == '.' && last == '{') say(css, 3, kClass);
    if (line[0] == '[' && last == ';') say(objectivec, 3, kMessage);
    if (last == '|' && line.find(" do |") != std::string_view::npos) say(ruby, 4, kBlock), found = true;
    return found;
}

void LanguageReader::add_recipe() { say(makefile, 5, kRecipe); }

void LanguageReader::add_docstring() { say(python, 6, kOpens); }

Language interpreter_language(std::string_view command) {
    constexpr std::array<std::pair<std::string_view, Language>, 22> kNames = {
        {{"python", python}, {"pypy", python},  {"node", javascript}, {"nodejs", javascript}, {"perl", perl},
         {"ruby", ruby},     {"php", php},      {"lua", lua},         {"deno", typescript},   {"sh", shell},
         {"bash", shell},    {"dash", shell},   {"ksh", shell},       {"zsh", shell},         {"ash", shell},
         {"tclsh", tcl},     {"wish", tcl},     {"scala", scala},     {"Rscript", r},         {"julia", julia},
         {"elixir", elixir}, {"make", makefile}}};
    while (!command.empty()) {
        const std::size_t first = command.find_first_not_of(' ');
        if (first == std::string_view::npos) return none;
        command.remove_prefix(first);
        std::string_view name = command.substr(0, command.find(' '));
        command.remove_prefix(name.size());
        name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
        if (name == "env" || name.starts_with('-') || name.find('=') != std::string_view::npos) continue;
        while (!name.empty() &&
               ((name.back() >= '0' && name.back() <= '9') || name.back() == '.' || name.back() == '-'))
            name.remove_suffix(1);
        const auto known =
            std::find_if(kNames.begin(), kNames.end(), [&](const auto& one) { return one.first == name; });
        return known == kNames.end() ? none : known->second;
    }
    return none;
}

}  // namespace tersely::detect
