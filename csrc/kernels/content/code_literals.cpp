#include "kernels/content/code_literals.hpp"

#include <algorithm>

namespace tersely::content {
namespace {

using View = std::string_view;

constexpr int kDeepestLiteral = 8;             // literals in literals
constexpr std::size_t kLongestPattern = 2000;  // bytes of a regular expression
constexpr std::size_t kLongestMark = 20;       // of "#" in r##"..."##, of letters in R"mark(...)mark"

// On one line, with backslashes. Where the line ends first, behind the quote; or there, if it holds escaped quotes.
std::size_t quoted_end(View text, std::size_t at) {
    const char quote = text[at];
    std::size_t without = at + 1;
    for (std::size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
        if (text[i] == quote) return i + 1;
        if (text[i] == '\\') {
            if (i + 2 < text.size() && text[i + 1] == '\r' && text[i + 2] == '\n') ++i;
            if (++i < text.size() && text[i] == quote) without = 0;
        }
    }
    return without > 0 ? without : std::min(text.find('\n', at), text.size());
}

std::size_t behind(View text, View close, std::size_t from) {
    const std::size_t found = text.find(close, std::min(from, text.size()));
    return found == View::npos ? kOpen : found + close.size();
}

std::size_t rust_comment_end(View text, std::size_t at) {
    int depth = 0;
    for (std::size_t i = at; i + 1 < text.size(); ++i) {
        if (text[i] == '/' && text[i + 1] == '*') {
            ++depth;
            ++i;
        } else if (text[i] == '*' && text[i + 1] == '/') {
            if (--depth == 0) return i + 2;
            ++i;
        }
    }
    return kOpen;
}

// r"...", r#"..."#: `at` is at the r (or behind a b before it).
std::size_t rust_raw_end(View text, std::size_t at) {
    std::size_t marks = 0;
    while (marks < kLongestMark && at + 1 + marks < text.size() && text[at + 1 + marks] == '#') ++marks;
    const std::size_t quote = at + 1 + marks;
    if (quote >= text.size() || text[quote] != '"') return at;
    for (std::size_t i = text.find('"', quote + 1); i != View::npos; i = text.find('"', i + 1)) {
        std::size_t closing = 0;
        while (closing < marks && i + 1 + closing < text.size() && text[i + 1 + closing] == '#') ++closing;
        if (closing == marks) return i + 1 + marks;
    }
    return kOpen;
}

// A string that may span lines.
std::size_t long_string_end(View text, std::size_t at) {
    for (std::size_t i = at + 1; i < text.size(); ++i) {
        if (text[i] == text[at]) return i + 1;
        if (text[i] == '\\') ++i;
    }
    return kOpen;
}

std::size_t template_end(View text, std::size_t at, int depth) {
    for (std::size_t i = at + 1; i < text.size();) {
        if (text[i] == '`') return i + 1;
        if (text[i] == '\\') {
            i += 2;
        } else if (text[i] == '$' && i + 1 < text.size() && text[i + 1] == '{' && depth < kDeepestLiteral) {
            int open = 1;
            i += 2;
            while (i < text.size() && open > 0) {
                const std::size_t end = literal_end(text, i, CodeLanguage::kScript, false, depth + 1);
                if (end == kOpen) return kOpen;
                if (end == i) {
                    open += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
                    ++i;
                } else {
                    i = end;
                }
            }
        } else {
            ++i;
        }
    }
    return kOpen;
}

std::size_t pattern_end(View text, std::size_t at) {
    bool in_class = false;
    const std::size_t stop = std::min(text.size(), at + kLongestPattern);
    for (std::size_t i = at + 1; i < stop && text[i] != '\n'; ++i) {
        if (text[i] == '\\') {
            ++i;
        } else if (text[i] == '[') {
            in_class = true;
        } else if (text[i] == ']') {
            in_class = false;
        } else if (text[i] == '/' && !in_class) {
            return i + 1;
        }
    }
    return at;
}

// R"mark(...)mark" of C++, at the R.
std::size_t raw_string_end(View text, std::size_t at) {
    const std::size_t open = text.find('(', at + 2);
    if (open == View::npos || open - at - 2 > kLongestMark) return at;
    char close[kLongestMark + 2];
    std::size_t size = 0;
    close[size++] = ')';
    for (const char byte : text.substr(at + 2, open - at - 2)) close[size++] = byte;
    close[size++] = '"';
    return behind(text, View(close, size), open);
}

std::size_t apostrophe_end(View text, std::size_t at, CodeLanguage language) {
    if (language != CodeLanguage::kRust) return quoted_end(text, at);
    if (at + 1 < text.size() && text[at + 1] == '\\') return quoted_end(text, at);
    std::size_t next = at + 2;  // one character, else a lifetime
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0U) == 0x80U) ++next;
    return next < text.size() && text[next] == '\'' && text[at + 1] != '\n' ? next + 1 : at + 1;
}

}  // namespace

std::size_t python_string_end(View text, std::size_t at, bool formatted, int depth) {
    const char quote = text[at];
    const bool triple = at + 2 < text.size() && text[at + 1] == quote && text[at + 2] == quote;
    int brackets = 0;  // of an expression, its own brace the first
    int spec = 0;      // 1 behind an expression's colon: its format
    for (std::size_t i = at + (triple ? 3 : 1); i < text.size(); ++i) {
        const char byte = text[i];
        const bool in_expression = brackets > spec;
        if (byte == '\\' && !in_expression) {
            if (i + 2 < text.size() && text[i + 1] == '\r' && text[i + 2] == '\n') ++i;
            ++i;
        } else if (byte == quote && (!in_expression || depth >= kDeepestLiteral)) {
            if (!triple) return i + 1;
            if (i + 2 < text.size() && text[i + 1] == quote && text[i + 2] == quote) return i + 3;
        } else if (in_expression && (byte == '"' || byte == '\'') && depth < kDeepestLiteral) {
            const bool inner = text[i - 1] == 'f' || text[i - 1] == 'F' || text[i - 2] == 'f' || text[i - 2] == 'F';
            const std::size_t end = python_string_end(text, i, inner, depth + 1);
            if (end == kOpen) return kOpen;
            i = end - 1;
        } else if (byte == '\n' && !triple && !in_expression) {
            return kOpen;
        } else if (!formatted) {
            continue;
        } else if (byte == '{') {
            if (brackets == 0 && i + 1 < text.size() && text[i + 1] == '{') {
                ++i;
            } else {
                ++brackets;
            }
        } else if (brackets > 0 && (byte == '(' || byte == '[')) {
            if (in_expression) ++brackets;
        } else if (brackets > 0 && (byte == ')' || byte == ']')) {
            if (in_expression) --brackets;
        } else if (byte == '}' && brackets > 0) {
            spec = std::min(spec, --brackets);
        } else if (byte == ':' && brackets == 1) {
            spec = 1;
        }
    }
    return kOpen;
}

std::size_t literal_end(View text, std::size_t at, CodeLanguage language, bool value, int depth) {
    const char byte = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    const bool script = language == CodeLanguage::kScript;
    if (byte == '"') return language == CodeLanguage::kRust ? long_string_end(text, at) : quoted_end(text, at);
    if (byte == '\'') return apostrophe_end(text, at, language);
    if (byte == '`') {
        if (script) return template_end(text, at, depth);
        return language == CodeLanguage::kGo ? behind(text, "`", at + 1) : at;
    }
    if (byte == '/' && next == '/') return std::min(text.find('\n', at), text.size());
    if (byte == '/' && next == '*') {
        return language == CodeLanguage::kRust ? rust_comment_end(text, at) : behind(text, "*/", at + 2);
    }
    if (byte == '/' && script && value) return pattern_end(text, at);
    const bool word = at > 0 && code_word_byte(text[at - 1]);
    if (byte == 'r' && language == CodeLanguage::kRust && !word) return rust_raw_end(text, at);
    if (byte == 'b' && next == 'r' && language == CodeLanguage::kRust && !word) {
        const std::size_t end = rust_raw_end(text, at + 1);
        return end == at + 1 ? at : end;
    }
    if (byte == 'R' && next == '"' && language == CodeLanguage::kC) return raw_string_end(text, at);
    return at;
}

}  // namespace tersely::content
