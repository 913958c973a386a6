#include "kernels/content/code_shape.hpp"

#include <algorithm>
#include <array>

#include "kernels/text/unicode.hpp"
#include "kernels/text/word_set.hpp"

namespace tersely::content {
namespace {

// A body that others may stand in.
struct Level {
    std::size_t end;
    std::size_t fold, body;  // where its statements go; kNone: to the file
    std::vector<LineSpan> statements = {};
    std::size_t last_fold = 0, folded_statement = 0;  // of its statements: the last with bodies (counted from 1)
};

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

class Reader {
  public:
    Reader(const CodeLines& lines, CodeLanguage language) : lines_(lines), python_(language == CodeLanguage::kPython) {
        levels_.push_back({lines.text().size() + 1, kNone, kNone});
    }

    void statement(ByteSpan span) {
        close(span.end);
        const std::string_view rest = lines_.text().substr(span.start, 2);
        if (python_ ? rest.starts_with('#') : rest == "//" || rest == "/*") return;
        const std::int32_t first = lines_.of(glued_ == kNone ? span.start : glued_);
        glued_ = kNone;
        const std::int32_t last = lines_.of(std::max(span.end, span.start + 1) - 1);
        levels_.back().statements.push_back({first, std::max(first, last)});
    }

    // An attribute is part of what comes after it.
    void glue(ByteSpan span) {
        close(span.end);
        if (glued_ == kNone) glued_ = span.start;
    }

    void body(ByteSpan span) {
        close(span.end);
        glued_ = kNone;
        const std::int32_t braces = python_ ? 0 : 1;
        const std::int32_t opening = lines_.of(span.start);
        const LineSpan inside = {opening + braces, lines_.of(std::max(span.end, span.start + 1) - 1) - braces};
        const bool own_line = !python_ || lines_.start(opening) == span.start;
        Level next{span.end, kNone, kNone};
        if (Level& level = levels_.back(); !level.statements.empty() && inside.first <= inside.last && own_line) {
            const std::size_t number = level.statements.size();
            if (level.folded_statement != number) {
                level.folded_statement = number;
                level.last_fold = shape_.folds.size();
                shape_.folds.push_back({level.statements.back(), {}});
            }
            next.fold = level.last_fold;
            next.body = shape_.folds[next.fold].bodies.size();
            shape_.folds[next.fold].bodies.push_back({inside, {}});
        }
        levels_.push_back(std::move(next));
    }

    CodeShape run() && {
        while (levels_.size() > 1) pop();
        shape_.finish(std::move(levels_.back().statements));
        return std::move(shape_);
    }

  private:
    void close(std::size_t end) {
        while (levels_.size() > 1 && levels_.back().end < end) pop();
    }

    void pop() {
        Level& level = levels_.back();
        if (level.fold != kNone) {
            CodeBody& body = shape_.folds[level.fold].bodies[level.body];
            for (const LineSpan& part : level.statements) {
                if (body.lines.first <= part.first && part.last <= body.lines.last) body.statements.push_back(part);
            }
        }
        levels_.pop_back();
    }

    const CodeLines& lines_;
    const bool python_;
    std::vector<Level> levels_;
    std::size_t glued_ = kNone;
    CodeShape shape_;
};

}  // namespace

void CodeShape::finish(std::vector<LineSpan>&& of_file) {
    statements = std::move(of_file);
    std::stable_sort(folds.begin(), folds.end(),
                     [](const CodeFold& a, const CodeFold& b) { return a.lines.first < b.lines.first; });
}

CodeLanguage code_language(std::string_view name) {
    if (name == "python") return CodeLanguage::kPython;
    if (name == "javascript" || name == "typescript" || name == "tsx") return CodeLanguage::kScript;
    if (name == "go") return CodeLanguage::kGo;
    if (name == "rust") return CodeLanguage::kRust;
    if (name == "java") return CodeLanguage::kJava;
    return name == "c" || name == "cpp" ? CodeLanguage::kC : CodeLanguage::kOther;
}

CodeLines::CodeLines(std::string_view text) : text_(text) {
    const std::size_t lines = 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    for (std::vector<std::size_t>* column : {&begin_, &start_, &end_}) column->reserve(lines);
    for (std::size_t at = 0;;) {
        const std::size_t stop = std::min(text.find('\n', at), text.size());
        std::size_t start = at;
        std::size_t end = stop;
        while (start < end && text::ascii_space(text[start])) ++start;
        while (end > start && text::ascii_space(text[end - 1])) --end;
        begin_.push_back(at);
        start_.push_back(start);
        end_.push_back(end);
        if (stop == text.size()) break;
        at = stop + 1;
    }
}

std::size_t CodeLines::columns(std::int32_t line) const {
    std::size_t columns = 0;
    for (std::size_t at = begin(line); at < start(line); ++at) {
        columns = text_[at] == '\t' ? columns / 8 * 8 + 8 : text_[at] == '\f' ? 0 : columns + 1;
    }
    return columns;
}

std::int32_t CodeLines::of(std::size_t byte) const {
    return static_cast<std::int32_t>(std::upper_bound(begin_.begin(), begin_.end(), byte) - begin_.begin()) - 1;
}

CodeShape shape_of_spans(const CodeLines& lines, CodeLanguage language, std::span<const ByteSpan> bodies,
                         std::span<const ByteSpan> statements, std::span<const std::size_t> glued) {
    Reader reader(lines, language);
    const bool python = language == CodeLanguage::kPython;
    for (std::size_t body = 0, statement = 0; body < bodies.size() || statement < statements.size();) {
        const bool bodies_turn = statement == statements.size() ||
                                 (body < bodies.size() && (python ? bodies[body].start <= statements[statement].start
                                                                  : bodies[body].start < statements[statement].start));
        if (bodies_turn) {
            reader.body(bodies[body++]);
            continue;
        }
        const ByteSpan span = statements[statement++];
        if (std::binary_search(glued.begin(), glued.end(), span.start)) {
            reader.glue(span);
        } else {
            reader.statement(span);
        }
    }
    return std::move(reader).run();
}

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
        if (!formatted) {  // other bytes say nothing
            while (i < text.size() && text[i] != quote && text[i] != '\\' && (triple || text[i] != '\n')) ++i;
            if (i == text.size()) break;
        }
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

namespace {

// What the first word of a line may begin, in bits; "default" and others have several.
enum Begins : std::uint8_t {
    kImport = 1,
    kBranch = 2,
    kModifier = 4,
    kFunction = 8,
    kType = 16,
    kSoftType = 32,  // a word of other uses too: a name must follow
};
struct Beginnings {
    Begins what;
    std::span<const View> words;
};

constexpr auto kImports = std::to_array<View>({"import", "from", "use", "package", "mod", "require", "using"});
constexpr auto kBranches =
    std::to_array<View>({"if",     "else",  "elif",  "for",   "while",   "switch",  "case",   "match", "try",
                         "except", "catch", "with",  "do",    "finally", "loop",    "return", "await", "throw",
                         "yield",  "go",    "defer", "guard", "select",  "default", "when",   "new",   "raise"});
constexpr auto kModifiers = std::to_array<View>(
    {"export",  "default", "declare",      "abstract", "public",   "private",  "protected", "internal", "static",
     "async",   "unsafe",  "extern",       "const",    "pub",      "inline",   "virtual",   "final",    "override",
     "sealed",  "data",    "open",         "readonly", "template", "typedef",  "constexpr", "explicit", "friend",
     "suspend", "partial", "synchronized", "native",   "strictfp", "volatile", "mutable",   "crate",    "auto"});
constexpr auto kFunctions = std::to_array<View>({"func", "fn", "function", "fun", "def"});
constexpr auto kTypes = std::to_array<View>({"class", "struct", "enum", "interface", "trait", "impl"});
constexpr auto kSoftTypes = std::to_array<View>(
    {"type", "module", "mod", "namespace", "union", "record", "protocol", "extension", "object", "typealias"});

std::uint8_t begins(View word) {
    static const text::WordSet known = [] {
        const std::array<Beginnings, 6> lists = {{{kImport, kImports},
                                                  {kBranch, kBranches},
                                                  {kModifier, kModifiers},
                                                  {kFunction, kFunctions},
                                                  {kType, kTypes},
                                                  {kSoftType, kSoftTypes}}};
        text::WordSet set(kImports.size() + kBranches.size() + kModifiers.size() + kFunctions.size() + kTypes.size() +
                          kSoftTypes.size());
        for (const Beginnings& list : lists) {
            for (const View one : list.words) {
                std::uint8_t all = 0;
                for (const Beginnings& other : lists) {
                    if (std::find(other.words.begin(), other.words.end(), one) != other.words.end()) all |= other.what;
                }
                set.add(std::array{one}, all);
            }
        }
        return set;
    }();
    return known.find(word);
}

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
    if ((begins(first) & kImport) == 0) return false;
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
    return (begins(first) & kBranch) != 0;
}

bool is_definition(View line, View whole) {
    line = line.substr(0, kLongestHead);
    Words words(line);
    View first = words.word();
    if (first == "export") return true;
    bool visible = false;
    for (bool modified = true; modified;) {
        modified = (begins(first) & kModifier) != 0 && words.at_space();
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
    const std::uint8_t what = begins(first);
    if ((what & kFunction) != 0) return words.at_space() || words.next() == '(' || words.next() == '*';
    if ((what & kType) != 0) {
        Words ahead = words;
        ahead.pass_space();
        return View("<{!").find(ahead.next()) != View::npos || (words.at_space() && name_follows(words));
    }
    if (first == "macro_rules" && words.next() == '!') return true;
    if ((what & kSoftType) != 0 && words.at_space() && name_follows(words)) return true;
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

namespace {

constexpr std::int32_t kLookAhead = 50;  // lines
constexpr std::array<View, 12> kBeforeValue = {"return", "typeof", "case",  "in",   "of",    "delete",
                                               "void",   "throw",  "yield", "else", "await", "do"};
constexpr std::array<View, 7> kGoesOn = {"else", "catch", "finally", ".", "?", "&&", "||"};

bool begins_else(View line) {
    return line.starts_with("else") && (line.size() == 4 || line[4] == ' ' || line[4] == '{');
}

}  // namespace

View StatementEnds::head(const BracePlace& place) const {
    std::int32_t line = place.begun;
    while (line < place.line && line - place.begun < kLookAhead &&
           (lines_[line].starts_with("#[") || lines_[line].starts_with('@')))
        ++line;
    return lines_[line];
}

bool StatementEnds::at_comma(const BracePlace& place) const {
    if (!place.commas) return false;
    const View line = head(place);
    return !is_definition(line, View()) && !(language_ == CodeLanguage::kC && line.starts_with("template"));
}

// The next line that is no comment and not blank; empty where it is far, or there is none.
std::int32_t StatementEnds::next_line(const BracePlace& place) const {
    std::int32_t next = place.line + 1;
    while (next < lines_.count() && next - place.line <= kLookAhead &&
           (lines_.blank(next) || lines_[next].starts_with("//")))
        ++next;
    return next - place.line > kLookAhead || next >= lines_.count() ? -1 : next;
}

bool StatementEnds::at_line_end(const BracePlace& place) const {
    const char last = place.last;
    const View mine = lines_[place.line];
    const bool twice = (last == '+' || last == '-') && place.before_last == last;  // i++
    const std::size_t mark = last == '>' ? mine.rfind('>') : View::npos;           // of a type: no space before it
    const bool type = mark != View::npos && mark > 0 && mine[mark - 1] != '=' && !text::ascii_space(mine[mark - 1]);
    if (!twice && !type && !code_word_byte(last) && View(")]}\"'`!").find(last) == View::npos) return false;
    if (language_ == CodeLanguage::kGo) return true;
    if (lines_[place.begun].starts_with('@') && mine.ends_with(')')) return false;  // a decorator
    const std::int32_t next = next_line(place);
    if (next < 0) return true;
    const auto indent = [&](std::int32_t line) { return lines_.start(line) - lines_.begin(line); };
    if (indent(next) > indent(place.begun)) return false;
    return View(".?:)]&|+*/=,{<>").find(lines_[next][0]) == View::npos && !begins_else(lines_[next]);
}

bool StatementEnds::at_semicolon(const BracePlace& place) const {
    if (!ends_line(place.at)) return false;
    const std::int32_t next = next_line(place);
    return next < 0 || !begins_else(lines_[next]);
}

bool StatementEnds::ends_line(std::size_t at) const {
    while (at < text_.size() && text_[at] != '\n' && text::ascii_space(text_[at])) ++at;
    return at >= text_.size() || text_[at] == '\n' || text_[at] == '}' || text_.substr(at, 2) == "//" ||
           text_.substr(at, 2) == "/*";
}

std::size_t StatementEnds::behind_brace(const BracePlace& place) const {
    std::size_t at = place.at;
    while (at < text_.size() && text_[at] != '\n' && text::ascii_space(text_[at])) ++at;
    if (at < text_.size() && (text_[at] == ';' || text_[at] == ',')) {
        return ends_line(at + 1) && (text_[at] == ';' || at_comma(place)) ? at + 1 : 0;
    }
    if (!ends_line(at)) return 0;
    if ((at < text_.size() && text_[at] == '}') || language_ == CodeLanguage::kGo) return place.at;
    const std::int32_t next = next_line(place);
    if (next < 0) return place.at;
    const View line = lines_[next];
    if (language_ == CodeLanguage::kScript && View("|&:)]=>").find(line[0]) != View::npos) return 0;
    for (const View word : kGoesOn) {
        if (line.starts_with(word)) return 0;
    }
    return line.starts_with("while (") && lines_[place.begun].starts_with("do") ? 0 : place.at;
}

bool StatementEnds::before_value(const BracePlace& place) const {
    if (language_ != CodeLanguage::kScript) return false;
    if (!code_word_byte(place.last)) return View(")]}\"'`").find(place.last) == View::npos;
    std::size_t end = place.at;
    while (end > 0 && text::ascii_space(text_[end - 1])) --end;
    std::size_t start = end;
    while (start > 0 && end - start < 8 && code_word_byte(text_[start - 1])) --start;
    const View word = text_.substr(start, end - start);
    return std::find(kBeforeValue.begin(), kBeforeValue.end(), word) != kBeforeValue.end();
}

}  // namespace tersely::content
