#include "bind/matrix.hpp"
#include "bind/release.hpp"
#include "kernels/cluster/clusters.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

using Int32s = py::array_t<std::int32_t, py::array::c_style>;

std::span<std::int32_t> writable(Int32s& array) {
    require(array.ndim() == 1, "arrays must be 1D");
    return {array.mutable_data(), static_cast<std::size_t>(array.size())};
}

void check_inside(std::span<const std::int32_t> rows, std::size_t count) {
    for (const std::int32_t row : rows) {
        require(row >= 0 && static_cast<std::size_t>(row) < count, "rows must lie in [0, n)");
    }
}

py::array_t<float> check_pairs(const py::array& x, const Input<std::int32_t>& i, const Input<std::int32_t>& j,
                               double threshold, int threads) {
    const similarity::Rows rows = rows_of(x, "X");
    require(view(i).size() == view(j).size(), "i and j must have one length");
    check_inside(view(i), rows.count);
    check_inside(view(j), rows.count);
    std::vector<float> similarity(view(i).size());
    const Workers workers = workers_for(threads, py::none());
    on_rows(rows, nullptr, [&] { cluster::check_pairs(rows, view(i), view(j), threshold, similarity, workers); });
    return to_array(std::move(similarity));
}

std::int32_t join_found(const Input<std::int32_t>& rows, const Input<std::int64_t>& limits,
                        const Input<std::int32_t>& found, const Input<float>& similarity, Int32s labels,
                        Int32s representatives, std::int32_t clusters) {
    const std::span<std::int32_t> all = writable(labels);
    const std::span<std::int32_t> best = writable(representatives);
    const std::span<const std::int64_t> ends = view(limits);
    require(best.size() == all.size(), "labels and representatives must have one length");
    require(ends.size() == view(rows).size() + 1 && ends.front() == 0, "limits must have one more entry than rows");
    for (std::size_t r = 1; r < ends.size(); ++r) require(ends[r - 1] <= ends[r], "limits must ascend");
    require(
        ends.back() == static_cast<std::int64_t>(view(found).size()) && view(found).size() == view(similarity).size(),
        "found and similarity must end with limits");
    check_inside(view(rows), all.size());
    check_inside(view(found), all.size());
    std::size_t taken = 0;
    for (const std::int32_t label : all) {
        require(label < clusters, "labels must be below clusters");
        taken += label >= 0;
    }
    require(clusters >= 0 && static_cast<std::size_t>(clusters) <= taken, "clusters must have rows");
    require(taken + view(rows).size() <= all.size(), "rows must not have been taken");
    const Release release;
    return cluster::join_found(view(rows), ends, view(found), view(similarity), all, best, clusters);
}

void unite(Int32s parent, const Input<std::int32_t>& i, const Input<std::int32_t>& j) {
    const std::span<std::int32_t> up = writable(parent);
    require(view(i).size() == view(j).size(), "i and j must have one length");
    check_inside(view(i), up.size());
    check_inside(view(j), up.size());
    for (std::size_t k = 0; k < up.size(); ++k) {
        require(up[k] >= 0 && static_cast<std::size_t>(up[k]) <= k, "a parent must not be above its row");
    }
    const Release release;
    cluster::Sets sets(up);
    for (std::size_t k = 0; k < view(i).size(); ++k) sets.join(i.data()[k], j.data()[k]);
}

}  // namespace

void bind_found(py::module_& m) {
    m.def("check_pairs", &check_pairs, py::arg("x"), py::arg("i"), py::arg("j"), py::arg("threshold"),
          py::arg("threads"));
    m.def("join_found", &join_found, py::arg("rows"), py::arg("limits"), py::arg("found"), py::arg("similarity"),
          py::arg("labels").noconvert(), py::arg("representatives").noconvert(), py::arg("clusters"));
    m.def("unite", &unite, py::arg("parent").noconvert(), py::arg("i"), py::arg("j"));
}

}  // namespace tersely::bind
