#include <pybind11/pybind11.h>

#include "bind/arrays.hpp"
#include "bind/corpus.hpp"
#include "bind/release.hpp"
#include "kernels/lexical/corpus.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

py::array_t<float> centrality(const Ids& ids, const Offsets& offsets, const Input<std::uint8_t>& term_class,
                              const Ids& document, const Ids& block, const Ids& heading) {
    const auto classes = view(term_class);
    const lexical::Corpus corpus = corpus_of(ids, offsets, classes.size(), document, block, heading);
    std::vector<float> scores;
    {
        const Release release;
        scores = std::move(lexical::centrality(corpus, classes).score);
    }
    return to_array(std::move(scores));
}

py::array_t<float> inverse_frequency(const Ids& ids, const Offsets& offsets, std::size_t vocabulary,
                                     const Ids& document, const Ids& block, const Ids& heading) {
    const lexical::Corpus corpus = corpus_of(ids, offsets, vocabulary, document, block, heading);
    std::vector<float> idf;
    {
        const Release release;
        idf = lexical::inverse_frequency(corpus);
    }
    return to_array(std::move(idf));
}

}  // namespace

void bind_lexical(py::module_& m) {
    m.def("centrality", &centrality, py::arg("term_ids"), py::arg("term_offsets"), py::arg("term_class"),
          py::arg("document"), py::arg("block"), py::arg("heading"));
    m.def("inverse_frequency", &inverse_frequency, py::arg("term_ids"), py::arg("term_offsets"), py::arg("vocabulary"),
          py::arg("document"), py::arg("block"), py::arg("heading"));
}

}  // namespace tersely::bind
