#include "kernels/detect/detect.hpp"

#include <pybind11/pybind11.h>

#include "bind/strings.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

py::tuple detect_kind(const py::list& pieces) {
    const Utf8List list(pieces);
    detect::Detection found;
    {
        const py::gil_scoped_release release;
        found = detect::detect(list.views());
    }
    return py::make_tuple(static_cast<int>(found.kind), static_cast<int>(found.language),
                          static_cast<double>(found.confidence));
}

}  // namespace

void bind_detect(py::module_& m) { m.def("detect", &detect_kind, py::arg("pieces")); }

}  // namespace tersely::bind
