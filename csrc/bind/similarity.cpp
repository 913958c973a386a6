#include "kernels/similarity/similarity.hpp"

#include <cmath>
#include <numeric>
#include <optional>

#include "bind/matrix.hpp"
#include "bind/release.hpp"
#include "bind/strings.hpp"
#include "kernels/cluster/clusters.hpp"
#include "kernels/lexical/agreement.hpp"
#include "kernels/subset/subset.hpp"
#include "kernels/text/guards.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

using similarity::Rows;

void cosine_similarity(const py::array& x, const py::object& y, py::array_t<float> out, int threads,
                       const py::object& progress) {
    const Rows left = rows_of(x, "X");
    const std::optional<Rows> right = y.is_none() ? std::nullopt : std::optional(rows_of(y.cast<py::array>(), "Y"));
    require(!right || right->depth == left.depth, "X and Y must have as many columns");
    const std::size_t columns = right ? right->count : left.count;
    require(out.ndim() == 2 && static_cast<std::size_t>(out.shape(0)) == left.count &&
                static_cast<std::size_t>(out.shape(1)) == columns,
            "out must have a row for each row of X and a column for each row of Y");
    float* data = out.mutable_data();
    require(out.size() == 0 || columns == 1 || out.strides(1) == sizeof(float), "the rows of out must be contiguous");
    require(out.size() == 0 || (out.strides(0) % static_cast<py::ssize_t>(sizeof(float)) == 0 && out.strides(0) >= 0 &&
                                reinterpret_cast<std::uintptr_t>(data) % alignof(float) == 0),
            "out must be aligned and not reversed");
    const std::size_t stride = static_cast<std::size_t>(out.strides(0)) / sizeof(float);
    const Rows* other = right ? &*right : nullptr;
    on_rows(left, other, threads, progress,
            [&](const Workers& workers) { similarity::all_similarities(left, other, data, stride, workers); });
}

py::tuple cosine_pairs(const py::array& x, double threshold, std::size_t max_pairs, int threads,
                       const py::object& progress) {
    const Rows rows = rows_of(x, "X");
    require(!std::isnan(threshold), "threshold must not be NaN");
    std::vector<similarity::Pair> pairs = on_rows(rows, nullptr, threads, progress, [&](const Workers& workers) {
        return similarity::pairs_at_least(rows, threshold, max_pairs, workers);
    });
    std::vector<std::int32_t> i(pairs.size());
    std::vector<std::int32_t> j(pairs.size());
    std::vector<float> similarities(pairs.size());
    for (std::size_t at = 0; at < pairs.size(); ++at) {
        i[at] = pairs[at].i;
        j[at] = pairs[at].j;
        similarities[at] = pairs[at].similarity;
    }
    return tuple_of(i, j, similarities);
}

py::array_t<std::uint8_t> has_pair(const py::array& x, double threshold, int threads) {
    const Rows rows = rows_of(x, "X");
    require(!std::isnan(threshold), "threshold must not be NaN");
    return to_array(on_rows(rows, nullptr, threads, {},
                            [&](const Workers& workers) { return similarity::has_pair(rows, threshold, workers); }));
}

py::tuple threshold_clusters(const py::array& x, double threshold, const Input<double>& scores, bool single,
                             int threads, const py::object& progress) {
    const Rows rows = rows_of(x, "X");
    require(!std::isnan(threshold), "threshold must not be NaN");
    const std::span<const double> by = view(scores);
    require(by.empty() || by.size() == rows.count, "scores must have one number a row");
    for (const double score : by) require(std::isfinite(score), "scores must be finite");
    cluster::Clusters clusters = on_rows(rows, nullptr, threads, progress, [&](const Workers& workers) {
        return single ? cluster::single(rows, threshold, by, workers)
                      : cluster::representative(rows, threshold, by, workers);
    });
    return tuple_of(clusters.labels, clusters.representatives, clusters.sizes);
}

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
    on_rows(rows, nullptr, threads, {}, [&](const Workers& workers) {
        cluster::check_pairs(rows, view(i), view(j), threshold, similarity, workers);
    });
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
    const Release release(kLong);
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
    const Release release(8 * up.size());
    cluster::Sets sets(up);
    for (std::size_t k = 0; k < view(i).size(); ++k) sets.join(i.data()[k], j.data()[k]);
}

// Rows that hang together, by groups and by the row that each follows, have the lowest of them; -1: alone.
py::array_t<std::int32_t> held_together(const Input<std::int32_t>& group, const Input<std::int32_t>& follows) {
    const std::size_t size = view(group).size();
    require(view(follows).size() == size, "group and follows must have one length");
    std::vector<std::int32_t> parent(size);
    std::iota(parent.begin(), parent.end(), 0);
    std::vector<std::uint8_t> held(size);
    cluster::Sets sets(parent);
    for (const auto& column : {view(group), view(follows)}) {
        for (std::size_t row = 0; row < size; ++row) {
            const std::int32_t other = column[row];
            if (other < 0) continue;
            require(static_cast<std::size_t>(other) < size, "group and follows must be rows");
            sets.join(static_cast<std::int32_t>(row), other);
            held[row] = held[static_cast<std::size_t>(other)] = 1;
        }
    }
    for (std::size_t row = 0; row < size; ++row) {
        parent[row] = held[row] != 0 ? sets.root(static_cast<std::int32_t>(row)) : -1;
    }
    return to_array(std::move(parent));
}

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
        const Release release(list.bytes());
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
    return tuple_of(guard, signatures, terms, term_offsets, names, name_offsets, digests);
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
    cluster::Clusters clusters = on_rows(rows, nullptr, threads, progress, [&](const Workers& workers) {
        const lexical::Agreement agree(view(guard), term_rows, name_rows, share, order);
        const auto may_join = [&agree](std::size_t a, std::size_t b) { return agree(a, b); };
        return cluster::representative(rows, threshold, by, view(guard), may_join, workers);
    });
    return tuple_of(clusters.labels, clusters.representatives, clusters.sizes);
}

py::array_t<std::int32_t> agreeing(const Ids& guard, const Ids& terms, const Offsets& term_offsets, const Ids& names,
                                   const Offsets& name_offsets, double share, double order) {
    const std::size_t rows = view(guard).size();
    const auto term_rows = id_rows(terms, term_offsets, rows, "term_offsets must ascend from 0 to len(terms)");
    const auto name_rows = id_rows(names, name_offsets, rows, "name_offsets must ascend from 0 to len(names)");
    for (const std::int32_t id : view(terms)) require(id >= 0, "terms must not be negative");
    require(share >= 0 && share <= 1, "share must lie in [0, 1]");
    return to_array(
        released(kLong, [&] { return cluster::agreeing(view(guard), term_rows, name_rows, share, order); }));
}

py::tuple to_tuple(subset::Chosen&& chosen) {
    return tuple_of(chosen.items, chosen.gains, chosen.value, chosen.cost, chosen.upper_bound);
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
    auto chosen = released(kLong, [&] { return subset::knapsack(view(values), view(costs), budget, view(pinned)); });
    return to_tuple(std::move(chosen));
}

py::tuple marginal_relevance(const py::array& x, const Input<double>& relevance, std::size_t count, double weight,
                             const Input<std::int32_t>& pinned, int threads, const py::object& progress) {
    const Rows rows = rows_of(x, "X");
    check_numbers(view(relevance), rows.count, true, "relevance must be finite, one a row");
    require(weight >= 0 && weight <= 1, "weight must lie in [0, 1]");
    check_items(view(pinned), rows.count);
    return to_tuple(on_rows(rows, nullptr, threads, progress, [&](const Workers& workers) {
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
    return to_tuple(on_rows(rows, nullptr, threads, progress,
                            [&](const Workers& workers) { return subset::facility_location(rows, problem, workers); }));
}

}  // namespace

void bind_similarity(py::module_& m) {
    m.def("cosine_similarity", &cosine_similarity, py::arg("x"), py::arg("y"), py::arg("out").noconvert(),
          py::arg("threads"), py::arg("progress"));
    m.def("cosine_pairs", &cosine_pairs, py::arg("x"), py::arg("threshold"), py::arg("max_pairs"), py::arg("threads"),
          py::arg("progress"));
    m.def("has_pair", &has_pair, py::arg("x"), py::arg("threshold"), py::arg("threads"));
    m.def("threshold_clusters", &threshold_clusters, py::arg("x"), py::arg("threshold"), py::arg("scores"),
          py::arg("single"), py::arg("threads"), py::arg("progress"));
    m.def("check_pairs", &check_pairs, py::arg("x"), py::arg("i"), py::arg("j"), py::arg("threshold"),
          py::arg("threads"));
    m.def("join_found", &join_found, py::arg("rows"), py::arg("limits"), py::arg("found"), py::arg("similarity"),
          py::arg("labels").noconvert(), py::arg("representatives").noconvert(), py::arg("clusters"));
    m.def("held_together", &held_together, py::arg("group"), py::arg("follows"));
    m.def("unite", &unite, py::arg("parent").noconvert(), py::arg("i"), py::arg("j"));
    m.def("guards", &guards, py::arg("texts"));
    m.def("agreeing", &agreeing, py::arg("guard"), py::arg("terms"), py::arg("term_offsets"), py::arg("names"),
          py::arg("name_offsets"), py::arg("share"), py::arg("order"));
    m.def("deduplicate", &deduplicate, py::arg("x"), py::arg("threshold"), py::arg("scores"), py::arg("guard"),
          py::arg("terms"), py::arg("term_offsets"), py::arg("names"), py::arg("name_offsets"), py::arg("share"),
          py::arg("order"), py::arg("threads"), py::arg("progress"));
    m.def("knapsack", &knapsack, py::arg("values"), py::arg("costs"), py::arg("budget"), py::arg("pinned"));
    m.def("marginal_relevance", &marginal_relevance, py::arg("x"), py::arg("relevance"), py::arg("count"),
          py::arg("weight"), py::arg("pinned"), py::arg("threads"), py::arg("progress"));
    m.def("facility_location", &facility_location, py::arg("x"), py::arg("weights"), py::arg("costs"),
          py::arg("budget"), py::arg("pinned"), py::arg("neighbors"), py::arg("threads"), py::arg("progress"));
}

}  // namespace tersely::bind
