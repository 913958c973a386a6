#include "bind/render.hpp"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "kernels/content/code_units.hpp"
#include "kernels/content/tree.hpp"
#include "kernels/text/utf8.hpp"

// Kept units as text: segments joined by a separator; lines, and units that stand in one another with their own gaps,
// with markers in the places of what is left out. Pieces are cut from Python's own strings, in characters, so that it
// costs what is kept, whatever the size of the documents.

namespace py = pybind11;

namespace tersely::bind {
namespace {

// Writes what stands in the place of a run of rows.
class RunMarker {
  public:
    virtual ~RunMarker() = default;
    virtual std::string say(std::int64_t first, std::int64_t last) const = 0;

  protected:
    static void check(std::int64_t first, std::int64_t last, std::size_t size) {
        require(0 <= first && first <= last && last < static_cast<std::int64_t>(size),
                "first and last must be rows, in order");
    }
};

// What markers of left out code say, by row; `stand_in`, `opens` and `closes` by document.
struct CodeRows {
    std::vector<std::int32_t> document, first, last, suite;
    std::vector<std::uint8_t> inside;
    std::vector<std::int32_t> before;  // units that are no comments, before each row and behind the last
    std::vector<std::string> stand_in, opens, closes;
};

enum class CodeWording : std::uint8_t { kFull, kShort, kBare };

// A comment in the place of a run of units of code: which lines it stands for, or an "…"; and what the language asks
// for.
class CodeMarker : public RunMarker {
  public:
    CodeMarker(std::shared_ptr<const CodeRows> code, CodeWording words) : rows(std::move(code)), wording(words) {}

    std::string say(std::int64_t first_row, std::int64_t last_row) const override {
        check(first_row, last_row, rows->first.size());
        const auto first = static_cast<std::size_t>(first_row);
        const auto last = static_cast<std::size_t>(last_row);
        const auto document = static_cast<std::size_t>(rows->document[first]);
        const bool whole = 0 <= rows->suite[first] && rows->suite[first] <= last_row;
        const bool inside = rows->inside[first] != 0;
        std::string said = whole ? rows->stand_in[document] : std::string();
        if (wording == CodeWording::kBare) return said;
        if (wording == CodeWording::kShort) {
            if (inside) return "…";
            if (rows->before[first] == rows->before[last + 1]) return "";  // comments only
            if (!said.empty()) return said;
            return rows->opens[document] + " …" + rows->closes[document];
        }
        if (inside) said.clear();
        if (!said.empty()) said.append("  ");
        if (!inside) said.append(rows->opens[document]).append(" ");
        const std::int32_t low = rows->first[first] + 1;
        const std::int32_t high = rows->last[last] + 1;
        said.append(low == high ? "… line " : "… lines ").append(std::to_string(low));
        if (low != high) said.append("-").append(std::to_string(high));
        return inside ? said : said.append(rows->closes[document]);
    }

  private:
    std::shared_ptr<const CodeRows> rows;
    CodeWording wording;
};

template <typename T>
std::vector<T> copy(const Input<T>& array) {
    const std::span<const T> values = view(array);
    return {values.begin(), values.end()};
}

py::tuple code_markers(const Input<std::int32_t>& document, const Input<std::int32_t>& first,
                       const Input<std::int32_t>& last, const Input<std::int32_t>& suite,
                       const Input<std::uint8_t>& inside, const Input<std::uint8_t>& role, const py::list& stand_in,
                       const py::list& opens, const py::list& closes) {
    auto rows = std::make_shared<CodeRows>();
    rows->document = copy(document);
    rows->first = copy(first);
    rows->last = copy(last);
    rows->suite = copy(suite);
    rows->inside = copy(inside);
    const std::size_t n = rows->document.size();
    const std::span<const std::uint8_t> roles = view(role);
    require(rows->first.size() == n && rows->last.size() == n && rows->suite.size() == n && rows->inside.size() == n &&
                roles.size() == n,
            "all columns must have one length");
    require(stand_in.size() == opens.size() && opens.size() == closes.size(), "all lists must have one length");
    for (const std::int32_t index : rows->document) {
        require(0 <= index && static_cast<std::size_t>(index) < opens.size(), "document must lie in the lists");
    }
    rows->before.assign(n + 1, 0);
    for (std::size_t i = 0; i < n; ++i) {
        const auto one = static_cast<content::CodeRole>(roles[i]);
        const bool says = one != content::CodeRole::kComment && one != content::CodeRole::kText;
        rows->before[i + 1] = rows->before[i] + (says ? 1 : 0);
    }
    for (std::size_t i = 0; i < opens.size(); ++i) {
        rows->stand_in.push_back(stand_in[i].cast<std::string>());
        rows->opens.push_back(opens[i].cast<std::string>());
        rows->closes.push_back(closes[i].cast<std::string>());
    }
    return py::make_tuple(CodeMarker{rows, CodeWording::kFull}, CodeMarker{rows, CodeWording::kShort},
                          CodeMarker{rows, CodeWording::kBare});
}

using RowList = std::vector<std::int64_t>;
using ListsOfRows = std::unordered_map<std::int32_t, RowList>;

// What markers of left out values of JSON say (kernels/content/tree.hpp), by row. A container is a row; -1 - its
// document stands for that of what lies in none.
struct TreeRows {
    std::vector<std::int32_t> document, container, place, count;
    std::vector<std::int64_t> start, end, own;
    std::vector<std::uint8_t> kind, record;
    std::vector<std::int32_t> roots;  // of each document
    ListsOfRows marks;                // of an earlier compression, by container

    content::TreeKind kind_of(std::size_t row) const { return static_cast<content::TreeKind>(kind[row]); }
    bool in_object(std::int32_t within) const {
        return within >= 0 && kind_of(static_cast<std::size_t>(within)) == content::TreeKind::kObject;
    }
    std::int64_t values_of(std::int32_t within) const {
        return within >= 0 ? count[static_cast<std::size_t>(within)] : roots[static_cast<std::size_t>(-1 - within)];
    }
    // The place behind a run, which lies in one container.
    std::int64_t stop(std::size_t first, std::size_t last) const {
        if (last + 1 < document.size() && document[last + 1] == document[first]) return place[last + 1];
        const auto at = [&](std::size_t row) { return container.begin() + static_cast<std::ptrdiff_t>(row); };
        return std::count(at(first), at(last + 1), container[first]) + place[first];
    }
    bool closes(std::size_t row) const { return row < kind.size() && kind_of(row) == content::TreeKind::kClose; }
};

enum class TreeWording : std::uint8_t { kFull, kNumbers, kTotal };

// The number of values that are left out. kNumbers: without words, and without a number where places say it. kTotal: a
// container outside of all records counts what it lacks once, at its end; elsewhere a list has an "…", and a name says
// what its value is, so objects have none.
class TreeMarker : public RunMarker {
  public:
    TreeMarker(std::shared_ptr<const TreeRows> rows, TreeWording wording) : rows_(std::move(rows)), wording_(wording) {}

    TreeMarker numbers() const { return {rows_, TreeWording::kNumbers}; }
    TreeMarker total(const Input<std::int64_t>& kept) const {
        TreeMarker made(rows_, TreeWording::kTotal);
        for (const std::int64_t row : view(kept)) {
            check(row, row, rows_->kind.size());
            const auto at = static_cast<std::size_t>(row);
            if (rows_->own[at] != 0) made.marks_.insert(row);
            const content::TreeKind kind = rows_->kind_of(at);
            if (kind == content::TreeKind::kClose || kind == content::TreeKind::kPiece) continue;
            made.kept_[rows_->container[at]].push_back(rows_->place[at]);
        }
        return made;
    }

    std::string say(std::int64_t first_row, std::int64_t last_row) const override {
        check(first_row, last_row, rows_->kind.size());
        const auto first = static_cast<std::size_t>(first_row);
        const auto last = static_cast<std::size_t>(last_row);
        if (wording_ == TreeWording::kTotal) return say_total(first, last);
        const std::string more = wording_ == TreeWording::kFull ? " more" : "";
        if (rows_->kind_of(first) == content::TreeKind::kPiece) {
            const std::string left = "… " + std::to_string(rows_->end[last] - rows_->start[first]) + more;
            return rows_->closes(last + 1) ? left : left + " …";
        }
        const std::int32_t container = rows_->container[first];
        const std::int64_t begin = rows_->place[first];
        const std::int64_t stop = rows_->stop(first, last);
        const auto between = [&](std::int64_t row) { return first_row <= row && row <= last_row; };
        const std::string count = std::to_string(stop - begin + left_out(container, between)) + more;
        if (rows_->kind_of(first) == content::TreeKind::kLine) return "… " + count + (more.empty() ? "" : " lines");
        if (!rows_->in_object(container)) return "\"… " + count + "\"";
        const bool at_end = stop == rows_->values_of(container);
        const std::string key = at_end ? "…" : "… " + std::to_string(begin + 1) + "-" + std::to_string(stop);
        if (!more.empty()) return "\"" + key + "\": \"" + count + "\"";
        return "\"" + key + "\": " + (at_end ? count : "\"\"");
    }

  private:
    // The values that marks of an earlier compression say were left out, beside themselves.
    template <typename Counts>
    std::int64_t left_out(std::int32_t container, const Counts& counts) const {
        const auto marks = rows_->marks.find(container);
        std::int64_t sum = 0;
        if (marks == rows_->marks.end()) return sum;
        for (const std::int64_t row : marks->second) {
            if (counts(row)) sum += std::max<std::int64_t>(rows_->own[static_cast<std::size_t>(row)], 0) - 1;
        }
        return sum;
    }

    std::string say_total(std::size_t first, std::size_t last) const {
        if (rows_->kind_of(first) == content::TreeKind::kPiece) return rows_->closes(last + 1) ? "…" : "… …";
        const bool is_line = rows_->kind_of(first) == content::TreeKind::kLine;
        const std::int32_t container = rows_->container[first];
        const bool named = rows_->in_object(container);
        const std::string here = named ? "" : is_line ? "…" : "\"…\"";
        const auto kept = kept_.find(container);
        if (kept != kept_.end()) {
            for (std::int32_t at = container; at >= 0; at = rows_->container[static_cast<std::size_t>(at)]) {
                if (rows_->record[static_cast<std::size_t>(at)] != 0) return here;  // it is a record, or lies in one
            }
        }
        static const RowList kNone;
        const RowList& places = kept == kept_.end() ? kNone : kept->second;
        const std::int64_t values = rows_->values_of(container);
        const std::int64_t stop = rows_->stop(first, last);
        const auto behind = places.end() - std::lower_bound(places.begin(), places.end(), stop);
        if (behind < values - stop) return here;  // more is left out behind
        const auto gone = [this](std::int64_t row) { return !marks_.contains(row); };
        const std::int64_t missing = values - static_cast<std::int64_t>(places.size()) + left_out(container, gone);
        const std::string left = std::to_string(missing) + " more";
        if (is_line) return "… " + left;
        return named ? "\"…\": \"" + left + "\"" : "\"… " + left + "\"";
    }

    std::shared_ptr<const TreeRows> rows_;
    TreeWording wording_;
    ListsOfRows kept_;                        // places of kept values, by container
    std::unordered_set<std::int64_t> marks_;  // of an earlier compression, that are kept
};

TreeMarker tree_marker(const Input<std::int32_t>& document, const Input<std::int64_t>& start,
                       const Input<std::int64_t>& end, const Input<std::uint8_t>& kind,
                       const Input<std::int32_t>& parent, const Input<std::int32_t>& place,
                       const Input<std::int32_t>& count, const Input<std::int64_t>& own,
                       const Input<std::uint8_t>& record) {
    auto rows = std::make_shared<TreeRows>();
    rows->document = copy(document);
    rows->start = copy(start);
    rows->end = copy(end);
    rows->kind = copy(kind);
    rows->container = copy(parent);
    rows->place = copy(place);
    rows->count = copy(count);
    rows->own = copy(own);
    rows->record = copy(record);
    const std::size_t n = rows->document.size();
    for (const std::size_t size : {rows->start.size(), rows->end.size(), rows->kind.size(), rows->container.size(),
                                   rows->place.size(), rows->count.size(), rows->own.size(), rows->record.size()}) {
        require(size == n, "all columns must have one length");
    }
    for (std::size_t i = 0; i < n; ++i) {
        require(rows->document[i] >= (i == 0 ? 0 : rows->document[i - 1]), "document must ascend");
        std::int32_t& container = rows->container[i];
        require(-1 <= container && container < static_cast<std::int32_t>(i), "parent must point upwards");
        rows->roots.resize(static_cast<std::size_t>(rows->document[i]) + 1);
        if (container < 0) {
            container = -1 - rows->document[i];
            ++rows->roots.back();
        }
        if (rows->own[i] != 0) rows->marks[container].push_back(static_cast<std::int64_t>(i));
    }
    return {rows, TreeWording::kFull};
}

// What markers of left out lines say, by row.
struct LineRows {
    std::vector<std::int32_t> document;
    std::vector<std::int64_t> line;     // in its document
    std::vector<std::int64_t> number;   // of the line among all that have rows
    std::vector<std::int64_t> earlier;  // lines that an earlier compression left out, up to each row, and behind all
    std::vector<bool> continued;
    std::int64_t lines;  // of all documents, where some have no row; else -1

    // The line before or after a row; -1 before the first; after the last, how many there are, or -1.
    std::int64_t line_beside(std::int64_t row, std::int64_t step) const {
        const auto other = static_cast<std::size_t>(row + step);
        if (other < line.size() && document[other] == document[static_cast<std::size_t>(row)]) return line[other];
        return step > 0 && document.back() == 0 ? lines : -1;
    }
};

// The number of lines that are left out; as a total, those of a document once, in the last place.
class LineMarker : public RunMarker {
  public:
    explicit LineMarker(std::shared_ptr<const LineRows> rows) : rows_(std::move(rows)) {}

    LineMarker total(const Input<std::int64_t>& kept) const {
        LineMarker made(rows_);
        std::vector<bool> out = rows_->continued;
        out.flip();
        for (const std::int64_t row : view(kept)) {
            check(row, row, out.size());
            out[static_cast<std::size_t>(row)] = false;
        }
        made.totals_.resize(out.empty() ? 0 : static_cast<std::size_t>(rows_->document.back()) + 1);
        for (std::size_t row = 0; row < out.size(); ++row) {
            if (!out[row]) continue;
            Left& left = made.totals_[static_cast<std::size_t>(rows_->document[row])];
            left.last = static_cast<std::int64_t>(row);
            ++left.lines;
            left.earlier += rows_->earlier[row + 1] - rows_->earlier[row];
        }
        return made;
    }

    std::string say(std::int64_t first_row, std::int64_t last_row) const override {
        check(first_row, last_row, rows_->line.size());
        const auto first = static_cast<std::size_t>(first_row);
        const auto last = static_cast<std::size_t>(last_row);
        if (!totals_.empty()) {
            const Left& left = totals_[static_cast<std::size_t>(rows_->document[first])];
            return last_row < left.last ? "" : words(left.lines, left.earlier);
        }
        std::int64_t lines = rows_->number[last] - rows_->number[first] + 1;
        if (rows_->lines >= 0) {
            const std::int64_t below = rows_->line_beside(last_row, 1);
            lines = below < 0 ? below : below - rows_->line_beside(first_row, -1) - 1;
        }
        return words(lines, rows_->earlier[last + 1] - rows_->earlier[first]);
    }

  private:
    struct Left {
        std::int64_t last = -1, lines = 0, earlier = 0;
    };

    static std::string words(std::int64_t lines, std::int64_t earlier) {
        lines += lines > 0 ? earlier : 0;
        if (lines <= 0) return "… more lines";
        return "… " + std::to_string(lines) + (lines > 1 ? " lines" : " line");
    }

    std::shared_ptr<const LineRows> rows_;
    std::vector<Left> totals_;  // by document
};

LineMarker line_marker(const Input<std::int32_t>& document, const Input<std::int64_t>& line,
                       const Input<std::int64_t>& earlier, const Input<bool>& continued, std::int64_t lines) {
    auto rows = std::make_shared<LineRows>();
    rows->document = copy(document);
    rows->line = copy(line);
    rows->continued = copy(continued);
    rows->lines = lines;
    const std::span<const std::int64_t> left = view(earlier);
    const std::size_t n = rows->line.size();
    require(rows->document.size() == n && rows->continued.size() == n && left.size() == n,
            "all columns must have one length");
    rows->number.resize(n);
    rows->earlier.assign(n + 1, 0);
    for (std::size_t i = 0; i < n; ++i) {
        require(rows->document[i] >= (i == 0 ? 0 : rows->document[i - 1]), "document must ascend");
        const bool next = i > 0 && rows->line[i] != rows->line[i - 1];
        rows->number[i] = (i == 0 ? 0 : rows->number[i - 1]) + (next ? 1 : 0);
        rows->earlier[i + 1] = rows->earlier[i] + left[i];
    }
    return LineMarker(rows);
}

py::str to_str(py::object&& made) {
    if (!PyUnicode_Check(made.ptr())) throw py::type_error("a marker and a gap must be str");
    return py::reinterpret_steal<py::str>(made.release());
}

// What a marker says: ours in UTF-8, that of any other as a str.
struct Words {
    std::string own;
    py::object other;

    bool empty() const { return other ? PyUnicode_GET_LENGTH(other.ptr()) == 0 : own.empty(); }
};

// A marker that a call is given: ours, which is looked up once, or any callable.
class Said {
  public:
    explicit Said(const py::object& given)
        : given_(given), own_(py::isinstance<RunMarker>(given) ? given.cast<const RunMarker*>() : nullptr) {}

    Words operator()(std::int64_t first, std::int64_t last) const {
        if (own_ != nullptr) return {own_->say(first, last), py::object()};
        return {std::string(), to_str(given_(first, last))};
    }

  private:
    const py::object& given_;
    const RunMarker* own_;
};

bool has_text(const py::str& text, std::int64_t begin, std::int64_t stop) {
    const int kind = PyUnicode_KIND(text.ptr());
    const void* data = PyUnicode_DATA(text.ptr());
    for (std::int64_t i = begin; i < stop; ++i) {
        if (Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, i)) == 0) return true;
    }
    return false;
}
bool has_text(const py::str& piece) { return has_text(piece, 0, PyUnicode_GET_LENGTH(piece.ptr())); }

py::str slice_of(const py::handle& text, std::int64_t begin, std::int64_t stop) {
    PyObject* piece =
        PyUnicode_Substring(text.ptr(), std::max<std::int64_t>(begin, 0), std::max<std::int64_t>({begin, stop, 0}));
    if (piece == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::str>(piece);
}

// A text that grows by pieces of one document and by what is no source's.
class WrittenText {
  public:
    WrittenText(py::str text, std::int64_t length, bool at_line)
        : text_(std::move(text)), size_(PyUnicode_GET_LENGTH(text_.ptr())), length_(length), at_line_(at_line) {}

    void add(py::str piece, bool generated) {
        const Py_ssize_t size = PyUnicode_GET_LENGTH(piece.ptr());
        if (size == 0) return;
        at_line_ = PyUnicode_READ_CHAR(piece.ptr(), size - 1) == '\n';
        characters_ |= PyUnicode_MAX_CHAR_VALUE(piece.ptr());
        put({0, size, std::move(piece)}, generated);
    }
    // What a marker says, which is no source's.
    void add(Words&& words) {
        if (words.other) return add(py::str(std::move(words.other)), true);
        const auto begin = static_cast<std::int64_t>(said_.size());
        for (std::size_t at = 0; at < words.own.size();) {
            const text::Decoded one = text::decode(words.own, at);
            said_.push_back(one.code);
            characters_ |= one.code;
            at += one.length;
        }
        const auto end = static_cast<std::int64_t>(said_.size());
        if (begin == end) return;
        at_line_ = said_.back() == U'\n';
        put({begin, end, py::object(), true}, true);
    }
    // A piece of the document; `generated`: more than white space of it is no source's.
    void add(std::int64_t begin, std::int64_t stop, bool generated = false) {
        begin = std::max<std::int64_t>(begin, 0);
        stop = std::min(stop, size_);
        if (begin >= stop) return;
        generated = generated && has_text(text_, begin, stop);
        if (PyUnicode_IS_ASCII(text_.ptr()) == 0) return add(slice_of(text_, begin, stop), generated);
        at_line_ = character(stop - 1) == '\n';
        put({begin, stop, py::object()}, generated);
    }
    struct Gap {
        std::int64_t blank, begin, stop;
    };
    // Of a gap, where the white space at its end begins that is too wide, and what of it is written instead: the last
    // line break and its indent, or one character.
    Gap narrowed(std::int64_t begin, std::int64_t stop) const {
        std::int64_t blank = stop;
        if (stop - begin > kWidestGap) {
            while (blank > begin && Py_UNICODE_ISSPACE(character(blank - 1)) != 0) --blank;
        }
        if (stop - blank <= kWidestGap) return {stop, stop, stop};
        std::int64_t line = stop;
        while (line > blank && character(line - 1) != '\n') --line;
        if (line == blank) return {blank, stop - 1, stop};
        return {blank, line - 1, stop - line > kWidestGap ? line : stop};
    }
    bool has_comma(std::int64_t begin, std::int64_t stop) const {  // as the first of it: a comment may have some, too
        while (begin < stop && Py_UNICODE_ISSPACE(character(begin)) != 0) ++begin;
        return begin < stop && character(begin) == ',';
    }
    // A piece of the document; lines that begin in it get their numbers. Pieces come in order.
    void add_numbered(std::int64_t begin, std::int64_t stop) {
        for (; counted_ < std::min(begin, size_); ++counted_) line_ += character(counted_) == '\n' ? 1 : 0;
        stop = std::min(stop, size_);
        std::int64_t line = line_;
        for (std::int64_t at = begin; at <= stop; ++line) {
            std::int64_t end = at;
            while (end < stop && character(end) != '\n') ++end;
            if (at != begin) add(py::str("\n"), false);
            if (at < end) {
                if (at_line_) add(number(line), true);
                add(at, end);
            }
            at = end + 1;
        }
    }
    // The text, and where what is no source's begins and ends in it.
    py::tuple finish() {
        std::int64_t size = 0;
        for (const Piece& piece : pieces_) size += piece.stop - piece.begin;
        PyObject* made = PyUnicode_New(size, std::min<Py_UCS4>(characters_, 0x10FFFF));
        if (made == nullptr) throw py::error_already_set();
        auto written = py::reinterpret_steal<py::str>(made);
        std::int64_t at = 0;
        for (const Piece& piece : pieces_) {
            if (piece.said) {
                for (std::int64_t i = piece.begin; i < piece.stop; ++i, ++at)
                    PyUnicode_WRITE(PyUnicode_KIND(made), PyUnicode_DATA(made), at, said_[static_cast<std::size_t>(i)]);
                continue;
            }
            PyObject* from = piece.other ? piece.other.ptr() : text_.ptr();
            const std::int64_t characters = piece.stop - piece.begin;
            if (PyUnicode_CopyCharacters(made, at, from, piece.begin, characters) < 0) throw py::error_already_set();
            at += characters;
        }
        return py::make_tuple(std::move(written), to_array(std::move(places_)));
    }

  private:
    struct Piece {  // of the document, of what markers say, or all of another text
        std::int64_t begin, stop;
        py::object other;
        bool said = false;
    };
    void put(Piece&& piece, bool generated) {
        const std::int64_t stop = length_ + piece.stop - piece.begin;
        if (generated) places_.insert(places_.end(), {length_, stop});
        length_ = stop;
        pieces_.push_back(std::move(piece));
    }
    Py_UCS4 character(std::int64_t at) const { return PyUnicode_READ_CHAR(text_.ptr(), at); }
    static py::str number(std::int64_t line) {
        std::string digits = std::to_string(line);
        if (digits.size() < 5) digits.insert(0, 5 - digits.size(), ' ');
        return py::str(digits + "  ");
    }

    py::str text_;
    std::int64_t size_;
    std::int64_t length_;
    bool at_line_;
    std::int64_t line_ = 1, counted_ = 0;  // the number of the line of a character, and that
    Py_UCS4 characters_ = 0x7F;            // bits that some have
    std::vector<Piece> pieces_;
    std::u32string said_;  // by markers of ours
    std::vector<std::int64_t> places_;
};

// Whether two rows of a document are written with the source's own gap between them.
bool touch(std::int64_t row, std::int64_t next, std::span<const std::int64_t> start,
           std::span<const std::int64_t> end) {
    return next == row + 1 && start[static_cast<std::size_t>(next)] - end[static_cast<std::size_t>(row)] <= kWidestGap;
}

// Runs of kept rows of [low, high) with what stands between them; the markers count rows from `shift` on.
struct NestedRuns {
    std::span<const std::int64_t> start, end;
    std::int64_t low, high, shift;
    Said marker;
    const py::object& gap;
    bool numbered;

    // What stands before a row; beside a marker, more than white space of it is no source's.
    void put_gap(WrittenText& to, std::int64_t row, std::int64_t begin, std::int64_t stop, bool marked) const {
        if (!gap.is_none()) {
            const py::str between = to_str(gap(row + shift));
            to.add(between, has_text(between));
        } else {
            const WrittenText::Gap near = to.narrowed(begin, stop);
            put(to, begin, near.blank, marked);
            put(to, near.begin, near.stop, marked);
        }
    }
    void put(WrittenText& to, std::int64_t begin, std::int64_t stop, bool marked) const {
        if (numbered) {
            to.add_numbered(begin, stop);
        } else {
            to.add(begin, stop, marked);
        }
    }
    void write(std::span<const std::int64_t> rows, WrittenText& to) const {
        const auto place = [](std::span<const std::int64_t> of, std::int64_t row) {
            return of[static_cast<std::size_t>(row)];
        };
        std::int64_t done = low;  // the first row that nothing stands for yet
        std::int64_t closed = 0;  // where the run before ends
        for (std::size_t at = 0; at <= rows.size();) {
            const bool inside = at > 0;
            const bool more = at < rows.size();
            const std::int64_t first = more ? rows[at] : high;
            const std::int64_t opens = more ? place(start, first) : 0;
            if (done < first) {
                Words stand_in = marker(done + shift, first - 1 + shift);
                const bool says = !stand_in.empty();
                const std::int64_t behind = place(end, first - 1);
                const bool comma = !says && inside && more && to.has_comma(behind, opens);
                if (inside && (says || comma)) put_gap(to, done, closed, place(start, done), true);
                to.add(std::move(stand_in));
                if (more && (says || (inside && !comma))) put_gap(to, first, behind, opens, true);  // none closes
            } else if (inside && more) {
                put_gap(to, first, closed, opens, false);
            }
            if (!more) break;
            std::size_t next = at + 1;
            if (gap.is_none()) {
                while (next < rows.size() && touch(rows[next - 1], rows[next], start, end)) ++next;
            }
            closed = place(end, rows[next - 1]);
            put(to, opens, closed, false);
            done = rows[next - 1] + 1;
            at = next;
        }
    }
};

// Tokens of units by their length, rounded up: `density` for a character and one more, `gap` where white space of more
// than a character is before one, `marker` where others need it.
py::array_t<std::int64_t> estimated_costs(const Input<std::int64_t>& start, const Input<std::int64_t>& end,
                                          const Input<std::int32_t>& heading, double density, double gap,
                                          double marker) {
    const std::span<const std::int64_t> begins = view(start), ends = view(end);
    const std::span<const std::int32_t> above = view(heading);
    const std::size_t n = begins.size();
    require(ends.size() == n && above.size() == n, "all columns must have one length");
    std::vector<std::uint8_t> needed(n);
    for (const std::int32_t row : above) {
        require(row < static_cast<std::int64_t>(n), "heading must be rows");
        if (row >= 0) needed[static_cast<std::size_t>(row)] = 1;
    }
    std::vector<std::int64_t> costs(n);
    for (std::size_t i = 0; i < n; ++i) {
        double cost = static_cast<double>(ends[i] - begins[i] + 1) * density;
        if (i > 0 && begins[i] - ends[i - 1] > 1) cost += gap;
        if (needed[i] != 0) cost += marker;
        costs[i] = static_cast<std::int64_t>(std::ceil(cost));
    }
    return to_array(std::move(costs));
}

// `start`, `end`: of all rows, of which those in [low, high) lie in the text, one behind the other.
void check_rows(const py::str& text, std::span<const std::int64_t> start, std::span<const std::int64_t> end,
                std::span<const std::int64_t> rows, std::int64_t low, std::int64_t high) {
    require(start.size() == end.size(), "start and end must have one length");
    require(0 <= low && low <= high && static_cast<std::size_t>(high) <= start.size(),
            "low and high must be rows, in order");
    std::int64_t before = 0;
    for (auto i = static_cast<std::size_t>(low); i < static_cast<std::size_t>(high); ++i) {
        require(before <= start[i] && start[i] <= end[i] && end[i] <= PyUnicode_GET_LENGTH(text.ptr()),
                "start and end must ascend in the text");
        before = end[i];
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        require(rows[i] >= (i == 0 ? low : rows[i - 1] + 1) && rows[i] < high, "rows must ascend in [low, high)");
    }
}

py::tuple write_nested(const py::str& text, const Input<std::int64_t>& start, const Input<std::int64_t>& end,
                       const Input<std::int64_t>& rows, std::int64_t low, std::int64_t high, std::int64_t shift,
                       const py::object& marker, const py::object& gap, bool numbered, std::int64_t length,
                       bool at_line) {
    const NestedRuns runs{view(start), view(end), low, high, shift, Said(marker), gap, numbered};
    const std::span<const std::int64_t> kept = view(rows);
    check_rows(text, runs.start, runs.end, kept, low, high);
    WrittenText to(text, length, at_line);
    runs.write(kept, to);
    return to.finish();
}

// Runs of kept lines, markers between them, a note behind those that have one (content/units.py, Lines). `marker`:
// whether anything is said of a run of left out lines; `counts`: what; None: its sign alone. `told`: the row whose note
// tells of each; nothing is said of a run right behind that.
py::tuple write_lines(const py::str& text, const Input<std::int64_t>& start, const Input<std::int64_t>& end,
                      const Input<std::int64_t>& rows, std::int64_t low, std::int64_t high, std::int64_t shift,
                      const py::object& continued, bool says, const py::object& marker, const py::object& counts,
                      const py::object& sign, const py::object& note, const py::object& noted, const py::object& told,
                      const py::str& joint, const py::str& elision, std::int64_t length) {
    const std::span<const std::int64_t> starts = view(start);
    const std::span<const std::int64_t> ends = view(end);
    const std::span<const std::int64_t> kept = view(rows);
    check_rows(text, starts, ends, kept, low, high);
    const auto column = [&]<typename T>(const py::object& given, const T& none) {
        T held = given.is_none() ? none : given.cast<T>();
        require(!held || (low + shift >= 0 && high + shift <= held.size()), "columns must be of all rows");
        return held;
    };
    const Input<bool> goes_on = column(continued, Input<bool>());
    const Input<bool> may_note = column(noted, Input<bool>());
    const Input<std::int32_t> teller = column(note.is_none() ? note : told, Input<std::int32_t>());
    const auto is = [&](const auto& held, std::int64_t row) { return held.data()[row + shift]; };
    WrittenText to(text, length, false);
    const Said mark(marker), count(counts), sign_of(sign);
    bool written = false;
    std::int64_t left = low;  // the first row that nothing stands for yet
    for (std::size_t at = 0; at <= kept.size();) {
        const bool more = at < kept.size();
        const std::int64_t first = more ? kept[at] : high;
        std::int64_t begin = left;  // of what is left out, what begins a line; the rest stands behind a kept unit
        while (at > 0 && goes_on && begin < first && is(goes_on, begin)) ++begin;
        const bool on = more && at > 0 && goes_on && begin == first && is(goes_on, first);
        if (left < begin && (on || says)) to.add(elision, true);
        std::int64_t quiet = begin;
        while (teller && begin > low && quiet < first && is(teller, quiet) == begin - 1 + shift) ++quiet;
        if (quiet < first && says) {
            Words said = mark(begin + shift, first - 1 + shift);
            if (!said.empty()) {
                if (written) to.add(joint, false);
                written = true;
                if (!counts.is(marker)) {
                    said = counts.is_none() ? Words() : count(begin + shift, first - 1 + shift);
                    if (said.empty()) said = sign_of(begin + shift, first - 1 + shift);
                }
                to.add(std::move(said));
            }
        }
        if (!more) break;
        if (on) {
            to.add(py::str(" "), false);
        } else if (written) {
            to.add(joint, false);
        }
        written = true;
        std::int64_t open = starts[static_cast<std::size_t>(first)];
        std::int64_t last = first;
        for (;; ++last) {
            const std::int64_t stop = ends[static_cast<std::size_t>(last)];
            const bool touched = ++at < kept.size() && touch(last, kept[at], starts, ends);
            const bool notes = !note.is_none() && (!may_note || is(may_note, last));
            const py::str behind = notes ? to_str(note(last + shift)) : py::str();
            if (!touched || PyUnicode_GET_LENGTH(behind.ptr()) > 0) {
                to.add(open, stop);
                to.add(behind, true);
                open = stop;
            }
            if (!touched) break;
        }
        left = last + 1;
    }
    return to.finish();
}

py::list joined_rows(const py::list& texts, const Input<std::int32_t>& document, const Input<std::int64_t>& start,
                     const Input<std::int64_t>& end, const Input<std::int64_t>& rows, const py::str& separator) {
    return join_rows(texts, view(document), view(start), view(end), view(rows), separator);
}

}  // namespace

py::str join(const py::str& separator, const py::list& pieces) {
    if (pieces.size() == 1) return py::reinterpret_borrow<py::str>(pieces[0]);
    PyObject* joined = PyUnicode_Join(separator.ptr(), pieces.ptr());
    if (joined == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::str>(joined);
}

py::list join_rows(const py::list& texts, std::span<const std::int32_t> document, std::span<const std::int64_t> start,
                   std::span<const std::int64_t> end, std::span<const std::int64_t> rows, const py::str& separator) {
    require(document.size() == start.size() && document.size() == end.size(),
            "document, start and end must have one length");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        require(rows[i] >= (i == 0 ? 0 : rows[i - 1] + 1) && static_cast<std::size_t>(rows[i]) < document.size(),
                "rows must ascend in [0, len(document))");
        const std::int32_t index = document[static_cast<std::size_t>(rows[i])];
        require(0 <= index && static_cast<std::size_t>(index) < texts.size(), "document must lie in [0, len(texts))");
    }
    py::list parts;
    std::size_t at = 0;
    for (std::size_t index = 0; index < texts.size(); ++index) {
        require(PyUnicode_Check(texts[index].ptr()) != 0, "texts must be str");
        py::list pieces;
        while (at < rows.size() && document[static_cast<std::size_t>(rows[at])] == static_cast<std::int32_t>(index)) {
            const auto first = static_cast<std::size_t>(rows[at]);
            std::int64_t last = rows[at];
            while (++at < rows.size() && touch(last, rows[at], start, end) &&
                   document[static_cast<std::size_t>(rows[at])] == document[first])
                ++last;
            pieces.append(slice_of(texts[index], start[first], end[static_cast<std::size_t>(last)]));
        }
        parts.append(join(separator, pieces));
    }
    require(at == rows.size(), "document must ascend");
    return parts;
}

void bind_render(py::module_& m) {
    const py::metaclass plain(reinterpret_cast<PyObject*>(&PyType_Type));
    py::class_<RunMarker>(m, "RunMarker", "Writes what stands in the place of a run of rows; immutable.", plain)
        .def("__call__", &RunMarker::say, py::arg("first"), py::arg("last"));
    py::class_<CodeMarker, RunMarker>(m, "CodeMarker", "Marks left out code.", py::is_final(), plain)
        .def(py::init<const CodeMarker&>(), py::arg("marker"));
    py::class_<TreeMarker, RunMarker>(m, "TreeMarker", "Counts left out values.", py::is_final(), plain)
        .def("numbers", &TreeMarker::numbers)
        .def("total", &TreeMarker::total, py::arg("kept"));
    py::class_<LineMarker, RunMarker>(m, "LineMarker", "Counts left out lines.", py::is_final(), plain)
        .def("total", &LineMarker::total, py::arg("kept"));
    m.def("line_marker", &line_marker, py::arg("document"), py::arg("line"), py::arg("earlier"), py::arg("continued"),
          py::arg("lines"));
    m.def("tree_marker", &tree_marker, py::arg("document"), py::arg("start"), py::arg("end"), py::arg("kind"),
          py::arg("parent"), py::arg("place"), py::arg("count"), py::arg("own"), py::arg("record"));
    m.def("code_markers", &code_markers, py::arg("document"), py::arg("first"), py::arg("last"), py::arg("suite"),
          py::arg("inside"), py::arg("role"), py::arg("stand_in"), py::arg("opens"), py::arg("closes"));
    m.attr("WIDEST_GAP") = kWidestGap;
    m.def("join_rows", &joined_rows, py::arg("texts"), py::arg("document"), py::arg("start"), py::arg("end"),
          py::arg("rows"), py::arg("separator"));
    m.def("estimated_costs", &estimated_costs, py::arg("start"), py::arg("end"), py::arg("heading"), py::arg("density"),
          py::arg("gap"), py::arg("marker"));
    m.def("write_lines", &write_lines, py::arg("text"), py::arg("start"), py::arg("end"), py::arg("rows"),
          py::arg("low"), py::arg("high"), py::arg("shift"), py::arg("continued"), py::arg("says"), py::arg("marker"),
          py::arg("counts"), py::arg("sign"), py::arg("note"), py::arg("noted"), py::arg("told"), py::arg("joint"),
          py::arg("elision"), py::arg("length"));
    m.def("write_nested", &write_nested, py::arg("text"), py::arg("start"), py::arg("end"), py::arg("rows"),
          py::arg("low"), py::arg("high"), py::arg("shift"), py::arg("marker"), py::arg("gap"), py::arg("numbered"),
          py::arg("length"), py::arg("at_line"));
}

}  // namespace tersely::bind
