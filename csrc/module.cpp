#include <pybind11/pybind11.h>

namespace tersely::bind {
void bind_release(pybind11::module_& m);
void bind_text(pybind11::module_& m);
void bind_lexical(pybind11::module_& m);
void bind_relevance(pybind11::module_& m);
void bind_select(pybind11::module_& m);
void bind_similarity(pybind11::module_& m);
void bind_subset(pybind11::module_& m);
void bind_found(pybind11::module_& m);
void bind_dedup(pybind11::module_& m);
void bind_facts(pybind11::module_& m);
void bind_embed(pybind11::module_& m);
void bind_tokens(pybind11::module_& m);
void bind_detect(pybind11::module_& m);
void bind_content_markup(pybind11::module_& m);
void bind_content_lines(pybind11::module_& m);
void bind_content_json(pybind11::module_& m);
void bind_content_code(pybind11::module_& m);
void bind_render(pybind11::module_& m);
}  // namespace tersely::bind

PYBIND11_MODULE(_native, m, pybind11::mod_gil_not_used()) {
    m.doc() = "Native kernels of tersely. The contract of each function is in _native.pyi.";
    m.attr("__version__") = TERSELY_VERSION;
    tersely::bind::bind_release(m);
    tersely::bind::bind_text(m);
    tersely::bind::bind_lexical(m);
    tersely::bind::bind_relevance(m);
    tersely::bind::bind_select(m);
    tersely::bind::bind_similarity(m);
    tersely::bind::bind_subset(m);
    tersely::bind::bind_found(m);
    tersely::bind::bind_dedup(m);
    tersely::bind::bind_facts(m);
    tersely::bind::bind_embed(m);
    tersely::bind::bind_tokens(m);
    tersely::bind::bind_detect(m);
    tersely::bind::bind_content_markup(m);
    tersely::bind::bind_content_lines(m);
    tersely::bind::bind_content_json(m);
    tersely::bind::bind_content_code(m);
    tersely::bind::bind_render(m);
}
