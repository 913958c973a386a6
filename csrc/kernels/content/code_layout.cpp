#include <algorithm>
#include <array>

#include "kernels/content/code_heads.hpp"
#include "kernels/content/code_read.hpp"
#include "kernels/parallel.hpp"

namespace tersely::content {
namespace {

using View = std::string_view;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
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
struct Level {
    std::size_t indent = 0;
    std::size_t fold = kNone, body = kNone;  // where the statements go; the file's: nowhere
    std::vector<LineSpan> statements = {};
    std::size_t statement_fold = kNone;  // of the last statement
};

class Reader {
  public:
    explicit Reader(const CodeLines& lines) : lines_(lines) { levels_.emplace_back(); }

    CodeShape run() && {
        bool goes_on = false;  // the line before ends in a backslash
        for (std::int32_t line = 0; line < lines_.count(); ++line) {
            check_cancelled();
            if (lines_.blank(line) || (!goes_on && is_comment(lines_[line], CodeLanguage::kOther))) continue;
            if (goes_on) {
                levels_.back().statements.back().last = line;
            } else {
                place(line);
            }
            goes_on = lines_[line].ends_with('\\');
        }
        while (levels_.size() > 1) pop();
        shape_.statements = std::move(levels_.back().statements);
        std::stable_sort(shape_.folds.begin(), shape_.folds.end(),
                         [](const CodeFold& a, const CodeFold& b) { return a.lines.first < b.lines.first; });
        return std::move(shape_);
    }

  private:
    void place(std::int32_t line) {
        const std::size_t indent = lines_.columns(line);
        const bool inner = levels_.size() > 1 && levels_.back().indent > indent;
        while (levels_.size() > 1 && levels_.back().indent > indent) pop();
        if (levels_.back().indent < indent && !levels_.back().statements.empty()) open(line, indent);
        Level& level = levels_.back();
        if (level.statements.empty()) level.indent = indent;
        if (inner && level.statement_fold != kNone && closes(lines_[line])) {
            level.statements.back().last = line;
            shape_.folds[level.statement_fold].lines.last = line;
            return;
        }
        level.statements.push_back({line, line});
        level.statement_fold = kNone;
    }

    // A body of the last statement, from the line below it.
    void open(std::int32_t line, std::size_t indent) {
        Level& level = levels_.back();
        const LineSpan head = level.statements.back();
        if (level.statement_fold == kNone) {
            level.statement_fold = shape_.folds.size();
            shape_.folds.push_back({head, {}});
        }
        CodeFold& fold = shape_.folds[level.statement_fold];
        Level next{indent, level.statement_fold, fold.bodies.size()};
        fold.bodies.push_back({{head.last + 1, line}, {}});
        levels_.push_back(std::move(next));
    }

    void pop() {
        Level level = std::move(levels_.back());
        levels_.pop_back();
        const std::int32_t last = level.statements.back().last;
        levels_.back().statements.back().last = last;
        CodeFold& fold = shape_.folds[level.fold];
        fold.bodies[level.body].lines.last = fold.lines.last = last;
        fold.bodies[level.body].statements = std::move(level.statements);
    }

    const CodeLines& lines_;
    std::vector<Level> levels_;
    CodeShape shape_;
};

}  // namespace

CodeShape read_layout(const CodeLines& lines) { return Reader(lines).run(); }

}  // namespace tersely::content
