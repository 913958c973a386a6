#include "kernels/detect/detect.hpp"

#include <pybind11/pybind11.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/release.hpp"
#include "bind/strings.hpp"
#include "kernels/content/table_kind.hpp"
#include "kernels/detect/json_look.hpp"
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

// Long blocks of JSON in texts: (document int32[n], start and end int64[n] in characters).
py::tuple json_blocks(const py::object& texts) {
    const GivenTexts list(texts);
    std::vector<std::int32_t> document;
    std::vector<std::int64_t> start, end;
    {
        const Release release;
        for (std::size_t i = 0; i < list.views().size(); ++i) {
            const std::string_view text = list.views()[i];
            std::vector<std::int64_t> from, to;
            for (const detect::JsonBlock& block : detect::json_blocks(text, false)) {
                document.push_back(static_cast<std::int32_t>(i));
                from.push_back(static_cast<std::int64_t>(block.begin));
                to.push_back(static_cast<std::int64_t>(block.end));
            }
            text::to_characters(text, from, to);
            start.insert(start.end(), from.begin(), from.end());
            end.insert(end.end(), to.begin(), to.end());
        }
    }
    return py::make_tuple(to_array(std::move(document)), to_array(std::move(start)), to_array(std::move(end)));
}

}  // namespace

void bind_detect(py::module_& m) {
    m.def("detect", &detect_kinds, py::arg("texts"));
    m.def("json_blocks", &json_blocks, py::arg("texts"));
    m.attr("LONG_BLOCK") = detect::kLongBlock;
}

}  // namespace tersely::bind
