#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "bind/arrays.hpp"
#include "bind/corpus.hpp"
#include "bind/release.hpp"
#include "kernels/relevance/features.hpp"
#include "kernels/relevance/weigh.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

using Classes = Input<std::uint8_t>;
using Floats = Input<float>;

bool finite(float value) { return std::isfinite(value); }

py::array_t<float> features(const Ids& ids, const Offsets& offsets, const Classes& classes, const Ids& document,
                            const Ids& block, const Ids& heading, std::size_t query_row, const Offsets& title_rows,
                            std::uint8_t answer, const Floats& cosine) {
    const auto term_class = view(classes);
    const lexical::Corpus corpus = corpus_of(ids, offsets, term_class.size(), document, block, heading);
    const auto titles = view(title_rows);
    const auto rows = static_cast<std::int64_t>(corpus.offsets.size()) - 1;
    require(query_row < static_cast<std::size_t>(rows), "query_row must be a row of the terms");
    for (const std::int64_t row : titles)
        require(row >= -1 && row < rows, "title_rows must be -1 or rows of the terms");
    for (const std::int32_t id : corpus.document) {
        require(id >= 0 && static_cast<std::size_t>(id) < titles.size(), "title_rows must have an entry a document");
    }
    const auto cosines = view(cosine);
    require(cosines.empty() || cosines.size() == corpus.size(), "cosine must be empty or have an entry a segment");
    require(std::all_of(cosines.begin(), cosines.end(), finite), "cosine must be finite");
    std::vector<float> columns;
    {
        const Release release;
        columns = relevance::features(corpus, {query_row, titles, term_class, answer, cosines});
    }
    const auto count = static_cast<py::ssize_t>(relevance::kFeatures);
    const auto segments = static_cast<py::ssize_t>(corpus.size());
    return to_array(std::move(columns)).reshape({count, segments});
}

py::array_t<float> weigh(const Floats& features, const Input<double>& weights) {
    if (features.ndim() != 2)
        throw py::value_error("features must be 2D, not " + std::to_string(features.ndim()) + "D");
    const auto given = view(weights);
    require(static_cast<std::size_t>(features.shape(0)) == given.size(), "features must have a row a weight");
    const std::span<const float> values{features.data(), static_cast<std::size_t>(features.size())};
    require(std::all_of(values.begin(), values.end(), finite), "features must be finite");
    require(std::all_of(given.begin(), given.end(), [](double weight) { return std::isfinite(weight); }),
            "weights must be finite");
    std::vector<float> scores;
    {
        const Release release;
        scores = relevance::weigh(values, given, static_cast<std::size_t>(features.shape(1)));
    }
    return to_array(std::move(scores));
}

}  // namespace

void bind_relevance(py::module_& m) {
    m.def("relevance_features", &features, py::arg("term_ids"), py::arg("term_offsets"), py::arg("term_class"),
          py::arg("document"), py::arg("block"), py::arg("heading"), py::arg("query_row"), py::arg("title_rows"),
          py::arg("answer"), py::arg("cosine"));
    m.def("weigh", &weigh, py::arg("features"), py::arg("weights"));
}

}  // namespace tersely::bind
