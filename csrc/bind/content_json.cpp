#include <pybind11/pybind11.h>

#include "bind/arrays.hpp"
#include "bind/release.hpp"
#include "bind/strings.hpp"
#include "kernels/content/json_scan.hpp"
#include "kernels/content/rarity.hpp"
#include "kernels/content/tree_rank.hpp"
#include "kernels/content/xml_scan.hpp"
#include "kernels/content/yaml_scan.hpp"
#include "kernels/text/segment.hpp"
#include "kernels/text/terms.hpp"
#include "kernels/text/unicode.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

// The lines of a text that is not of its kind, without white space around them.
content::TreeUnits lines_of(std::string_view text) {
    content::TreeUnits lines;
    std::int32_t place = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t stop = text.find('\n', begin);
        if (stop == std::string_view::npos) stop = text.size();
        std::size_t start = begin;
        std::size_t end = stop;
        while (start < end && text::ascii_space(text[start])) ++start;
        while (end > start && text::ascii_space(text[end - 1])) --end;
        if (start < end) {
            lines.start.push_back(static_cast<std::int64_t>(start));
            lines.value_start.push_back(lines.start.back());
            lines.end.push_back(static_cast<std::int64_t>(end));
            lines.kind.push_back(content::TreeKind::kLine);
            lines.parent.push_back(-1);
            lines.place.push_back(place++);
            lines.count.push_back(0);
            lines.key.push_back(0);
            lines.value.push_back(0);
        }
        begin = stop + 1;
    }
    return lines;
}

struct Units {
    std::vector<std::int32_t> document, parent, place, count;
    std::vector<std::int64_t> start, end, own;
    std::vector<std::uint8_t> kind, record;
    std::vector<double> priority;
    std::vector<std::uint8_t> fault;  // of each document

    void append(content::TreeUnits&& units, const content::TreeRanks& ranks, std::string_view text,
                std::int32_t of_document) {
        const auto first = static_cast<std::int32_t>(start.size());
        text::to_characters(text, units.start, units.end);
        for (std::size_t row = 0; row < units.size(); ++row) {
            document.push_back(of_document);
            parent.push_back(ranks.needs[row] < 0 ? -1 : ranks.needs[row] + first);
            kind.push_back(static_cast<std::uint8_t>(units.kind[row]));
        }
        start.insert(start.end(), units.start.begin(), units.start.end());
        end.insert(end.end(), units.end.begin(), units.end.end());
        place.insert(place.end(), units.place.begin(), units.place.end());
        count.insert(count.end(), units.count.begin(), units.count.end());
        priority.insert(priority.end(), ranks.priority.begin(), ranks.priority.end());
        record.insert(record.end(), ranks.record.begin(), ranks.record.end());
        own.insert(own.end(), ranks.own.begin(), ranks.own.end());
    }
};

std::vector<float> relevance(const std::vector<std::string_view>& texts, const std::vector<content::TreeUnits>& units,
                             std::size_t bytes, std::string_view query) {
    text::TermReader reader(bytes);
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> offsets = {0};
    for (std::size_t i = 0; i < texts.size(); ++i) {
        for (std::size_t row = 0; row < units[i].size(); ++row) {
            const text::Span span{static_cast<std::size_t>(units[i].start[row]),
                                  static_cast<std::size_t>(units[i].end[row])};
            reader.append(texts[i], span, ids);
            offsets.push_back(static_cast<std::int64_t>(ids.size()));
        }
    }
    std::vector<std::int32_t> asked;
    reader.append(query, {0, query.size()}, asked);
    return content::query_share(ids, offsets, asked, reader.vocabulary().size());
}

enum Syntax { kJson, kXml, kYaml };

content::TreeUnits scan(std::string_view text, int syntax) {
    if (syntax == kYaml) return content::scan_yaml(text);
    return syntax == kXml ? content::scan_xml(text) : content::scan_json(text);
}

bool is_laid_out(const py::str& text, int syntax) {
    return scan(Utf8List(py::list(py::make_tuple(text))).views()[0], syntax).fault == content::TreeFault::kNone;
}

py::tuple tree_units(const py::list& texts, const std::string& query, int syntax) {
    const Utf8List list(texts);
    Units all;
    {
        const Release release;
        std::vector<content::TreeUnits> units;
        for (const std::string_view text : list.views()) {
            units.push_back(scan(text, syntax));
            all.fault.push_back(static_cast<std::uint8_t>(units.back().fault));
            if (units.back().fault != content::TreeFault::kNone) units.back() = lines_of(text);
        }
        std::vector<float> shares;
        if (!query.empty()) shares = relevance(list.views(), units, list.bytes(), query);
        std::size_t first = 0;
        for (std::size_t i = 0; i < units.size(); ++i) {
            const std::size_t n = units[i].size();
            const auto mine = std::span<const float>(shares).subspan(query.empty() ? 0 : first, query.empty() ? 0 : n);
            const content::TreeRanks ranks = content::rank_tree(list.views()[i], units[i], mine);
            all.append(std::move(units[i]), ranks, list.views()[i], static_cast<std::int32_t>(i));
            first += n;
        }
    }
    return py::make_tuple(to_array(std::move(all.document)), to_array(std::move(all.start)),
                          to_array(std::move(all.end)), to_array(std::move(all.kind)), to_array(std::move(all.parent)),
                          to_array(std::move(all.place)), to_array(std::move(all.count)),
                          to_array(std::move(all.priority)), to_array(std::move(all.record)),
                          to_array(std::move(all.own)), to_array(std::move(all.fault)));
}

}  // namespace

void bind_content_json(py::module_& m) {
    m.def("tree_units", &tree_units, py::arg("texts"), py::arg("query"), py::arg("syntax"));
    m.def("is_laid_out", &is_laid_out, py::arg("text"), py::arg("syntax"));
}

}  // namespace tersely::bind
