#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/layout.hpp"
#include "bind/strings.hpp"
#include "kernels/select/budgeted.hpp"
#include "kernels/tokens/estimated.hpp"
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

py::tuple code_markers(const Input<std::int32_t>& document, const Input<std::int32_t>& first,
                       const Input<std::int32_t>& last, const Input<std::int32_t>& suite,
                       const Input<std::uint8_t>& inside, const Input<std::uint8_t>& role,
                       std::vector<std::string> stand_in, std::vector<std::string> opens,
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

TreeMarker tree_marker(const Input<std::int32_t>& document, const Input<std::int64_t>& start,
                       const Input<std::int64_t>& end, const Input<std::uint8_t>& kind,
                       const Input<std::int32_t>& parent, const Input<std::int32_t>& place,
                       const Input<std::int32_t>& count, const Input<std::int64_t>& own,
                       const Input<std::uint8_t>& record) {
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

LineMarker line_marker(const Input<std::int32_t>& document, const Input<std::int64_t>& line,
                       const Input<std::int64_t>& earlier, const Input<bool>& continued, std::int64_t lines) {
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

py::array_t<std::int64_t> estimated_costs(const Input<std::int64_t>& start, const Input<std::int64_t>& end,
                                          const Input<std::int32_t>& heading, double density, double gap,
                                          double marker) {
    return to_array(tokens::estimated_costs(view(start), view(end), view(heading), density, gap, marker));
}

}  // namespace

Layout::Layout(const py::list& texts, const SegmentColumns& table, const py::tuple& regions,
               const std::string& separator, const std::optional<std::string>& within, bool clauses, bool pieces)
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
                                 static_cast<int>(PyUnicode_KIND(text.ptr())), PyUnicode_IS_ASCII(text.ptr()) != 0});
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

py::tuple Layout::write(const py::array& kept, int wording) const {
    return told(layout_.write(rows_of(kept), static_cast<write::Wording>(wording)));
}

py::tuple Layout::told(const write::Written& made) const {
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

std::vector<std::int64_t> Layout::rows_of(const py::array& kept) const {
    std::vector<std::int64_t> rows;
    if (kept.itemsize() == 1) {
        const auto given = kept.cast<Input<std::uint8_t>>();
        const std::span<const std::uint8_t> codes = view(given);
        require(codes.size() == document_.size(), "there must be a code for each row");
        for (std::size_t i = 0; i < codes.size(); ++i) {
            if (codes[i] >= static_cast<std::uint8_t>(select::Status::kSelected))
                rows.push_back(static_cast<std::int64_t>(i));
        }
        return rows;
    }
    rows = copy(kept.cast<Input<std::int64_t>>());
    std::int64_t before = -1;
    for (const std::int64_t row : rows) {
        require(before < row && static_cast<std::size_t>(row) < document_.size(),
                "rows must ascend in [0, len(document))");
        before = row;
    }
    return rows;
}

void bind_render(py::module_& m) {
    const py::metaclass plain(reinterpret_cast<PyObject*>(&PyType_Type));
    py::class_<RunMarker, std::shared_ptr<RunMarker>>(
        m, "RunMarker", "Writes what stands in the place of a run of rows; immutable.", plain)
        .def("__call__", &RunMarker::say, py::arg("first"), py::arg("last"));
    py::class_<CodeMarker, RunMarker, std::shared_ptr<CodeMarker>>(m, "CodeMarker", "Marks left out code.",
                                                                   py::is_final(), plain)
        .def(py::init<const CodeMarker&>(), py::arg("marker"));
    const auto kept = [](const auto& marker, const Input<std::int64_t>& rows) { return marker.total(view(rows)); };
    py::class_<TreeMarker, RunMarker, std::shared_ptr<TreeMarker>>(m, "TreeMarker", "Counts left out values.",
                                                                   py::is_final(), plain)
        .def("numbers", &TreeMarker::numbers)
        .def(
            "total", [kept](const TreeMarker& marker, const Input<std::int64_t>& rows) { return kept(marker, rows); },
            py::arg("kept"));
    py::class_<LineMarker, RunMarker, std::shared_ptr<LineMarker>>(m, "LineMarker", "Counts left out lines.",
                                                                   py::is_final(), plain)
        .def(
            "total", [kept](const LineMarker& marker, const Input<std::int64_t>& rows) { return kept(marker, rows); },
            py::arg("kept"));
    m.def("line_marker", &line_marker, py::arg("document"), py::arg("line"), py::arg("earlier"), py::arg("continued"),
          py::arg("lines"));
    m.def("tree_marker", &tree_marker, py::arg("document"), py::arg("start"), py::arg("end"), py::arg("kind"),
          py::arg("parent"), py::arg("place"), py::arg("count"), py::arg("own"), py::arg("record"));
    m.def("code_markers", &code_markers, py::arg("document"), py::arg("first"), py::arg("last"), py::arg("suite"),
          py::arg("inside"), py::arg("role"), py::arg("stand_in"), py::arg("opens"), py::arg("closes"));
    m.attr("WIDEST_GAP") = write::kWidestGap;
    py::class_<Layout>(m, "Layout", "Writes kept rows as a text; immutable.", py::is_final(), plain)
        .def(py::init<const py::list&, const SegmentColumns&, const py::tuple&, const std::string&,
                      const std::optional<std::string>&, bool, bool>(),
             py::arg("texts"), py::arg("table"), py::arg("regions"), py::arg("separator"),
             py::arg("within") = py::none(), py::arg("clauses") = false, py::arg("pieces") = false)
        .def("write", &Layout::write, py::arg("kept"), py::arg("wording") = 0);
    m.def("estimated_costs", &estimated_costs, py::arg("start"), py::arg("end"), py::arg("heading"), py::arg("density"),
          py::arg("gap"), py::arg("marker"));
}

}  // namespace tersely::bind
