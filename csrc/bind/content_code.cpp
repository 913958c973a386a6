#include <pybind11/pybind11.h>

#include <algorithm>

#include "bind/arrays.hpp"
#include "bind/release.hpp"
#include "bind/strings.hpp"
#include "kernels/content/code_read.hpp"
#include "kernels/content/code_shape.hpp"
#include "kernels/content/code_units.hpp"
#include "kernels/content/rarity.hpp"
#include "kernels/text/segment.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

struct Code {
    content::CodeUnits units;
    std::vector<std::int64_t> start, end;
    std::vector<double> priority;
};

Code cut(const content::CodeLines& lines, const std::string& language, const std::string& query,
         const content::CodeShape& shape) {
    Code code;
    const bool typed = language == "typescript" || language == "tsx";
    code.units = content::cut_code(lines, content::code_language(language), typed, shape);
    code.priority = content::rank_code(lines, code.units, query);
    for (std::size_t row = 0; row < code.units.size(); ++row) {
        code.start.push_back(static_cast<std::int64_t>(lines.start(code.units.first[row])));
        code.end.push_back(static_cast<std::int64_t>(lines.end(code.units.last[row])));
    }
    text::to_characters(lines.text(), code.start, code.end);
    return code;
}

py::tuple to_tuple(Code&& code) {
    std::vector<std::uint8_t> role;
    for (const content::CodeRole one : code.units.role) role.push_back(static_cast<std::uint8_t>(one));
    return py::make_tuple(to_array(std::move(code.start)), to_array(std::move(code.end)),
                          to_array(std::move(code.units.first)), to_array(std::move(code.units.last)),
                          to_array(std::move(code.units.parent)), to_array(std::move(code.units.follows)),
                          to_array(std::move(role)), to_array(std::move(code.units.suite)),
                          to_array(std::move(code.units.inside)), to_array(std::move(code.priority)));
}

py::object code_units(const py::str& text, const std::string& language, const std::string& query, bool only_sure) {
    py::list texts;
    texts.append(text);
    const Utf8List list(texts);
    Code code;
    {
        const Release release;
        const content::CodeLines lines(list.views()[0]);
        const content::CodeShape shape = content::read_code(lines, content::code_language(language));
        if (shape.sure || !only_sure) code = cut(lines, language, query, shape);
        if (only_sure && !shape.sure) code.start.push_back(-1);
    }
    if (!code.start.empty() && code.start[0] < 0) return py::none();
    return to_tuple(std::move(code));
}

bool is_python(const py::str& text) {
    const Utf8List list(py::list(py::make_tuple(text)));
    const Release release;
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
                        const Input<std::int64_t>& glued) {
    py::list texts;
    texts.append(text);
    const Utf8List list(texts);
    const std::size_t size = list.views()[0].size();
    const std::vector<content::ByteSpan> bodies = spans_of(body_starts, body_ends, size);
    const std::vector<content::ByteSpan> statements = spans_of(starts, ends, size);
    std::vector<std::size_t> attributes;
    for (const content::ByteSpan& span : spans_of(glued, glued, size)) attributes.push_back(span.start);
    Code code;
    {
        const Release release;
        const content::CodeLines lines(list.views()[0]);
        const content::CodeLanguage kind = content::code_language(language);
        code = cut(lines, language, query, content::shape_of_spans(lines, kind, bodies, statements, attributes));
    }
    return to_tuple(std::move(code));
}

py::array_t<double> rarity(const py::list& texts) {
    const Utf8List list(texts);
    std::vector<double> found;
    {
        const Release release;
        found = content::rarity(list.views());
    }
    return to_array(std::move(found));
}

}  // namespace

void bind_content_code(py::module_& m) {
    m.def("code_units", &code_units, py::arg("text"), py::arg("language"), py::arg("query"), py::arg("only_sure"));
    m.def("rarity", &rarity, py::arg("texts"));
    m.def("is_python", &is_python, py::arg("text"));
    m.def("code_units_of", &code_units_of, py::arg("text"), py::arg("language"), py::arg("query"),
          py::arg("body_starts"), py::arg("body_ends"), py::arg("starts"), py::arg("ends"), py::arg("glued"));
}

}  // namespace tersely::bind
