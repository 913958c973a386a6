// Fuzzes the readers of source code, its units and ranks: a language, then any bytes, made valid UTF-8.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "kernels/content/code_read.hpp"
#include "kernels/content/code_units.hpp"
#include "valid_utf8.hpp"

namespace {

using namespace tersely::content;

void check_units(const CodeLines& lines, CodeLanguage language, const CodeShape& shape) {
    const CodeUnits units = cut_code(lines, language, true, shape);
    std::int32_t next = 0;
    for (std::size_t row = 0; row < units.size(); ++row) {
        const auto limit = static_cast<std::int32_t>(row);
        check(units.first[row] >= next && units.first[row] <= units.last[row], "units are in order and apart");
        for (; next < units.first[row]; ++next) check(lines.blank(next), "only blank lines are in no unit");
        check(!lines.blank(units.first[row]) && !lines.blank(units.last[row]), "units begin and end with something");
        next = units.last[row] + 1;
        check(units.parent[row] >= -1 && units.parent[row] < limit, "parents stand above");
        check(units.follows[row] >= -1 && units.follows[row] < limit, "what a unit follows stands above");
        check(units.follows[row] < 0 || units.follows[static_cast<std::size_t>(units.follows[row])] < 0,
              "what is followed follows none");
        check(units.suite[row] < 0 || (units.suite[row] >= limit && units.suite[row] < static_cast<int>(units.size())),
              "suites are runs of rows");
    }
    for (; next < lines.count(); ++next) check(lines.blank(next), "no line is left over");
    for (const double rank : rank_code(lines, units, "def value")) check(std::isfinite(rank), "ranks are finite");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const auto language = static_cast<CodeLanguage>(data[0] % 7);
    const std::string text = replace_invalid({reinterpret_cast<const char*>(data + 1), size - 1});
    const CodeLines lines(text);
    check_units(lines, language, read_code(lines, language));
    if (is_python(lines)) check(read_indents(lines).sure, "what is Python beyond doubt is read as such");
    std::vector<ByteSpan> spans;  // that need not nest
    std::vector<std::size_t> glued;
    for (std::size_t at = 0; at < text.size(); at += 1 + data[at % size] % 16) {
        spans.push_back({at, at + data[(at + 1) % size] % (text.size() - at + 1)});
        if (data[at % size] % 5 == 0) glued.push_back(at);
    }
    const std::span<const ByteSpan> all(spans);
    check_units(lines, language, shape_of_spans(lines, language, all.subspan(0, all.size() / 2), all, glued));
    return 0;
}
