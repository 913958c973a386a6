#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/release.hpp"
#include "bind/strings.hpp"
#include "kernels/content/arrange.hpp"
#include "kernels/content/code_read.hpp"
#include "kernels/content/code_shape.hpp"
#include "kernels/content/code_units.hpp"
#include "kernels/content/html_text.hpp"
#include "kernels/content/json_scan.hpp"
#include "kernels/content/line_grades.hpp"
#include "kernels/content/line_reader.hpp"
#include "kernels/content/rarity.hpp"
#include "kernels/content/tables.hpp"
#include "kernels/content/tree_rank.hpp"
#include "kernels/content/whole_text.hpp"
#include "kernels/content/xml_scan.hpp"
#include "kernels/content/yaml_scan.hpp"
#include "kernels/detect/looks.hpp"
#include "kernels/text/segment.hpp"
#include "kernels/text/terms.hpp"
#include "kernels/text/unicode.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

int code_of(std::optional<detect::ContentKind> kind) { return kind ? static_cast<int>(*kind) : -1; }

// Of each text the kind, language and confidence of its look, and the kind as which it is parsed (-1: not settled).
py::list detect_kinds(const py::object& texts) {
    const GivenTexts list(texts);
    std::vector<std::pair<content::Look, int>> found;
    {
        const Release release(list.bytes());
        for (const std::string_view text : list.views()) {
            const content::Look look = content::look_at(text);
            found.emplace_back(look, code_of(content::settled_kind(look, text)));
        }
    }
    py::list result;
    for (const auto& [look, settled] : found) {
        result.append(
            py::make_tuple(static_cast<int>(look.kind), static_cast<int>(look.language), look.confidence, settled));
    }
    return result;
}

int settled_kind(const py::str& text, std::uint8_t kind, std::uint8_t language, double confidence) {
    const Utf8List list(text);
    const content::Look look{static_cast<detect::ContentKind>(kind), static_cast<detect::Language>(language),
                             confidence};
    return released(list.bytes(), [&] { return code_of(content::settled_kind(look, list.views()[0])); });
}

bool may_be_data(const py::str& text) {
    const Utf8List list(text);
    return released(list.bytes(), [&] { return content::may_be_data(list.views()[0]); });
}

// Long blocks of JSON in a text: (start, end) of each in characters.
py::list json_blocks(const py::str& text) {
    const Utf8List list(text);
    std::vector<std::int64_t> start, end;
    {
        const Release release(list.bytes());
        for (const detect::JsonBlock& block : detect::json_blocks(list.views()[0], false)) {
            start.push_back(static_cast<std::int64_t>(block.begin));
            end.push_back(static_cast<std::int64_t>(block.end));
        }
        text::to_characters(list.views()[0], start, end);
    }
    py::list result;
    for (std::size_t i = 0; i < start.size(); ++i) result.append(py::make_tuple(start[i], end[i]));
    return result;
}

// Of each text, whether it holds a long block of JSON; None for one that holds none, but marks that may open a fence.
py::list holds_blocks(const py::object& texts) {
    const GivenTexts list(texts);
    std::vector<std::pair<bool, bool>> found;
    {
        const Release release(list.bytes() / 16);  // finds bytes
        for (const std::string_view text : list.views()) {
            const auto holds = [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; };
            const bool json = !detect::json_blocks(text, false).empty();
            found.emplace_back(json, !json && (holds("```") || holds("~~~")));
        }
    }
    py::list result;
    for (const auto& [json, marks] : found) result.append(marks ? py::object(py::none()) : py::object(py::bool_(json)));
    return result;
}

using content::LineReader;
using content::Row;

// Threads that share one take turns.
class SharedReader : public LineReader {
  public:
    using LineReader::LineReader;

    // Held by the thread that has its turn. Waits without the GIL, which that thread may need.
    std::unique_lock<std::mutex> turn() const {
        std::unique_lock<std::mutex> mine(turn_, std::try_to_lock);
        if (!mine.owns_lock()) {
            const WithoutGil released;
            mine.lock();
        }
        return mine;
    }

  private:
    mutable std::mutex turn_;
};

std::unique_ptr<SharedReader> make_reader(const py::str& query, std::size_t most_rows) {
    const Utf8List list(query);
    return std::make_unique<SharedReader>(list.views()[0], most_rows);
}

void read_text(SharedReader& reader, const py::str& text) {
    const Utf8List list(text);
    const std::string_view view = list.views()[0];
    const auto mine = reader.turn();
    const Release release(view.size());
    const std::int32_t document = reader.append(view, true);
    std::vector<Row>& rows = reader.rows();
    std::size_t first = rows.size();
    while (first > 0 && rows[first - 1].document == document) --first;
    std::vector<std::int64_t> start, end;
    for (std::size_t i = first; i < rows.size(); ++i) {
        start.push_back(rows[i].start);
        end.push_back(rows[i].end);
    }
    text::to_characters(view, start, end);
    for (std::size_t i = first; i < rows.size(); ++i) {
        rows[i].start = start[i - first];
        rows[i].end = end[i - first];
    }
}

void append_bytes(SharedReader& reader, const py::buffer& bytes, bool last) {
    const py::buffer_info info = bytes.request();
    require(info.ndim == 1 && info.itemsize == 1 && info.strides[0] == 1, "bytes must be contiguous bytes");
    const std::string_view view(static_cast<const char*>(info.ptr), static_cast<std::size_t>(info.size));
    const auto mine = reader.turn();
    const Release release(view.size());
    reader.append(view, last);
}

template <typename T>
std::vector<T> column(const std::vector<Row>& rows, T Row::* member) {
    std::vector<T> values;
    values.reserve(rows.size());
    for (const Row& row : rows) values.push_back(row.*member);
    return values;
}

py::tuple rows(const LineReader& reader) {
    const std::vector<Row>& all = reader.rows();
    return tuple_of(column(all, &Row::document), column(all, &Row::start), column(all, &Row::end),
                    column(all, &Row::line), column(all, &Row::template_id), column(all, &Row::marks),
                    column(all, &Row::variant), column(all, &Row::copies), column(all, &Row::asked),
                    column(all, &Row::stands_for), column(all, &Row::finding), column(all, &Row::series),
                    column(all, &Row::margin), reader.odd());
}

py::array_t<std::int64_t> templates(const LineReader& reader) {
    std::vector<std::int64_t> counts;
    for (const content::TemplateFacts& facts : reader.templates()) counts.push_back(std::max(facts.count, facts.said));
    return to_array(std::move(counts));
}

py::tuple stamps(const SharedReader& reader, std::size_t template_id) {
    const auto mine = reader.turn();
    require(template_id < reader.templates().size(), "there is no such template");
    const content::TemplateFacts& facts = reader.templates()[template_id];
    return py::make_tuple(facts.first_stamp, facts.last_stamp);
}

// What `get` gives of a reader in a thread's turn.
template <typename Get>
auto in_turn(Get get) {
    return [get](const SharedReader& reader) {
        const auto mine = reader.turn();
        return get(reader);
    };
}

py::array_t<std::uint8_t> lined(const py::object& texts) {
    const GivenTexts list(texts);
    std::vector<std::uint8_t> result;
    {
        const Release release(list.bytes() / 4);
        for (const std::string_view text : list.views()) result.push_back(content::is_lined(text) ? 1 : 0);
    }
    return to_array(std::move(result));
}

// Columns of Python's lines, read once: `LineTable.graded` says which.
class GivenLines {
  public:
    explicit GivenLines(const py::tuple& lines) {
        require(lines.size() == 15, "lines must have fifteen parts");
        const auto marks = lines[0].cast<Input<std::uint32_t>>();
        const auto templates = lines[1].cast<Ids>(), copies = lines[2].cast<Ids>(), found = lines[3].cast<Ids>();
        const auto documents = lines[4].cast<Ids>();
        const auto numbers = lines[5].cast<Offsets>();
        counts_ = lines[6].cast<Offsets>();
        findings_ = lines[7].cast<Offsets>();
        total_ = lines[8].cast<std::int64_t>();
        const auto same = lines[9].cast<Ids>();
        variants_ = lines[10].cast<Offsets>();
        const auto margins = lines[11].cast<Ids>();
        forms_ = lines[12].cast<Input<std::uint64_t>>();
        odd_ = lines[13].cast<Input<float>>();
        const auto sizes = lines[14].cast<Offsets>();
        const std::span<const std::uint32_t> mark = view(marks);
        const std::span<const std::int32_t> of = view(templates), copy = view(copies), finding = view(found);
        const std::span<const std::int32_t> document = view(documents);
        const std::span<const std::int64_t> line = view(numbers), counts = view(counts_), findings = view(findings_);
        const std::span<const std::int32_t> variant = view(same), margin = view(margins);
        const std::span<const std::int64_t> variants = view(variants_), size = view(sizes);
        const std::size_t n = mark.size();
        require(of.size() == n && copy.size() == n && finding.size() == n && document.size() == n && line.size() == n &&
                    variant.size() == n && margin.size() == n && size.size() == n && view(odd_).size() == n,
                "columns of lines must have as many rows");
        require(view(forms_).size() == counts.size(), "each template must have a form");
        rows_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            require(of[i] < static_cast<std::int64_t>(counts.size()), "a line has a template without a count");
            require(finding[i] < static_cast<std::int64_t>(findings.size()), "a line has a finding without a count");
            require(variant[i] < static_cast<std::int64_t>(variants.size()), "a line has a variant without a count");
            Row& row = rows_[i];
            row.variant = std::max(variant[i], -1);
            row.marks = mark[i];
            row.template_id = std::max(of[i], -1);
            row.copies = std::max(copy[i], 0);
            row.finding = finding[i];
            row.document = document[i];
            row.line = line[i];
            row.margin = margin[i];
            row.end = size[i];
        }
    }
    content::GradedLines get() const {
        return {rows_, view(counts_), view(findings_), view(variants_), view(forms_), view(odd_), total_};
    }

  private:
    Offsets counts_, findings_, variants_;
    Input<std::uint64_t> forms_;
    Input<float> odd_;
    std::vector<Row> rows_;
    std::int64_t total_ = 0;
};

template <typename T, std::vector<T> (*grade)(const content::GradedLines&)>
py::array_t<T> of_lines(const GivenLines& lines) {
    const content::GradedLines read = lines.get();
    return to_array(released(sizeof(Row) * read.rows.size() / 4, [&] { return grade(read); }));
}

std::vector<std::int64_t> places(const content::GradedLines& lines) { return content::places_of_lines(lines.rows); }

py::tuple line_worth(const Input<float>& grade, const Input<float>& asked, const GivenLines& lines, std::size_t context,
                     bool arranged) {
    const content::GradedLines read = lines.get();
    const std::span<const float> grades = view(grade), more = view(asked);
    require(grades.size() == read.rows.size() && more.size() == grades.size(),
            "grade and asked must have a row a line");
    content::Arrangement belongs;
    auto result = released(sizeof(Row) * read.rows.size() / 4, [&] {
        content::LineWorth told = content::line_worth(read, grades, more, context);
        if (arranged) belongs = content::arrange(read, grades, more, told);
        return told;
    });
    return tuple_of(result.worth, result.first, belongs.needs, belongs.listed);
}

py::tuple repeated_traces(const Input<float>& grade, const GivenLines& lines) {
    const content::GradedLines read = lines.get();
    const std::span<const float> grades = view(grade);
    require(grades.size() == read.rows.size(), "grade must have a row a line");
    content::Repeats found =
        released(sizeof(Row) * read.rows.size() / 8, [&] { return content::repeated_traces(read, grades); });
    return tuple_of(found.told, found.times);
}

py::array_t<float> grades_of_units(const py::object& texts, const Ids& document, const Offsets& start,
                                   const Offsets& end, const Input<std::uint8_t>& graded, std::size_t most) {
    const GivenTexts list(texts);
    const content::UnitPlaces units{view(document), view(start), view(end)};
    const std::span<const std::uint8_t> known = view(graded);
    const std::size_t n = units.document.size();
    require(n == units.start.size() && n == units.end.size(), "document, start and end must have as many rows");
    require(known.empty() || known.size() == n, "graded must be empty or have a row a unit");
    for (const std::int32_t of : units.document) {
        require(of >= 0 && static_cast<std::size_t>(of) < list.views().size(), "document must be one of the texts");
    }
    return to_array(released(list.bytes(), [&] { return content::grades_of_units(list.views(), units, known, most); }));
}

// The lines of a text that is not of its kind, without white space around them.
content::TreeUnits lines_of(std::string_view text) {
    const content::CodeLines lines(text);
    content::TreeUnits units;
    for (std::int32_t line = 0; line < lines.count(); ++line) {
        if (lines.blank(line)) continue;
        const auto place = static_cast<std::int32_t>(units.size());
        units.add(lines.start(line), lines.start(line), lines.end(line), content::TreeKind::kLine, -1, place, 0, 0);
    }
    return units;
}

struct Units {
    std::vector<std::int32_t> document, parent, place, count;
    std::vector<std::int64_t> start, end, own;
    std::vector<std::uint8_t> kind, record;
    std::vector<double> priority;
    std::vector<std::uint8_t> fault;  // of each document

    void append(content::TreeUnits&& units, const content::TreeRanks& ranks, std::string_view text,
                std::int32_t of_document) {
        const auto first = static_cast<std::int32_t>(start.size());
        text::to_characters(text, units.start, units.end);
        for (std::size_t row = 0; row < units.size(); ++row) {
            document.push_back(of_document);
            parent.push_back(ranks.needs[row] < 0 ? -1 : ranks.needs[row] + first);
            kind.push_back(static_cast<std::uint8_t>(units.kind[row]));
        }
        start.insert(start.end(), units.start.begin(), units.start.end());
        end.insert(end.end(), units.end.begin(), units.end.end());
        place.insert(place.end(), units.place.begin(), units.place.end());
        count.insert(count.end(), units.count.begin(), units.count.end());
        priority.insert(priority.end(), ranks.priority.begin(), ranks.priority.end());
        record.insert(record.end(), ranks.record.begin(), ranks.record.end());
        own.insert(own.end(), ranks.own.begin(), ranks.own.end());
    }
};

std::vector<float> relevance(const std::vector<std::string_view>& texts, const std::vector<content::TreeUnits>& units,
                             std::size_t bytes, std::string_view query) {
    text::TermReader reader(bytes);
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> offsets = {0};
    for (std::size_t i = 0; i < texts.size(); ++i) {
        for (std::size_t row = 0; row < units[i].size(); ++row) {
            const text::Span span{static_cast<std::size_t>(units[i].start[row]),
                                  static_cast<std::size_t>(units[i].end[row])};
            reader.append(texts[i], span, ids);
            offsets.push_back(static_cast<std::int64_t>(ids.size()));
        }
    }
    std::vector<std::int32_t> asked;
    reader.append(query, {0, query.size()}, asked);
    return content::query_share(ids, offsets, asked, reader.vocabulary().size());
}

enum Syntax { kJson, kXml, kYaml };

content::TreeUnits scan(std::string_view text, int syntax) {
    if (syntax == kYaml) return content::scan_yaml(text);
    return syntax == kXml ? content::scan_xml(text) : content::scan_json(text);
}

bool is_laid_out(const py::str& text, int syntax) {
    const Utf8List list(text);
    const Release release(list.bytes());
    return scan(list.views()[0], syntax).fault == content::TreeFault::kNone;
}

py::tuple tree_units(const py::list& texts, const std::string& query, int syntax) {
    const Utf8List list(texts);
    Units all;
    {
        const Release release(list.bytes());
        std::vector<content::TreeUnits> units;
        for (const std::string_view text : list.views()) {
            units.push_back(scan(text, syntax));
            all.fault.push_back(static_cast<std::uint8_t>(units.back().fault));
            if (units.back().fault != content::TreeFault::kNone) units.back() = lines_of(text);
        }
        std::vector<float> shares;
        if (!query.empty()) shares = relevance(list.views(), units, list.bytes(), query);
        std::size_t first = 0;
        for (std::size_t i = 0; i < units.size(); ++i) {
            const std::size_t n = units[i].size();
            const auto mine = std::span<const float>(shares).subspan(query.empty() ? 0 : first, query.empty() ? 0 : n);
            const content::TreeRanks ranks = content::rank_tree(list.views()[i], units[i], mine);
            all.append(std::move(units[i]), ranks, list.views()[i], static_cast<std::int32_t>(i));
            first += n;
        }
    }
    return tuple_of(all.document, all.start, all.end, all.kind, all.parent, all.place, all.count, all.priority,
                    all.record, all.own, all.fault);
}

std::string_view only_text(const Utf8List& list) {
    require(list.views().size() == 1, "texts must hold one text");
    return list.views()[0];
}

py::tuple html_texts(const py::list& texts) {
    const Utf8List list(texts);
    const std::string_view view = only_text(list);
    content::HtmlTexts found;
    {
        const Release release(list.bytes());
        found = content::html_texts(view);
        text::to_characters(view, found.start, found.end);
    }
    return tuple_of(found.start, found.end, found.glue, found.aside);
}

py::tuple table_rows(const py::list& texts, const std::string& delimiter, bool header) {
    require(delimiter.size() <= 1, "delimiter must be one ASCII character or empty");
    const Utf8List list(texts);
    const std::string_view view = only_text(list);
    content::TableRows found;
    {
        const Release release(list.bytes());
        found = content::table_rows(view, delimiter.empty() ? '\0' : delimiter[0], header);
        text::to_characters(view, found.layout.start, found.layout.end);
    }
    return tuple_of(std::string(1, found.layout.delimiter), found.layout.start, found.layout.end, found.layout.role,
                    found.layout.head, found.standing);
}

struct Code {
    content::CodeUnits units;
    std::vector<std::int64_t> start, end;
    std::vector<double> priority;
};

Code cut(const content::CodeLines& lines, const std::string& language, const std::string& query,
         const content::CodeShape& shape, std::int64_t piece) {
    require(piece >= 0, "piece must not be negative");
    Code code;
    const bool typed = language == "typescript" || language == "tsx";
    code.units =
        content::cut_code(lines, content::code_language(language), typed, shape, static_cast<std::size_t>(piece));
    code.priority = content::rank_code(lines, code.units, query);
    code.start.reserve(code.units.size());
    code.end.reserve(code.units.size());
    for (std::size_t row = 0; row < code.units.size(); ++row) {
        code.start.push_back(static_cast<std::int64_t>(lines.start(code.units.first[row])));
        code.end.push_back(static_cast<std::int64_t>(lines.end(code.units.last[row])));
    }
    text::to_characters(lines.text(), code.start, code.end);
    return code;
}

py::tuple to_tuple(Code&& code) {
    return tuple_of(code.start, code.end, code.units.first, code.units.last, code.units.parent, code.units.follows,
                    code.units.role, code.units.suite, code.units.inside, code.priority);
}

py::object code_units(const py::str& text, const std::string& language, const std::string& query, bool only_sure,
                      std::int64_t piece) {
    const Utf8List list(text);
    Code code;
    {
        const Release release(list.bytes());
        const content::CodeLines lines(list.views()[0]);
        const content::CodeShape shape = content::read_code(lines, content::code_language(language));
        if (shape.sure || !only_sure) code = cut(lines, language, query, shape, piece);
        if (only_sure && !shape.sure) code.start.push_back(-1);
    }
    if (!code.start.empty() && code.start[0] < 0) return py::none();
    return to_tuple(std::move(code));
}

bool is_python(const py::str& text) {
    const Utf8List list(text);
    const Release release(list.bytes());
    return content::is_python(content::CodeLines(list.views()[0]));
}

std::vector<content::ByteSpan> spans_of(const Input<std::int64_t>& starts, const Input<std::int64_t>& ends,
                                        std::size_t size) {
    const std::span<const std::int64_t> first = view(starts);
    const std::span<const std::int64_t> last = view(ends);
    require(first.size() == last.size(), "starts and ends must have one length");
    std::vector<content::ByteSpan> spans;
    for (std::size_t i = 0; i < first.size(); ++i) {
        const bool inside = 0 <= first[i] && first[i] <= last[i] && static_cast<std::size_t>(last[i]) <= size;
        require(inside, "spans must lie in the text");
        spans.push_back({static_cast<std::size_t>(first[i]), static_cast<std::size_t>(last[i])});
    }
    std::stable_sort(spans.begin(), spans.end(), [](const content::ByteSpan& a, const content::ByteSpan& b) {
        return a.start != b.start ? a.start < b.start : a.end > b.end;
    });
    return spans;
}

py::tuple code_units_of(const py::str& text, const std::string& language, const std::string& query,
                        const Input<std::int64_t>& body_starts, const Input<std::int64_t>& body_ends,
                        const Input<std::int64_t>& starts, const Input<std::int64_t>& ends,
                        const Input<std::int64_t>& glued, std::int64_t piece) {
    const Utf8List list(text);
    const std::size_t size = list.views()[0].size();
    const std::vector<content::ByteSpan> bodies = spans_of(body_starts, body_ends, size);
    const std::vector<content::ByteSpan> statements = spans_of(starts, ends, size);
    std::vector<std::size_t> attributes;
    for (const content::ByteSpan& span : spans_of(glued, glued, size)) attributes.push_back(span.start);
    Code code;
    {
        const Release release(list.bytes());
        const content::CodeLines lines(list.views()[0]);
        const content::CodeLanguage kind = content::code_language(language);
        code = cut(lines, language, query, content::shape_of_spans(lines, kind, bodies, statements, attributes), piece);
    }
    return to_tuple(std::move(code));
}

py::array_t<double> rarity(const py::list& texts) {
    const Utf8List list(texts);
    return to_array(released(list.bytes(), [&] { return content::rarity(list.views()); }));
}

}  // namespace

void bind_content(py::module_& m) {
    m.def("detect", &detect_kinds, py::arg("texts"));
    m.def("settled_kind", &settled_kind, py::arg("text"), py::arg("kind"), py::arg("language"), py::arg("confidence"));
    m.def("may_be_data", &may_be_data, py::arg("text"));
    m.def("json_blocks", &json_blocks, py::arg("text"));
    m.def("holds_blocks", &holds_blocks, py::arg("texts"));
    m.attr("LONG_BLOCK") = detect::kLongBlock;
    m.def("lined", &lined, py::arg("texts"));
    final_class<GivenLines>(m, "GradedLines", "Columns of lines that grades are read from; immutable.")
        .def(py::init<const py::tuple&>(), py::arg("lines"));
    m.def("places_of_lines", &of_lines<std::int64_t, &places>, py::arg("lines"));
    m.def("outcome_grades", &of_lines<float, &content::outcome_grades>, py::arg("lines"));
    m.def("report_grades", &of_lines<float, &content::report_grades>, py::arg("lines"));
    m.def("line_worth", &line_worth, py::arg("grade"), py::arg("asked"), py::arg("lines"), py::arg("context"),
          py::arg("arranged"));
    m.def("repeated_traces", &repeated_traces, py::arg("grade"), py::arg("lines"));
    m.def("grades_of_units", &grades_of_units, py::arg("texts"), py::arg("document"), py::arg("start"), py::arg("end"),
          py::arg("graded"), py::arg("most"));
    final_class<SharedReader>(m, "LineReader",
                              "Reads lines in one pass; csrc/kernels/content/line_reader.hpp says how.")
        .def(py::init(&make_reader), py::arg("query"), py::arg("most_rows"))
        .def("read", &read_text, py::arg("text"))
        .def("append", &append_bytes, py::arg("data"), py::arg("last"))
        .def("rows", in_turn(rows))
        .def("templates", in_turn(templates))
        .def("forms", in_turn([](const LineReader& reader) { return to_array(reader.forms()); }))
        .def("stamps", &stamps, py::arg("template"))
        .def("variants", in_turn([](const LineReader& reader) { return to_array(std::vector(reader.variants())); }))
        .def("series", in_turn([](const LineReader& reader) { return to_array(std::vector(reader.series())); }))
        .def("findings", in_turn([](const LineReader& reader) { return to_array(std::vector(reader.findings())); }))
        .def("asked", in_turn([](const LineReader& reader) { return to_array(std::vector(reader.asked_lines())); }))
        .def_property_readonly("id_words", in_turn([](const LineReader& reader) { return reader.id_words(); }))
        .def_property_readonly("let_go", in_turn([](const LineReader& reader) { return reader.has_let_go(); }))
        .def_property_readonly("lines", in_turn([](const LineReader& reader) { return reader.lines(); }));
    m.def("tree_units", &tree_units, py::arg("texts"), py::arg("query"), py::arg("syntax"));
    m.def("is_laid_out", &is_laid_out, py::arg("text"), py::arg("syntax"));
    m.def("html_texts", &html_texts, py::arg("texts"));
    m.def("table_rows", &table_rows, py::arg("texts"), py::arg("delimiter"), py::arg("header"));
    m.def("code_units", &code_units, py::arg("text"), py::arg("language"), py::arg("query"), py::arg("only_sure"),
          py::arg("piece") = 0);
    m.def("rarity", &rarity, py::arg("texts"));
    m.def("is_python", &is_python, py::arg("text"));
    m.def("code_units_of", &code_units_of, py::arg("text"), py::arg("language"), py::arg("query"),
          py::arg("body_starts"), py::arg("body_ends"), py::arg("starts"), py::arg("ends"), py::arg("glued"),
          py::arg("piece") = 0);
}

}  // namespace tersely::bind
