#include <pybind11/pybind11.h>

#include <cmath>

#include "bind/arrays.hpp"
#include "bind/places.hpp"
#include "bind/release.hpp"
#include "bind/strings.hpp"
#include "kernels/select/budgeted.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

py::array_t<std::uint8_t> select_budgeted(const Input<float>& score, const Input<std::int64_t>& cost,
                                          std::int64_t budget, const Input<std::uint8_t>& pinned,
                                          const Input<std::int32_t>& group, const Input<std::int32_t>& document,
                                          const Input<std::int32_t>& heading, const Input<std::int32_t>& term_ids,
                                          const Input<std::int64_t>& term_offsets, const Input<float>& term_weight,
                                          float redundancy, std::int32_t context, bool coverage, bool ranked,
                                          const Input<std::int64_t>& cap, const Input<std::int32_t>& same,
                                          const Input<std::uint8_t>& kind, const Input<std::int32_t>& above) {
    const select::Problem problem{view(score),       view(cost),     budget,
                                  view(pinned),      view(group),    view(document),
                                  view(heading),     view(term_ids), view(term_offsets),
                                  view(term_weight), redundancy,     context,
                                  coverage,          ranked,         view(cap),
                                  view(same),        view(kind),     view(above)};
    const std::size_t n = problem.score.size();
    const auto optional = [n](std::size_t size) { return size == 0 || size == n; };
    require(problem.cost.size() == n && problem.document.size() == n, "score, cost and document must have one length");
    require(optional(problem.pinned.size()) && optional(problem.group.size()) && optional(problem.heading.size()) &&
                optional(problem.same.size()),
            "pinned, group, heading and same must be empty or as long as score");
    require(optional(problem.kind.size()) && problem.above.size() == problem.kind.size(),
            "kind and above must be empty or as long as score");
    require(budget >= 0, "budget must not be negative");
    require(
        problem.cap.empty() || problem.document.empty() ||
            (problem.document.front() >= 0 && static_cast<std::size_t>(problem.document.back()) < problem.cap.size()),
        "cap must have an entry a document");
    require(redundancy >= 0 && redundancy <= 1, "redundancy must lie in [0, 1]");
    require(context >= 0, "context must not be negative");
    for (const float value : problem.score) require(std::isfinite(value), "score must be finite");
    for (std::size_t i = 1; i < n; ++i) require(problem.document[i - 1] <= problem.document[i], "document must ascend");
    for (const float weight : problem.term_weight) {
        require(std::isfinite(weight) && weight >= 0, "term_weight must be finite and not negative");
    }
    std::int64_t total = 0;
    for (const std::int64_t tokens : problem.cost) {
        require(tokens >= 0, "cost must not be negative");
        require(!__builtin_add_overflow(total, tokens, &total) && total < (std::int64_t{1} << 61U),
                "cost must sum to less than 2^61");
    }
    require(budget < (std::int64_t{1} << 61U), "budget must be less than 2^61");
    for (const std::int32_t id : problem.group)
        require(id >= -1 && id < static_cast<std::int32_t>(n), "group must lie in [-1, n)");
    for (std::size_t i = 0; i < problem.heading.size(); ++i) {
        require(problem.heading[i] >= -1 && problem.heading[i] < static_cast<std::int32_t>(i),
                "heading must point upwards");
    }
    for (std::size_t i = 0; i < problem.above.size(); ++i) {
        require(problem.above[i] >= -1 && problem.above[i] < static_cast<std::int32_t>(i), "above must point upwards");
    }
    for (std::size_t i = 0; i < problem.same.size(); ++i) {
        require(problem.same[i] >= 0 && problem.same[i] <= static_cast<std::int32_t>(i), "same must lie in [0, i]");
    }
    if (!problem.term_offsets.empty()) {
        require(problem.term_offsets.size() > n && problem.term_offsets[0] == 0,
                "term_offsets must have a row a segment");
        for (std::size_t i = 0; i < n; ++i) {
            require(problem.term_offsets[i] <= problem.term_offsets[i + 1], "term_offsets must ascend");
        }
        require(problem.term_offsets[n] <= static_cast<std::int64_t>(problem.term_ids.size()),
                "term_offsets exceed term_ids");
        for (const std::int32_t id : problem.term_ids) {
            require(id >= 0 && static_cast<std::size_t>(id) < problem.term_weight.size(),
                    "term_ids exceed term_weight");
        }
    }
    std::vector<select::Status> chosen;
    {
        const Release release;
        chosen = select::select_budgeted(problem);
    }
    std::vector<std::uint8_t> status(n);
    for (std::size_t i = 0; i < n; ++i) status[i] = static_cast<std::uint8_t>(chosen[i]);
    return to_array(std::move(status));
}

// Of each unit the first with the same text; empty where all differ. `placed`: of each kind, whether its units say
// something by where they stand, and so are compared with none; `alone`: the same of single units, or empty.
py::array_t<std::int32_t> first_equal(const py::object& texts, const Input<std::int32_t>& document,
                                      const Input<std::int64_t>& start, const Input<std::int64_t>& end,
                                      const Input<std::uint8_t>& kind, const Input<std::uint8_t>& placed,
                                      const Input<std::uint8_t>& alone) {
    const GivenTexts list(texts);
    const auto documents = view(document);
    const auto starts = view(start);
    const auto ends = view(end);
    const auto kinds = view(kind);
    const auto of_kind = view(placed);
    const std::size_t n = documents.size();
    require(
        starts.size() == n && ends.size() == n && kinds.size() == n && (alone.size() == 0 || view(alone).size() == n),
        "document, start, end, kind and alone must have one length");
    std::vector<std::uint8_t> marked(view(alone).begin(), view(alone).end());
    marked.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        require(kinds[i] < of_kind.size(), "kind must be a row of placed");
        marked[i] |= of_kind[kinds[i]];
    }
    std::vector<std::int32_t> equal;
    {
        const Release release;
        std::vector<std::string_view> pieces(n);
        std::vector<std::string_view> before(n);
        for (std::size_t first = 0; first < n;) {
            const auto index = static_cast<std::size_t>(documents[first]);
            require(documents[first] >= 0 && index < list.views().size(), "document must lie in [0, len(texts))");
            std::size_t last = first;
            std::vector<std::int64_t> opens;
            std::vector<std::int64_t> closes;
            for (std::int64_t at = 0; last < n && documents[last] == documents[first]; ++last) {
                check_cancelled();
                require(at <= starts[last] && starts[last] <= ends[last], "segments must ascend");
                at = ends[last];
                opens.push_back(starts[last]);
                closes.push_back(at);
            }
            const std::string_view text = list.views()[index];
            to_bytes(text, opens, closes);
            for (std::size_t i = 0; i < opens.size(); ++i) {
                check_cancelled();
                const auto begin = static_cast<std::size_t>(opens[i]);
                pieces[first + i] = text.substr(begin, static_cast<std::size_t>(closes[i]) - begin);
                before[first + i] = text.substr(begin < 2 ? 0 : begin - 2, begin < 2 ? begin : 2);
            }
            first = last;
        }
        equal = select::first_equal(pieces, before, marked);
        std::size_t first = 0;
        while (first < n && equal[first] == static_cast<std::int32_t>(first)) ++first;
        if (first == n) equal.clear();
    }
    return to_array(std::move(equal));
}

// Tokens of what is kept, and of the cheapest unit that is left out and says something new (-1: none).
py::tuple tally(const Input<std::uint8_t>& status, const Input<std::int64_t>& cost, const Input<std::int32_t>& same,
                std::uint8_t first_kept) {
    const std::size_t n = view(status).size();
    require(view(cost).size() == n && (same.size() == 0 || view(same).size() == n),
            "status, cost and same must have one length");
    for (const std::int32_t row : view(same))
        require(row >= 0 && static_cast<std::size_t>(row) < n, "same must lie in [0, n)");
    const select::Tally found = select::tally(view(status), view(cost), view(same), first_kept);
    return py::make_tuple(found.kept, found.cheapest_left);
}

void fill_gaps(py::array_t<std::uint8_t, py::array::c_style>& status, const Input<std::int32_t>& document,
               const Input<std::int64_t>& start, const Input<std::int64_t>& end, const Input<std::int64_t>& bare,
               std::uint8_t kept, std::int64_t most) {
    const std::size_t n = view(document).size();
    const std::span<const std::int64_t> without = view(bare);
    require(status.ndim() == 1 && static_cast<std::size_t>(status.size()) == n && view(start).size() == n &&
                view(end).size() == n,
            "status, document, start and end must have one length");
    require(without.size() % 2 == 0, "bare must have pairs of rows");
    select::fill_gaps({status.mutable_data(), n}, view(document), view(start), view(end), without, kept, most);
}

}  // namespace

void bind_select(py::module_& m) {
    m.def("select_budgeted", &select_budgeted, py::arg("score"), py::arg("cost"), py::arg("budget"), py::arg("pinned"),
          py::arg("group"), py::arg("document"), py::arg("heading"), py::arg("term_ids"), py::arg("term_offsets"),
          py::arg("term_weight"), py::arg("redundancy"), py::arg("context"), py::arg("coverage") = false,
          py::arg("ranked") = false, py::arg("cap") = py::array_t<std::int64_t>(),
          py::arg("same") = py::array_t<std::int32_t>(), py::arg("kind") = py::array_t<std::uint8_t>(),
          py::arg("above") = py::array_t<std::int32_t>());
    m.def("first_equal", &first_equal, py::arg("texts"), py::arg("document"), py::arg("start"), py::arg("end"),
          py::arg("kind"), py::arg("placed"), py::arg("alone"));
    m.def("tally", &tally, py::arg("status"), py::arg("cost"), py::arg("same"), py::arg("first_kept"));
    m.def("fill_gaps", &fill_gaps, py::arg("status").noconvert(), py::arg("document"), py::arg("start"), py::arg("end"),
          py::arg("bare"), py::arg("kept"), py::arg("most"));
}

}  // namespace tersely::bind
