#include "kernels/content/code_heads.hpp"

#include <algorithm>
#include <array>

#include "kernels/text/unicode.hpp"

namespace tersely::content {
namespace {

using View = std::string_view;

template <std::size_t n>
bool among(View word, const std::array<View, n>& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<View, 9> kImports = {"import",  "from",  "use",      "package", "mod",
                                          "require", "using", "#include", "@import"};
constexpr std::array<View, 27> kBranches = {"if",    "else",   "elif",    "for",   "while", "switch", "case",
                                            "match", "try",    "except",  "catch", "with",  "do",     "finally",
                                            "loop",  "return", "await",   "throw", "yield", "go",     "defer",
                                            "guard", "select", "default", "when",  "new",   "raise"};
constexpr std::array<View, 36> kModifiers = {
    "export",  "default", "declare",      "abstract", "public",   "private",  "protected", "internal", "static",
    "async",   "unsafe",  "extern",       "const",    "pub",      "inline",   "virtual",   "final",    "override",
    "sealed",  "data",    "open",         "readonly", "template", "typedef",  "constexpr", "explicit", "friend",
    "suspend", "partial", "synchronized", "native",   "strictfp", "volatile", "mutable",   "crate",    "auto"};
constexpr std::array<View, 5> kFunctions = {"func", "fn", "function", "fun", "def"};
constexpr std::array<View, 6> kTypes = {"class", "struct", "enum", "interface", "trait", "impl"};
// Words of other uses too: a name must follow.
constexpr std::array<View, 10> kSoftTypes = {"type",   "module",   "mod",       "namespace", "union",
                                             "record", "protocol", "extension", "object",    "typealias"};

class Words {
  public:
    explicit Words(View line) : line_(line) {}

    void pass_space() {
        while (at_ < line_.size() && text::ascii_space(line_[at_])) ++at_;
    }
    View word() {
        pass_space();
        const std::size_t start = at_;
        while (at_ < line_.size() && code_word_byte(line_[at_])) ++at_;
        return line_.substr(start, at_ - start);
    }
    char next() const { return at_ < line_.size() ? line_[at_] : '\n'; }
    bool at_space() const { return text::ascii_space(next()); }
    View rest() const { return line_.substr(at_); }
    // "(crate)", "<typename T>", "\"C\"" behind a modifier.
    void pass_brackets() {
        pass_space();
        const char open = next();
        const char close = open == '(' ? ')' : open == '<' ? '>' : open == '"' ? '"' : '\0';
        if (close == '\0') return;
        int depth = 0;
        for (std::size_t at = at_; at < line_.size(); ++at) {
            if (line_[at] == close && (open == close ? at > at_ : --depth == 0)) {
                at_ = at + 1;
                return;
            }
            if (line_[at] == open) ++depth;
        }
    }

  private:
    View line_;
    std::size_t at_ = 0;
};

bool name_follows(Words words) {
    words.pass_space();
    const char byte = words.next();
    return (code_word_byte(byte) && (byte < '0' || byte > '9')) || byte == '"' || byte == '\'';
}

// Whether a declared name is that of a function: "name = (a) => ...", "name = async function".
bool names_function(Words words) {
    if (words.word().empty()) return false;
    const View rest = words.rest();
    const std::size_t equals = rest.find('=');
    if (equals == View::npos || rest.substr(equals).starts_with("=>") || rest.substr(equals).starts_with("=="))
        return false;
    Words value(rest.substr(equals + 1));
    View first = value.word();
    if (first == "async") first = value.word();
    if (first == "function") return true;
    value.pass_space();
    if (first.empty() && value.next() != '(' && value.next() != '<') return false;
    value.pass_brackets();
    return value.rest().find("=>") != View::npos;
}

// "name(...) {" with types and marks before the name; no assignment or call of a member. "type name(...);" too, of C
// and Java.
bool is_function_head(View whole) {
    const std::size_t open = whole.find('(');
    const bool body = whole.ends_with('{');
    if (open == View::npos || open == 0 || (!body && !whole.ends_with(';'))) return false;
    View before = whole.substr(0, open);
    while (!before.empty() && text::ascii_space(before.back())) before.remove_suffix(1);
    if (before.empty() || (!code_word_byte(before.back()) && View("~#]>").find(before.back()) == View::npos))
        return false;
    for (const char byte : before) {
        if (!code_word_byte(byte) && !text::ascii_space(byte) && View("<>[],*&:~@?#").find(byte) == View::npos)
            return false;
    }
    const std::size_t close = whole.rfind(')');
    if (close == View::npos || close < open) return false;
    if (!body && before.find_first_of(" *&>") == View::npos) return false;  // a call
    return whole.find_first_of(body ? ";=(" : "({}", close) == View::npos;
}

}  // namespace

bool is_comment(View line, CodeLanguage language) {
    if (language == CodeLanguage::kPython) return line.starts_with('#');
    if (line.starts_with("//") || line.starts_with('*')) return true;
    if (line.starts_with("/*") || line.starts_with("--") || line.starts_with("<!--")) return true;
    return line.starts_with('#') && language == CodeLanguage::kOther && !line.starts_with("#include");
}

bool is_import(View line) {
    Words words(line);
    if (line.starts_with('#') || line.starts_with('@')) {
        const View rest = line.substr(1);
        Words directive(rest);
        const View word = directive.word();
        return line.starts_with('#') ? word == "include" : word == "import";
    }
    View first = words.word();
    if (first == "pub") {
        words.pass_brackets();
        return words.word() == "use";
    }
    if (first == "extern") return words.word() == "crate";
    if (first == "export") {
        words.pass_space();
        return words.next() == '*' || (words.next() == '{' && line.find(" from ") != View::npos);
    }
    if (!among(first, kImports)) return false;
    if (first == "require") return true;
    if (first == "mod" && !line.ends_with(';')) return false;
    return words.at_space() || (first == "import" && words.next() == '{');
}

bool is_branch(View line) {
    while (!line.empty() && (line.front() == '}' || text::ascii_space(line.front()))) line.remove_prefix(1);
    Words words(line);
    const View first = words.word();
    if (first == "default") {
        words.pass_space();
        return words.next() == ':' || words.rest().starts_with("->") || words.rest().starts_with("=>");
    }
    if (first == "unsafe") {
        words.pass_space();
        return words.next() == '{';
    }
    if (first == "async") {
        const View second = words.word();
        return second == "for" || second == "with";
    }
    return among(first, kBranches);
}

bool is_definition(View line, View whole) {
    line = line.substr(0, kLongestHead);
    Words words(line);
    View first = words.word();
    if (first == "export") return true;
    bool visible = false;
    for (bool modified = true; modified;) {
        modified = among(first, kModifiers) && words.at_space();
        if (first == "pub") modified = true;
        if (!modified) break;
        if (first == "pub") visible = true;
        const bool constant = visible && (first == "const" || first == "static");
        if (first == "pub" || first == "template" || first == "extern") words.pass_brackets();
        Words ahead = words;
        if (constant || (first == "const" && names_function(ahead))) return true;
        first = words.word();
        if (constant && first.empty()) return false;
    }
    if (among(first, kFunctions)) return words.at_space() || words.next() == '(' || words.next() == '*';
    if (among(first, kTypes)) {
        Words ahead = words;
        ahead.pass_space();
        return View("<{!").find(ahead.next()) != View::npos || (words.at_space() && name_follows(words));
    }
    if (first == "macro_rules" && words.next() == '!') return true;
    if (among(first, kSoftTypes) && words.at_space() && name_follows(words)) return true;
    if ((first == "let" || first == "var") && names_function(words)) return true;
    return is_function_head(whole);
}

bool is_open_type(View line) {
    if (!line.ends_with('=') || line.ends_with("==")) return false;
    Words words(line);
    View first = words.word();
    while (first == "export" || first == "declare") first = words.word();
    return first == "type" && name_follows(words);
}

}  // namespace tersely::content
