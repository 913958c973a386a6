#include "kernels/similarity/similarity.hpp"

#include <chrono>
#include <cmath>
#include <optional>

#include "bind/matrix.hpp"
#include "kernels/cluster/clusters.hpp"
#include "simd/dot.hpp"

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
    const Workers workers = workers_for(threads, progress);
    const Rows* other = right ? &*right : nullptr;
    on_rows(left, other, [&] { similarity::all_similarities(left, other, data, stride, workers); });
}

py::tuple cosine_pairs(const py::array& x, double threshold, std::size_t max_pairs, int threads,
                       const py::object& progress) {
    const Rows rows = rows_of(x, "X");
    require(!std::isnan(threshold), "threshold must not be NaN");
    const Workers workers = workers_for(threads, progress);
    std::vector<similarity::Pair> pairs =
        on_rows(rows, nullptr, [&] { return similarity::pairs_at_least(rows, threshold, max_pairs, workers); });
    std::vector<std::int32_t> i(pairs.size());
    std::vector<std::int32_t> j(pairs.size());
    std::vector<float> similarities(pairs.size());
    for (std::size_t at = 0; at < pairs.size(); ++at) {
        i[at] = pairs[at].i;
        j[at] = pairs[at].j;
        similarities[at] = pairs[at].similarity;
    }
    return py::make_tuple(to_array(std::move(i)), to_array(std::move(j)), to_array(std::move(similarities)));
}

py::array_t<std::uint8_t> has_pair(const py::array& x, double threshold, int threads) {
    const Rows rows = rows_of(x, "X");
    require(!std::isnan(threshold), "threshold must not be NaN");
    const Workers workers = workers_for(threads, py::none());
    return to_array(on_rows(rows, nullptr, [&] { return similarity::has_pair(rows, threshold, workers); }));
}

py::tuple threshold_clusters(const py::array& x, double threshold, const Input<double>& scores, bool single,
                             int threads, const py::object& progress) {
    const Rows rows = rows_of(x, "X");
    require(!std::isnan(threshold), "threshold must not be NaN");
    const std::span<const double> by = view(scores);
    require(by.empty() || by.size() == rows.count, "scores must have one number a row");
    for (const double score : by) require(std::isfinite(score), "scores must be finite");
    const Workers workers = workers_for(threads, progress);
    cluster::Clusters clusters = on_rows(rows, nullptr, [&] {
        return single ? cluster::single(rows, threshold, by, workers)
                      : cluster::representative(rows, threshold, by, workers);
    });
    return py::make_tuple(to_array(std::move(clusters.labels)), to_array(std::move(clusters.representatives)),
                          to_array(std::move(clusters.sizes)));
}

py::tuple code_rows(const Input<float>& rows) {
    require(rows.ndim() == 2 && rows.shape(1) > 0, "rows must be 2D, with a column");
    const py::ssize_t count = rows.shape(0), width = rows.shape(1);
    auto codes = new_array<std::int8_t>({count, width});
    auto scale = new_array<float>({count});
    auto rest = new_array<float>({count});
    const std::span<const float> values{rows.data(), static_cast<std::size_t>(rows.size())};
    std::int8_t* to = codes.mutable_data();
    float *scales = scale.mutable_data(), *rests = rest.mutable_data();
    {
        const Release release;
        similarity::code_rows(values, static_cast<std::size_t>(width), to, scales, rests);
    }
    return py::make_tuple(std::move(codes), std::move(scale), std::move(rest));
}

py::tuple bound_products(const Input<std::int8_t>& codes, const Input<float>& scale, const Input<float>& rest,
                         const Input<float>& query) {
    const std::span<const float> wanted = view(query);
    const auto width = static_cast<py::ssize_t>(wanted.size());
    require(codes.ndim() == 2 && codes.shape(1) == width, "codes must be 2D, as wide as the query");
    require(width <= (py::ssize_t{1} << 20), "a query has at most 2^20 columns");
    for (const float value : wanted) require(std::isfinite(value), "the query must be finite");
    const similarity::CodedRows rows{{codes.data(), static_cast<std::size_t>(codes.size())},
                                     view(scale),
                                     view(rest),
                                     static_cast<std::size_t>(width)};
    require(static_cast<py::ssize_t>(rows.scale.size()) == codes.shape(0) && rows.rest.size() == rows.scale.size(),
            "scale and rest must have an entry a row");
    auto lower = new_array<float>({codes.shape(0)});
    auto upper = new_array<float>({codes.shape(0)});
    float *least = lower.mutable_data(), *most = upper.mutable_data();
    {
        const Release release;
        similarity::bound_products(rows, wanted, least, most);
    }
    return py::make_tuple(std::move(lower), std::move(upper));
}

// Billions of floating point operations a second that one thread reaches from registers alone; the best of rounds.
double fma_peak(double seconds) {
    using Clock = std::chrono::steady_clock;
    const WithoutGil released;
    const auto begin = Clock::now();
    double best = 0;
    do {
        const auto start = Clock::now();
        const double done = simd::dot_kernels().peak(100'000);
        best = std::max(best, done / std::chrono::duration<double>(Clock::now() - start).count());
    } while (std::chrono::duration<double>(Clock::now() - begin).count() < seconds);
    return best / 1e9;
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
    m.def("code_rows", &code_rows, py::arg("rows"));
    m.def("bound_products", &bound_products, py::arg("codes"), py::arg("scale"), py::arg("rest"), py::arg("query"));
    m.def("fma_peak", &fma_peak, py::arg("seconds"));
}

}  // namespace tersely::bind
