#include "kernels/subset/subset.hpp"

#include <cmath>

#include "bind/matrix.hpp"
#include "bind/release.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

using similarity::Rows;

py::tuple to_tuple(subset::Chosen&& chosen) {
    return py::make_tuple(to_array(std::move(chosen.items)), to_array(std::move(chosen.gains)), chosen.value,
                          chosen.cost, chosen.upper_bound);
}

void check_numbers(std::span<const double> values, std::size_t count, bool negative, const char* message) {
    require(values.size() == count, message);
    for (const double value : values) require(std::isfinite(value) && (negative || value >= 0), message);
}

void check_items(std::span<const std::int32_t> items, std::size_t count) {
    std::vector<bool> seen(count, false);
    for (const std::int32_t item : items) {
        require(item >= 0 && static_cast<std::size_t>(item) < count, "pinned must lie in [0, n)");
        require(!seen[static_cast<std::size_t>(item)], "pinned must be distinct");
        seen[static_cast<std::size_t>(item)] = true;
    }
}

py::tuple knapsack(const Input<double>& values, const Input<double>& costs, double budget,
                   const Input<std::int32_t>& pinned) {
    const std::size_t count = view(values).size();
    check_numbers(view(values), count, true, "values must be finite");
    check_numbers(view(costs), count, false, "costs must be finite, not negative, and one a value");
    require(std::isfinite(budget), "budget must be finite");
    check_items(view(pinned), count);
    subset::Chosen chosen;
    {
        const Release release;
        chosen = subset::knapsack(view(values), view(costs), budget, view(pinned));
    }
    return to_tuple(std::move(chosen));
}

py::tuple marginal_relevance(const py::array& x, const Input<double>& relevance, std::size_t count, double weight,
                             const Input<std::int32_t>& pinned, int threads, const py::object& progress) {
    const Rows rows = rows_of(x, "X");
    check_numbers(view(relevance), rows.count, true, "relevance must be finite, one a row");
    require(weight >= 0 && weight <= 1, "weight must lie in [0, 1]");
    check_items(view(pinned), rows.count);
    const Workers workers = workers_for(threads, progress);
    return to_tuple(on_rows(rows, nullptr, [&] {
        return subset::marginal_relevance(rows, view(relevance), count, weight, view(pinned), workers);
    }));
}

py::tuple facility_location(const py::array& x, const Input<double>& weights, const Input<double>& costs, double budget,
                            const Input<std::int32_t>& pinned, std::size_t neighbors, int threads,
                            const py::object& progress) {
    const Rows rows = rows_of(x, "X");
    if (weights.size() != 0) check_numbers(view(weights), rows.count, false, "weights must be finite, >= 0, one a row");
    if (costs.size() != 0) check_numbers(view(costs), rows.count, false, "costs must be finite, >= 0, one a row");
    require(std::isfinite(budget), "budget must be finite");
    check_items(view(pinned), rows.count);
    const subset::Facility problem{view(weights), view(costs), budget, view(pinned), neighbors};
    const Workers workers = workers_for(threads, progress);
    return to_tuple(on_rows(rows, nullptr, [&] { return subset::facility_location(rows, problem, workers); }));
}

}  // namespace

void bind_subset(py::module_& m) {
    m.def("knapsack", &knapsack, py::arg("values"), py::arg("costs"), py::arg("budget"), py::arg("pinned"));
    m.def("marginal_relevance", &marginal_relevance, py::arg("x"), py::arg("relevance"), py::arg("count"),
          py::arg("weight"), py::arg("pinned"), py::arg("threads"), py::arg("progress"));
    m.def("facility_location", &facility_location, py::arg("x"), py::arg("weights"), py::arg("costs"),
          py::arg("budget"), py::arg("pinned"), py::arg("neighbors"), py::arg("threads"), py::arg("progress"));
}

}  // namespace tersely::bind
