#include <pybind11/pybind11.h>

#include "bind/arrays.hpp"
#include "bind/release.hpp"
#include "bind/strings.hpp"
#include "kernels/lexical/corpus.hpp"
#include "kernels/text/segment.hpp"
#include "kernels/text/terms.hpp"
#include "simd/bytes.hpp"

namespace py = pybind11;

namespace tersely::bind {
namespace {

constexpr std::size_t kMostWanted = std::size_t{1} << 30U;  // bytes of strings that are looked for

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

std::vector<std::uint8_t> kind_bytes(const std::vector<text::Kind>& kinds) {
    std::vector<std::uint8_t> bytes(kinds.size());
    for (std::size_t i = 0; i < kinds.size(); ++i) bytes[i] = static_cast<std::uint8_t>(kinds[i]);
    return bytes;
}

py::tuple table_arrays(Table&& table) {
    return py::make_tuple(to_array(std::move(table.document)), to_array(std::move(table.rows.start)),
                          to_array(std::move(table.rows.end)), to_array(kind_bytes(table.rows.kind)),
                          to_array(std::move(table.rows.block)), to_array(std::move(table.rows.heading)));
}

text::Level checked_level(int level) {
    if (level < 0 || level > 5) throw py::value_error("level must be 0 to 5, not " + std::to_string(level));
    return static_cast<text::Level>(level);
}

py::tuple segment(const py::list& texts, int level, std::size_t window) {
    const text::Level checked = checked_level(level);
    const Utf8List list(texts);
    Table table;
    {
        const Release release;
        for (std::size_t i = 0; i < list.views().size(); ++i) {
            text::Segments rows = text::segment(list.views()[i], checked, window);
            text::to_characters(list.views()[i], rows.start, rows.end);
            table.append(std::move(rows), static_cast<std::int32_t>(i));
        }
    }
    return table_arrays(std::move(table));
}

// One pass: segments, and the terms of each; then the terms of each extra text as one row; what each term is and
// weighs.
py::tuple analyze(const py::object& texts, const py::list& extras, int level, std::size_t window) {
    const text::Level checked = checked_level(level);
    const GivenTexts list(texts);
    const Utf8List extra_list(extras);
    Table table;
    table.term_ids.reserve(list.bytes() / 8);  // English has a term every ten bytes
    text::TermReader reader(list.bytes());
    {
        const Release release;
        for (std::size_t i = 0; i < list.views().size(); ++i) {
            const std::string_view view = list.views()[i];
            text::Segments rows = text::segment(view, checked, window);
            for (std::size_t row = 0; row < rows.size(); ++row) {
                const text::Span span{static_cast<std::size_t>(rows.start[row]),
                                      static_cast<std::size_t>(rows.end[row])};
                reader.append(view, span, table.term_ids);
                table.term_offsets.push_back(static_cast<std::int64_t>(table.term_ids.size()));
            }
            text::to_characters(view, rows.start, rows.end);
            table.append(std::move(rows), static_cast<std::int32_t>(i));
        }
        for (const std::string_view view : extra_list.views()) {
            reader.append(view, {0, view.size()}, table.term_ids);
            table.term_offsets.push_back(static_cast<std::int64_t>(table.term_ids.size()));
        }
    }
    const text::Vocabulary& vocabulary = reader.vocabulary();
    std::vector<std::uint8_t> classes(vocabulary.size());
    for (std::size_t id = 0; id < classes.size(); ++id) classes[id] = text::term_class(vocabulary[id]);
    std::vector<float> weights = lexical::inverse_frequency(
        {table.term_ids, table.term_offsets, classes.size(), table.document, table.rows.block, table.rows.heading});
    auto ids = to_array(std::move(table.term_ids));
    auto offsets = to_array(std::move(table.term_offsets));
    return py::make_tuple(table_arrays(std::move(table)), ids, offsets, to_array(std::move(classes)),
                          to_array(std::move(weights)));
}

// The terms of each text as one row, and the class of each distinct one.
py::tuple read_terms(const py::list& texts) {
    const Utf8List list(texts);
    text::TermReader reader(list.bytes());
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> offsets = {0};
    std::vector<std::uint8_t> classes;
    {
        const Release release;
        for (const std::string_view view : list.views()) {
            reader.append(view, {0, view.size()}, ids);
            offsets.push_back(static_cast<std::int64_t>(ids.size()));
        }
        const text::Vocabulary& vocabulary = reader.vocabulary();
        classes.resize(vocabulary.size());
        for (std::size_t id = 0; id < classes.size(); ++id) classes[id] = text::term_class(vocabulary[id]);
    }
    return py::make_tuple(to_array(std::move(ids)), to_array(std::move(offsets)), to_array(std::move(classes)));
}

py::tuple terms(const py::list& texts) {
    const Utf8List list(texts);
    text::TermReader reader(list.bytes());
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> offsets = {0};
    {
        const Release release;
        for (const std::string_view view : list.views()) {
            reader.append(view, {0, view.size()}, ids);
            offsets.push_back(static_cast<std::int64_t>(ids.size()));
        }
    }
    py::list words;
    const text::Vocabulary& vocabulary = reader.vocabulary();
    for (std::size_t id = 0; id < vocabulary.size(); ++id) words.append(py::str(std::string(vocabulary[id])));
    return py::make_tuple(to_array(std::move(ids)), to_array(std::move(offsets)), words);
}

// Where strings occur: the number of each, the text's, start and end, as kernels/text/terms.hpp says.
py::tuple occurrences(const py::object& texts, const py::list& strings, bool every) {
    const GivenTexts list(texts);
    const Utf8List wanted(strings);
    require(wanted.bytes() < kMostWanted, "strings must have less than 1 GiB");
    std::vector<std::int32_t> string, document;
    std::vector<std::int64_t> start, end;
    {
        const Release release;
        std::vector<text::StringFinder::Found> found;
        text::StringFinder finder(wanted.views(), every);
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
    return py::make_tuple(to_array(std::move(string)), to_array(std::move(document)), to_array(std::move(start)),
                          to_array(std::move(end)));
}

}  // namespace

void bind_text(py::module_& m) {
    const py::metaclass plain(reinterpret_cast<PyObject*>(&PyType_Type));
    const char* what = "The UTF-8 of texts, for any number of calls that take texts; immutable.";
    py::class_<Utf8List>(m, "Utf8", what, py::is_final(), plain).def(py::init<const py::list&>(), py::arg("texts"));
    m.def("segment", &segment, py::arg("texts"), py::arg("level"), py::arg("window"));
    m.def("analyze", &analyze, py::arg("texts"), py::arg("extras"), py::arg("level"), py::arg("window"));
    m.def("read_terms", &read_terms, py::arg("texts"));
    m.def("terms", &terms, py::arg("texts"));
    m.def("occurrences", &occurrences, py::arg("texts"), py::arg("strings"), py::arg("every") = false);
    m.def("isa", &simd::isa,
          "The instruction set in use, such as 'avx512vnni', 'avx2' or 'neondot'; TERSELY_ISA forces one.");
}

}  // namespace tersely::bind
