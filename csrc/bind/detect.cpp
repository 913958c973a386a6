#include "kernels/detect/detect.hpp"

#include <pybind11/pybind11.h>

#include <vector>

#include "bind/release.hpp"
#include "bind/strings.hpp"
#include "kernels/content/table_kind.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

py::list detect_kinds(const py::list& texts) {
    std::vector<Utf8List> pieces;
    pieces.reserve(texts.size());
    for (const py::handle text : texts) pieces.emplace_back(py::reinterpret_borrow<py::list>(text));
    std::vector<detect::Detection> found(pieces.size());
    {
        const Release release;
        for (std::size_t i = 0; i < pieces.size(); ++i)
            found[i] = content::table_or(detect::detect(pieces[i].views()), pieces[i].views());
    }
    py::list result;
    for (const detect::Detection& one : found) {
        result.append(py::make_tuple(static_cast<int>(one.kind), static_cast<int>(one.language),
                                     static_cast<double>(detect::calibrated(one.confidence))));
    }
    return result;
}

}  // namespace

void bind_detect(py::module_& m) { m.def("detect", &detect_kinds, py::arg("texts")); }

}  // namespace tersely::bind
