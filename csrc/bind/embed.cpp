#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/places.hpp"
#include "bind/release.hpp"
#include "bind/strings.hpp"
#include "kernels/embed/static_table.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

using embed::StaticTable;

void require_utf8(std::string_view words) {
    PyObject* decoded = PyUnicode_DecodeUTF8(words.data(), static_cast<Py_ssize_t>(words.size()), nullptr);
    if (decoded == nullptr) throw py::error_already_set();
    Py_DECREF(decoded);
}

std::unique_ptr<StaticTable> make_table(const py::bytes& words, const Input<std::uint8_t>& rows,
                                        const Input<float>& scales) {
    if (rows.ndim() != 2) throw py::value_error("rows must be 2D, not " + std::to_string(rows.ndim()) + "D");
    const std::span<const float> each = view(scales);
    if (rows.shape(0) != scales.size()) {
        throw py::value_error("there are " + std::to_string(rows.shape(0)) + " rows and " +
                              std::to_string(scales.size()) + " scales");
    }
    const std::string_view lines = words;
    require_utf8(lines);
    const std::span<const std::uint8_t> codes(rows.data(), static_cast<std::size_t>(rows.size()));
    const Release release;
    return std::make_unique<StaticTable>(lines, codes, each);
}

py::array_t<std::int32_t> ids(const StaticTable& table, const py::str& text) {
    py::list one;
    one.append(text);
    const Utf8List list(one);
    std::vector<std::int32_t> found;
    found.reserve(list.bytes() / 4);  // English has a token every four to five bytes
    {
        const Release release;
        const std::string_view bytes = list.views().front();
        embed::KnownWords known;
        table.tokenizer().append(bytes, 0, SIZE_MAX, known, found);
    }
    return to_array(std::move(found));
}

py::array_t<float> embed_texts(const StaticTable& table, const py::list& texts) {
    const Utf8List list(texts);
    auto out =
        new_array<float>({static_cast<py::ssize_t>(list.views().size()), static_cast<py::ssize_t>(table.dimensions())});
    float* to = out.mutable_data();
    {
        const Release release;
        table.embed(list.views(), to);
    }
    return out;
}

py::array_t<float> similarity(const StaticTable& table, const py::str& query, const py::list& texts) {
    py::list one;
    one.append(query);
    const Utf8List wanted(one);
    const Utf8List list(texts);
    std::vector<float> out(list.views().size());
    {
        const Release release;
        table.similarity(wanted.views().front(), list.views(), out.data());
    }
    return to_array(std::move(out));
}

py::array_t<float> similarity_spans(const StaticTable& table, const py::str& query, const py::object& texts,
                                    const Input<std::int32_t>& document, const Input<std::int64_t>& start,
                                    const Input<std::int64_t>& end) {
    py::list one;
    one.append(query);
    const Utf8List wanted(one);
    const GivenTexts list(texts);
    auto out = new_array<float>({document.size()});
    float* to = out.mutable_data();
    {
        const Release release;
        table.similarity(wanted.views().front(), pieces(list.views(), view(document), view(start), view(end)), to);
    }
    return out;
}

}  // namespace

void bind_embed(py::module_& m) {
    // The plain metaclass: pybind11's own is for static properties, and for subclasses that forget __init__.
    const py::metaclass plain(reinterpret_cast<PyObject*>(&PyType_Type));
    const char* what = "A static table of token vectors and its tokenizer; immutable.";
    py::class_<StaticTable>(m, "StaticTable", what, py::is_final(), plain)
        .def(py::init(&make_table), py::arg("words"), py::arg("rows"), py::arg("scales"))
        .def("ids", &ids, py::arg("text"))
        .def("embed", &embed_texts, py::arg("texts"))
        .def("similarity", &similarity, py::arg("query"), py::arg("texts"))
        .def("similarity_spans", &similarity_spans, py::arg("query"), py::arg("texts"), py::arg("document"),
             py::arg("start"), py::arg("end"))
        .def_property_readonly("dimensions", &StaticTable::dimensions)
        .def("__len__", &StaticTable::size);
}

}  // namespace tersely::bind
