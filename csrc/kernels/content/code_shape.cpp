#include "kernels/content/code_shape.hpp"

#include <algorithm>

#include "kernels/text/unicode.hpp"

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
        shape_.statements = std::move(levels_.back().statements);
        std::stable_sort(shape_.folds.begin(), shape_.folds.end(),
                         [](const CodeFold& a, const CodeFold& b) { return a.lines.first < b.lines.first; });
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

CodeLanguage code_language(std::string_view name) {
    if (name == "python") return CodeLanguage::kPython;
    if (name == "javascript" || name == "typescript" || name == "tsx") return CodeLanguage::kScript;
    if (name == "go") return CodeLanguage::kGo;
    if (name == "rust") return CodeLanguage::kRust;
    if (name == "java") return CodeLanguage::kJava;
    return name == "c" || name == "cpp" ? CodeLanguage::kC : CodeLanguage::kOther;
}

CodeLines::CodeLines(std::string_view text) : text_(text) {
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

}  // namespace tersely::content
