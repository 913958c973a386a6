#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/corpus.hpp"
#include "bind/places.hpp"
#include "bind/release.hpp"
#include "bind/strings.hpp"
#include "kernels/embed/static_table.hpp"
#include "kernels/relevance/columns.hpp"
#include "kernels/relevance/features.hpp"
#include "kernels/relevance/standing.hpp"
#include "kernels/relevance/topic.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

using relevance::kColumns;
using relevance::kFeatures;
using Doubles = Input<double>;
using Floats = Input<float>;

template <typename T>
bool finite(T value) {
    return std::isfinite(value);
}

// The cosine of each segment with the query, or none: as they are given, or as (static table, query, texts, document of
// each segment) make them.
class Cosines {
  public:
    Cosines(const py::object& given, std::size_t segments) : segments_(segments) {
        if (py::isinstance<py::tuple>(given)) {
            const auto parts = given.cast<py::tuple>();
            require(parts.size() == 4, "cosine must be an array, or (table, query, texts, document)");
            table_ = &parts[0].cast<const embed::StaticTable&>();
            query_.emplace(parts[1].cast<py::str>());
            texts_.emplace(parts[2]);
            document_ = parts[3].cast<Ids>();
            return;
        }
        given_ = given.cast<Floats>();
        const auto values = view(given_);
        require(values.empty() || values.size() == segments, "cosine must be empty or have an entry a segment");
        require(std::all_of(values.begin(), values.end(), finite<float>), "cosine must be finite");
    }
    std::size_t bytes() const { return texts_ ? texts_->bytes() : 0; }
    // Needs no GIL.
    std::span<const float> of(const Offsets& start, const Offsets& end) {
        if (table_ == nullptr) return view(given_);
        made_.resize(segments_);
        table_->similarity(query_->views().front(), pieces(texts_->views(), view(document_), view(start), view(end)),
                           made_.data());
        return made_;
    }
    Floats array() && { return table_ == nullptr ? given_ : Floats(to_array(std::move(made_))); }

  private:
    std::size_t segments_;
    const embed::StaticTable* table_ = nullptr;
    std::optional<Utf8List> query_;
    std::optional<GivenTexts> texts_;
    Ids document_;
    Floats given_;
    std::vector<float> made_;
};

// The arguments that say what the query is to the segments.
relevance::Question question_of(const lexical::Corpus& corpus, const Terms& terms, std::size_t query_row,
                                const Offsets& title_rows, std::uint8_t answer) {
    const auto titles = view(title_rows);
    const auto rows = static_cast<std::int64_t>(corpus.offsets.size()) - 1;
    require(query_row < static_cast<std::size_t>(rows), "query_row must be a row of the terms");
    for (const std::int64_t row : titles)
        require(row >= -1 && row < rows, "title_rows must be -1 or rows of the terms");
    for (const std::int32_t id : corpus.document) {
        require(id >= 0 && static_cast<std::size_t>(id) < titles.size(), "title_rows must have an entry a document");
    }
    return {query_row, titles, view(std::get<2>(terms)), answer, {}};
}

// A forest and the arrays that it looks at.
struct HeldForest {
    Floats borders;
    Ids first;
    Bytes column;
    Bytes bin;
    Input<std::int8_t> leaf;
    relevance::Forest forest;
};

HeldForest forest_of(const py::tuple& arrays) {
    require(arrays.size() == 6, "forest must be (borders, first, column, bin, leaf, scale)");
    HeldForest held{arrays[0].cast<Floats>(),
                    arrays[1].cast<Ids>(),
                    arrays[2].cast<Bytes>(),
                    arrays[3].cast<Bytes>(),
                    arrays[4].cast<Input<std::int8_t>>(),
                    {}};
    const relevance::Forest forest{view(held.borders), view(held.first), view(held.column),
                                   view(held.bin),     view(held.leaf),  arrays[5].cast<double>()};
    held.forest = forest;
    if (forest.leaf.empty()) return held;
    require(forest.first.size() == kColumns + 1 && forest.first[0] == 0 &&
                forest.first.back() == static_cast<std::int32_t>(forest.borders.size()),
            "forest: first must have an entry a column and one more");
    for (std::size_t c = 0; c < kColumns; ++c) {
        require(forest.first[c] <= forest.first[c + 1] && forest.first[c + 1] - forest.first[c] <= 255,
                "forest: a column has 0 to 255 borders");
    }
    require(forest.leaf.size() % relevance::kTreeLeaves == 0 &&
                forest.column.size() == forest.trees() * relevance::kTreeDepth &&
                forest.bin.size() == forest.column.size(),
            "forest: a tree has 4 tests and 16 leaves");
    require(std::all_of(forest.column.begin(), forest.column.end(), [](std::uint8_t c) { return c < kColumns; }),
            "forest: column must be one of the columns");
    require(std::isfinite(forest.scale), "forest: scale must be finite");
    return held;
}

py::array_t<float> table(std::vector<float>&& values, std::size_t rows, std::size_t n) {
    return to_array(std::move(values), {static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(n)});
}

std::vector<float> given_features(const Floats& features, std::size_t n) {
    require(features.ndim() == 2 && static_cast<std::size_t>(features.shape(0)) == kFeatures &&
                static_cast<std::size_t>(features.shape(1)) == n,
            "features must have a row a feature and a column a segment");
    const std::vector<float> values(features.data(), features.data() + features.size());
    require(std::all_of(values.begin(), values.end(), finite<float>), "features must be finite");
    return values;
}

// What both functions are given.
struct Call {
    lexical::Corpus corpus;
    relevance::Question question;
    std::vector<std::int32_t> length;  // characters of each segment
    std::span<const double> weight;
};

// The same call, where the parts of one text that are texts of their own (topic.hpp) are documents without titles.
class InParts {
  public:
    explicit InParts(const Call& given) : call(given), part_(relevance::own_texts(given.corpus)) {
        if (part_.empty()) return;
        title_.assign(static_cast<std::size_t>(part_.back()) + 1, -1);
        call.corpus.document = part_;
        call.question.title_row = title_;
    }
    InParts(const InParts&) = delete;
    InParts& operator=(const InParts&) = delete;

    Call call;

  private:
    std::vector<std::int32_t> part_;
    std::vector<std::int64_t> title_;
};

// The row of the query's terms, of the titles' terms (-1: none), what the query asks for, `Cosines`, and where segments
// start and end.
using Asked = std::tuple<std::size_t, Offsets, std::uint8_t, py::object, Offsets, Offsets>;

Call call_of(const Terms& terms, const Asked& asked, const Doubles& weights) {
    const auto& [query_row, title_rows, answer, cosine, start, end] = asked;
    const lexical::Corpus corpus = corpus_of(terms);
    Call call{corpus, question_of(corpus, terms, query_row, title_rows, answer), {}, view(weights)};
    const auto starts = view(start);
    const auto ends = view(end);
    require(starts.size() == corpus.size() && ends.size() == corpus.size(),
            "start and end must have an entry a segment");
    call.length.resize(corpus.size());
    for (std::size_t i = 0; i < call.length.size(); ++i) {
        const std::int64_t size = ends[i] - starts[i];
        require(size >= 0 && size <= std::numeric_limits<std::int32_t>::max(),
                "segments must end behind their start, within 2^31 characters");
        call.length[i] = static_cast<std::int32_t>(size);
    }
    require(call.weight.size() == kFeatures, "weights must have an entry a feature");
    require(std::all_of(call.weight.begin(), call.weight.end(), finite<double>), "weights must be finite");
    return call;
}

// The sum that the columns see: without what a reranker says, which no forest was fitted with.
std::vector<double> first_sum(const Call& call, const std::vector<float>& features) {
    return relevance::weighted_sum(features, call.weight.first(relevance::kReranked), call.corpus.size());
}

py::tuple score(const Terms& terms, const Asked& asked, const Doubles& weights, const py::tuple& arrays,
                const py::object& given) {
    Call whole = call_of(terms, asked, weights);
    const std::size_t n = whole.corpus.size();
    Cosines cosines(std::get<3>(asked), n);
    const HeldForest held = forest_of(arrays);
    const relevance::Forest& forest = held.forest;
    std::vector<float> features = given.is_none() ? std::vector<float>{} : given_features(given.cast<Floats>(), n);
    std::vector<float> scores;
    std::vector<float> corrections(n, 0.0F);
    {
        const Release release(work_of(whole.corpus) + cosines.bytes());
        whole.question.cosine = cosines.of(std::get<4>(asked), std::get<5>(asked));
        const InParts parts(whole);
        const Call& call = parts.call;
        std::vector<float> idf;
        if (given.is_none() || forest.trees() > 0) idf = lexical::inverse_frequency(call.corpus);
        if (given.is_none()) features = relevance::features(call.corpus, call.question, idf);
        std::vector<double> sum = first_sum(call, features);
        if (forest.trees() > 0) {
            const auto columns = relevance::columns(call.corpus, call.question, idf, features, sum, call.length);
            const std::vector<double> before = sum;
            relevance::add_forest(forest, columns, sum);
            for (std::size_t i = 0; i < n; ++i) corrections[i] = static_cast<float>(sum[i] - before[i]);
        }
        const auto reranked = std::span(features).subspan(relevance::kReranked * n, n);
        for (std::size_t i = 0; i < n; ++i) sum[i] += call.weight[relevance::kReranked] * reranked[i];
        scores = relevance::above_median(sum);
    }
    const auto says = [&](std::size_t row) {
        const auto of = std::span(features).subspan(row * n, n);
        return std::any_of(of.begin(), of.end(), [](float value) { return value != 0.0F; });
    };
    const bool matched = says(relevance::kShare) || says(relevance::kHeadings);
    const auto near = whole.question.cosine;
    const float nearest = near.empty() ? -1.0F : *std::max_element(near.begin(), near.end());
    return tuple_of(table(std::move(features), kFeatures, n), scores, corrections, matched, nearest,
                    std::move(cosines).array());
}

py::array_t<float> columns(const Terms& terms, const Asked& asked, const Doubles& weights) {
    Call whole = call_of(terms, asked, weights);
    Cosines cosines(std::get<3>(asked), whole.corpus.size());
    std::vector<float> found;
    {
        const Release release(work_of(whole.corpus) + cosines.bytes());
        whole.question.cosine = cosines.of(std::get<4>(asked), std::get<5>(asked));
        const InParts parts(whole);
        const Call& call = parts.call;
        const std::vector<float> idf = lexical::inverse_frequency(call.corpus);
        const std::vector<float> features = relevance::features(call.corpus, call.question, idf);
        found = relevance::columns(call.corpus, call.question, idf, features, first_sum(call, features), call.length);
    }
    return table(std::move(found), kColumns, whole.corpus.size());
}

py::tuple topic(const Terms& terms, std::size_t query_row, const Offsets& title_rows, const Floats& cosine,
                bool segments) {
    const lexical::Corpus corpus = corpus_of(terms);
    relevance::Question question = question_of(corpus, terms, query_row, title_rows, 0);
    Cosines cosines(cosine, corpus.size());
    question.cosine = cosines.of({}, {});
    auto found = released(work_of(corpus), [&] { return relevance::topic(corpus, question, segments); });
    const auto rows = static_cast<py::ssize_t>(question.title_row.size());
    const auto of_segments = static_cast<py::ssize_t>(found.segments.size() / relevance::kTopicOfSegment);
    const auto width = static_cast<py::ssize_t>(relevance::kTopicOfDocument);
    return py::make_tuple(to_array(std::move(found.documents), {rows, width}),
                          to_array(std::move(found.segments), {of_segments, py::ssize_t{relevance::kTopicOfSegment}}),
                          to_array(std::move(found.counts), {rows, py::ssize_t{2}}));
}

// Regions as (first, last, form) of each, one after another.
std::vector<relevance::Region> regions_of(const Offsets& given, std::size_t n) {
    const auto values = view(given);
    require(values.size() % 3 == 0, "regions must have three numbers each");
    std::vector<relevance::Region> regions;
    std::int64_t before = 0;
    for (std::size_t i = 0; i < values.size(); i += 3) {
        const bool follows = values[i] == before && values[i] < values[i + 1];
        require(follows && 0 <= values[i + 2] && values[i + 2] <= 2, "regions must follow one another, in a form");
        before = values[i + 1];
        regions.push_back({static_cast<std::size_t>(values[i]), static_cast<std::size_t>(before),
                           static_cast<relevance::Form>(values[i + 2])});
    }
    require(static_cast<std::size_t>(before) == n, "regions must have all rows");
    return regions;
}

// What segments are worth as text: as given, or their centrality by `Terms`.
class TextWorth {
  public:
    explicit TextWorth(const py::object& given) {
        if (!py::isinstance<py::tuple>(given)) {
            given_ = given.cast<Floats>();
            return;
        }
        terms_ = given.cast<Terms>();
        corpus_ = corpus_of(*terms_);
    }
    std::size_t size() const { return terms_ ? corpus_.size() : view(given_).size(); }
    std::size_t work() const { return terms_ ? work_of(corpus_) : 0; }
    std::span<const float> of(std::vector<float>& made) const {  // needs no GIL
        if (!terms_) return view(given_);
        return made = lexical::centrality(corpus_, view(std::get<2>(*terms_))).score;
    }

  private:
    Floats given_;
    std::optional<Terms> terms_;
    lexical::Corpus corpus_{};
};

py::tuple worth_beside(const Ids& document, const Offsets& start, const Offsets& end, const Offsets& first,
                       const Offsets& last, const Offsets& regions, const Floats& own, const Bytes& essential,
                       const Bytes& ordered, const Bytes& bulk, const Ids& follows, const py::object& text_worth,
                       const Floats& relevance) {
    const std::size_t n = view(document).size();
    const relevance::Units units{view(document),         view(start), view(end),       view(first),   view(last),
                                 regions_of(regions, n), view(own),   view(essential), view(ordered), view(bulk),
                                 view(follows)};
    const auto optional = [n](std::size_t size) { return size == 0 || size == n; };
    require(units.start.size() == n && units.end.size() == n && units.first_segment.size() == n &&
                units.last_segment.size() == n && units.own.size() == n && units.follows.size() == n &&
                optional(units.essential.size()) && optional(units.ordered.size()) && optional(units.bulk.size()),
            "columns must have an entry a unit");
    const TextWorth of_text(text_worth);
    const std::size_t segments = of_text.size();
    require(view(relevance).empty() || view(relevance).size() == segments, "relevance must have an entry a segment");
    for (std::size_t i = 0; i < n; ++i) {
        const auto at = units.first_segment[i];
        require(segments == 0 || (0 <= at && at <= units.last_segment[i] &&
                                  units.last_segment[i] < static_cast<std::int64_t>(segments)),
                "units must have parts of segments");
        require(-1 <= units.follows[i] && units.follows[i] < static_cast<std::int64_t>(n), "follows must be units");
    }
    relevance::Worth made = released(of_text.work() + 16 * n, [&] {
        std::vector<float> made_here;
        return relevance::worth_beside(units, of_text.of(made_here), view(relevance));
    });
    return tuple_of(made.of, made.best);
}

// The rows of terms (CSR) of units: of each chosen one those of its segment, of others none.
py::tuple terms_of_units(const Ids& ids, const Offsets& offsets, const Offsets& segment, const Input<bool>& chosen) {
    const auto terms = view(ids);
    const auto rows = view(offsets), of = view(segment);
    const auto wanted = view(chosen);
    require(wanted.size() == of.size(), "chosen must have an entry a unit");
    std::vector<std::int32_t> found;
    std::vector<std::int64_t> ends = {0};
    for (std::size_t i = 0; i < of.size(); ++i) {
        if (wanted[i]) {
            require(0 <= of[i] && of[i] + 1 < static_cast<std::int64_t>(rows.size()),
                    "segment must be a row of offsets");
            const std::int64_t first = rows[static_cast<std::size_t>(of[i])];
            const std::int64_t last = rows[static_cast<std::size_t>(of[i]) + 1];
            require(0 <= first && first <= last && last <= static_cast<std::int64_t>(terms.size()),
                    "offsets must ascend within the terms");
            found.insert(found.end(), terms.begin() + first, terms.begin() + last);
        }
        ends.push_back(static_cast<std::int64_t>(found.size()));
    }
    return tuple_of(found, ends);
}

py::array_t<float> pulled_to_documents(const Floats& worth, const Ids& document, const Bytes& wanted) {
    const auto of = view(document);
    require(view(worth).size() == of.size(), "worth and document must have one length");
    for (const std::int32_t row : of)
        require(row >= 0 && static_cast<std::size_t>(row) < view(wanted).size(), "document must be a row of wanted");
    return to_array(relevance::pulled_to_documents(view(worth), of, view(wanted)));
}

py::array_t<float> led_to(const SegmentColumns& table, const Floats& scores, const py::object& texts) {
    const auto& [document, start, end, kind, block, heading] = table;
    relevance::Rows rows{view(document), view(block), view(heading), view(start), view(end), view(kind), {}};
    const std::size_t n = rows.document.size();
    require(rows.block.size() == n && rows.heading.size() == n && rows.start.size() == n && rows.end.size() == n &&
                rows.kind.size() == n && view(scores).size() == n,
            "columns must have an entry a segment");
    for (std::size_t i = 0; i < n; ++i) {
        require(rows.heading[i] >= -1 && rows.heading[i] < static_cast<std::int64_t>(i), "heading must point upwards");
    }
    const GivenTexts list(texts);
    const auto worth = view(scores);
    return to_array(released(16 * n, [&] {
        const std::vector<std::string_view> said = pieces(list.views(), rows.document, rows.start, rows.end);
        rows.said = said;
        return relevance::led_to(rows, worth);
    }));
}

}  // namespace

void bind_relevance(py::module_& m) {
    m.def("relevance", &score, py::arg("terms"), py::arg("asked"), py::arg("weights"), py::arg("forest"),
          py::arg("features"));
    m.def("relevance_columns", &columns, py::arg("terms"), py::arg("asked"), py::arg("weights"));
    m.def("worth_beside", &worth_beside, py::arg("document"), py::arg("start"), py::arg("end"), py::arg("first"),
          py::arg("last"), py::arg("regions"), py::arg("own"), py::arg("essential"), py::arg("ordered"),
          py::arg("bulk"), py::arg("follows"), py::arg("text_worth"), py::arg("relevance"));
    m.def("terms_of_units", &terms_of_units, py::arg("term_ids"), py::arg("term_offsets"), py::arg("segment"),
          py::arg("chosen"));
    m.def("pulled_to_documents", &pulled_to_documents, py::arg("worth"), py::arg("document"), py::arg("wanted"));
    m.def("led_to", &led_to, py::arg("table"), py::arg("scores"), py::arg("texts"));
    m.def("topic", &topic, py::arg("terms"), py::arg("query_row"), py::arg("title_rows"), py::arg("cosine"),
          py::arg("segments"));
}

}  // namespace tersely::bind
