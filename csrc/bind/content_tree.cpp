#include <pybind11/pybind11.h>

#include <cmath>

#include "bind/arrays.hpp"
#include "bind/strings.hpp"
#include "kernels/content/query_share.hpp"
#include "kernels/content/tree.hpp"
#include "kernels/text/terms.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

using Rows = Input<std::int32_t>;

content::Tree checked_tree(const Rows& parent, const Rows& follows, const Rows& group,
                           const Input<std::uint8_t>& pinned) {
    const content::Tree tree{view(parent), view(follows), view(group), view(pinned)};
    const std::size_t n = tree.parent.size();
    require(tree.follows.size() == n, "parent and follows must have one length");
    require(tree.group.empty() || tree.group.size() == n, "group must be empty or as long as parent");
    require(tree.pinned.empty() || tree.pinned.size() == n, "pinned must be empty or as long as parent");
    for (std::size_t row = 0; row < n; ++row) {
        const auto limit = static_cast<std::int32_t>(row);
        require(tree.parent[row] >= -1 && tree.parent[row] < limit, "parent must be a row above or -1");
        require(tree.follows[row] >= -1 && tree.follows[row] < limit, "follows must be a row above or -1");
        require(tree.follows[row] < 0 || tree.follows[static_cast<std::size_t>(tree.follows[row])] < 0,
                "what a row follows must not follow another");
    }
    return tree;
}

py::array_t<std::int32_t> tree_order(const Rows& parent, const Rows& follows, const Rows& group,
                                     const Input<double>& priority, std::size_t most) {
    const content::Tree tree = checked_tree(parent, follows, group, {});
    const std::span<const double> values = view(priority);
    require(values.size() == tree.parent.size(), "priority must be as long as parent");
    for (const double value : values) require(std::isfinite(value), "priority must be finite");
    std::vector<std::int32_t> order;
    {
        const py::gil_scoped_release release;
        order = content::tree_order(tree, values, most);
    }
    return to_array(std::move(order));
}

py::array_t<std::uint8_t> tree_choose(const Rows& parent, const Rows& follows, const Rows& group,
                                      const Input<std::uint8_t>& pinned, const Rows& order, const Input<double>& cost,
                                      double budget, std::size_t most) {
    const content::Tree tree = checked_tree(parent, follows, group, pinned);
    const std::span<const double> costs = view(cost);
    require(costs.size() == tree.parent.size(), "cost must be as long as parent");
    for (const double value : costs) require(std::isfinite(value) && value >= 0, "cost must be finite and >= 0");
    for (const std::int32_t row : view(order)) {
        require(row >= 0 && static_cast<std::size_t>(row) < tree.parent.size(), "order must hold rows");
    }
    std::vector<std::uint8_t> in;
    {
        const py::gil_scoped_release release;
        in = content::tree_choose(tree, view(order), costs, budget, most);
    }
    return to_array(std::move(in));
}

py::array_t<float> query_share(const py::list& units, const std::string& query) {
    const Utf8List list(units);
    std::vector<float> share;
    {
        const py::gil_scoped_release release;
        text::TermReader reader(list.bytes());
        std::vector<std::int32_t> ids;
        std::vector<std::int64_t> offsets = {0};
        for (const std::string_view unit : list.views()) {
            reader.append(unit, {0, unit.size()}, ids);
            offsets.push_back(static_cast<std::int64_t>(ids.size()));
        }
        std::vector<std::int32_t> asked;
        reader.append(query, {0, query.size()}, asked);
        share = content::query_share(ids, offsets, asked, reader.vocabulary().size());
    }
    return to_array(std::move(share));
}

}  // namespace

void bind_content_tree(py::module_& m) {
    m.def("tree_order", &tree_order, py::arg("parent"), py::arg("follows"), py::arg("group"), py::arg("priority"),
          py::arg("most"));
    m.def("tree_choose", &tree_choose, py::arg("parent"), py::arg("follows"), py::arg("group"), py::arg("pinned"),
          py::arg("order"), py::arg("cost"), py::arg("budget"), py::arg("most"));
    m.def("query_share", &query_share, py::arg("units"), py::arg("query"));
}

}  // namespace tersely::bind
