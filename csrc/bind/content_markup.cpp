#include <pybind11/pybind11.h>

#include "bind/arrays.hpp"
#include "bind/release.hpp"
#include "bind/strings.hpp"
#include "kernels/content/html_text.hpp"
#include "kernels/content/tables.hpp"
#include "kernels/text/segment.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

std::string_view only_text(const Utf8List& list) {
    require(list.views().size() == 1, "texts must hold one text");
    return list.views()[0];
}

py::tuple html_texts(const py::list& texts) {
    const Utf8List list(texts);
    const std::string_view view = only_text(list);
    content::HtmlTexts found;
    {
        const Release release;
        found = content::html_texts(view);
        text::to_characters(view, found.start, found.end);
    }
    return py::make_tuple(to_array(std::move(found.start)), to_array(std::move(found.end)),
                          to_array(std::move(found.glue)), to_array(std::move(found.aside)));
}

py::tuple table_rows(const py::list& texts, const std::string& delimiter, bool header) {
    require(delimiter.size() <= 1, "delimiter must be one ASCII character or empty");
    const Utf8List list(texts);
    const std::string_view view = only_text(list);
    content::TableRows found;
    std::vector<std::uint8_t> roles;
    {
        const Release release;
        found = content::table_rows(view, delimiter.empty() ? '\0' : delimiter[0], header);
        text::to_characters(view, found.layout.start, found.layout.end);
        for (const content::RowRole role : found.layout.role) roles.push_back(static_cast<std::uint8_t>(role));
    }
    return py::make_tuple(std::string(1, found.layout.delimiter), to_array(std::move(found.layout.start)),
                          to_array(std::move(found.layout.end)), to_array(std::move(roles)),
                          to_array(std::move(found.layout.head)), to_array(std::move(found.standing)));
}

float look_for_pairs(const std::string& text) {
    const Release release;
    return content::look_for_pairs(text);
}

}  // namespace

void bind_content_markup(py::module_& m) {
    m.def("html_texts", &html_texts, py::arg("texts"));
    m.def("table_rows", &table_rows, py::arg("texts"), py::arg("delimiter"), py::arg("header"));
    m.def("look_for_pairs", &look_for_pairs, py::arg("text"));
}

}  // namespace tersely::bind
