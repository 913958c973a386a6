#include "kernels/detect/detect.hpp"

#include <pybind11/pybind11.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/release.hpp"
#include "bind/strings.hpp"
#include "kernels/content/tables.hpp"
#include "kernels/detect/looks.hpp"
#include "kernels/text/segment.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

py::list detect_kinds(const py::list& texts) {
    std::vector<Utf8List> pieces;
    pieces.reserve(texts.size());
    for (const py::handle text : texts) pieces.emplace_back(py::reinterpret_borrow<py::list>(text));
    std::vector<detect::Detection> found(pieces.size());
    {
        const Release release;
        for (std::size_t i = 0; i < pieces.size(); ++i)
            found[i] = content::table_or(detect::detect(pieces[i].views()), pieces[i].views());
    }
    py::list result;
    for (const detect::Detection& one : found) {
        result.append(py::make_tuple(static_cast<int>(one.kind), static_cast<int>(one.language),
                                     static_cast<double>(detect::calibrated(one.confidence))));
    }
    return result;
}

// Long blocks of JSON in a text: (start, end) of each in characters.
py::list json_blocks(const py::str& text) {
    py::list given;
    given.append(text);
    const Utf8List list(given);
    std::vector<std::int64_t> start, end;
    {
        const Release release;
        for (const detect::JsonBlock& block : detect::json_blocks(list.views()[0], false)) {
            start.push_back(static_cast<std::int64_t>(block.begin));
            end.push_back(static_cast<std::int64_t>(block.end));
        }
        text::to_characters(list.views()[0], start, end);
    }
    py::list result;
    for (std::size_t i = 0; i < start.size(); ++i) result.append(py::make_tuple(start[i], end[i]));
    return result;
}

// Of each text, whether it holds a long block of JSON; None for one that holds none, but marks that may open a fence.
py::list holds_blocks(const py::object& texts) {
    const GivenTexts list(texts);
    std::vector<std::pair<bool, bool>> found;
    {
        const Release release;
        for (const std::string_view text : list.views()) {
            const auto holds = [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; };
            const bool json = !detect::json_blocks(text, false).empty();
            found.emplace_back(json, !json && (holds("```") || holds("~~~")));
        }
    }
    py::list result;
    for (const auto& [json, marks] : found) result.append(marks ? py::object(py::none()) : py::object(py::bool_(json)));
    return result;
}

}  // namespace

void bind_detect(py::module_& m) {
    m.def("detect", &detect_kinds, py::arg("texts"));
    m.def("json_blocks", &json_blocks, py::arg("text"));
    m.def("holds_blocks", &holds_blocks, py::arg("texts"));
    m.attr("LONG_BLOCK") = detect::kLongBlock;
}

}  // namespace tersely::bind
