// Units of a reading under a budget: choices and what they are written as.
#include "kernels/write/fitting.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/places.hpp"
#include "bind/release.hpp"
#include "bind/strings.hpp"
#include "bind/tokens.hpp"
#include "kernels/select/budgeted.hpp"
#include "kernels/tokens/estimated.hpp"
#include "kernels/tokens/line_counts.hpp"
#include "kernels/write/layout.hpp"
#include "kernels/write/markers.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

using write::CodeMarker;
using write::LineMarker;
using write::RunMarker;
using write::TreeMarker;

template <typename To, typename T>
std::vector<To> converted(const Input<T>& array) {
    const std::span<const T> values = view(array);
    std::vector<To> made(values.size());
    std::transform(values.begin(), values.end(), made.begin(), [](T value) { return static_cast<To>(value); });
    return made;
}
template <typename T>
std::vector<T> copy(const Input<T>& array) {
    const std::span<const T> values = view(array);
    return {values.begin(), values.end()};
}

py::tuple code_markers(const Ids& document, const Ids& first, const Ids& last, const Ids& suite, const Bytes& inside,
                       const Bytes& role, std::vector<std::string> stand_in, std::vector<std::string> opens,
                       std::vector<std::string> closes) {
    const CodeMarker full({copy(document),
                           copy(first),
                           copy(last),
                           copy(suite),
                           copy(inside),
                           converted<content::CodeRole>(role),
                           std::move(stand_in),
                           std::move(opens),
                           std::move(closes),
                           {}});
    return py::make_tuple(full, full.in(CodeMarker::Wording::kShort), full.in(CodeMarker::Wording::kBare));
}

TreeMarker tree_marker(const Ids& document, const Offsets& start, const Offsets& end, const Bytes& kind,
                       const Ids& parent, const Ids& place, const Ids& count, const Offsets& own, const Bytes& record) {
    return TreeMarker({copy(document),
                       copy(parent),
                       copy(place),
                       copy(count),
                       copy(start),
                       copy(end),
                       copy(own),
                       converted<content::TreeKind>(kind),
                       copy(record),
                       {},
                       {}});
}

LineMarker line_marker(const Ids& document, const Offsets& line, const Offsets& earlier, const Input<bool>& continued,
                       std::int64_t lines) {
    return LineMarker({copy(document), copy(line), copy(earlier), copy(continued), lines, {}});
}

// What a callable of a form answers, in UTF-8.
std::string said_by(const py::object& answer) {
    if (!PyUnicode_Check(answer.ptr())) throw py::type_error("a marker and a gap must be str");
    const auto bytes = py::reinterpret_steal<py::bytes>(to_utf8(answer.ptr()));
    if (!bytes) throw py::error_already_set();
    return bytes;
}

// A marker that is any callable.
class CalledMarker : public RunMarker {
  public:
    explicit CalledMarker(py::object given) : given_(std::move(given)) {}
    std::string say(std::int64_t first, std::int64_t last) const override {
        GilWhenAsked::take();
        return said_by(given_(first, last));
    }

  private:
    py::object given_;
};

std::shared_ptr<const RunMarker> marker_of(const py::object& given) {
    if (given.is_none()) return nullptr;
    if (py::isinstance<RunMarker>(given)) return given.cast<std::shared_ptr<RunMarker>>();
    return std::make_shared<CalledMarker>(given);
}

write::Total total_of(const py::object& given) {
    if (given.is_none()) return {};
    return [given](std::span<const std::int64_t> kept) {
        GilWhenAsked::take();
        return marker_of(given(to_array(std::vector(kept.begin(), kept.end()))));
    };
}

write::Note note_of(const py::object& given) {
    if (given.is_none()) return {};
    return [given](std::int64_t row) {
        GilWhenAsked::take();
        return said_by(given(row));
    };
}

template <typename To, typename T>
std::vector<To> column_of(const py::object& given) {
    return given.is_none() ? std::vector<To>() : converted<To>(given.cast<Input<T>>());
}

// A region (engine/reading.py) with its form (content/units.py).
write::Region region_of(const py::handle& given) {
    write::Region made{given.attr("document").cast<std::int32_t>(), given.attr("first").cast<std::int64_t>(),
                       given.attr("last").cast<std::int64_t>(), given.attr("local").cast<std::int64_t>(),
                       write::Plain()};
    made.shift -= made.first;
    const py::object form = given.attr("form");
    if (form.is_none()) return made;
    if (py::hasattr(form, "indent")) {
        made.form = write::Quoted{said_by(form.attr("indent"))};
    } else if (py::hasattr(form, "joint")) {
        made.form = write::Lines{marker_of(form.attr("marker")),
                                 marker_of(form.attr("sign")),
                                 total_of(form.attr("total")),
                                 note_of(form.attr("note")),
                                 column_of<std::uint8_t, bool>(form.attr("continued")),
                                 column_of<std::uint8_t, bool>(form.attr("noted")),
                                 column_of<std::int32_t, std::int32_t>(form.attr("told")),
                                 said_by(form.attr("joint")),
                                 said_by(form.attr("elision"))};
    } else {
        made.form = write::Nested{marker_of(form.attr("marker")), marker_of(form.attr("short")),
                                  marker_of(form.attr("bare")),   total_of(form.attr("total")),
                                  note_of(form.attr("gap")),      form.attr("numbered").cast<bool>()};
    }
    return made;
}

py::str text_of(const write::Layout& layout, const write::Written& made) {
    Py_UCS4 bits = 0x7F;  // that some character has
    for (const write::Piece& piece : made.pieces) {
        const write::Characters from = layout.source(made, piece);
        for (std::int64_t i = piece.begin; !from.ascii && i < piece.stop; ++i) bits |= from[i];
    }
    PyObject* text = PyUnicode_New(made.length, std::min<Py_UCS4>(bits, 0x10FFFF));
    if (text == nullptr) throw py::error_already_set();
    auto written = py::reinterpret_steal<py::str>(text);
    const int kind = PyUnicode_KIND(text);  // bytes of a character
    char* data = static_cast<char*>(PyUnicode_DATA(text));
    std::int64_t at = 0;
    for (const write::Piece& piece : made.pieces) {
        const std::int64_t size = piece.stop - piece.begin;
        const write::Characters from = layout.source(made, piece);
        if (from.width == kind) {
            std::memcpy(data + at * kind, static_cast<const char*>(from.data) + piece.begin * kind,
                        static_cast<std::size_t>(size * kind));
        } else {
            for (std::int64_t i = 0; i < size; ++i) PyUnicode_WRITE(kind, data, at + i, from[piece.begin + i]);
        }
        at += size;
    }
    return written;
}

// write::Layout over texts of Python, which it keeps alive.
class Layout {
  public:
    Layout(const py::list& texts, const SegmentColumns& table, const py::tuple& regions, const std::string& separator,
           const std::optional<std::string>& within, bool clauses, bool pieces)
        : document_(copy(std::get<0>(table))),
          block_(copy(std::get<4>(table))),
          heading_(copy(std::get<5>(table))),
          start_(copy(std::get<1>(table))),
          end_(copy(std::get<2>(table))),
          kind_(copy(std::get<3>(table))),
          has_regions_(!regions.empty()),
          layout_{{},      document_, block_, heading_, start_, end_, kind_, {}, separator, within.value_or(separator),
                  clauses, pieces} {
        for (const py::handle text : texts) {
            texts_.push_back(py::reinterpret_borrow<py::object>(text));
            require(PyUnicode_Check(text.ptr()) != 0, "texts must be str");
            layout_.texts.push_back({PyUnicode_DATA(text.ptr()), PyUnicode_GET_LENGTH(text.ptr()),
                                     static_cast<int>(PyUnicode_KIND(text.ptr())),
                                     PyUnicode_IS_ASCII(text.ptr()) != 0});
        }
        for (const py::handle region : regions) layout_.regions.push_back(region_of(region));
        for (std::size_t row = 0; !has_regions_ && row < document_.size(); ++row) {
            if (row == 0 || document_[row] != document_[row - 1]) {
                const auto first = static_cast<std::int64_t>(row);
                layout_.regions.push_back({document_[row], first, first, 0, write::Plain()});
            }
            ++layout_.regions.back().last;
        }
        layout_.check();
    }

    Layout(const Layout&) = delete;
    Layout& operator=(const Layout&) = delete;

    // `kept`: rows, or the code of each row.
    py::tuple write(const py::array& kept, int wording) const {
        return told(layout_.write(rows_of(kept), static_cast<write::Wording>(wording)));
    }

    // The text, the part of each document, where what is no source's begins and ends.
    py::tuple told(const write::Written& made) const {
        const py::str text = text_of(layout_, made);
        py::tuple parts(texts_.size());
        for (std::size_t i = 0; i < texts_.size(); ++i) parts[i] = py::str();
        for (const write::Part& part : made.parts) {
            if (part.end - part.begin == made.length) {
                parts[static_cast<std::size_t>(part.document)] = text;
                continue;
            }
            PyObject* piece = PyUnicode_Substring(text.ptr(), part.begin, part.end);
            if (piece == nullptr) throw py::error_already_set();
            parts[static_cast<std::size_t>(part.document)] = py::reinterpret_steal<py::str>(piece);
        }
        return py::make_tuple(text, std::move(parts), to_array(std::vector(made.places)));
    }

    const write::Layout& kernel() const { return layout_; }
    std::size_t size() const { return document_.size(); }
    bool has_regions() const { return has_regions_; }

  private:
    std::vector<std::int64_t> rows_of(const py::array& kept) const {
        std::vector<std::int64_t> rows;
        if (kept.itemsize() == 1) {
            const auto given = kept.cast<Bytes>();
            const std::span<const std::uint8_t> codes = view(given);
            require(codes.size() == document_.size(), "there must be a code for each row");
            for (std::size_t i = 0; i < codes.size(); ++i) {
                if (codes[i] >= static_cast<std::uint8_t>(select::Status::kSelected))
                    rows.push_back(static_cast<std::int64_t>(i));
            }
            return rows;
        }
        rows = copy(kept.cast<Offsets>());
        std::int64_t before = -1;
        for (const std::int64_t row : rows) {
            require(before < row && static_cast<std::size_t>(row) < document_.size(),
                    "rows must ascend in [0, len(document))");
            before = row;
        }
        return rows;
    }

    std::vector<py::object> texts_;
    std::vector<std::int32_t> document_, block_, heading_;
    std::vector<std::int64_t> start_, end_;
    std::vector<std::uint8_t> kind_;
    bool has_regions_;
    write::Layout layout_;
};

py::array_t<std::int64_t> estimated_costs(const Offsets& start, const Offsets& end, const Ids& heading, double density,
                                          double gap, double marker) {
    return to_array(tokens::estimated_costs(view(start), view(end), view(heading), density, gap, marker));
}

void check(const select::Problem& problem) {
    const std::size_t n = problem.score.size();
    const auto optional = [n](std::size_t size) { return size == 0 || size == n; };
    require(problem.cost.size() == n && problem.document.size() == n, "score, cost and document must have one length");
    require(optional(problem.pinned.size()) && optional(problem.group.size()) && optional(problem.heading.size()) &&
                optional(problem.same.size()),
            "pinned, group, heading and same must be empty or as long as score");
    require(optional(problem.kind.size()) && problem.above.size() == problem.kind.size(),
            "kind and above must be empty or as long as score");
    require(
        problem.cap.empty() || problem.document.empty() ||
            (problem.document.front() >= 0 && static_cast<std::size_t>(problem.document.back()) < problem.cap.size()),
        "cap must have an entry a document");
    require(problem.redundancy >= 0 && problem.redundancy <= 1, "redundancy must lie in [0, 1]");
    require(problem.context >= 0, "context must not be negative");
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
}

using Sizes = std::initializer_list<std::size_t>;

void check(const select::Rules& rules, const select::Problem& problem) {
    const std::size_t n = problem.score.size();
    for (const std::size_t size : Sizes{rules.gist.size(), rules.essential.size(), rules.auxiliary.size(),
                                        rules.start.size(), rules.end.size(), rules.price.size()}) {
        require(size == 0 || size == n, "columns must be empty or as long as score");
    }
    require(rules.gist_room <= 0 || rules.gist.size() == n, "gist_room must be 0 without a gist");
    require(!rules.fill || (rules.start.size() == n && rules.end.size() == n), "fill must come with start and end");
    for (const auto& runs : {rules.leading, rules.fences, rules.bare}) {
        require(runs.size() % 2 == 0, "leading, fences and bare must have pairs of rows");
        for (std::size_t i = 0; i < runs.size(); ++i) {
            require(0 <= runs[i] && static_cast<std::size_t>(runs[i]) <= n && (i % 2 == 0 || runs[i - 1] <= runs[i]),
                    "leading, fences and bare must have rows");
        }
    }
    for (const std::int64_t row : rules.fences) require(static_cast<std::size_t>(row) < n, "fences must be rows");
    const auto heads = static_cast<std::int32_t>(rules.head_cost.size());
    require(rules.head_above.size() == rules.head_cost.size(), "heads must have one length");
    for (std::int32_t i = 0; i < heads; ++i) {
        require(-1 <= rules.head_above[static_cast<std::size_t>(i)] &&
                    rules.head_above[static_cast<std::size_t>(i)] < i &&
                    rules.head_cost[static_cast<std::size_t>(i)] >= 0,
                "heads must stand below others before them, and cost 0 or more");
    }
    for (const std::int32_t head : rules.head_of) require(-1 <= head && head < heads, "head_of must be heads");
    require(
        heads == 0 || n == 0 ||
            (problem.document.front() >= 0 && static_cast<std::size_t>(problem.document.back()) < rules.head_of.size()),
        "head_of must have an entry a document");
}

constexpr std::int64_t kLargest = std::int64_t{1} << 61U;  // of budgets and of sums of costs

// What the keywords of a call give, each once. The arrays are copies, which live as long as this: what was checked
// stays as it was, whatever the caller does to its own.
class Keywords {
  public:
    explicit Keywords(py::kwargs given) : given_(std::move(given)) {}

    template <typename T>
    void read(const char* name, std::span<const T>& column) {
        const py::object found = take(name);
        if (found.is_none()) return;
        py::detail::make_caster<Input<T>> caster;
        if (!caster.load(found, true)) throw py::type_error(std::string(name) + " must be an array of its type");
        const std::span<const T> given = view(py::detail::cast_op<Input<T>&>(caster));
        auto held = std::make_shared<std::vector<T>>(given.begin(), given.end());
        column = *held;
        arrays_.push_back(std::move(held));
    }
    template <typename T>
        requires std::is_arithmetic_v<T>
    void read(const char* name, T& value) {
        const py::object found = take(name);
        if (!found.is_none()) value = found.cast<T>();
    }
    void read(const char* name, py::object& value) { value = take(name); }
    void check_all_known() const {
        if (known_ != given_.size()) throw py::type_error("an argument of Choice is unknown");
    }

  private:
    py::object take(const char* name) {
        PyObject* found = PyDict_GetItemWithError(given_.ptr(), py::str(name).ptr());
        if (found == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
        known_ += found == nullptr ? 0 : 1;
        return found == nullptr ? py::none() : py::reinterpret_borrow<py::object>(found);
    }

    py::kwargs given_;
    std::vector<std::shared_ptr<const void>> arrays_;
    std::size_t known_ = 0;
};

using Statuses = py::array_t<std::uint8_t, py::array::c_style>;

std::vector<select::Status> to_status(std::span<const std::uint8_t> codes) {
    std::vector<select::Status> status(codes.size());
    std::transform(codes.begin(), codes.end(), status.begin(),
                   [](std::uint8_t code) { return static_cast<select::Status>(code); });
    return status;
}

// select::Choice, whose arrays are checked once, and what writes and counts its choices.
class Choice {
  public:
    explicit Choice(py::kwargs given) : keywords_(std::move(given)) {
        select::Problem& problem = problem_;
        select::Rules& rules = rules_;
        keywords_.read("score", problem.score);
        keywords_.read("cost", problem.cost);
        keywords_.read("pinned", problem.pinned);
        keywords_.read("group", problem.group);
        keywords_.read("document", problem.document);
        keywords_.read("heading", problem.heading);
        keywords_.read("term_ids", problem.term_ids);
        keywords_.read("term_offsets", problem.term_offsets);
        keywords_.read("term_weight", problem.term_weight);
        keywords_.read("redundancy", problem.redundancy);
        keywords_.read("context", problem.context);
        keywords_.read("coverage", problem.coverage);
        keywords_.read("ranked", problem.ranked);
        keywords_.read("cap", problem.cap);
        keywords_.read("same", problem.same);
        keywords_.read("kind", problem.kind);
        keywords_.read("above", problem.above);
        keywords_.read("price", rules.price);
        keywords_.read("gist", rules.gist);
        keywords_.read("gist_room", rules.gist_room);
        keywords_.read("essential", rules.essential);
        keywords_.read("auxiliary", rules.auxiliary);
        keywords_.read("leading", rules.leading);
        keywords_.read("leading_share", rules.leading_share);
        keywords_.read("fences", rules.fences);
        keywords_.read("fill", rules.fill);
        keywords_.read("start", rules.start);
        keywords_.read("end", rules.end);
        keywords_.read("bare", rules.bare);
        keywords_.read("head_cost", rules.head_cost);
        keywords_.read("head_above", rules.head_above);
        keywords_.read("head_of", rules.head_of);
        py::object layout, counter;
        keywords_.read("layout", layout);
        keywords_.read("counter", counter);
        keywords_.read("original", original_);
        keywords_.check_all_known();
        require(original_ >= 0, "original must not be negative");
        check(problem);
        check(rules, problem);
        if (problem.pinned.empty()) problem.pinned = none_ = std::vector<std::uint8_t>(size());
        if (rules.price.empty()) rules.price = problem.cost;
        choice_.emplace(problem, rules);
        if (!layout.is_none()) set_fitting(layout, counter);
    }

    Statuses select(std::int64_t budget) const {
        select::Problem problem = problem_;
        problem.budget = allowed(budget);
        std::vector<select::Status> chosen = released(work(), [&] { return select::select_budgeted(problem); });
        return handed_over(chosen);
    }
    // The choice, and its tally.
    py::tuple choose(std::int64_t target, const std::optional<Bytes>& held, const py::object& preserve) {
        const auto rows = held ? rows_of(*held) : problem_.pinned;
        write::Chosen chosen = in_turn(work(), [&] { return chosen_under(target, rows, held.has_value(), preserve); });
        return tuple_of(chosen.first, chosen.second.kept, chosen.second.cheapest_left);
    }
    // A choice, written and counted: text, parts, places, status, tokens, texts counted. None where it keeps nothing.
    py::object attempt(const Bytes& status, int wording) {
        const std::vector<select::Status> codes = to_status(rows_of(status));
        return told(in_turn(work(), [&] { return fitting().attempt(codes, static_cast<write::Wording>(wording)); }));
    }
    // The same of the best choice. `floors`: says of a target what is held beside the pins.
    py::object search(std::int64_t budget, std::int64_t target, std::int64_t high, bool estimated, int wording,
                      const py::object& floors, const py::object& preserve) {
        const write::Search asked{budget, target, high, estimated, static_cast<write::Wording>(wording)};
        const auto choose = [&](std::int64_t tokens) {
            const std::int64_t most = std::min(tokens, kLargest / 2);
            if (floors.is_none()) return chosen_under(most, problem_.pinned, false, preserve);
            const Gil gil;
            const auto held = floors(most).cast<Bytes>();
            return chosen_under(most, rows_of(held), true, preserve);
        };
        return told(in_turn(work(), [&] { return fitting().search(asked, choose); }));
    }
    std::int64_t recounts() { return fitting().recounts; }
    Statuses only(const Bytes& held) const {
        std::vector<select::Status> chosen = released(work(), [&] { return choice_->only(rows_of(held)); });
        return handed_over(chosen);
    }
    Statuses fill_gaps(const Bytes& status) const {
        std::vector<select::Status> filled = to_status(rows_of(status));
        choice_->fill_gaps(filled);
        return handed_over(filled);
    }
    Statuses leave_unneeded_out(const Bytes& status) const {
        std::vector<select::Status> left = to_status(rows_of(status));
        choice_->leave_unneeded_out(left);
        return handed_over(left);
    }

  private:
    std::size_t size() const { return problem_.score.size(); }
    // Bytes, about, that a choice looks at, its text included.
    std::size_t work() const { return 16 * size() + 4 * static_cast<std::size_t>(original_); }
    static std::int64_t allowed(std::int64_t budget) {
        require(0 <= budget && budget < kLargest, "budget must lie in [0, 2^61)");
        return budget;
    }
    std::span<const std::uint8_t> rows_of(const Bytes& rows) const {
        require(view(rows).size() == size(), "rows must be as many as score");
        return view(rows);
    }
    // What `work` returns. Threads take turns; those that wait do so without the GIL, which another may need.
    template <typename Work>
    auto in_turn(std::size_t bytes, const Work& work) -> decltype(work()) {
        std::unique_lock alone(turn_, std::try_to_lock);
        const Release release(alone ? bytes : kLong);
        if (!alone) alone.lock();
        return work();
    }
    // The choice for a target, with or without the GIL. `more`: whether `held` is more than the pins.
    write::Chosen chosen_under(std::int64_t target, std::span<const std::uint8_t> held, bool more,
                               const py::object& preserve) const {
        select::Held rows = choice_->hold(allowed(target), held, more);
        if (!preserve.is_none()) {
            const Gil gil;
            const Statuses before = to_array(std::vector(rows.rows));
            const py::object found = preserve(before, target);
            if (!found.is(before)) {
                const auto given = found.cast<Bytes>();
                const auto all = rows_of(given);
                rows.rows.assign(all.begin(), all.end());
                rows.more = true;
            }
        }
        std::vector<select::Status> status = choice_->choose(target, std::move(rows));
        const select::Tally tally = choice_->tally(status);
        return {std::move(status), tally};
    }
    write::Fitting& fitting() {
        require(fitting_.has_value(), "what is written needs a layout");
        return *fitting_;
    }
    // `layout` and `counter`, a table or a callable that takes a text and the part of each document.
    void set_fitting(const py::object& layout, const py::object& counter) {
        layout_ = layout;
        counter_ = counter;
        const auto& writes = layout.cast<const Layout&>();
        require(writes.size() == size(), "layout must have a row a score");
        const auto write = [&writes](std::span<const std::int64_t> rows, write::Wording wording) {
            const GilWhenAsked gil;
            return writes.kernel().write(rows, wording);
        };
        const auto ask = [this, &writes](const write::Written& made) {
            const Gil gil;
            const py::tuple told = writes.told(made);
            return counter_(told[0], told[1]).cast<std::int64_t>();
        };
        fitting_.emplace(write::Fitting{*choice_, problem_.pinned, original_, write, ask});
        if (!py::isinstance<HeldTable>(counter)) return;
        const bool by_lines = writes.has_regions() || writes.kernel().marks_joints();
        fitting_->count = [this, by_lines, &writes, &held = counter.cast<const HeldTable&>()](const auto& made) {
            const std::string text = writes.kernel().utf8(made);
            Spare<tokens::Known>::Lent known(held.known);
            tokens::Counter counts(held.table, known.get());
            return static_cast<std::int64_t>(by_lines ? lines_.count(counts, text) : counts.count(text));
        };
    }
    py::object told(const std::optional<write::Trial>& made) const {
        if (!made) return py::none();
        const auto text = layout_.cast<const Layout&>().told(made->written);
        std::vector<select::Status> status = made->status;
        return py::make_tuple(text[0], text[1], text[2], handed_over(status), made->tokens, made->recounts);
    }

    Keywords keywords_;
    select::Problem problem_;
    select::Rules rules_;
    std::vector<std::uint8_t> none_;
    std::int64_t original_ = 0;  // tokens of all units
    py::object layout_, counter_;
    tokens::LineCounts lines_;
    std::optional<select::Choice> choice_;
    std::optional<write::Fitting> fitting_;
    std::mutex turn_;
};

// Whether two characters before a unit indent it.
bool is_indent(std::string_view before) {
    static constexpr std::array<std::string_view, 6> kIndents = {"  ", "\n ", "\t\t", "\n\t", " \t", "\t "};
    return std::find(kIndents.begin(), kIndents.end(), before) != kIndents.end();
}

// Of each unit the first with the same text; empty where all differ. `placed`: of each kind, whether its units say
// something by where they stand, and so are compared with none, as those that are indented; `alone`: the same of
// single units, or empty.
py::array_t<std::int32_t> first_equal(const py::object& texts, const Ids& document, const Offsets& start,
                                      const Offsets& end, const Bytes& kind, const Bytes& placed, const Bytes& alone) {
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
    if (std::find(marked.begin(), marked.end(), 0) == marked.end()) return to_array(std::vector<std::int32_t>());
    std::vector<std::int32_t> equal;
    {
        const Release release(16 * n);
        std::vector<std::string_view> pieces(n);
        std::string_view text;
        text::Places places(text);
        for (std::size_t i = 0; i < n; ++i) {
            check_cancelled();
            const auto index = static_cast<std::size_t>(documents[i]);
            const bool begins = i == 0 || documents[i] != documents[i - 1];
            if (begins) {
                require(documents[i] >= 0 && index < list.views().size(), "document must lie in [0, len(texts))");
                text = list.views()[index];
                places = text::Places(text);
            }
            require((begins ? 0 : ends[i - 1]) <= starts[i] && starts[i] <= ends[i], "segments must ascend");
            const std::size_t begin = places.byte(starts[i]);
            pieces[i] = text.substr(begin, places.byte(ends[i]) - begin);
            require(places.character() == ends[i], "segments must lie in their texts");
            marked[i] |= begin >= 2 && is_indent(text.substr(begin - 2, 2));
        }
        equal = select::first_equal(pieces, marked);
        std::size_t first = 0;
        while (first < n && equal[first] == static_cast<std::int32_t>(first)) ++first;
        if (first == n) equal.clear();
    }
    return to_array(std::move(equal));
}

}  // namespace

void bind_fitting(py::module_& m) {
    final_class<Choice>(m, "Choice", "Units of a reading that are chosen under targets; immutable.")
        .def(py::init<py::kwargs>())
        .def("select", &Choice::select, py::arg("budget"))
        .def("choose", &Choice::choose, py::arg("target"), py::arg("held") = py::none(),
             py::arg("preserve") = py::none())
        .def("only", &Choice::only, py::arg("held"))
        .def("fill_gaps", &Choice::fill_gaps, py::arg("status"))
        .def("leave_unneeded_out", &Choice::leave_unneeded_out, py::arg("status"))
        .def("attempt", &Choice::attempt, py::arg("status"), py::arg("wording") = 0)
        .def("search", &Choice::search, py::arg("budget"), py::arg("target"), py::arg("high"), py::arg("estimated"),
             py::arg("wording"), py::arg("floors") = py::none(), py::arg("preserve") = py::none())
        .def_property_readonly("recounts", &Choice::recounts);
    m.def("first_equal", &first_equal, py::arg("texts"), py::arg("document"), py::arg("start"), py::arg("end"),
          py::arg("kind"), py::arg("placed"), py::arg("alone"));
    py::class_<RunMarker, std::shared_ptr<RunMarker>>(
        m, "RunMarker", "Writes what stands in the place of a run of rows; immutable.", plain())
        .def("__call__", &RunMarker::say, py::arg("first"), py::arg("last"));
    final_class<CodeMarker, RunMarker, std::shared_ptr<CodeMarker>>(m, "CodeMarker", "Marks left out code.")
        .def(py::init<const CodeMarker&>(), py::arg("marker"));
    final_class<TreeMarker, RunMarker, std::shared_ptr<TreeMarker>>(m, "TreeMarker", "Counts left out values.")
        .def("numbers", &TreeMarker::numbers)
        .def(
            "total", [](const TreeMarker& marker, const Offsets& kept) { return marker.total(view(kept)); },
            py::arg("kept"));
    final_class<LineMarker, RunMarker, std::shared_ptr<LineMarker>>(m, "LineMarker", "Counts left out lines.")
        .def(
            "total", [](const LineMarker& marker, const Offsets& kept) { return marker.total(view(kept)); },
            py::arg("kept"));
    m.def("line_marker", &line_marker, py::arg("document"), py::arg("line"), py::arg("earlier"), py::arg("continued"),
          py::arg("lines"));
    m.def("tree_marker", &tree_marker, py::arg("document"), py::arg("start"), py::arg("end"), py::arg("kind"),
          py::arg("parent"), py::arg("place"), py::arg("count"), py::arg("own"), py::arg("record"));
    m.def("code_markers", &code_markers, py::arg("document"), py::arg("first"), py::arg("last"), py::arg("suite"),
          py::arg("inside"), py::arg("role"), py::arg("stand_in"), py::arg("opens"), py::arg("closes"));
    m.attr("WIDEST_GAP") = write::kWidestGap;
    final_class<Layout>(m, "Layout", "Writes kept rows as a text; immutable.")
        .def(py::init<const py::list&, const SegmentColumns&, const py::tuple&, const std::string&,
                      const std::optional<std::string>&, bool, bool>(),
             py::arg("texts"), py::arg("table"), py::arg("regions"), py::arg("separator"),
             py::arg("within") = py::none(), py::arg("clauses") = false, py::arg("pieces") = false)
        .def("write", &Layout::write, py::arg("kept"), py::arg("wording") = 0);
    m.def("estimated_costs", &estimated_costs, py::arg("start"), py::arg("end"), py::arg("heading"), py::arg("density"),
          py::arg("gap"), py::arg("marker"));
}

}  // namespace tersely::bind
