#include "bind/tokens.hpp"

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/places.hpp"
#include "bind/release.hpp"
#include "bind/strings.hpp"
#include "kernels/embed/static_table.hpp"
#include "kernels/spare.hpp"
#include "kernels/tokens/count.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

// Where the pieces of texts end by a table, which are both kept alive.
struct HeldMarks {
    py::object table, texts;
    std::vector<tokens::Marks> of;
};

constexpr std::size_t kMostMarked = std::size_t{1} << 26U;  // bytes of texts

std::unique_ptr<HeldTable> open_table(const py::buffer& file) {
    py::buffer_info info = file.request();
    if (info.ndim != 1 || info.itemsize != 1 || info.strides[0] != 1) {
        throw py::value_error("a table of tokens must be a buffer of bytes");
    }
    return std::make_unique<HeldTable>(std::move(info));
}

py::array_t<std::int64_t> count(const HeldTable& held, const py::object& texts) {
    const GivenTexts list(texts);
    auto out = new_array<std::int64_t>({static_cast<py::ssize_t>(list.views().size())});
    std::int64_t* to = out.mutable_data();
    {
        const Release release(list.bytes());
        Spare<tokens::Known>::Lent known(held.known);
        tokens::Counter counter(held.table, known.get());
        for (const std::string_view text : list.views()) *to++ = static_cast<std::int64_t>(counter.count(text));
    }
    return out;
}

std::int64_t count_one(const HeldTable& held, const py::str& text) {
    const Utf8List list(text);
    const Release release(list.bytes());
    return held.count(list.views().front());
}

py::tuple count_joined(const py::object& table, const py::object& texts, const py::str& separator) {
    const auto& held = table.cast<const HeldTable&>();
    const GivenTexts list(texts);
    const Utf8List between(separator);
    auto marks = std::make_unique<HeldMarks>(HeldMarks{table, list.given(), {}});
    std::size_t tokens = 0;
    {
        const Release release(list.bytes());
        const std::vector<std::string_view>& views = list.views();
        Spare<tokens::Known>::Lent known(held.known);
        tokens::Counter counter(held.table, known.get());
        marks->of.resize(views.size());
        if (list.bytes() <= kMostMarked) {
            for (std::size_t i = 0; i < views.size(); ++i) tokens = counter.count(views[i], marks->of[i]);
        } else if (views.size() == 1) {
            tokens = counter.count(views[0]);
        }
        if (views.size() > 1) {
            std::string joined;
            joined.reserve(list.bytes() + views.size() * between.bytes());
            std::vector<std::size_t> starts, sizes;
            for (const std::string_view view : views) {
                if (!starts.empty()) joined += between.views().front();
                starts.push_back(joined.size());
                sizes.push_back(view.size());
                joined += view;
            }
            tokens = counter.count_joined(joined, starts, sizes, marks->of);
        }
    }
    return py::make_tuple(tokens, std::move(marks));
}

py::array_t<std::int64_t> count_spans(const py::object& table, const py::object& texts,
                                      const Input<std::int32_t>& document, const Input<std::int64_t>& start,
                                      const Input<std::int64_t>& end, const HeldMarks* marks) {
    const auto& held = table.cast<const HeldTable&>();
    const GivenTexts list(texts);
    require(marks == nullptr || (marks->table.is(table) && marks->texts.is(list.given())),
            "marks must be of these texts and this table");
    auto out = new_array<std::int64_t>({document.size()});
    std::int64_t* to = out.mutable_data();
    {
        const Release release(marks == nullptr ? list.bytes() : list.bytes() / 4);  // most is counted by then
        Spare<tokens::Known>::Lent known(held.known);
        tokens::Counter counter(held.table, known.get());
        const auto rows = view(document);
        const std::vector<std::string_view> parts = pieces(list.views(), rows, view(start), view(end));
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const std::size_t row = static_cast<std::size_t>(rows[i]);
            if (marks == nullptr || marks->of[row].end.empty()) {
                to[i] = static_cast<std::int64_t>(counter.count(parts[i]));
                continue;
            }
            const std::string_view whole = list.views()[row];
            const auto begin = static_cast<std::size_t>(parts[i].data() - whole.data());
            to[i] =
                static_cast<std::int64_t>(counter.count_part(whole, begin, begin + parts[i].size(), marks->of[row]));
        }
    }
    return out;
}

using embed::StaticTable;

void require_utf8(std::string_view words) {
    PyObject* decoded = PyUnicode_DecodeUTF8(words.data(), static_cast<Py_ssize_t>(words.size()), nullptr);
    if (decoded == nullptr) throw py::error_already_set();
    Py_DECREF(decoded);
}

std::unique_ptr<StaticTable> make_table(const py::bytes& words, const Input<std::uint8_t>& rows,
                                        const Input<float>& scales) {
    if (rows.ndim() != 2) throw py::value_error("rows must be 2D, not " + std::to_string(rows.ndim()) + "D");
    const std::span<const float> each = view(scales);
    if (rows.shape(0) != scales.size()) {
        throw py::value_error("there are " + std::to_string(rows.shape(0)) + " rows and " +
                              std::to_string(scales.size()) + " scales");
    }
    const std::string_view lines = words;
    require_utf8(lines);
    const std::span<const std::uint8_t> codes(rows.data(), static_cast<std::size_t>(rows.size()));
    const Release release(lines.size());
    return std::make_unique<StaticTable>(lines, codes, each);
}

py::array_t<std::int32_t> ids(const StaticTable& table, const py::str& text) {
    const Utf8List list(text);
    std::vector<std::int32_t> found;
    found.reserve(list.bytes() / 4);  // English has a token every four to five bytes
    {
        const Release release(list.bytes());
        const std::string_view bytes = list.views().front();
        embed::KnownWords known;
        table.tokenizer().append(bytes, 0, SIZE_MAX, known, found);
    }
    return to_array(std::move(found));
}

py::array_t<float> embed_texts(const StaticTable& table, const py::list& texts) {
    const Utf8List list(texts);
    auto out =
        new_array<float>({static_cast<py::ssize_t>(list.views().size()), static_cast<py::ssize_t>(table.dimensions())});
    float* to = out.mutable_data();
    {
        const Release release(list.bytes());
        table.embed(list.views(), to);
    }
    return out;
}

py::array_t<float> similarity(const StaticTable& table, const py::str& query, const py::list& texts) {
    const Utf8List wanted(query);
    const Utf8List list(texts);
    std::vector<float> out(list.views().size());
    {
        const Release release(list.bytes());
        table.similarity(wanted.views().front(), list.views(), out.data());
    }
    return to_array(std::move(out));
}

py::array_t<float> similarity_spans(const StaticTable& table, const py::str& query, const py::object& texts,
                                    const Input<std::int32_t>& document, const Input<std::int64_t>& start,
                                    const Input<std::int64_t>& end) {
    const Utf8List wanted(query);
    const GivenTexts list(texts);
    auto out = new_array<float>({document.size()});
    float* to = out.mutable_data();
    {
        const Release release(list.bytes());
        table.similarity(wanted.views().front(), pieces(list.views(), view(document), view(start), view(end)), to);
    }
    return out;
}

}  // namespace

void bind_tokens(py::module_& m) {
    final_class<HeldMarks>(m, "TokenMarks", "Where the pieces of texts end, and their tokens up to there.")
        .def(py::init<const HeldMarks&>(), py::arg("marks"))
        .def("__len__", [](const HeldMarks& marks) { return marks.of.size(); });
    final_class<HeldTable>(m, "TokenTable", "The tokens of an encoding, in a file that is mapped, not read; immutable.")
        .def(py::init(&open_table), py::arg("file"))
        .def("count", &count, py::arg("texts"))
        .def("count_one", &count_one, py::arg("text"))
        .def("count_joined", &count_joined, py::arg("texts"), py::arg("separator"))
        .def("count_spans", &count_spans, py::arg("texts"), py::arg("document"), py::arg("start"), py::arg("end"),
             py::arg("marks") = nullptr)
        .def("__len__", [](const HeldTable& held) { return held.table.size(); });
    final_class<StaticTable>(m, "StaticTable", "A static table of token vectors and its tokenizer; immutable.")
        .def(py::init(&make_table), py::arg("words"), py::arg("rows"), py::arg("scales"))
        .def("ids", &ids, py::arg("text"))
        .def("embed", &embed_texts, py::arg("texts"))
        .def("similarity", &similarity, py::arg("query"), py::arg("texts"))
        .def("similarity_spans", &similarity_spans, py::arg("query"), py::arg("texts"), py::arg("document"),
             py::arg("start"), py::arg("end"))
        .def_property_readonly("dimensions", &StaticTable::dimensions)
        .def("__len__", &StaticTable::size);
}

}  // namespace tersely::bind
