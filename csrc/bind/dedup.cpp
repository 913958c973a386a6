#include <cmath>

#include "bind/matrix.hpp"
#include "bind/release.hpp"
#include "bind/strings.hpp"
#include "kernels/cluster/clusters.hpp"
#include "kernels/lexical/agreement.hpp"
#include "kernels/text/guards.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

// FNV-1a (Fowler, Noll, Vo): the same in every call, where ids are not.
std::uint64_t digest_of(std::string_view term) {
    std::uint64_t digest = 0xCBF29CE484222325ULL;
    for (const char byte : term) digest = (digest ^ static_cast<unsigned char>(byte)) * 0x100000001B3ULL;
    return digest;
}

py::tuple guards(const py::list& texts) {
    const Utf8List list(texts);
    text::GuardReader reader(list.bytes());
    std::vector<std::int32_t> guard;
    std::vector<std::int32_t> terms;
    std::vector<std::int64_t> term_offsets = {0};
    std::vector<std::int32_t> names;
    std::vector<std::int64_t> name_offsets = {0};
    {
        const Release release;
        for (const std::string_view view : list.views()) {
            guard.push_back(reader.append(view, terms, names));
            term_offsets.push_back(static_cast<std::int64_t>(terms.size()));
            name_offsets.push_back(static_cast<std::int64_t>(names.size()));
        }
    }
    py::list signatures;
    for (std::size_t id = 0; id < reader.signatures().size(); ++id) {
        signatures.append(py::str(std::string(reader.signatures()[id])));
    }
    std::vector<std::uint64_t> digests;
    for (std::size_t id = 0; id < reader.vocabulary().size(); ++id)
        digests.push_back(digest_of(reader.vocabulary()[id]));
    return py::make_tuple(to_array(std::move(guard)), signatures, to_array(std::move(terms)),
                          to_array(std::move(term_offsets)), to_array(std::move(names)),
                          to_array(std::move(name_offsets)), to_array(std::move(digests)));
}

lexical::IdRows id_rows(const Ids& ids, const Offsets& offsets, std::size_t rows, const char* message) {
    const lexical::IdRows made{view(ids), view(offsets)};
    require(made.offsets.size() == rows + 1 && made.offsets[0] == 0 &&
                made.offsets.back() == static_cast<std::int64_t>(made.ids.size()),
            message);
    for (std::size_t i = 0; i < rows; ++i) require(made.offsets[i] <= made.offsets[i + 1], message);
    return made;
}

py::tuple deduplicate(const py::array& x, double threshold, const Input<double>& scores, const Ids& guard,
                      const Ids& terms, const Offsets& term_offsets, const Ids& names, const Offsets& name_offsets,
                      double share, double order, int threads, const py::object& progress) {
    const similarity::Rows rows = rows_of(x, "X");
    require(!std::isnan(threshold), "threshold must not be NaN");
    const std::span<const double> by = view(scores);
    require(by.empty() || by.size() == rows.count, "scores must have one number a row");
    for (const double score : by) require(std::isfinite(score), "scores must be finite");
    require(view(guard).size() == rows.count, "guard must have one number a row");
    for (const std::int32_t id : view(guard)) {
        require(id >= 0 && static_cast<std::size_t>(id) < rows.count, "guard must lie in [0, n)");
    }
    const auto term_rows = id_rows(terms, term_offsets, rows.count, "term_offsets must ascend from 0 to len(terms)");
    const auto name_rows = id_rows(names, name_offsets, rows.count, "name_offsets must ascend from 0 to len(names)");
    const Workers workers = workers_for(threads, progress);
    cluster::Clusters clusters = on_rows(rows, nullptr, [&] {
        const lexical::Agreement agree(view(guard), term_rows, name_rows, share, order);
        const auto may_join = [&agree](std::size_t a, std::size_t b) { return agree(a, b); };
        return cluster::representative(rows, threshold, by, view(guard), may_join, workers);
    });
    return py::make_tuple(to_array(std::move(clusters.labels)), to_array(std::move(clusters.representatives)),
                          to_array(std::move(clusters.sizes)));
}

py::array_t<std::int32_t> agreeing(const Ids& guard, const Ids& terms, const Offsets& term_offsets, const Ids& names,
                                   const Offsets& name_offsets, double share, double order) {
    const std::size_t rows = view(guard).size();
    const auto term_rows = id_rows(terms, term_offsets, rows, "term_offsets must ascend from 0 to len(terms)");
    const auto name_rows = id_rows(names, name_offsets, rows, "name_offsets must ascend from 0 to len(names)");
    for (const std::int32_t id : view(terms)) require(id >= 0, "terms must not be negative");
    require(share >= 0 && share <= 1, "share must lie in [0, 1]");
    std::vector<std::int32_t> component;
    {
        const Release release;
        component = cluster::agreeing(view(guard), term_rows, name_rows, share, order);
    }
    return to_array(std::move(component));
}

}  // namespace

void bind_dedup(py::module_& m) {
    m.def("guards", &guards, py::arg("texts"));
    m.def("agreeing", &agreeing, py::arg("guard"), py::arg("terms"), py::arg("term_offsets"), py::arg("names"),
          py::arg("name_offsets"), py::arg("share"), py::arg("order"));
    m.def("deduplicate", &deduplicate, py::arg("x"), py::arg("threshold"), py::arg("scores"), py::arg("guard"),
          py::arg("terms"), py::arg("term_offsets"), py::arg("names"), py::arg("name_offsets"), py::arg("share"),
          py::arg("order"), py::arg("threads"), py::arg("progress"));
}

}  // namespace tersely::bind
