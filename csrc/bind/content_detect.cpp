#include <pybind11/pybind11.h>

#include "bind/strings.hpp"
#include "kernels/content/detect.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

py::tuple detect(const py::list& pieces) {
    const Utf8List list(pieces);
    content::Detection found;
    {
        const py::gil_scoped_release release;
        found = content::detect(list.views());
    }
    return py::make_tuple(static_cast<int>(found.kind), static_cast<int>(found.language),
                          static_cast<double>(found.confidence));
}

}  // namespace

void bind_content_detect(py::module_& m) { m.def("detect", &detect, py::arg("pieces")); }

}  // namespace tersely::bind
