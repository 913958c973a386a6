#include <pybind11/pybind11.h>

#include "bind/arrays.hpp"
#include "kernels/lexical/centrality.hpp"
#include "kernels/lexical/corpus.hpp"
#include "kernels/lexical/relevance.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

using Ids = Input<std::int32_t>;
using Offsets = Input<std::int64_t>;

lexical::Corpus corpus_of(const Ids& ids, const Offsets& offsets, std::size_t vocabulary, const Ids& document,
                          const Ids& block, const Ids& heading) {
    const lexical::Corpus corpus{view(ids), view(offsets), vocabulary, view(document), view(block), view(heading)};
    const std::size_t n = corpus.size();
    require(corpus.block.size() == n && corpus.heading.size() == n, "document, block and heading must have one length");
    require(corpus.offsets.size() > n && corpus.offsets[0] == 0,
            "term_offsets must start with 0 and have a row a segment");
    for (std::size_t i = 1; i < corpus.offsets.size(); ++i) {
        require(corpus.offsets[i - 1] <= corpus.offsets[i], "term_offsets must ascend");
    }
    require(corpus.offsets.back() == static_cast<std::int64_t>(corpus.ids.size()),
            "term_offsets must end at len(term_ids)");
    for (const std::int32_t id : corpus.ids) {
        require(id >= 0 && static_cast<std::size_t>(id) < vocabulary, "term_ids must lie in [0, vocabulary)");
    }
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t above = corpus.heading[i];
        require(above >= -1 && above < static_cast<std::int32_t>(i), "heading must point upwards");
        require(above < 0 || corpus.document[static_cast<std::size_t>(above)] == corpus.document[i],
                "heading must lie in the same document");
        require(i == 0 || (corpus.document[i - 1] <= corpus.document[i] && corpus.block[i - 1] <= corpus.block[i]),
                "document and block must ascend");
    }
    return corpus;
}

py::array_t<float> relevance(const Ids& ids, const Offsets& offsets, std::size_t vocabulary, const Ids& document,
                             const Ids& block, const Ids& heading, std::size_t query_row, const Offsets& title_rows) {
    const lexical::Corpus corpus = corpus_of(ids, offsets, vocabulary, document, block, heading);
    const auto titles = view(title_rows);
    const auto rows = static_cast<std::int64_t>(corpus.offsets.size()) - 1;
    require(query_row < static_cast<std::size_t>(rows), "query_row must be a row of the terms");
    for (const std::int64_t row : titles)
        require(row >= -1 && row < rows, "title_rows must be -1 or rows of the terms");
    for (const std::int32_t id : corpus.document) {
        require(id >= 0 && static_cast<std::size_t>(id) < titles.size(), "title_rows must have an entry a document");
    }
    std::vector<float> scores;
    {
        const py::gil_scoped_release release;
        scores = lexical::relevance(corpus, query_row, titles);
    }
    return to_array(std::move(scores));
}

py::array_t<float> centrality(const Ids& ids, const Offsets& offsets, std::size_t vocabulary, const Ids& document,
                              const Ids& block, const Ids& heading) {
    const lexical::Corpus corpus = corpus_of(ids, offsets, vocabulary, document, block, heading);
    std::vector<float> scores;
    {
        const py::gil_scoped_release release;
        scores = lexical::centrality(corpus);
    }
    return to_array(std::move(scores));
}

py::array_t<float> inverse_frequency(const Ids& ids, const Offsets& offsets, std::size_t vocabulary,
                                     const Ids& document, const Ids& block, const Ids& heading) {
    const lexical::Corpus corpus = corpus_of(ids, offsets, vocabulary, document, block, heading);
    std::vector<float> idf;
    {
        const py::gil_scoped_release release;
        idf = lexical::inverse_frequency(corpus);
    }
    return to_array(std::move(idf));
}

}  // namespace

void bind_lexical(py::module_& m) {
    m.def("relevance", &relevance, py::arg("term_ids"), py::arg("term_offsets"), py::arg("vocabulary"),
          py::arg("document"), py::arg("block"), py::arg("heading"), py::arg("query_row"), py::arg("title_rows"));
    m.def("centrality", &centrality, py::arg("term_ids"), py::arg("term_offsets"), py::arg("vocabulary"),
          py::arg("document"), py::arg("block"), py::arg("heading"));
    m.def("inverse_frequency", &inverse_frequency, py::arg("term_ids"), py::arg("term_offsets"), py::arg("vocabulary"),
          py::arg("document"), py::arg("block"), py::arg("heading"));
}

}  // namespace tersely::bind
