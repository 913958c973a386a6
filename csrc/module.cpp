#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace tersely::bind {
void bind_release(pybind11::module_& m);
void bind_text(pybind11::module_& m);
void bind_relevance(pybind11::module_& m);
void bind_fitting(pybind11::module_& m);
void bind_similarity(pybind11::module_& m);
void bind_tokens(pybind11::module_& m);
void bind_content(pybind11::module_& m);
}  // namespace tersely::bind

PYBIND11_MODULE(_native, m, pybind11::mod_gil_not_used()) {
    m.doc() = "Native kernels of tersely. The contract of each function is in _native.pyi.";
    m.attr("__version__") = TERSELY_VERSION;
    tersely::bind::bind_release(m);
    tersely::bind::bind_text(m);
    tersely::bind::bind_relevance(m);
    tersely::bind::bind_fitting(m);
    tersely::bind::bind_similarity(m);
    tersely::bind::bind_tokens(m);
    tersely::bind::bind_content(m);
    // pybind11 lets go of the GIL when it first looks for NumPy, and takes it back in a destructor, which aborts a
    // daemon thread at the end of the process. So it looks now; without NumPy, some calls never need it.
    if (PyDict_GetItemString(PyImport_GetModuleDict(), "numpy") != nullptr) pybind11::detail::npy_api::get();
}
