// Fuzzes the reader of lines: any bytes, any query, handed over in any parts.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "kernels/content/line_reader.hpp"
#include "kernels/content/marks.hpp"

using namespace tersely::content;

namespace {

bool blank(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

bool same(const Row& a, const Row& b) {
    return a.start == b.start && a.end == b.end && a.line == b.line && a.asked == b.asked && a.marks == b.marks &&
           a.template_id == b.template_id && a.variant == b.variant && a.copies == b.copies &&
           a.stands_for == b.stands_for && a.series == b.series && a.margin == b.margin;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 3) return 0;
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const std::size_t step = data[0] % 64U + 1U;
    const std::string_view query = all.substr(2, data[1] % 32U), text = all.substr(1);

    LineReader whole(query, 1024), parts(query, 1024);
    whole.append(text, true);
    for (std::size_t at = 0; at < text.size(); at += step) parts.append(text.substr(at, step), false);
    parts.append({}, true);

    check(whole.rows().size() == parts.rows().size() && whole.lines() == parts.lines(),
          "parts give the lines of the whole");
    std::int64_t at = 0, count = 0, lines = 0;
    std::size_t template_before = 0;
    for (std::size_t i = 0; i < whole.rows().size(); ++i) {
        const Row& row = whole.rows()[i];
        check(same(row, parts.rows()[i]), "parts give the rows of the whole");
        check(at <= row.start && row.start < row.end && row.end <= static_cast<std::int64_t>(text.size()),
              "rows are in order");
        check(static_cast<std::size_t>(row.end - row.start) <= kLongestLine, "rows are bounded");
        const auto id = static_cast<std::size_t>(row.template_id);
        check(id < whole.templates().size(), "a row has a template");
        const bool goes_on = (row.marks & kContinued) != 0;
        lines += goes_on ? 0 : 1;
        check(!goes_on || (i > 0 && whole.rows()[i - 1].line == row.line && id == template_before),
              "a piece stands behind its head and has its template");
        template_before = id;
        if (!whole.has_let_go()) {
            for (std::int64_t gap = at; gap < row.start; ++gap) {
                check(blank(text[static_cast<std::size_t>(gap)]), "between rows is white space");
            }
        }
        at = row.end;
    }
    for (const TemplateFacts& facts : whole.templates()) count += facts.count;
    check(whole.has_let_go() || count == lines, "templates count all lines");
    return 0;
}
