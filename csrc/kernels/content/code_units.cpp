#include "kernels/content/code_units.hpp"

#include <algorithm>
#include <string>

#include "kernels/content/hash_table.hpp"
#include "kernels/content/rarity.hpp"
#include "kernels/text/segment.hpp"
#include "kernels/text/terms.hpp"
#include "kernels/text/unicode.hpp"

namespace tersely::content {
namespace {

using View = std::string_view;

// Quotes that open a docstring: 3, 1, or 0 where there are none.
int opening_quotes(View line) {
    std::size_t at = 0;
    while (at < 2 && at < line.size() && View("rRuUbBfF").find(line[at]) != View::npos) ++at;
    const View rest = line.substr(at);
    if (rest.starts_with("\"\"\"") || rest.starts_with("'''")) return 3;
    return rest.starts_with('"') || rest.starts_with('\'') ? 1 : 0;
}

constexpr int kDeepestList = 8;  // lists in lists; what is deeper stays one unit

// Brackets of Python: the lines that open and close them, and the elements on lines of their own in between.
struct PythonList {
    std::int32_t opened = 0, closed = 0;
    std::vector<LineSpan> elements = {};
};

// Whether "[" behind this begins a list: an index cannot be left empty.
bool begins_list(View before) {
    const std::size_t last = before.find_last_not_of(" \t\r\n");
    if (last == View::npos) return true;
    before = before.substr(0, last + 1);
    return View("=([{,:+").find(before.back()) != View::npos || before.ends_with("return");
}

// The first brackets of a statement that hold whole elements on lines of their own. O(bytes).
PythonList python_list(const CodeLines& lines, LineSpan span, bool element) {
    const View text = lines.text();
    const std::size_t start = lines.start(span.first), end = lines.end(span.last);
    PythonList list;
    int depth = 0;                       // of brackets
    bool inside = false, named = false;  // in such brackets; between a lambda and its colon
    std::int32_t line = span.first, last_line = span.first, begun = -1;
    char last = '\0';  // what was read last but white space and comments
    for (std::size_t at = start; at < end;) {
        const char byte = text[at];
        if (byte == '\n') ++line;
        if (text::ascii_space(byte)) {
            ++at;
            continue;
        }
        if (byte == '#') {
            at = std::min(text.find('\n', at), end);
            continue;
        }
        const bool closing = byte == ')' || byte == ']' || byte == '}';
        const bool own_line = inside && depth == 1 && line > last_line;
        if (own_line && !closing && !named && View(",([{").find(last) != View::npos) {
            if (begun >= 0) list.elements.push_back({begun, last_line});
            if (begun < 0) list.opened = last_line;  // with what begins beside the bracket
            begun = line;
        }
        if (closing && depth > 0 && --depth == 0 && inside) {
            if (own_line && begun >= 0) list.elements.push_back({begun, last_line});
            list.closed = own_line ? line : begun;
            if (!list.elements.empty()) return list;
            inside = false;
        }
        if (byte == '(' || byte == '[' || byte == '{') {
            if (depth++ == 0 && (element || at > start) &&
                (byte != '[' || begins_list(text.substr(start, at - start)))) {
                inside = true;
                named = false;
                begun = -1;
            }
        }
        last = byte;
        if (byte == '"' || byte == '\'') {
            std::size_t prefix = at;
            while (prefix > start && at - prefix < 2 && code_word_byte(text[prefix - 1])) --prefix;
            const bool formatted = text.substr(prefix, at - prefix).find_first_of("fFtT") != View::npos;
            const std::size_t behind = python_string_end(text, at, formatted);
            if (behind == kOpen || behind > end) return {};
            line += line_ends(text, at, behind);
            at = behind;
        } else if (code_word_byte(byte)) {
            const std::size_t word = at;
            while (at < end && code_word_byte(text[at])) ++at;
            if (inside && depth == 1 && text.substr(word, at - word) == "lambda") named = true;
        } else {
            if (byte == ':' && depth == 1) named = false;
            at += byte == '\\' && at + 1 < end && text[at + 1] != '\n' ? 2 : 1;
        }
        last_line = line;
    }
    return {};
}

class Cutter {
  public:
    Cutter(const CodeLines& lines, CodeLanguage language, bool typed, const CodeShape& shape, std::size_t piece)
        : lines_(lines),
          language_(language),
          python_(language == CodeLanguage::kPython),
          typed_(typed),
          shape_(shape),
          piece_(piece) {
        fold_at_.assign(static_cast<std::size_t>(lines.count()), -1);
        for (std::size_t fold = shape.folds.size(); fold-- > 0;) {
            fold_at_[static_cast<std::size_t>(shape.folds[fold].lines.first)] = static_cast<std::int32_t>(fold);
        }
    }

    CodeUnits run() && {
        body({0, lines_.count() - 1}, shape_.statements, -1, 0);
        return std::move(units_);
    }

  private:
    void body(LineSpan inside, const std::vector<LineSpan>& statements, std::int32_t parent, int depth) {
        std::int32_t at = inside.first;
        std::int32_t before = parent;  // of Python, what a comment needs so that it is no body alone
        for (const LineSpan& part : statements) {
            if (part.first < at || part.last > inside.last) continue;
            const bool opens = python_ && at == inside.first;
            const bool docstring = opens && all_blank(at, part.first - 1);
            const std::int32_t begin = opens && parent >= 0 ? at : part.first;
            plain({at, begin - 1}, before, false);
            const auto row = static_cast<std::int32_t>(units_.size());
            statement(begin, part, parent, depth, docstring);
            if (python_ && parent >= 0) before = row;
            at = part.last + 1;
        }
        plain({at, inside.last}, before, false);
    }

    bool all_blank(std::int32_t first, std::int32_t last) const {
        for (std::int32_t line = first; line <= last; ++line) {
            if (!lines_.blank(line)) return false;
        }
        return true;
    }

    // A statement, from the lines before it that belong to it.
    void statement(std::int32_t begin, LineSpan span, std::int32_t parent, int depth, bool may_be_docstring) {
        const std::int32_t number = fold_at_[static_cast<std::size_t>(span.first)];
        const CodeFold* fold = number < 0 ? nullptr : &shape_.folds[static_cast<std::size_t>(number)];
        if (fold == nullptr || fold->lines.last > span.last || depth >= kDeepestBody) {
            const int quotes = may_be_docstring ? opening_quotes(lines_[span.first]) : 0;
            if (quotes > 0) return comment(span, parent, CodeRole::kDocstring, quotes == 3);
            return plain({begin, span.last}, parent, true);
        }
        std::int32_t row = -1;
        std::int32_t at = begin;
        for (const CodeBody& inside : fold->bodies) {
            LineSpan lines = inside.lines;
            if (lines.first <= at || lines.last > span.last) continue;
            if (python_) {  // comments before the first statement are the body's, unless they stand further out
                const std::size_t indent = lines_.columns(lines.first);
                const auto belongs = [&](std::int32_t line) {
                    return lines_.blank(line) || (lines_[line][0] == '#' && lines_.columns(line) >= indent);
                };
                while (lines.first - 1 > at && belongs(lines.first - 1)) --lines.first;
                while (lines_.blank(lines.first)) ++lines.first;
            }
            const bool blank = all_blank(at, lines.first - 1);
            if (row < 0 && blank) continue;
            if (row < 0) {
                const bool defining = defines({at, lines.first - 1});
                row = add({at, lines.first - 1}, parent, defining ? CodeRole::kDefinition : CodeRole::kBranch);
            } else if (!blank) {
                add({at, lines.first - 1}, row, CodeRole::kAfter, row);
            }
            const std::size_t start = units_.size();
            body(lines, inside.statements, row, depth + 1);
            if (python_ && units_.size() > start) units_.suite[start] = static_cast<std::int32_t>(units_.size()) - 1;
            at = lines.last + 1;
        }
        if (row < 0) return plain({begin, span.last}, parent, true);
        if (!all_blank(at, span.last)) add({at, span.last}, row, CodeRole::kAfter, row);
    }

    bool defines(LineSpan span) const {
        int brackets = 0;  // of a decorator
        for (std::int32_t line = span.first; line <= span.last; ++line) {
            const View text = lines_[line];
            if (brackets > 0 || text.starts_with('@') || text.starts_with("#[")) {
                for (const char byte : text) {
                    if (byte == '(' || byte == '[') ++brackets;
                    if (byte == ')' || byte == ']') --brackets;
                }
                continue;
            }
            if (text.empty() || View("#*[").find(text[0]) != View::npos || text.starts_with("//") ||
                text.starts_with("/*"))
                continue;
            if (is_branch(text)) return false;
            if (language_ == CodeLanguage::kC && text.starts_with("template") && line < span.last) continue;
            std::string whole;
            const View end = lines_[span.last];
            const bool typed = language_ == CodeLanguage::kC || language_ == CodeLanguage::kJava;
            if (end.ends_with('{') || (typed && end.ends_with(';'))) {
                for (std::int32_t part = line; part <= span.last && whole.size() <= kLongestHead; ++part) {
                    whole.append(lines_[part].substr(0, kLongestHead)).push_back(' ');
                }
                whole.pop_back();
            } else if (line == span.last && end.ends_with('}')) {  // on one line
                whole = text.substr(0, std::min(text.find('{'), kLongestHead) + 1);
            }
            return is_definition(text, whole.size() <= kLongestHead ? View(whole) : View());
        }
        return false;
    }

    // Lines without bodies: a statement, or what stands between statements.
    void plain(LineSpan span, std::int32_t parent, bool is_statement) {
        for (;;) {
            while (span.first <= span.last && lines_.blank(span.first)) ++span.first;
            if (span.first > span.last) return;
            const View line = lines_[span.first];
            const bool note = line.starts_with("//") || line.starts_with("/*");
            if (!note && (is_statement || !is_comment(line, language_))) break;
            span.first = comments(span, parent);
        }
        const View head = lines_[span.first];
        if (typed_ && is_open_type(head) && !all_blank(span.first + 1, span.last)) {
            const std::int32_t row = add({span.first, span.first}, parent, CodeRole::kDefinition);
            const std::int32_t type = add({span.first + 1, span.last}, row, CodeRole::kStatement);
            units_.suite[static_cast<std::size_t>(type)] = static_cast<std::int32_t>(units_.size()) - 1;
            return;
        }
        CodeRole role = CodeRole::kStatement;
        if (is_import(head)) {
            role = CodeRole::kImport;
        } else if (defines(span)) {
            role = CodeRole::kDeclaration;
        }
        if (role == CodeRole::kStatement && python_ && is_large(span)) return elements(span, parent, 0);
        add(span, parent, role);
    }

    bool is_large(LineSpan span) const {
        return piece_ > 0 && span.first < span.last && lines_.end(span.last) - lines_.start(span.first) > piece_;
    }

    // A large statement of Python, or an element of one: what is up to the brackets, each element in them on lines of
    // its own, and what closes them.
    void elements(LineSpan span, std::int32_t parent, int depth) {
        const PythonList list = depth < kDeepestList ? python_list(lines_, span, depth > 0) : PythonList{};
        if (list.elements.empty()) {
            add(span, parent, CodeRole::kStatement);
            return;
        }
        const std::int32_t row = add({span.first, list.opened}, parent, CodeRole::kBranch);
        std::int32_t at = list.opened + 1;
        for (const LineSpan& part : list.elements) {
            plain({at, part.first - 1}, row, false);
            if (is_large(part)) {
                elements(part, row, depth + 1);
            } else {
                add(part, row, CodeRole::kStatement);
            }
            at = part.last + 1;
        }
        plain({at, list.closed - 1}, row, false);
        add({list.closed, span.last}, row, CodeRole::kAfter, row);
    }

    // A comment: up to what closes it, or a blank line before another. The line behind it.
    std::int32_t comments(LineSpan span, std::int32_t parent) {
        const bool closed = lines_[span.first].starts_with("/*");
        std::int32_t line = span.first;
        if (closed) {
            while (line < span.last && lines_[line].find("*/", line == span.first ? 2 : 0) == View::npos) ++line;
            if (line < span.last && lines_[line].ends_with("*/")) span.last = line;
        } else {
            for (; line < span.last; ++line) {
                const View next = lines_[line + 1];
                const bool note = is_comment(next, language_) && !next.starts_with('*');
                if (lines_.blank(line) ? note : next.starts_with("/*")) span.last = line;
            }
        }
        comment(span, parent, CodeRole::kComment, closed);
        return span.last + 1;
    }

    // A comment or docstring: its beginning, the lines that follow, and what closes it.
    void comment(LineSpan span, std::int32_t parent, CodeRole role, bool closed) {
        while (span.last > span.first && lines_.blank(span.last)) --span.last;
        if (span.last - span.first < kLongComment) {
            add(span, parent, role);
            return;
        }
        const bool marks_only = lines_[span.first].find_first_not_of("/*\"'rRuUbBfF#!") == View::npos;
        const std::int32_t opening = span.first + (marks_only ? 1 : 0);
        const std::int32_t row = add({span.first, opening}, parent, role);
        for (std::int32_t line = opening + 1; line <= span.last - (closed ? 1 : 0); ++line) {
            if (lines_.blank(line)) continue;
            add({line, line}, row, CodeRole::kText);
            units_.inside.back() = closed ? 1 : 0;
        }
        if (closed && span.last > opening) add({span.last, span.last}, row, CodeRole::kAfter, row);
    }

    // A unit without the blank lines at its ends; its row.
    std::int32_t add(LineSpan span, std::int32_t parent, CodeRole role, std::int32_t follows = -1) {
        while (span.first < span.last && lines_.blank(span.first)) ++span.first;
        while (span.last > span.first && lines_.blank(span.last)) --span.last;
        if (!python_ && role != CodeRole::kComment && is_large(span)) {  // its first line, which the others need
            const std::int32_t row = add({span.first, span.first}, parent, role, follows);
            for (std::int32_t line = span.first + 1; line <= span.last; ++line) {
                if (!lines_.blank(line)) add({line, line}, row, CodeRole::kStatement);
            }
            return row;
        }
        units_.first.push_back(span.first);
        units_.last.push_back(span.last);
        units_.parent.push_back(parent);
        units_.follows.push_back(follows);
        units_.role.push_back(role);
        units_.suite.push_back(-1);
        units_.inside.push_back(0);
        return static_cast<std::int32_t>(units_.size()) - 1;
    }

    const CodeLines& lines_;
    const CodeLanguage language_;
    const bool python_, typed_;
    const CodeShape& shape_;
    const std::size_t piece_;
    std::vector<std::int32_t> fold_at_;  // by line: the first fold that begins there, or -1
    CodeUnits units_;
};

}  // namespace

CodeUnits cut_code(const CodeLines& lines, CodeLanguage language, bool typed, const CodeShape& shape,
                   std::size_t piece) {
    return Cutter(lines, language, typed, shape, piece).run();
}

namespace {

constexpr double kAsked = 9.5;     // below the signatures
constexpr double kUsed = 0.8;      // above the signatures
constexpr double kLeastUse = 0.7;  // of a definition whose names count
constexpr std::int32_t kValueLines = 3;
constexpr double kWarning = 7;  // of a comment that warns: below imports, above what documents
// What is outside of functions has more, at most, for how rare it is in form and words: statements, comments.
constexpr double kOuter = 3, kOuterComment = 0.3;
// What imports and declarations outside of functions have less, at most, and how rare they have to be for all their
// rank.
constexpr double kCommonImport = 6, kCommonName = 0.01, kRare = 0.3;

double rank_of(CodeRole role) {
    switch (role) {
        case CodeRole::kDefinition:
        case CodeRole::kDeclaration:
            return 10;
        case CodeRole::kImport:
            return 8;
        case CodeRole::kDocstring:
            return 5;
        case CodeRole::kStatement:
        case CodeRole::kBranch:
            return 1;
        case CodeRole::kComment:
            return 0.8;
        case CodeRole::kText:
            return 0.5;
        case CodeRole::kAfter:
            return 0;
    }
    return 0;
}

// Whether a comment has one of the words in capitals by which people mark what is wrong or dangerous there.
bool warns(std::string_view comment) {
    constexpr std::string_view kWarnings[] = {"BUG", "DANGER", "FIXME", "HACK", "SAFETY", "TODO", "WARNING", "XXX"};
    const auto in_word = [&](std::size_t at) {
        return at < comment.size() && (text::ascii_upper(comment[at]) || text::ascii_lower(comment[at]) ||
                                       text::ascii_digit(comment[at]) || comment[at] == '_');
    };
    return std::any_of(std::begin(kWarnings), std::end(kWarnings), [&](std::string_view word) {
        const std::size_t at = comment.find(word);
        return at != std::string_view::npos && (at == 0 || !in_word(at - 1)) && !in_word(at + word.size());
    });
}

std::size_t index(std::int32_t row) { return static_cast<std::size_t>(row); }

// The first line behind attributes and comments.
std::string_view signature_line(const CodeLines& lines, LineSpan span) {
    while (span.first < span.last &&
           (lines.blank(span.first) || std::string_view("@#/*[").find(lines[span.first][0]) != std::string_view::npos))
        ++span.first;
    return lines[span.first];
}

// By row: what it is asked for with. That is the innermost definition around it; outside of all, the outermost of the
// statements with a body around it, or that it is, else n and its paragraph, lines without a blank one between. Rows
// of definitions outside of all have none (-1).
std::vector<std::int32_t> groups_of(const CodeUnits& units, const std::vector<std::int32_t>& function) {
    const auto n = static_cast<std::int32_t>(units.size());
    std::vector<std::int32_t> group = function;
    std::vector<bool> holds(units.size());
    for (const std::int32_t parent : units.parent) {
        if (parent >= 0) holds[index(parent)] = true;
    }
    std::int32_t before = -1;  // the last row of the paragraph
    for (std::int32_t row = 0; row < n; ++row) {
        const std::int32_t parent = units.parent[index(row)];
        if (group[index(row)] >= 0 || units.role[index(row)] == CodeRole::kDefinition) {
            before = -1;
        } else if (parent >= 0) {
            group[index(row)] = group[index(parent)];
        } else if (holds[index(row)]) {
            group[index(row)] = row;
            before = -1;
        } else {
            const bool goes_on = before >= 0 && units.last[index(before)] + 1 == units.first[index(row)];
            group[index(row)] = goes_on ? group[index(before)] : n + row;
            before = row;
        }
    }
    return group;
}

// By row: how much of the query its group holds, the best 1.
std::vector<double> asked_of(const CodeLines& lines, const CodeUnits& units, const std::vector<std::int32_t>& function,
                             std::string_view query) {
    const std::size_t n = units.size();
    const std::vector<std::int32_t> group = groups_of(units, function);
    std::vector<double> asked(n);
    std::vector<std::int32_t> number(2 * n, -1);  // of each group
    std::vector<std::vector<std::size_t>> rows;   // of each
    const auto put = [&](std::int32_t owner, std::size_t row) {
        std::int32_t& mine = number[index(owner)];
        if (mine < 0) {
            mine = static_cast<std::int32_t>(rows.size());
            rows.emplace_back();
        }
        rows[index(mine)].push_back(row);
    };
    for (std::size_t row = 0; row < n; ++row) {
        if (group[row] >= 0) put(group[row], row);
        if (units.role[row] == CodeRole::kDefinition) put(static_cast<std::int32_t>(row), row);
    }
    text::TermReader reader(lines.text().size());
    std::vector<std::int32_t> ids, terms;
    std::vector<std::int64_t> offsets = {0};
    for (const std::vector<std::size_t>& mine : rows) {
        for (const std::size_t row : mine) {
            reader.append(lines.text(), {lines.start(units.first[row]), lines.end(units.last[row])}, ids);
        }
        offsets.push_back(static_cast<std::int64_t>(ids.size()));
    }
    reader.append(query, {0, query.size()}, terms);
    const std::vector<float> share = query_share(ids, offsets, terms, reader.vocabulary().size());
    const float best = share.empty() ? 0 : *std::max_element(share.begin(), share.end());
    if (best <= 0) return asked;
    for (std::size_t row = 0; row < n; ++row) {
        if (group[row] >= 0) asked[row] = static_cast<double>(share[index(number[index(group[row])])] / best);
    }
    return asked;
}

// The name to which a line of a file gives a value: "CAP = 30.0", "static const int kCap = 30;", "#define CAP 30".
std::string_view named_in(std::string_view line) {
    constexpr std::string_view kDefine = "#define ";
    std::size_t end = line.find('=');
    if (line.starts_with(kDefine)) {
        end = line.find(' ', kDefine.size());
    } else {
        end = std::min(end, line.find(':'));
    }
    if (end == std::string_view::npos || line.substr(0, end).find('(') != std::string_view::npos) return {};
    while (end > 0 && !code_word_byte(line[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && code_word_byte(line[begin - 1])) --begin;
    return line.substr(begin, end - begin);
}

// By row: of what gives a value to a name outside of all definitions, how much of the query what uses that holds.
template <typename Text>
std::vector<double> used_by(const CodeUnits& units, const std::vector<std::int32_t>& function,
                            const std::vector<double>& asked, const Text& text) {
    std::vector<double> used(units.size());
    HashTable<std::int32_t> rows;  // one more than the row that names something
    for (std::size_t row = 0; row < units.size(); ++row) {
        const bool plain = units.role[row] == CodeRole::kStatement && units.parent[row] < 0;
        if (!plain || units.last[row] - units.first[row] >= kValueLines) continue;
        const std::string_view name = named_in(text(row));
        if (!name.empty()) rows[hash_name(name)] = static_cast<std::int32_t>(row) + 1;
    }
    for (std::size_t row = 0; row < units.size() && rows.size() > 0; ++row) {
        if (function[row] < 0 || asked[row] < kLeastUse) continue;
        const std::string_view said = text(row);
        for (std::size_t at = 0; at < said.size();) {
            std::size_t end = at;
            while (end < said.size() && code_word_byte(said[end])) ++end;
            const std::int32_t* found = end > at ? rows.find(hash_name(said.substr(at, end - at))) : nullptr;
            if (found != nullptr) used[index(*found - 1)] = std::max(used[index(*found - 1)], asked[row]);
            at = std::max(end, at + 1);
        }
    }
    return used;
}

}  // namespace

std::vector<double> rank_code(const CodeLines& lines, const CodeUnits& units, std::string_view query) {
    const std::size_t n = units.size();
    std::vector<std::int32_t> depth(n), function(n, -1), size(n);  // the innermost definition around, lines of its own
    for (std::size_t row = 0; row < n; ++row) {
        if (units.parent[row] < 0) continue;
        const std::size_t parent = index(units.parent[row]);
        const bool defines = units.role[parent] == CodeRole::kDefinition;
        depth[row] = depth[parent] + (defines ? 1 : 0);
        function[row] = defines ? units.parent[row] : function[parent];
        if (function[row] >= 0) size[index(function[row])] += units.last[row] - units.first[row] + 1;
    }
    const std::vector<double> asked = query.empty() ? std::vector<double>(n) : asked_of(lines, units, function, query);
    const auto row_text = [&](std::size_t row) {
        const std::size_t start = lines.start(units.first[row]);
        return lines.text().substr(start, lines.end(units.last[row]) - start);
    };
    const std::vector<double> used = query.empty() ? std::vector<double>(n) : used_by(units, function, asked, row_text);
    std::vector<std::size_t> outer;  // imports, and what is outside of functions
    std::vector<std::string_view> said;
    for (std::size_t row = 0; row < n; ++row) {
        const CodeRole role = units.role[row];
        const bool inside = function[row] >= 0 || role == CodeRole::kDefinition || role == CodeRole::kAfter;
        if (inside && role != CodeRole::kImport) continue;
        outer.push_back(row);
        said.push_back(row_text(row));
    }
    std::vector<double> rare(n, -1);  // -1: it is inside
    const std::vector<double> rarities = rarity(said);
    for (std::size_t at = 0; at < outer.size(); ++at) rare[outer[at]] = rarities[at];
    std::vector<double> ranks(n);
    for (std::size_t row = 0; row < n; ++row) {
        const CodeRole role = units.role[row];
        double rank = rank_of(role);
        if ((role == CodeRole::kComment || role == CodeRole::kText) && warns(row_text(row))) rank = kWarning;
        if (role != CodeRole::kStatement) rank -= 0.3 * std::min(depth[row], 10);
        const bool signature = role == CodeRole::kDefinition || role == CodeRole::kDeclaration;
        if (signature) {
            rank -= 0.02 * std::min(units.last[row] - units.first[row], 50);
            const std::string_view line = signature_line(lines, {units.first[row], units.last[row]});
            if (line.starts_with("impl")) rank -= 0.8;
            if (line.starts_with("pub") || line.starts_with("export")) rank += 0.1;
        } else if (role == CodeRole::kStatement || role == CodeRole::kBranch) {
            rank += function[row] < 0 ? kOuter * rare[row] : 1 / (1 + size[index(function[row])] / 8.0);
        } else if (rare[row] >= 0 && role != CodeRole::kImport) {
            rank += kOuterComment * rare[row];
        }
        if (rare[row] >= 0 && (signature || role == CodeRole::kImport))
            rank -= (signature ? kCommonName : kCommonImport) * (1 - std::min(rare[row] / kRare, 1.0));
        if (!signature && role != CodeRole::kImport) rank = std::max(rank, asked[row] * asked[row] * kAsked);
        if (used[row] > 0) rank = std::max(rank, used[row] * used[row] * kAsked + kUsed);
        ranks[row] = rank;
    }
    return ranks;
}

}  // namespace tersely::content
