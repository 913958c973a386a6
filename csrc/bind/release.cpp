#include "bind/release.hpp"

#include <pybind11/stl.h>

#include <exception>

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
    m.def(
        "set_deadline",
        [](std::optional<double> seconds) {
            if (!seconds) {
                deadline().reset();
            } else {
                deadline() =
                    Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
            }
        },
        pybind11::arg("seconds"));
}

}  // namespace tersely::bind
