#include "bind/release.hpp"

#include <exception>
#include <memory>
#include <utility>

namespace tersely::bind {

void bind_release(pybind11::module_& m) {
    pybind11::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const Cancelled&) {
            // What said stop has set the Python exception.
            if (PyErr_Occurred() == nullptr) PyErr_SetString(PyExc_RuntimeError, "cancelled");
        }
    });
    const pybind11::metaclass plain(reinterpret_cast<PyObject*>(&PyType_Type));
    pybind11::class_<Deadline, std::shared_ptr<Deadline>>(m, "Deadline", pybind11::is_final(), plain)
        .def(pybind11::init<double>(), pybind11::arg("seconds"))
        .def("end", &Deadline::end);
    m.def(
        "set_deadline", [](std::shared_ptr<Deadline> given) { deadline() = std::move(given); },
        pybind11::arg("deadline").none(true));
}

}  // namespace tersely::bind
