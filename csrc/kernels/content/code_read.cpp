#include "kernels/content/code_read.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "kernels/parallel.hpp"
#include "kernels/text/unicode.hpp"

namespace tersely::content {
namespace {

using View = std::string_view;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr std::uint32_t kSteps = 1024;  // of a reader, between two questions whether to go on
// Words that go on or end what stands above them, as closing brackets do.
constexpr std::array<View, 18> kCloses = {"else",    "elif",  "elsif",  "elseif", "when",  "except",
                                          "finally", "catch", "rescue", "ensure", "then",  "do",
                                          "end",     "fi",    "done",   "esac",   "endif", "in"};

bool closes(View line) {
    if (View("})]").find(line[0]) != View::npos) return true;
    std::size_t end = 0;
    while (end < line.size() && code_word_byte(line[end])) ++end;
    const View word = line.substr(0, end);
    return std::find(kCloses.begin(), kCloses.end(), word) != kCloses.end() || word.starts_with("end");
}

// Statements of one indentation.
struct IndentLevel {
    std::size_t indent = 0;
    std::size_t fold = kNone, body = kNone;  // where the statements go; kNone: nowhere
    std::vector<LineSpan> statements = {};
    std::size_t statement_fold = kNone;  // of the last statement
    bool decorated = false;              // the last statement is decorators so far
    bool opens = false;                  // its last line ends in a colon
};

// The levels that are open, from the file's on, and the folds of those before.
class IndentLevels {
  public:
    IndentLevels() { levels_.emplace_back(); }

    IndentLevel& last() { return levels_.back(); }
    bool any() const { return levels_.size() > 1; }

    // A level whose statements go nowhere: what opens it stays whole.
    void open_whole(std::size_t indent) { levels_.emplace_back().indent = indent; }

    // A body of the last statement, from the line `first` on.
    void open(std::int32_t first, std::size_t indent) {
        IndentLevel& level = last();
        if (level.statement_fold == kNone) {
            level.statement_fold = shape.folds.size();
            shape.folds.push_back({level.statements.back(), {}});
        }
        CodeFold& fold = shape.folds[level.statement_fold];
        IndentLevel next{indent, level.statement_fold, fold.bodies.size()};
        fold.bodies.push_back({{first, first}, {}});
        levels_.push_back(std::move(next));
    }

    // Ends the levels that are deeper than `indent`.
    void close(std::size_t indent) {
        while (any() && last().indent > indent) pop();
    }

    CodeShape finish() && {
        while (any()) pop();
        shape.finish(std::move(last().statements));
        return std::move(shape);
    }

    CodeShape shape;

  private:
    void pop() {
        IndentLevel level = std::move(levels_.back());
        levels_.pop_back();
        const std::int32_t end = level.statements.back().last;
        last().statements.back().last = end;
        if (level.fold == kNone) return;
        CodeFold& fold = shape.folds[level.fold];
        fold.bodies[level.body].lines.last = fold.lines.last = end;
        fold.bodies[level.body].statements = std::move(level.statements);
    }

    std::vector<IndentLevel> levels_;
};

class LayoutReader {
  public:
    explicit LayoutReader(const CodeLines& lines) : lines_(lines) {}

    CodeShape run() && {
        bool goes_on = false;  // the line before ends in a backslash
        for (std::int32_t line = 0; line < lines_.count(); ++line) {
            check_cancelled();
            if (lines_.blank(line) || (!goes_on && is_comment(lines_[line], CodeLanguage::kOther))) continue;
            if (goes_on) {
                levels_.last().statements.back().last = line;
            } else {
                place(line);
            }
            goes_on = lines_[line].ends_with('\\');
        }
        return std::move(levels_).finish();
    }

  private:
    void place(std::int32_t line) {
        const std::size_t indent = lines_.columns(line);
        const bool inner = levels_.any() && levels_.last().indent > indent;
        levels_.close(indent);
        if (const IndentLevel& level = levels_.last(); level.indent < indent && !level.statements.empty())
            levels_.open(level.statements.back().last + 1, indent);
        IndentLevel& level = levels_.last();
        if (level.statements.empty()) level.indent = indent;
        if (inner && level.statement_fold != kNone && closes(lines_[line])) {
            level.statements.back().last = line;
            levels_.shape.folds[level.statement_fold].lines.last = line;
            return;
        }
        level.statements.push_back({line, line});
        level.statement_fold = kNone;
    }

    const CodeLines& lines_;
    IndentLevels levels_;
};

}  // namespace

CodeShape read_layout(const CodeLines& lines) { return LayoutReader(lines).run(); }

namespace {

constexpr std::array<View, 4> kContinues = {"else", "elif", "except", "finally"};
constexpr std::array<View, 14> kOpens = {"if",  "elif",    "else", "for",   "while", "try",   "except",
                                         "def", "finally", "with", "class", "async", "match", "case"};
// Words that stand beside a name, a number or a string; in older Python, too.
constexpr std::array<View, 37> kJoins = {
    "and",    "as",     "assert", "async",  "await", "break",    "case", "class", "continue", "def",
    "del",    "elif",   "else",   "except", "exec",  "finally",  "for",  "from",  "global",   "if",
    "import", "in",     "is",     "lambda", "match", "nonlocal", "not",  "or",    "pass",     "print",
    "raise",  "return", "try",    "type",   "while", "with",     "yield"};

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

class IndentReader {
  public:
    // `strict`: not sure either where two operands stand side by side, or a colon ends what opens no block; then the
    // rest is not read.
    IndentReader(const CodeLines& lines, bool strict) : lines_(lines), text_(lines.text()), strict_(strict) {}

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
        if (levels_.last().opens) shape_.sure = false;
        return std::move(levels_).finish();
    }

  private:
    enum class Token : std::uint8_t { kOther, kWord, kString };

    // Bytes that end lines, join them, or begin what may span them.
    static constexpr std::array<bool, 256> kMarks = [] {
        std::array<bool, 256> marks{};
        for (const char byte : View("\n#\\\"'()[]{}")) marks[static_cast<unsigned char>(byte)] = true;
        return marks;
    }();

    static bool blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\f'; }

    // The last line of the logical line that begins on `line`; notes whether it ends in a colon.
    std::int32_t logical_end(std::int32_t line) {
        int brackets = 0;
        colon_ = false;
        Token before = Token::kOther;
        for (std::size_t at = lines_.start(line); at < text_.size();) {
            steps_.check_cancelled();
            const char byte = text_[at];
            if (!strict_ && !kMarks[static_cast<unsigned char>(byte)]) {  // names, signs and the space between them
                const std::size_t begin = at;
                while (++at < text_.size() && !kMarks[static_cast<unsigned char>(text_[at])]) continue;
                std::size_t last = at;
                while (last > begin && blank(text_[last - 1])) --last;
                if (last > begin) colon_ = text_[last - 1] == ':' && brackets == 0;
                continue;
            }
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
                line += line_ends(text_, at, end);
                colon_ = false;
                at = end;
                continue;
            }
            if (byte == '(' || byte == '[' || byte == '{') ++brackets;
            if ((byte == ')' || byte == ']' || byte == '}') && --brackets < 0) {
                shape_.sure = false;
                brackets = 0;
            }
            if (!blank(byte)) {
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
        if (IndentLevel& level = levels_.last(); level.opens) {
            level.opens = false;
            if (indent > level.indent) {
                open(logical.first, indent);
            } else {
                shape_.sure = false;
            }
        }
        levels_.close(indent);
        IndentLevel& level = levels_.last();
        if (level.indent != indent) {
            shape_.sure = false;
            level.indent = std::min(level.indent, indent);
        }
        add(level, logical);
    }

    // A statement, or more of the one before.
    void add(IndentLevel& level, LineSpan logical) {
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
        const View head = lines_[levels_.last().statements.back().first];
        if (first_word(head) == "match" && first_word(lines_[first]) == "case") {
            levels_.open_whole(indent);  // nothing stands for a case that is left out
        } else {
            levels_.open(first, indent);
        }
    }

    const CodeLines& lines_;
    const View text_;
    IndentLevels levels_;
    CodeShape& shape_ = levels_.shape;
    const bool strict_;
    bool colon_ = false;
    Rounds<kSteps> steps_;
};

}  // namespace

CodeShape read_indents(const CodeLines& lines) { return IndentReader(lines, false).run(); }

namespace {

// Whether lines say `NAME = (` or `NAME = {`, and in the braces comes a string or a number first, as nearly no other
// language has it.
bool assigns_literal(const CodeLines& lines, LineSpan span) {
    if (span.first == span.last) return false;
    View head = lines[span.first];
    head = head.substr(0, head.find('#'));
    head = head.substr(0, head.find_last_not_of(" \t") + 1);
    const View name = first_word(head), rest = head.substr(name.size());
    if (name.empty() || (!rest.starts_with(" = ") && !rest.starts_with(':'))) return false;
    if (!head.ends_with("= {") && !head.ends_with("= (")) return false;
    std::int32_t line = span.first + 1;
    while (line < span.last && (lines.blank(line) || lines[line][0] == '#')) ++line;
    return head.back() == '(' || lines[line].find_first_of("\"'0123456789(") == 0;
}

}  // namespace

bool is_python(const CodeLines& lines) {
    const CodeShape shape = IndentReader(lines, true).run();
    if (!shape.sure || !shape.folds.empty()) return shape.sure;
    const std::vector<LineSpan>& parts = shape.statements;
    const View first = parts.empty() ? View() : lines[parts[0].first];
    if (parts.size() > 1 && (first.starts_with("\"\"\"") || first.starts_with("'''"))) return true;
    return std::any_of(parts.begin(), parts.end(), [&](const LineSpan& part) {
        const View head = lines[part.first];
        return (head.starts_with("from ") && head.find(" import ") != View::npos) || assigns_literal(lines, part);
    });
}

namespace {

char closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '\0'; }

// What is open, and the statements in it.
struct Bracket {
    char bracket;
    std::int32_t line, begun;  // where it opened; where the statement around it began
    bool splits;               // statements stand in it
    std::size_t owner;         // the nearest level that splits, itself or around it
    bool cases = false;        // of a switch: statements are its cases
    bool commas = false;       // end statements in it: fields, values, arms
    int braces = 1;            // close it: several where a conditional has opened several
    int closed = 0;            // of a conditional: braces in it that close what is around it
    bool half = false;         // a conditional without #else has opened it: another is to close it
    std::vector<LineSpan> statements = {};
    std::size_t fold = kNone;  // of the statement in it that has not ended
};

// What the line at which a statement begins says of a body in it.
struct Head {
    View line;
    bool whole = false;  // a macro or an import: it is one statement
    bool cases = false;  // a switch
    bool lists = false;  // commas end what stands in it
};

class BraceReader {
  public:
    BraceReader(const CodeLines& lines, CodeLanguage language)
        : lines_(lines),
          text_(lines.text()),
          language_(language),
          ends_(lines, language),
          newlines_(language == CodeLanguage::kScript || language == CodeLanguage::kGo ||
                    language == CodeLanguage::kOther) {
        levels_.push_back({'\0', 0, 0, true, 0});
    }

    CodeShape run() && {
        while (at_ < text_.size()) {
            steps_.check_cancelled();
            step();
        }
        end_statement(line_);
        if (levels_.size() > 1) shape_.sure = false;
        // What was not closed, or lies in brackets, has folds that no statement begins with: they are passed over.
        shape_.finish(std::move(levels_.front().statements));
        return std::move(shape_);
    }

  private:
    void step() {
        const char byte = text_[at_];
        if (byte == '\n') return new_line();
        if (text::ascii_space(byte)) {
            at_ = std::min(text_.find_first_not_of(' ', at_ + 1), text_.size());
            return;
        }
        if (code_word_byte(byte) && !begins_literal(byte)) {
            begin();
            return pass_word();
        }
        if (byte == '#' && language_ == CodeLanguage::kC && lines_.start(line_) == at_) return directive();
        const bool comment = byte == '/' && at_ + 1 < text_.size() && (text_[at_ + 1] == '/' || text_[at_ + 1] == '*');
        const std::size_t end =
            begins_literal(byte) ? literal_end(text_, at_, language_, byte == '/' && ends_.before_value(place())) : at_;
        if (end == kOpen) shape_.sure = false;
        if (comment) return pass(end == kOpen ? text_.size() : end);
        if (byte == '}' || byte == ')' || byte == ']') return close();
        if (byte == ';') {
            ++at_;
            last_ = byte;
            last_line_ = line_;
            if (begun_ >= 0 && !levels_.back().cases && ends_.at_semicolon(place())) end_statement(line_);
            return;
        }
        begin();
        if (end != at_) {
            last_ = '"';
            pass(end == kOpen ? text_.size() : end);
            last_line_ = line_;
            return;
        }
        if (byte == '{' || byte == '(' || byte == '[') return open();
        if (code_word_byte(byte)) return pass_word();
        before_last_ = last_;
        last_ = byte;
        ++at_;
    }

    void pass_word() {
        before_last_ = '\0';
        last_ = text_[at_];
        std::size_t end = at_ + 1;
        while (end < text_.size() && code_word_byte(text_[end])) ++end;
        at_ = end;
    }

    void begin() {
        const bool next_case = levels_.back().cases && lines_.start(line_) == at_ && line_ > begun_ && at_case();
        if (begun_ >= 0 && next_case) end_statement(last_line_);
        if (begun_ < 0) begun_ = line_;
        last_line_ = line_;
    }

    bool at_case() const {
        const View rest = lines_[line_];
        const auto is = [&](View word) {
            return rest.starts_with(word) && (rest.size() == word.size() || !code_word_byte(rest[word.size()]));
        };
        return is("case") || is("default");
    }

    BracePlace place() const {
        return {at_, line_, begun_, levels_.back().bracket, levels_.back().commas, last_, before_last_};
    }

    void pass(std::size_t end) {
        line_ += line_ends(text_, at_, end);
        at_ = end;
    }

    // A line of the preprocessor is a statement; #if opens a level, with a body to each #else and to #endif.
    void directive() {
        const std::int32_t first = line_;
        const View word = directive_word(line_);
        for (;; ++line_, ++at_) {
            at_ = std::min(text_.find('\n', at_), text_.size());
            if (at_ == text_.size() || !lines_[line_].ends_with('\\')) break;
        }
        if (const std::size_t note = lines_[line_].rfind("/*");
            note != View::npos && lines_[line_].find("*/", note) == View::npos) {
            const std::size_t end = literal_end(text_, lines_.start(line_) + note, language_, false);
            pass(end == kOpen ? text_.size() : end);
        }
        const bool opens = word.starts_with("if");
        const bool closes = word.starts_with("endif");
        if (opens && begun_ >= 0) {
            ++ifs_inside_;
        } else if (opens) {
            conditionals_.push_back(levels_.size());
            levels_.push_back({'#', line_, first, true, levels_.size()});
        } else if (ifs_inside_ > 0) {
            if (closes) --ifs_inside_;
        } else if (closes || word.starts_with("el")) {
            branch(first, closes);
        } else if (begun_ < 0 && levels_.back().splits) {
            levels_.back().statements.push_back({first, line_});
        }
        last_line_ = line_;
    }

    View directive_word(std::int32_t line) const {  // "endif"; empty where the line is none
        if (!lines_[line].starts_with('#')) return {};
        const View rest = lines_[line].substr(1);
        return rest.substr(std::min(rest.find_first_not_of(" \t"), rest.size()));
    }

    // At an #else or #endif on the lines [first, line_].
    void branch(std::int32_t first, bool closes) {
        if (conditionals_.empty()) {
            end_statement(last_line_);
            shape_.sure = false;
            return;
        }
        const std::size_t at = conditionals_.back();
        const std::size_t open = levels_.size() - at - 1;
        if (open == 0) end_statement(last_line_);
        Bracket level = std::move(levels_[at]);
        begun_ = level.begun;
        if (open == 0 && level.closed == 0) {
            levels_.pop_back();
            if (first - level.line > 1) add_body(level, first);
            if (!closes) {
                begun_ = -1;
                levels_.push_back({'#', line_, level.begun, true, at});
                return;
            }
        } else if (!closes) {
            pass_branches();
        }
        conditionals_.pop_back();
        const bool half = closes && level.line == begun_;
        if (open > 0 && level.closed == 0) return stays_open(at, static_cast<int>(open), half);
        levels_.erase(levels_.begin() + static_cast<std::ptrdiff_t>(at), levels_.end());
        if (open == 0 && level.closed > 0 && (levels_.back().braces -= level.closed) == 0) {
            const Bracket around = std::move(levels_.back());
            levels_.pop_back();
            if (around.half != half) shape_.sure = false;
            begun_ = around.begun;
            if (level.begun - around.line > 1) add_body(around, level.begun);
            if (levels_.back().cases) return;
        }
        end_statement(line_);
    }

    // To the #endif, from an #else: the branch before has said what is open.
    void pass_branches() {
        for (int depth = 1; depth > 0 && line_ + 1 < lines_.count();) {
            const View word = directive_word(++line_);
            depth += word.starts_with("if") ? 1 : word.starts_with("endif") ? -1 : 0;
        }
        at_ = lines_.end(line_);
    }

    // What a conditional leaves open, as `extern "C" {` for C++ alone, begins with it and holds what follows it.
    void stays_open(std::size_t at, int open, bool half) {
        Bracket outermost = std::move(levels_[at + 1]);
        levels_.erase(levels_.begin() + static_cast<std::ptrdiff_t>(at), levels_.end());
        outermost.line = line_;
        outermost.begun = begun_;
        --outermost.owner;
        outermost.braces += open - 1;
        outermost.half = half;
        outermost.statements.clear();
        outermost.fold = kNone;
        if (outermost.splits) begun_ = -1;
        levels_.push_back(std::move(outermost));
    }

    void end_statement(std::int32_t last) {
        Bracket& level = levels_.back();
        if (begun_ < 0 || !level.splits) return;
        if (level.fold != kNone) shape_.folds[level.fold].lines.last = std::max(last, begun_);
        level.fold = kNone;
        if (level.statements.empty() || level.statements.back().last < begun_) {
            level.statements.push_back({begun_, std::max(last, begun_)});
        } else {  // two on a line
            level.statements.back().last = std::max(last, level.statements.back().last);
        }
        begun_ = -1;
    }

    void new_line() {
        if (const Bracket& level = levels_.back(); begun_ >= 0 && level.splits && !level.cases) {
            const bool ends = last_ == ',' ? ends_.at_comma(place())
                                           : newlines_ && level.bracket != '[' && ends_.at_line_end(place());
            if (ends || is_label()) end_statement(line_);
        }
        ++line_;
        ++at_;
    }

    bool is_label() const {  // "public:" of C++
        const View line = lines_[line_];
        return last_ == ':' && begun_ == line_ && language_ == CodeLanguage::kC &&
               (line == "public:" || line == "private:" || line == "protected:");
    }

    // What the start of the statement says of a body that opens here; read once for all brackets of a line.
    void read_head() {
        const View line = ends_.head(place()).substr(0, kLongestHead);
        if (line.data() == head_.line.data() && line.size() == head_.line.size()) return;
        const View word = line.substr(0, line.find_first_of(" !({"));
        head_ = {line, word == "macro_rules" || is_import(line), word == "switch" || word == "select",
                 line.find("enum") != View::npos};
    }

    void open() {
        const char bracket = text_[at_];
        const bool list = bracket == '[' && language_ == CodeLanguage::kScript;
        if (bracket == '{' || list) read_head();
        Bracket next{bracket, line_, begun_, !head_.whole && (bracket == '{' || list), 0};
        next.owner = next.splits ? levels_.size() : levels_.back().owner;
        next.cases = bracket == '{' && head_.cases;
        const bool values = head_.lists || View("=,({[").find(last_) != View::npos;
        next.commas = next.splits && (values || language_ != CodeLanguage::kC);
        if (next.splits) begun_ = -1;
        levels_.push_back(std::move(next));
        last_ = bracket;
        ++at_;
    }

    void close() {
        const char byte = text_[at_];
        if (levels_.size() == 1 || closing(levels_.back().bracket) != byte) {
            Bracket* around = levels_.back().bracket == '#' ? &levels_[levels_.size() - 2] : nullptr;
            if (byte == '}' && around != nullptr && around->bracket == '{' && around->braces > levels_.back().closed) {
                end_statement(last_line_);
                ++levels_.back().closed;
            } else {
                shape_.sure = false;
            }
            last_ = byte;
            ++at_;
            return;
        }
        if (levels_.back().half) shape_.sure = false;
        if (levels_.back().braces > 1) {
            end_statement(last_line_);
            --levels_.back().braces;
            last_ = byte;
            ++at_;
            return;
        }
        if (levels_.back().splits) end_statement(last_line_);
        Bracket level = std::move(levels_.back());
        levels_.pop_back();
        begun_ = level.begun;
        last_line_ = line_;
        if (level.splits && line_ - level.line > 1) add_body(level, line_);
        last_ = byte;
        ++at_;
        if (byte == ']' && lines_[begun_].starts_with("#!")) end_statement(line_);  // an attribute of the file, in Rust
        if (byte != '}' || levels_.back().cases || begun_ < 0) return;
        if (const std::size_t end = ends_.behind_brace(place()); end > 0) {
            at_ = end;
            end_statement(line_);
        }
    }

    // The body of what closes on the line `last`.
    void add_body(const Bracket& level, std::int32_t last) {
        CodeBody body{{level.line + 1, last - 1}, {}};
        for (const LineSpan& part : level.statements) {
            if (part.last >= last && part.first > level.line && part.first < last) return;  // `}}` closes both
            if (part.first > level.line && part.last < last) body.statements.push_back(part);
        }
        Bracket& around = levels_[levels_.back().owner];
        if (around.fold != kNone && shape_.folds[around.fold].lines.first == begun_) {
            CodeFold& fold = shape_.folds[around.fold];
            if (fold.bodies.back().lines.last >= body.lines.first) return;
            fold.lines.last = line_;
            fold.bodies.push_back(std::move(body));
            return;
        }
        around.fold = shape_.folds.size();
        shape_.folds.push_back({{begun_, line_}, {}});
        shape_.folds.back().bodies.push_back(std::move(body));
    }

    const CodeLines& lines_;
    const View text_;
    const CodeLanguage language_;
    const StatementEnds ends_;
    const bool newlines_;
    std::vector<Bracket> levels_;
    std::vector<std::size_t> conditionals_;  // of the preprocessor: which levels they are
    Head head_;
    CodeShape shape_;
    std::size_t at_ = 0;
    std::int32_t line_ = 0, last_line_ = 0;  // where it is, and where the last mark was that is no comment
    int ifs_inside_ = 0;                     // of the preprocessor, in a statement
    std::int32_t begun_ = -1;                // line of the statement that has not ended; -1: none has begun
    char last_ = '\n', before_last_ = ' ';   // what is no white space or comment
    Rounds<kSteps> steps_;
};

}  // namespace

CodeShape read_braces(const CodeLines& lines, CodeLanguage language) { return BraceReader(lines, language).run(); }

}  // namespace tersely::content
