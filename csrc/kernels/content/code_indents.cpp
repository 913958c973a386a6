#include <algorithm>
#include <array>
#include <string>

#include "kernels/content/code_literals.hpp"
#include "kernels/content/code_read.hpp"
#include "kernels/parallel.hpp"

namespace tersely::content {
namespace {

using View = std::string_view;

constexpr std::array<View, 4> kContinues = {"else", "elif", "except", "finally"};
constexpr std::array<View, 14> kOpens = {"if",  "elif",    "else", "for",   "while", "try",   "except",
                                         "def", "finally", "with", "class", "async", "match", "case"};
// Words that stand beside a name, a number or a string; in older Python, too.
constexpr std::array<View, 37> kJoins = {
    "and",    "as",     "assert", "async",  "await", "break",    "case", "class", "continue", "def",
    "del",    "elif",   "else",   "except", "exec",  "finally",  "for",  "from",  "global",   "if",
    "import", "in",     "is",     "lambda", "match", "nonlocal", "not",  "or",    "pass",     "print",
    "raise",  "return", "try",    "type",   "while", "with",     "yield"};
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

template <std::size_t n>
bool among(View word, const std::array<View, n>& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

View first_word(View line) {
    std::size_t end = 0;
    while (end < line.size() && code_word_byte(line[end])) ++end;
    return line.substr(0, end);
}

// Whether a head that ends in a colon is one of Python: `if` and the like say of what.
bool opens_block(View head, View word) {
    if (!among(word, kOpens)) return false;
    const std::size_t next = head.find_first_not_of(" \t", word.size());
    const bool alone = next != View::npos && head[next] == ':';
    return !alone || word == "try" || (word != "elif" && among(word, kContinues));
}

// Statements of one indentation.
struct Level {
    std::size_t indent = 0;
    std::size_t fold = kNone, body = kNone;  // where the statements go; the file's: nowhere
    std::vector<LineSpan> statements;
    std::size_t statement_fold = kNone;  // of the last statement
    bool decorated = false;              // the last statement is decorators so far
    bool opens = false;                  // its last line ends in a colon
};

class Reader {
  public:
    // `strict`: not sure either where two operands stand side by side, or a colon ends what opens no block; then the
    // rest is not read.
    Reader(const CodeLines& lines, bool strict) : lines_(lines), text_(lines.text()), strict_(strict) {
        levels_.emplace_back();
    }

    CodeShape run() && {
        for (std::int32_t line = 0; line < lines_.count() && (shape_.sure || !strict_);) {
            if (lines_.blank(line) || lines_[line][0] == '#' || lines_[line] == "\\") {
                ++line;
                continue;
            }
            const LineSpan logical = {line, logical_end(line)};
            place(logical);
            line = logical.last + 1;
        }
        if (levels_.back().opens) shape_.sure = false;
        while (levels_.size() > 1) pop();
        shape_.statements = std::move(levels_.back().statements);
        std::stable_sort(shape_.folds.begin(), shape_.folds.end(),
                         [](const CodeFold& a, const CodeFold& b) { return a.lines.first < b.lines.first; });
        return std::move(shape_);
    }

  private:
    enum class Token : std::uint8_t { kOther, kWord, kString };

    // The last line of the logical line that begins on `line`; notes whether it ends in a colon.
    std::int32_t logical_end(std::int32_t line) {
        int brackets = 0;
        colon_ = false;
        Token before = Token::kOther;
        for (std::size_t at = lines_.start(line); at < text_.size();) {
            check_cancelled();
            const char byte = text_[at];
            if (strict_ && code_word_byte(byte)) {
                const View word = first_word(text_.substr(at));
                const bool joins = among(word, kJoins);
                const char next = at + word.size() < text_.size() ? text_[at + word.size()] : '\n';
                if (!joins && word.size() <= 2 && (next == '"' || next == '\'')) {  // the prefix of a string
                    at += word.size();
                    continue;
                }
                if (!joins && before != Token::kOther) shape_.sure = false;
                if (word.find('$') != View::npos) shape_.sure = false;
                before = joins ? Token::kOther : Token::kWord;
                colon_ = false;
                at += word.size();
                continue;
            }
            if (strict_ && (byte == '`' || byte == '?')) shape_.sure = false;
            if (byte == '\n') {
                if (brackets == 0) return line;
                ++line;
                ++at;
                continue;
            }
            if (byte == '#') {
                at = std::min(text_.find('\n', at), text_.size());
                continue;
            }
            if (byte == '\\') {  // joins lines
                at += at + 2 < text_.size() && text_[at + 1] == '\r' ? 2 : 1;
                if (at < text_.size() && text_[at] == '\n') {
                    ++line;
                    ++at;
                }
                continue;
            }
            if (byte == '"' || byte == '\'') {
                const bool with_values = formatted(at);
                const std::size_t end = python_string_end(text_, at, with_values);
                if (end == kOpen) {  // what it may have read all of is not read again
                    shape_.sure = false;
                    const bool long_one = with_values || text_.substr(at, 3) == std::string(3, byte);
                    return long_one ? lines_.count() - 1 : line;
                }
                if (before == Token::kWord) shape_.sure = false;
                before = Token::kString;
                line += static_cast<std::int32_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at),
                                                             text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
                colon_ = false;
                at = end;
                continue;
            }
            if (byte == '(' || byte == '[' || byte == '{') ++brackets;
            if ((byte == ')' || byte == ']' || byte == '}') && --brackets < 0) {
                shape_.sure = false;
                brackets = 0;
            }
            if (byte != ' ' && byte != '\t' && byte != '\r' && byte != '\f') {
                colon_ = byte == ':' && brackets == 0;
                before = Token::kOther;
            }
            ++at;
        }
        if (brackets > 0) shape_.sure = false;
        return lines_.count() - 1;
    }

    bool formatted(std::size_t quote) const {  // an f or t among the letters before it
        std::size_t at = quote;
        bool found = false;
        while (at > 0 && quote - at < 3 && code_word_byte(text_[at - 1])) {
            --at;
            found |= View("fFtT").find(text_[at]) != View::npos;
        }
        return found && (at == 0 || !code_word_byte(text_[at - 1]));
    }

    void place(LineSpan logical) {
        const std::size_t indent = lines_.columns(logical.first);
        if (Level& level = levels_.back(); level.opens) {
            level.opens = false;
            if (indent > level.indent) {
                open(logical.first, indent);
            } else {
                shape_.sure = false;
            }
        }
        while (levels_.size() > 1 && levels_.back().indent > indent) pop();
        Level& level = levels_.back();
        if (level.indent != indent) {
            shape_.sure = false;
            level.indent = std::min(level.indent, indent);
        }
        add(level, logical);
    }

    // A statement, or more of the one before.
    void add(Level& level, LineSpan logical) {
        const View head = lines_[logical.first];
        const View word = first_word(head);
        const bool goes_on = among(word, kContinues);
        if ((goes_on || level.decorated) && !level.statements.empty()) {
            level.statements.back().last = logical.last;
        } else {
            level.statements.push_back(logical);
            level.statement_fold = kNone;
        }
        level.decorated = head[0] == '@';
        level.opens = colon_;
        if (strict_ && colon_ && !opens_block(head, word)) shape_.sure = false;
    }

    // A body of the last statement.
    void open(std::int32_t first, std::size_t indent) {
        Level& level = levels_.back();
        if (first_word(lines_[level.statements.back().first]) == "match" && first_word(lines_[first]) == "case") {
            levels_.emplace_back().indent = indent;  // stays whole: nothing stands for a case that is left out
            return;
        }
        if (level.statement_fold == kNone) {
            level.statement_fold = shape_.folds.size();
            shape_.folds.push_back({level.statements.back(), {}});
        }
        Level next;
        next.indent = indent;
        next.fold = level.statement_fold;
        next.body = shape_.folds[next.fold].bodies.size();
        shape_.folds[next.fold].bodies.push_back({{first, first}, {}});
        levels_.push_back(std::move(next));
    }

    void pop() {
        Level level = std::move(levels_.back());
        levels_.pop_back();
        const std::int32_t last = level.statements.back().last;
        levels_.back().statements.back().last = last;
        if (level.fold == kNone) return;
        CodeFold& fold = shape_.folds[level.fold];
        fold.bodies[level.body].lines.last = fold.lines.last = last;
        fold.bodies[level.body].statements = std::move(level.statements);
    }

    const CodeLines& lines_;
    const View text_;
    std::vector<Level> levels_;
    CodeShape shape_;
    const bool strict_;
    bool colon_ = false;
};

}  // namespace

CodeShape read_indents(const CodeLines& lines) { return Reader(lines, false).run(); }

bool is_python(const CodeLines& lines) {
    const CodeShape shape = Reader(lines, true).run();
    if (!shape.sure || !shape.folds.empty()) return shape.sure;
    return std::any_of(shape.statements.begin(), shape.statements.end(), [&](const LineSpan& part) {
        const View head = lines[part.first];
        return head.starts_with("from ") && head.find(" import ") != View::npos;
    });
}

}  // namespace tersely::content
