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

std::uint32_t& at(LanguageScores& scores, Language language) { return scores[static_cast<std::size_t>(language)]; }

bool add_word(std::string_view word, bool first, char last, LanguageScores& scores) {
    std::size_t slot = slot_of(word);
    while (kSlots[slot] != kNoWord && kWords[kSlots[slot]].text != word) slot = (slot + 1) & (kWordSlots - 1);
    if (kSlots[slot] == kNoWord) return false;
    bool found = false;
    bool ended = false;  // a row that asks for the line's end was met: rows that do not are for other ends
    for (std::size_t row = kSlots[slot]; row < kWordCount && kWords[row].text == word; ++row) {
        const Word& rule = kWords[row];
        if ((rule.where == kFirst && !first) || (rule.last != 0 && rule.last != last)) continue;
        if (rule.last == 0 && ended) continue;
        ended = ended || rule.last != 0;
        at(scores, rule.language) += rule.weight;
        found = found || rule.weight > 0;
    }
    return found;
}

// Two or three signs that belong together; 0 where they do not, 1 where many languages have them, else 2.
int add_signs(char one, char two, char three, LanguageScores& scores) {
    const auto add = [&](Language language, std::uint32_t weight) { at(scores, language) += weight; };
    switch (one) {
        case ':':
            if (two == '=') return add(go, 3), add(pascal, 2), add(makefile, 2), 2;
            if (two == ':' && three == ' ') return add(haskell, 3), 1;
            if (two == ':') return add(rust, 1), add(cpp, 1), add(perl, 1), 1;
            return 0;
        case '=':
            if (two == '=' && three == '=') return add(javascript, 3), 1;
            if (two == '>') return add(javascript, 1), add(rust, 1), add(php, 1), add(perl, 1), 1;
            return 0;
        case '-':
            if (two == '>') return add(rust, 1), add(c, 1), add(php, 1), add(perl, 1), 1;
            return 0;
        case '&':
            if (two == '\'') return add(rust, 3), 2;
            return two == '&' ? 1 : 0;
        case '#':
            if (two == '[' || (two == '!' && three == '[')) return add(rust, 5), 2;
            return 0;
        case '$':
            if (two == '(') return add(shell, 1), add(javascript, 1), add(makefile, 1), 1;
            if (two == '@' || two == '<') return add(makefile, 3), 2;
            if (two == '{') return add(shell, 2), add(javascript, 1), 1;
            if (word_byte(two)) return add(php, 1), add(perl, 1), add(shell, 1), 1;
            return 0;
        case '@':
            if (two == '_' || two == '{') return add(perl, 3), 1;
            return 0;
        case '"':
            if (two == '"' && three == '"') return add(python, 3), 2;
            return 0;
        case ';':
            if (two == ';') return add(shell, 3), 2;
            return 0;
        case '[':
            if (two == '[' || two == ' ') return add(shell, two == '[' ? 3 : 1), 1;
            return 0;
        case '<':
            if (two == '?' && three == 'p') return add(php, 20), 2;
            if (two == '-' && three == ' ') return add(r, 3), add(haskell, 1), add(julia, 1), 1;
            return 0;
        case '?':
            if (two == '=') return add(makefile, 4), 2;
            return 0;
        case '|':
            if (two == '>') return add(elixir, 3), 1;
            return 0;
        case '%':
            if (two == '>' && three == '%') return add(r, 6), 2;
            return 0;
        default:
            return 0;
    }
}

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

bool add_start(std::string_view line, LanguageScores& scores) {
    if (!kStartBytes[static_cast<unsigned char>(line[0])]) return false;
    bool found = false;
    for (const Start& start : kStarts) {
        if (!line.starts_with(start.text)) continue;
        at(scores, start.language) += start.weight;
        found = true;
    }
    return found;
}

// import ... from "x"; is JavaScript, #include <x> without ".h" C++; both have words of other languages.
bool add_import(std::string_view line, LanguageScores& scores) {
    if (line.starts_with("#include <") && line.find(".h") == std::string_view::npos) {
        at(scores, cpp) += 6;
        return true;
    }
    const bool module = line.starts_with("import ") || line.starts_with("} from ");
    if (!module || (line.find(" from '") == std::string_view::npos && line.find(" from \"") == std::string_view::npos))
        return false;
    at(scores, javascript) += 5;
    if (line.starts_with("import type")) at(scores, typescript) += 5;
    return true;
}

// "package main" alone is Go; with dots and no semicolon, Kotlin or Scala.
bool add_package(std::string_view line, LanguageScores& scores) {
    static constexpr std::string_view kPackage = "package ";
    if (!line.starts_with(kPackage)) return false;
    const std::string_view name = line.substr(kPackage.size());
    if (std::all_of(name.begin(), name.end(), word_byte)) {
        at(scores, go) += 20;
    } else if (name.find(' ') == std::string_view::npos && line.back() != ';' && line.back() != '{') {
        at(scores, kotlin) += 8;
        at(scores, scala) += 8;
    } else {
        return false;
    }
    return true;
}

}  // namespace

bool add_language_scores(std::string_view line, bool indented, LanguageScores& scores) {
    const char last = line.back();
    bool found = add_start(line, scores);
    if (!indented && (add_package(line, scores) || add_import(line, scores))) return true;
    if (line.starts_with(";")) {
        for (const Language lisp : {commonlisp, elisp, clojure}) ++at(scores, lisp);
        return false;
    }
    std::size_t start = 0;
    if (line[0] == '#' || line[0] == '@' || line[0] == '=') {
        start = 1;
        if (line[0] == '#' && line.size() > 1 && line[1] == ' ') return false;  // a comment
    }
    if (line.starts_with("//") || line.starts_with("* ") || line.starts_with("/*") || line.starts_with("--")) {
        if (line.starts_with("///") || line.starts_with("//!")) at(scores, rust) += 1;
        return false;
    }
    bool first = true;
    for (std::size_t i = start; i < line.size();) {
        const char byte = line[i];
        if (word_byte(byte)) {
            std::size_t end = i + 1;
            while (end < line.size() && (word_byte(line[end]) || (first && line[end] == '-'))) ++end;
            const std::string_view word = line.substr(first ? 0 : i, first ? end : end - i);
            found = add_word(word, first, last, scores) || found;
            if (first && !indented && end + 1 < line.size() && line[end] == '=' && word_byte(line[end - 1]) &&
                line[end + 1] != '=' && last != ',' && last != '(' && last != ';') {
                at(scores, shell) += 2;  // NAME=value
                found = true;
            }
            first = false;
            i = end;
            continue;
        }
        const char two = i + 1 < line.size() ? line[i + 1] : '\0';
        const char three = i + 2 < line.size() ? line[i + 2] : '\0';
        if (const int signs = add_signs(byte, two, three, scores); signs > 0) {
            found = found || signs > 1;
            i += 2;
            first = false;
            continue;
        }
        if (byte != ' ') first = false;
        ++i;
    }
    if (line[0] == '@' && !indented && last != ';' && last != '{') at(scores, python) += 1;
    if (line[0] == '.' && last == '{') at(scores, css) += 3;
    return found;
}

Language shebang_language(std::string_view line) {
    if (!line.starts_with("#!")) return none;
    constexpr std::array<std::pair<std::string_view, Language>, 8> kNames = {{{"python", python},
                                                                              {"node", javascript},
                                                                              {"perl", perl},
                                                                              {"ruby", ruby},
                                                                              {"php", php},
                                                                              {"lua", lua},
                                                                              {"deno", typescript},
                                                                              {"sh", shell}}};
    for (const auto& [name, language] : kNames) {
        if (line.find(name) != std::string_view::npos) return language;
    }
    return none;
}

}  // namespace tersely::detect
