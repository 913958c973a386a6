#include <pybind11/pybind11.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "bind/arrays.hpp"
#include "bind/corpus.hpp"
#include "bind/places.hpp"
#include "bind/release.hpp"
#include "bind/strings.hpp"
#include "kernels/lexical/corpus.hpp"
#include "kernels/text/facts.hpp"
#include "kernels/text/key_words.hpp"
#include "kernels/text/segment.hpp"
#include "kernels/text/signs.hpp"
#include "kernels/text/statements.hpp"
#include "kernels/text/terms.hpp"
#include "simd/bytes.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

constexpr std::size_t kMostWanted = std::size_t{1} << 30U;  // bytes of strings that are looked for
constexpr std::size_t kFewestTurns = 8;                     // short texts from which each is one segment

struct Table {
    text::Segments rows;
    std::vector<std::int32_t> document;
    std::vector<std::int32_t> term_ids;
    std::vector<std::int64_t> term_offsets = {0};

    void append(text::Segments&& more, std::int32_t of_document) {
        document.insert(document.end(), more.size(), of_document);
        if (rows.size() == 0) {
            rows = std::move(more);
            return;
        }
        const auto first = static_cast<std::int32_t>(rows.size());
        const std::int32_t first_block = rows.block.empty() ? 0 : rows.block.back() + 1;
        rows.start.insert(rows.start.end(), more.start.begin(), more.start.end());
        rows.end.insert(rows.end.end(), more.end.begin(), more.end.end());
        rows.kind.insert(rows.kind.end(), more.kind.begin(), more.kind.end());
        for (const std::int32_t block : more.block) rows.block.push_back(first_block + block);
        for (const std::int32_t heading : more.heading) rows.heading.push_back(heading < 0 ? -1 : first + heading);
    }
};

py::tuple table_arrays(Table&& table) {
    return tuple_of(table.document, table.rows.start, table.rows.end, table.rows.kind, table.rows.block,
                    table.rows.heading);
}

// Tables of units as one: (columns, document of all rows or -1: as they say, characters to add to each place).
py::tuple join_tables(const py::list& parts) {
    Table joined;
    for (const py::handle part : parts) {
        const auto& [columns, document, at] = part.cast<std::tuple<SegmentColumns, std::int32_t, std::int64_t>>();
        const auto& [of, start, end, kind, block, heading] = columns;
        const std::size_t n = view(of).size();
        require(view(start).size() == n && view(end).size() == n && view(kind).size() == n && view(block).size() == n &&
                    view(heading).size() == n,
                "columns must have one length");
        text::Segments rows;
        for (std::size_t i = 0; i < n; ++i) {
            rows.push({static_cast<std::size_t>(view(start)[i] + at), static_cast<std::size_t>(view(end)[i] + at)},
                      static_cast<text::Kind>(view(kind)[i]), view(block)[i], view(heading)[i]);
        }
        joined.append(std::move(rows), document);
        if (document < 0)
            std::copy(view(of).begin(), view(of).end(), joined.document.end() - static_cast<std::ptrdiff_t>(n));
    }
    return table_arrays(std::move(joined));
}

text::Level checked_level(int level) {
    if (level < 0 || level > 5) throw py::value_error("level must be 0 to 5, not " + std::to_string(level));
    return static_cast<text::Level>(level);
}

// `whole`: short texts are one segment each, where most of the texts are short. `each`: is told of the segments of each
// text, in bytes.
struct Cut {
    text::Level level;
    std::size_t window, piece;
    bool whole;

    Cut(int given, std::size_t of_window, std::size_t of_piece, bool of_whole)
        : level(checked_level(given)), window(of_window), piece(of_piece), whole(of_whole) {}

    template <typename Each>
    Table of(std::span<const std::string_view> texts, const Each& each) const {
        std::size_t few = 0, many = 0;
        for (const std::string_view text : texts) {
            if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) continue;
            text.size() <= text::kWholeTurn ? ++few : ++many;
        }
        const bool turns = whole && few >= kFewestTurns && few >= many;
        Table table;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            text::Segments rows = text::segment(texts[i], level, window, piece, turns);
            each(texts[i], rows);
            text::to_characters(texts[i], rows.start, rows.end);
            table.append(std::move(rows), static_cast<std::int32_t>(i));
        }
        return table;
    }
};

py::tuple segment(const py::object& texts, int level, std::size_t window, std::size_t piece, bool whole) {
    const Cut cut(level, window, piece, whole);
    const GivenTexts list(texts);
    Table table = released(list.bytes(), [&] { return cut.of(list.views(), [](auto&&...) {}); });
    return table_arrays(std::move(table));
}

// The terms of pieces of texts as one row each.
struct TermRows {
    explicit TermRows(std::size_t bytes) : reader(bytes) { ids.reserve(bytes / 8); }  // English has one in ten

    void append(std::string_view text, text::Span span) {
        reader.append(text, span, ids);
        offsets.push_back(static_cast<std::int64_t>(ids.size()));
    }
    void append(std::span<const std::string_view> texts) {
        for (const std::string_view text : texts) append(text, {0, text.size()});
    }
    std::vector<std::uint8_t> classes() const {
        std::vector<std::uint8_t> classes(reader.vocabulary().size());
        for (std::size_t id = 0; id < classes.size(); ++id) classes[id] = text::term_class(reader.vocabulary()[id]);
        return classes;
    }

    text::TermReader reader;
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> offsets = {0};
};

// One pass: segments, and the terms of each; then the terms of each extra text as one row; what each term is and
// weighs.
py::tuple analyze(const py::object& texts, const py::list& extras, int level, std::size_t window, std::size_t piece,
                  bool whole) {
    const Cut cut(level, window, piece, whole);
    const GivenTexts list(texts);
    const Utf8List extra_list(extras);
    Table table;
    TermRows terms(list.bytes());
    std::vector<std::uint8_t> classes;
    std::vector<float> weights;
    {
        const Release release(list.bytes());
        table = cut.of(list.views(), [&](std::string_view text, const text::Segments& rows) {
            for (std::size_t row = 0; row < rows.size(); ++row) {
                terms.append(text,
                             {static_cast<std::size_t>(rows.start[row]), static_cast<std::size_t>(rows.end[row])});
            }
        });
        terms.append(extra_list.views());
        classes = terms.classes();
        weights = lexical::inverse_frequency(
            {terms.ids, terms.offsets, classes.size(), table.document, table.rows.block, table.rows.heading});
    }
    return tuple_of(table_arrays(std::move(table)), terms.ids, terms.offsets, classes, weights);
}

// The terms of units of texts, and of each extra text, as `analyze` reads those of segments.
py::tuple unit_terms(const py::object& texts, const Ids& document, const Offsets& start, const Offsets& end,
                     const py::list& extras) {
    const GivenTexts list(texts);
    const Utf8List extra_list(extras);
    TermRows terms(list.bytes());
    std::vector<std::uint8_t> classes;
    std::vector<float> weights;
    {
        const Release release(list.bytes());
        terms.append(pieces(list.views(), view(document), view(start), view(end)));
        terms.append(extra_list.views());
        classes = terms.classes();
        weights = lexical::inverse_frequency({terms.ids, terms.offsets, classes.size(), view(document), {}, {}});
    }
    return tuple_of(terms.ids, terms.offsets, classes, weights);
}

// The terms of each text as one row, with the class of each distinct one.
py::tuple read_terms(const py::list& texts) {
    const Utf8List list(texts);
    TermRows rows(list.bytes());
    std::vector<std::uint8_t> classes;
    {
        const Release release(list.bytes());
        rows.append(list.views());
        classes = rows.classes();
    }
    return tuple_of(rows.ids, rows.offsets, classes);
}

// With the distinct ones.
py::tuple terms(const py::list& texts) {
    const Utf8List list(texts);
    TermRows rows(list.bytes());
    {
        const Release release(list.bytes());
        rows.append(list.views());
    }
    const text::Vocabulary& vocabulary = rows.reader.vocabulary();
    py::list words;
    for (std::size_t id = 0; id < vocabulary.size(); ++id) words.append(py::str(std::string(vocabulary[id])));
    return tuple_of(rows.ids, rows.offsets, words);
}

// Where strings occur: the number of each, the text's, start and end, as kernels/text/terms.hpp says.
py::tuple occurrences(const py::object& texts, const py::list& strings, bool every, bool alone) {
    using Report = text::StringFinder::Report;
    const Report report = alone ? Report::kAlone : every ? Report::kEvery : Report::kOnce;
    const GivenTexts list(texts);
    const Utf8List wanted(strings);
    require(wanted.bytes() < kMostWanted, "strings must have less than 1 GiB");
    std::vector<std::int32_t> string, document;
    std::vector<std::int64_t> start, end;
    {
        const Release release(list.bytes());
        std::vector<text::StringFinder::Found> found;
        text::StringFinder finder(wanted.views(), report);
        for (std::size_t i = 0; i < list.views().size(); ++i) {
            found.clear();
            finder.find(list.views()[i], found);
            for (const auto& one : found) {
                string.push_back(one.string);
                document.push_back(static_cast<std::int32_t>(i));
                start.push_back(one.start);
                end.push_back(one.end);
            }
        }
    }
    return tuple_of(string, document, start, end);
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

// Texts and their segments as they came. Checked: they ascend, do not overlap, and lie in their texts.
struct Given {
    Given(const py::object& texts, const Ids& documents, const Offsets& starts, const Offsets& ends, const Bytes& kinds,
          const Ids& blocks)
        : list(texts) {
        const auto document = view(documents), block = view(blocks);
        const auto start = view(starts), end = view(ends);
        const auto kind = view(kinds);
        const std::size_t n = document.size();
        const Release release(list.bytes());
        require(start.size() == n && end.size() == n && kind.size() == n && block.size() == n,
                "document, start, end, kind and block must have one length");
        rows.resize(list.views().size());
        for (std::size_t i = 0; i < n; ++i) {
            const bool begins = i == 0 || document[i] != document[i - 1];
            require(
                (i == 0 ? 0 : document[i - 1]) <= document[i] && static_cast<std::size_t>(document[i]) < rows.size(),
                "document must ascend in [0, len(texts))");
            require((begins ? 0 : end[i - 1]) <= start[i] && start[i] < end[i], "segments must ascend");
            require(kind[i] <= static_cast<std::uint8_t>(text::Kind::kChatTurn), "kind must lie in [0, 8]");
            rows[static_cast<std::size_t>(document[i])].push(
                {static_cast<std::size_t>(start[i]), static_cast<std::size_t>(end[i])},
                static_cast<text::Kind>(kind[i]), block[i], -1);
        }
        for (std::size_t i = 0; i < rows.size(); ++i) to_bytes(list.views()[i], rows[i].start, rows[i].end);
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

    std::vector<text::Statement> statements() const {
        std::vector<text::Statement> all;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::vector<text::Statement> some = text::statements(list.views()[i], rows[i]);
            all.insert(all.end(), some.begin(), some.end());
        }
        return all;
    }

    GivenTexts list;
    std::vector<text::Segments> rows;  // of each document, in bytes
};

py::tuple find_facts(const py::list& texts, const Ids& document, const Offsets& start, const Offsets& end,
                     const Bytes& kind, const Ids& block) {
    const Given given(texts, document, start, end, kind, block);
    std::vector<std::uint8_t> kinds;
    std::vector<std::int32_t> documents, segments, lasts, keys;
    std::vector<std::int64_t> starts, ends;
    std::vector<float> weights;
    std::int32_t distinct = 0;
    {
        const Release release(given.list.bytes());
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
    return tuple_of(kinds, documents, starts, ends, segments, lasts, keys, distinct, weights);
}

// The codes of texts but for those that begin where a fact does; `document` and `start`: of the facts, in order.
py::tuple find_codes(const py::object& texts, const Ids& document, const Offsets& start) {
    const GivenTexts list(texts);
    const auto owner = view(document);
    const auto begin = view(start);
    require(owner.size() == begin.size(), "document and start must have as many rows");
    std::vector<std::int32_t> documents, keys;
    std::vector<std::int64_t> starts, ends;
    text::Vocabulary known(text::slots_for(list.bytes()));
    {
        const Release release(list.bytes());
        for (std::size_t i = 0, fact = 0; i < list.views().size(); ++i) {
            const std::string_view text = list.views()[i];
            const std::vector<text::Span> found = text::find_codes(text);
            std::vector<std::int64_t> from, to;
            for (const text::Span& one : found) {
                from.push_back(static_cast<std::int64_t>(one.begin));
                to.push_back(static_cast<std::int64_t>(one.end));
            }
            text::to_characters(text, from, to);
            for (std::size_t at = 0; at < found.size(); ++at) {
                const auto place = std::pair(static_cast<std::int32_t>(i), from[at]);
                while (fact < owner.size() && std::pair(owner[fact], begin[fact]) < place) ++fact;
                if (fact < owner.size() && std::pair(owner[fact], begin[fact]) == place) continue;
                documents.push_back(place.first);
                starts.push_back(from[at]);
                ends.push_back(to[at]);
                keys.push_back(known.intern(text.substr(found[at].begin, found[at].end - found[at].begin)));
            }
        }
    }
    return tuple_of(documents, starts, ends, keys, static_cast<std::int32_t>(known.size()));
}

// Whether two letters stand side by side in each text.
py::array_t<std::uint8_t> have_letters(const py::object& texts) {
    const GivenTexts list(texts);
    return to_array(released(list.bytes(), [&] {
        std::vector<std::uint8_t> found(list.views().size());
        std::transform(list.views().begin(), list.views().end(), found.begin(),
                       [](std::string_view text) -> std::uint8_t { return text::has_letters(text) ? 1 : 0; });
        return found;
    }));
}

// Each texts[document][start:end].
py::list slices(const py::sequence& texts, const Ids& document, const Offsets& start, const Offsets& end) {
    const auto of = view(document);
    const auto from = view(start);
    const auto to = view(end);
    require(of.size() == from.size() && of.size() == to.size(), "document, start and end must have as many rows");
    const py::list given(texts);
    py::list made(of.size());
    for (std::size_t i = 0; i < of.size(); ++i) {
        require(of[i] >= 0 && static_cast<std::size_t>(of[i]) < given.size(), "document must be a text's row");
        PyObject* text = PyList_GET_ITEM(given.ptr(), of[i]);
        if (!PyUnicode_Check(text)) throw py::type_error("texts must be str");
        PyObject* part = PyUnicode_Substring(text, from[i], to[i]);
        if (part == nullptr) throw py::error_already_set();
        PyList_SET_ITEM(made.ptr(), static_cast<py::ssize_t>(i), part);
    }
    return made;
}

py::array_t<std::int32_t> rows_at(const Ids& documents, const Offsets& starts, const Ids& document, const Offsets& at) {
    const auto rows = view(documents);
    const auto begin = view(starts);
    const auto of = view(document);
    const auto places = view(at);
    require(rows.size() == begin.size() && of.size() == places.size(), "columns must have as many rows");
    require(rows.empty() || (rows.front() >= 0 && std::is_sorted(rows.begin(), rows.end())), "documents must ascend");
    return to_array(released(of.size(), [&] { return text::rows_at(rows, begin, of, places); }));
}

// What segments are worth without a query, their centrality, and how far they stand apart.
py::tuple importance(const py::object& texts, const Offsets& start, const Offsets& end, const Bytes& kind,
                     const Terms& terms) {
    const lexical::Corpus corpus = corpus_of(terms);
    const Given given(texts, std::get<3>(terms), start, end, kind, std::get<4>(terms));
    lexical::Centrality central;
    std::vector<float> worth;
    {
        const Release release(given.list.bytes());
        central = lexical::centrality(corpus, view(std::get<2>(terms)));
        std::vector<double> characters;
        for (std::size_t i = 0; i < corpus.size(); ++i) {
            characters.push_back(static_cast<double>(view(end)[i] - view(start)[i]));
        }
        worth = lexical::importance(central.score, central.apart, given.weights(), given.statements(), characters);
    }
    return tuple_of(worth, central.score, central.apart);
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

py::array_t<float> centrality(const Terms& terms) {
    const lexical::Corpus corpus = corpus_of(terms);
    const auto classes = view(std::get<2>(terms));
    return to_array(released(work_of(corpus), [&] { return lexical::centrality(corpus, classes).score; }));
}

py::array_t<float> inverse_frequency(const Terms& terms) {
    const lexical::Corpus corpus = corpus_of(terms);
    return to_array(released(work_of(corpus), [&] { return lexical::inverse_frequency(corpus); }));
}

py::list negations() {
    const auto& words = text::negations();
    py::list sorted;
    for (const std::string_view word : std::set<std::string_view>(words.begin(), words.end()))
        sorted.append(py::str(word.data(), word.size()));
    return sorted;
}

}  // namespace

void bind_text(py::module_& m) {
    final_class<Utf8List>(m, "Utf8", "The UTF-8 of texts, for any number of calls that take texts; immutable.")
        .def(py::init<const py::list&>(), py::arg("texts"));
    m.def("segment", &segment, py::arg("texts"), py::arg("level"), py::arg("window"), py::arg("piece") = 0,
          py::arg("whole") = false);
    m.def("join_tables", &join_tables, py::arg("parts"));
    m.def("analyze", &analyze, py::arg("texts"), py::arg("extras"), py::arg("level"), py::arg("window"),
          py::arg("piece") = 0, py::arg("whole") = false);
    m.def("unit_terms", &unit_terms, py::arg("texts"), py::arg("document"), py::arg("start"), py::arg("end"),
          py::arg("extras"));
    m.def("read_terms", &read_terms, py::arg("texts"));
    m.def("terms", &terms, py::arg("texts"));
    m.def("negations", &negations, "The folded words that deny, of some twenty languages, sorted.");
    m.def("occurrences", &occurrences, py::arg("texts"), py::arg("strings"), py::arg("every") = false,
          py::arg("alone") = false);
    m.def("isa", &simd::isa,
          "The instruction set in use, such as 'avx512vnni', 'avx2' or 'neondot'; TERSELY_ISA forces one.");
    m.def("find_facts", &find_facts, py::arg("texts"), py::arg("document"), py::arg("start"), py::arg("end"),
          py::arg("kind"), py::arg("block"));
    m.def("find_codes", &find_codes, py::arg("texts"), py::arg("document"), py::arg("start"));
    m.def("have_letters", &have_letters, py::arg("texts"));
    m.def("slices", &slices, py::arg("texts"), py::arg("document"), py::arg("start"), py::arg("end"));
    m.def("rows_at", &rows_at, py::arg("documents"), py::arg("starts"), py::arg("document"), py::arg("at"));
    m.def("importance", &importance, py::arg("texts"), py::arg("start"), py::arg("end"), py::arg("kind"),
          py::arg("terms"));
    m.def("weights_in_text", &weights_in_text, py::arg("kind"), py::arg("segment"), py::arg("weight"),
          py::arg("segments"));
    m.def("fact_keys", &fact_keys, py::arg("kind"), py::arg("texts"));
    m.def("centrality", &centrality, py::arg("terms"));
    m.def("inverse_frequency", &inverse_frequency, py::arg("terms"));
}

}  // namespace tersely::bind
