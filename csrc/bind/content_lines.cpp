#include <pybind11/pybind11.h>

#include <array>
#include <string>
#include <utility>

#include "bind/arrays.hpp"
#include "bind/release.hpp"
#include "bind/strings.hpp"
#include "kernels/content/line_grades.hpp"
#include "kernels/content/line_reader.hpp"
#include "kernels/text/segment.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

using content::LineReader;
using content::Row;

LineReader make_reader(const py::str& query, std::size_t most_rows) {
    const Utf8List list(py::list(py::make_tuple(query)));
    return LineReader(list.views()[0], most_rows);
}

void read_text(LineReader& reader, const py::str& text) {
    const Utf8List list(py::list(py::make_tuple(text)));
    const std::string_view view = list.views()[0];
    const Release release;
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

void append_bytes(LineReader& reader, const py::buffer& bytes, bool last) {
    const py::buffer_info info = bytes.request();
    require(info.ndim == 1 && info.itemsize == 1 && info.strides[0] == 1, "bytes must be contiguous bytes");
    const std::string_view view(static_cast<const char*>(info.ptr), static_cast<std::size_t>(info.size));
    const Release release;
    reader.append(view, last);
}

template <typename T, typename Get>
py::array_t<T> column(const std::vector<Row>& rows, Get get) {
    std::vector<T> values;
    values.reserve(rows.size());
    for (const Row& row : rows) values.push_back(get(row));
    return to_array(std::move(values));
}

py::tuple rows(const LineReader& reader) {
    const std::vector<Row>& all = reader.rows();
    return py::make_tuple(column<std::int32_t>(all, [](const Row& row) { return row.document; }),
                          column<std::int64_t>(all, [](const Row& row) { return row.start; }),
                          column<std::int64_t>(all, [](const Row& row) { return row.end; }),
                          column<std::int64_t>(all, [](const Row& row) { return row.line; }),
                          column<std::int32_t>(all, [](const Row& row) { return row.template_id; }),
                          column<std::uint32_t>(all, [](const Row& row) { return row.marks; }),
                          column<std::int32_t>(all, [](const Row& row) { return row.variant; }),
                          column<std::int32_t>(all, [](const Row& row) { return row.copies; }),
                          column<std::uint64_t>(all, [](const Row& row) { return row.asked; }),
                          column<std::int64_t>(all, [](const Row& row) { return row.stands_for; }),
                          column<std::int32_t>(all, [](const Row& row) { return row.finding; }));
}

py::tuple templates(const LineReader& reader) {
    std::vector<std::int64_t> counts;
    py::list stamps;
    for (const content::TemplateFacts& facts : reader.templates()) {
        counts.push_back(std::max(facts.count, facts.said));
        stamps.append(py::make_tuple(facts.first_stamp, facts.last_stamp));
    }
    return py::make_tuple(to_array(std::move(counts)), stamps);
}

py::array_t<std::uint8_t> lined(const py::object& texts) {
    const GivenTexts list(texts);
    std::vector<std::uint8_t> result;
    for (const std::string_view text : list.views()) result.push_back(content::is_lined(text) ? 1 : 0);
    return to_array(std::move(result));
}

// Columns of Python's lines: the tuple that `LineTable.graded` gives.
class GivenLines {
  public:
    explicit GivenLines(const py::tuple& lines) {
        require(lines.size() == 11, "lines must have eleven parts");
        const auto marks = lines[0].cast<Input<std::uint32_t>>();
        const auto templates = lines[1].cast<Ids>(), copies = lines[2].cast<Ids>(), found = lines[3].cast<Ids>();
        const auto documents = lines[4].cast<Ids>();
        const auto numbers = lines[5].cast<Offsets>();
        counts_ = lines[6].cast<Offsets>();
        findings_ = lines[7].cast<Offsets>();
        total_ = lines[8].cast<std::int64_t>();
        const auto same = lines[9].cast<Ids>();
        variants_ = lines[10].cast<Offsets>();
        const std::span<const std::uint32_t> mark = view(marks);
        const std::span<const std::int32_t> of = view(templates), copy = view(copies), finding = view(found);
        const std::span<const std::int32_t> document = view(documents);
        const std::span<const std::int64_t> line = view(numbers), counts = view(counts_), findings = view(findings_);
        const std::span<const std::int32_t> variant = view(same);
        const std::span<const std::int64_t> variants = view(variants_);
        const std::size_t n = mark.size();
        require(of.size() == n && copy.size() == n && finding.size() == n && document.size() == n && line.size() == n &&
                    variant.size() == n,
                "columns of lines must have as many rows");
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
        }
    }
    content::GradedLines get() const { return {rows_, view(counts_), view(findings_), view(variants_), total_}; }

  private:
    Offsets counts_, findings_, variants_;
    std::vector<Row> rows_;
    std::int64_t total_ = 0;
};

template <typename T, std::vector<T> (*grade)(const content::GradedLines&)>
py::array_t<T> of_lines(const py::tuple& lines) {
    const GivenLines given(lines);
    const content::GradedLines read = given.get();
    std::vector<T> result;
    {
        const Release release;
        result = grade(read);
    }
    return to_array(std::move(result));
}

std::vector<std::int64_t> places(const content::GradedLines& lines) { return content::places_of_lines(lines.rows); }

py::array_t<float> scenes(const Input<float>& grade, const py::tuple& lines) {
    const GivenLines given(lines);
    const content::GradedLines read = given.get();
    const std::span<const float> grades = view(grade);
    require(grades.size() == read.rows.size(), "grade must have a row a line");
    std::vector<float> result;
    {
        const Release release;
        result = content::scenes(read, grades);
    }
    return to_array(std::move(result));
}

// In the order of their declaration.
constexpr std::array<std::pair<const char*, double content::LineWeights::*>, 7> kWeights{{
    {"outcome", &content::LineWeights::outcome},
    {"scene", &content::LineWeights::scene},
    {"near", &content::LineWeights::near},
    {"first", &content::LineWeights::first},
    {"rare", &content::LineWeights::rare},
    {"share", &content::LineWeights::share},
    {"piece", &content::LineWeights::piece},
}};

double* weight_named(content::LineWeights& weights, const std::string& name) {
    for (const auto& [known, member] : kWeights) {
        if (name == known) return &(weights.*member);
    }
    throw py::value_error("unknown weight " + name);
}

py::dict line_weights() {
    const content::LineWeights weights;
    py::dict result;
    for (const auto& [name, member] : kWeights) result[name] = weights.*member;
    return result;
}

py::tuple line_worth(const Input<float>& grade, const Input<float>& asked, const py::tuple& lines, std::size_t context,
                     bool kinds, const py::dict& weights) {
    content::LineWeights chosen;
    for (const auto& [name, value] : weights) *weight_named(chosen, name.cast<std::string>()) = value.cast<double>();
    const GivenLines given(lines);
    const content::GradedLines read = given.get();
    const std::span<const float> grades = view(grade), more = view(asked);
    require(grades.size() == read.rows.size() && more.size() == grades.size(),
            "grade and asked must have a row a line");
    content::LineWorth result;
    {
        const Release release;
        result = content::line_worth(read, grades, more, context, kinds, chosen);
    }
    return py::make_tuple(to_array(std::move(result.worth)), to_array(std::move(result.first)));
}

bool tells_failures(const py::object& texts, std::size_t index, float least, std::size_t most) {
    const GivenTexts list(texts);
    require(index < list.views().size(), "index must be one of the texts");
    const Release release;
    return content::tells_failures(list.views()[index], least, most);
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
    std::vector<float> result;
    {
        const Release release;
        result = content::grades_of_units(list.views(), units, known, most);
    }
    return to_array(std::move(result));
}

}  // namespace

void bind_content_lines(py::module_& m) {
    m.def("lined", &lined, py::arg("texts"));
    m.def("places_of_lines", &of_lines<std::int64_t, &places>, py::arg("lines"));
    m.def("outcome_grades", &of_lines<float, &content::outcome_grades>, py::arg("lines"));
    m.def("report_grades", &of_lines<float, &content::report_grades>, py::arg("lines"));
    m.def("scenes", &scenes, py::arg("grade"), py::arg("lines"));
    m.def("line_worth", &line_worth, py::arg("grade"), py::arg("asked"), py::arg("lines"), py::arg("context"),
          py::arg("kinds"), py::arg("weights") = py::dict());
    m.def("line_weights", &line_weights);
    m.def("tells_failures", &tells_failures, py::arg("texts"), py::arg("index"), py::arg("least"), py::arg("most"));
    m.def("grades_of_units", &grades_of_units, py::arg("texts"), py::arg("document"), py::arg("start"), py::arg("end"),
          py::arg("graded"), py::arg("most"));
    // The plain metaclass: pybind11's own is for static properties, and for subclasses that forget __init__.
    const py::metaclass plain(reinterpret_cast<PyObject*>(&PyType_Type));
    const char* what = "Reads lines in one pass; csrc/kernels/content/line_reader.hpp says how.";
    py::class_<LineReader>(m, "LineReader", what, py::is_final(), plain)
        .def(py::init(&make_reader), py::arg("query"), py::arg("most_rows"))
        .def("read", &read_text, py::arg("text"))
        .def("append", &append_bytes, py::arg("data"), py::arg("last"))
        .def("rows", &rows)
        .def("templates", &templates)
        .def("variants", [](const LineReader& reader) { return to_array(std::vector(reader.variants())); })
        .def("findings", [](const LineReader& reader) { return to_array(std::vector(reader.findings())); })
        .def("asked", [](const LineReader& reader) { return to_array(std::vector(reader.asked_lines())); })
        .def_property_readonly("id_words", &LineReader::id_words)
        .def_property_readonly("let_go", &LineReader::has_let_go)
        .def_property_readonly("lines", &LineReader::lines);
}

}  // namespace tersely::bind
