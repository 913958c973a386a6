#include <algorithm>

#include "kernels/content/code_ends.hpp"
#include "kernels/content/code_heads.hpp"
#include "kernels/content/code_literals.hpp"
#include "kernels/content/code_read.hpp"
#include "kernels/parallel.hpp"
#include "kernels/text/unicode.hpp"

namespace tersely::content {
namespace {

using View = std::string_view;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
char closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '\0'; }

// What is open, and the statements in it.
struct Level {
    char bracket;
    std::int32_t line, begun;  // where it opened; where the statement around it began
    bool splits;               // statements stand in it
    std::size_t owner;         // the nearest level that splits, itself or around it
    bool cases = false;        // of a switch: statements are its cases
    bool commas = false;       // end statements in it: fields, values, arms
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

class Reader {
  public:
    Reader(const CodeLines& lines, CodeLanguage language)
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
            check_cancelled();
            step();
        }
        end_statement(line_);
        if (levels_.size() > 1) shape_.sure = false;
        while (levels_.size() > 1) levels_.pop_back();
        shape_.statements = std::move(levels_.back().statements);
        // What was not closed, or lies in brackets, has folds that no statement begins with: they are passed over.
        std::stable_sort(shape_.folds.begin(), shape_.folds.end(),
                         [](const CodeFold& a, const CodeFold& b) { return a.lines.first < b.lines.first; });
        return std::move(shape_);
    }

  private:
    void step() {
        const char byte = text_[at_];
        if (byte == '\n') return new_line();
        if (text::ascii_space(byte)) {
            ++at_;
            return;
        }
        if (byte == '#' && language_ == CodeLanguage::kC && lines_.start(line_) == at_) return directive();
        const bool comment = byte == '/' && at_ + 1 < text_.size() && (text_[at_ + 1] == '/' || text_[at_ + 1] == '*');
        const std::size_t end = literal_end(text_, at_, language_, byte == '/' && ends_.before_value(place()));
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
        before_last_ = code_word_byte(byte) ? '\0' : last_;
        last_ = byte;
        ++at_;
        while (code_word_byte(byte) && at_ < text_.size() && code_word_byte(text_[at_])) ++at_;
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
        line_ += static_cast<std::int32_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                      text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
        at_ = end;
    }

    // A line of the preprocessor is a statement; #if opens a level, with a body to each #else and to #endif.
    void directive() {
        const std::int32_t first = line_;
        View word = lines_[line_].substr(1);
        while (!word.empty() && text::ascii_space(word.front())) word.remove_prefix(1);
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

    // At an #else or #endif on the lines [first, line_].
    void branch(std::int32_t first, bool closes) {
        end_statement(last_line_);
        if (levels_.back().bracket != '#') {
            shape_.sure = false;
            return;
        }
        Level level = std::move(levels_.back());
        levels_.pop_back();
        begun_ = level.begun;
        if (first - level.line > 1) add_body(level, first);
        if (closes) return end_statement(line_);
        begun_ = -1;
        levels_.push_back({'#', line_, level.begun, true, levels_.size()});
    }

    void end_statement(std::int32_t last) {
        Level& level = levels_.back();
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
        if (const Level& level = levels_.back(); begun_ >= 0 && level.splits && !level.cases) {
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
        Level next{bracket, line_, begun_, !head_.whole && (bracket == '{' || list), 0};
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
            shape_.sure = false;
            last_ = byte;
            ++at_;
            return;
        }
        if (levels_.back().splits) end_statement(last_line_);
        Level level = std::move(levels_.back());
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
    void add_body(const Level& level, std::int32_t last) {
        CodeBody body{{level.line + 1, last - 1}, {}};
        for (const LineSpan& part : level.statements) {
            if (part.last >= last && part.first > level.line && part.first < last) return;  // `}}` closes both
            if (part.first > level.line && part.last < last) body.statements.push_back(part);
        }
        Level& around = levels_[levels_.back().owner];
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
    std::vector<Level> levels_;
    Head head_;
    CodeShape shape_;
    std::size_t at_ = 0;
    std::int32_t line_ = 0, last_line_ = 0;  // where it is, and where the last mark was that is no comment
    int ifs_inside_ = 0;                     // of the preprocessor, in a statement
    std::int32_t begun_ = -1;                // line of the statement that has not ended; -1: none has begun
    char last_ = '\n', before_last_ = ' ';   // what is no white space or comment
};

}  // namespace

CodeShape read_braces(const CodeLines& lines, CodeLanguage language) { return Reader(lines, language).run(); }

}  // namespace tersely::content
