#include "kernels/text/facts.hpp"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <string>

#include "bind/arrays.hpp"
#include "bind/corpus.hpp"
#include "bind/places.hpp"
#include "bind/release.hpp"
#include "bind/strings.hpp"
#include "kernels/lexical/corpus.hpp"
#include "simd/bytes.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

struct Columns {
    std::span<const std::int32_t> document;
    std::span<const std::int64_t> start, end;
    std::span<const std::uint8_t> kind;
    std::span<const std::int32_t> block;
};

// The segments of one document, in bytes. Checked: they ascend, do not overlap, and lie in the text.
text::Segments rows_of(const Columns& columns, std::size_t first, std::size_t last, std::string_view text) {
    text::Segments rows;
    std::int64_t before = 0;
    for (std::size_t i = first; i < last; ++i) {
        require(before <= columns.start[i] && columns.start[i] < columns.end[i], "segments must ascend");
        require(columns.kind[i] <= static_cast<std::uint8_t>(text::Kind::kChatTurn), "kind must lie in [0, 8]");
        before = columns.end[i];
        rows.push({static_cast<std::size_t>(columns.start[i]), static_cast<std::size_t>(columns.end[i])},
                  static_cast<text::Kind>(columns.kind[i]), columns.block[i], -1);
    }
    to_bytes(text, rows.start, rows.end);
    return rows;
}

// Bytes to characters; `rows` of one document, ascending by where they begin.
void to_characters(std::string_view text, std::span<const text::FactRow> rows, std::vector<std::int64_t>& start,
                   std::vector<std::int64_t>& end) {
    const simd::ByteKernels& kernels = simd::byte_kernels();
    std::size_t byte = 0;
    std::size_t character = 0;
    for (const text::FactRow& row : rows) {
        character += kernels.count_chars(text.data() + byte, row.span.begin - byte);
        byte = row.span.begin;
        start.push_back(static_cast<std::int64_t>(character));
        end.push_back(static_cast<std::int64_t>(
            character + kernels.count_chars(text.data() + byte, row.span.end - row.span.begin)));
    }
}

// The row, at or behind `row`, in which what ends at `end` does.
std::int32_t last_row(const text::Segments& rows, std::int32_t row, std::size_t end) {
    auto last = static_cast<std::size_t>(row);
    while (last + 1 < rows.size() && static_cast<std::size_t>(rows.start[last + 1]) < end) ++last;
    return static_cast<std::int32_t>(last);
}

// Texts and their segments as they came, checked.
struct Given {
    Given(const py::object& texts, const Input<std::int32_t>& document, const Input<std::int64_t>& start,
          const Input<std::int64_t>& end, const Input<std::uint8_t>& kind, const Input<std::int32_t>& block)
        : list(texts) {
        const Columns columns{view(document), view(start), view(end), view(kind), view(block)};
        const std::size_t n = columns.document.size();
        require(columns.start.size() == n && columns.end.size() == n && columns.kind.size() == n &&
                    columns.block.size() == n,
                "document, start, end, kind and block must have one length");
        for (std::size_t i = 0; i < n; ++i) {
            const std::int32_t before = i > 0 ? columns.document[i - 1] : 0;
            require(
                before <= columns.document[i] && static_cast<std::size_t>(columns.document[i]) < list.views().size(),
                "document must ascend in [0, len(texts))");
        }
        std::size_t first = 0;
        for (std::size_t i = 0; i < list.views().size(); ++i) {
            std::size_t last = first;
            while (last < n && columns.document[last] == static_cast<std::int32_t>(i)) ++last;
            rows.push_back(rows_of(columns, first, last, list.views()[i]));
            first = last;
        }
    }

    std::vector<text::FactRow> read(text::FactScope scope, std::int32_t& keys) const {
        text::FactReader reader(scope, list.bytes());
        for (std::size_t i = 0; i < rows.size(); ++i) reader.append(list.views()[i], rows[i]);
        return reader.finish(keys);
    }

    std::vector<float> weights() const {
        std::int32_t keys = 0;
        const std::vector<text::FactRow> found = read(text::FactScope::kRuns, keys);
        std::size_t segments = 0;
        for (const text::Segments& some : rows) segments += some.size();
        return text::weights_of_segments(list.views(), found, keys, segments);
    }

    GivenTexts list;
    std::vector<text::Segments> rows;  // of each document, in bytes
};

py::tuple find_facts(const py::list& texts, const Input<std::int32_t>& document, const Input<std::int64_t>& start,
                     const Input<std::int64_t>& end, const Input<std::uint8_t>& kind,
                     const Input<std::int32_t>& block) {
    const Given given(texts, document, start, end, kind, block);
    std::vector<std::uint8_t> kinds;
    std::vector<std::int32_t> documents, segments, lasts, keys;
    std::vector<std::int64_t> starts, ends;
    std::vector<float> weights;
    std::int32_t distinct = 0;
    {
        const Release release;
        const std::vector<text::FactRow> found = given.read(text::FactScope::kAll, distinct);
        const auto& views = given.list.views();
        for (std::size_t at = 0; at < found.size();) {
            std::size_t last = at;
            while (last < found.size() && found[last].document == found[at].document) ++last;
            to_characters(views[static_cast<std::size_t>(found[at].document)], std::span(found).subspan(at, last - at),
                          starts, ends);
            at = last;
        }
        std::vector<std::int32_t> firsts = {0};  // row of each document
        for (const text::Segments& some : given.rows)
            firsts.push_back(firsts.back() + static_cast<std::int32_t>(some.size()));
        for (const text::FactRow& row : found) {
            const auto at = static_cast<std::size_t>(row.document);
            kinds.push_back(static_cast<std::uint8_t>(row.kind));
            documents.push_back(row.document);
            segments.push_back(row.segment);
            lasts.push_back(firsts[at] + last_row(given.rows[at], row.segment - firsts[at], row.span.end));
            keys.push_back(row.key);
            weights.push_back(
                text::fact_weight(row.kind, views[at].substr(row.span.begin, row.span.end - row.span.begin)));
        }
    }
    return py::make_tuple(to_array(std::move(kinds)), to_array(std::move(documents)), to_array(std::move(starts)),
                          to_array(std::move(ends)), to_array(std::move(segments)), to_array(std::move(lasts)),
                          to_array(std::move(keys)), distinct, to_array(std::move(weights)));
}

py::array_t<float> segment_weights(const py::list& texts, const Input<std::int32_t>& document,
                                   const Input<std::int64_t>& start, const Input<std::int64_t>& end,
                                   const Input<std::uint8_t>& kind, const Input<std::int32_t>& block) {
    const Given given(texts, document, start, end, kind, block);
    std::vector<float> weights;
    {
        const Release release;
        weights = given.weights();
    }
    return to_array(std::move(weights));
}

// What segments are worth without a query, their centrality, and how far they stand apart.
py::tuple importance(const py::object& texts, const Input<std::int32_t>& document, const Input<std::int64_t>& start,
                     const Input<std::int64_t>& end, const Input<std::uint8_t>& kind, const Input<std::int32_t>& block,
                     const Ids& heading, const Ids& ids, const Offsets& offsets,
                     const Input<std::uint8_t>& term_class) {
    const Given given(texts, document, start, end, kind, block);
    const auto classes = view(term_class);
    const lexical::Corpus corpus = corpus_of(ids, offsets, classes.size(), document, block, heading);
    lexical::Centrality central;
    std::vector<float> worth;
    {
        const Release release;
        central = lexical::centrality(corpus, classes);
        std::vector<double> characters;
        for (std::size_t i = 0; i < corpus.size(); ++i) {
            characters.push_back(static_cast<double>(view(end)[i] - view(start)[i]));
        }
        worth = lexical::importance(central.score, central.apart, given.weights(), characters);
    }
    return py::make_tuple(to_array(std::move(worth)), to_array(std::move(central.score)),
                          to_array(std::move(central.apart)));
}

py::array_t<float> weights_in_text(const Input<std::uint8_t>& kind, const Input<std::int32_t>& segment,
                                   const Input<float>& weight, std::size_t segments) {
    const auto kinds = view(kind);
    require(view(segment).size() == kinds.size() && view(weight).size() == kinds.size(),
            "kind, segment and weight must have one length");
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        require(kinds[i] <= static_cast<std::uint8_t>(text::FactKind::kDecision), "kind must lie in [0, 14]");
        require(view(weight)[i] >= 0 && view(weight)[i] < 1e6F, "weight must lie in [0, 1e6)");
    }
    return to_array(text::weights_in_text(kinds, view(segment), view(weight), segments));
}

py::list fact_keys(const Input<std::uint8_t>& kind, const py::list& texts) {
    const Utf8List list(texts);
    const auto kinds = view(kind);
    require(kinds.size() == list.views().size(), "kind must have an entry a text");
    py::list keys;
    std::string key;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        require(kinds[i] <= static_cast<std::uint8_t>(text::FactKind::kDecision), "kind must lie in [0, 14]");
        require(!list.views()[i].empty(), "texts must not be empty");
        key.clear();
        text::append_key(static_cast<text::FactKind>(kinds[i]), list.views()[i], key);
        keys.append(py::bytes(key));
    }
    return keys;
}

}  // namespace

void bind_facts(py::module_& m) {
    m.def("find_facts", &find_facts, py::arg("texts"), py::arg("document"), py::arg("start"), py::arg("end"),
          py::arg("kind"), py::arg("block"));
    m.def("segment_weights", &segment_weights, py::arg("texts"), py::arg("document"), py::arg("start"), py::arg("end"),
          py::arg("kind"), py::arg("block"));
    m.def("importance", &importance, py::arg("texts"), py::arg("document"), py::arg("start"), py::arg("end"),
          py::arg("kind"), py::arg("block"), py::arg("heading"), py::arg("term_ids"), py::arg("term_offsets"),
          py::arg("term_class"));
    m.def("weights_in_text", &weights_in_text, py::arg("kind"), py::arg("segment"), py::arg("weight"),
          py::arg("segments"));
    m.def("fact_keys", &fact_keys, py::arg("kind"), py::arg("texts"));
}

}  // namespace tersely::bind
