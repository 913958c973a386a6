#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <utility>

#include "bind/arrays.hpp"
#include "bind/places.hpp"
#include "bind/release.hpp"
#include "bind/strings.hpp"
#include "kernels/spare.hpp"
#include "kernels/tokens/count.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

// A table over a buffer of Python's, which it keeps alive, and what the last call learnt about spellings.
struct HeldTable {
    py::buffer_info held;
    tokens::TokenTable table;
    Spare<tokens::Known> known;

    explicit HeldTable(py::buffer_info&& info)
        : held(std::move(info)),
          table({static_cast<const char*>(held.ptr), static_cast<std::size_t>(held.size * held.itemsize)}) {}
};

std::unique_ptr<HeldTable> open_table(const py::buffer& file) {
    py::buffer_info info = file.request();
    if (info.ndim != 1 || info.itemsize != 1 || info.strides[0] != 1) {
        throw py::value_error("a table of tokens must be a buffer of bytes");
    }
    return std::make_unique<HeldTable>(std::move(info));
}

py::array_t<std::int64_t> count(const HeldTable& held, const py::object& texts) {
    const GivenTexts list(texts);
    py::array_t<std::int64_t> out(static_cast<py::ssize_t>(list.views().size()));
    std::int64_t* to = out.mutable_data();
    {
        const Release release;
        Spare<tokens::Known>::Lent known(held.known);
        tokens::Counter counter(held.table, known.get());
        for (const std::string_view text : list.views()) *to++ = static_cast<std::int64_t>(counter.count(text));
    }
    return out;
}

py::array_t<std::int64_t> count_spans(const HeldTable& held, const py::object& texts,
                                      const Input<std::int32_t>& document, const Input<std::int64_t>& start,
                                      const Input<std::int64_t>& end) {
    const GivenTexts list(texts);
    py::array_t<std::int64_t> out(document.size());
    std::int64_t* to = out.mutable_data();
    {
        const Release release;
        Spare<tokens::Known>::Lent known(held.known);
        tokens::Counter counter(held.table, known.get());
        for (const std::string_view piece : pieces(list.views(), view(document), view(start), view(end))) {
            *to++ = static_cast<std::int64_t>(counter.count(piece));
        }
    }
    return out;
}

}  // namespace

void bind_tokens(py::module_& m) {
    const py::metaclass plain(reinterpret_cast<PyObject*>(&PyType_Type));
    const char* what = "The tokens of an encoding, in a file that is mapped, not read; immutable.";
    py::class_<HeldTable>(m, "TokenTable", what, py::is_final(), plain)
        .def(py::init(&open_table), py::arg("file"))
        .def("count", &count, py::arg("texts"))
        .def("count_spans", &count_spans, py::arg("texts"), py::arg("document"), py::arg("start"), py::arg("end"))
        .def("__len__", [](const HeldTable& held) { return held.table.size(); });
}

}  // namespace tersely::bind
