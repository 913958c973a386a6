// Runs kernels for tests/support/growth.py, under Valgrind: of each "KERNEL BYTES\n" on standard input, followed by so
// many bytes of valid UTF-8, the instructions of that kernel alone are dumped, and "done" is answered.
#include <valgrind/callgrind.h>

#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/content/code_read.hpp"
#include "kernels/content/code_units.hpp"
#include "kernels/content/html_text.hpp"
#include "kernels/content/line_reader.hpp"
#include "kernels/content/tables.hpp"
#include "kernels/content/tree_rank.hpp"
#include "kernels/content/xml_scan.hpp"
#include "kernels/text/segment.hpp"
#include "kernels/text/terms.hpp"

namespace {

using View = std::string_view;
using namespace tersely;

std::size_t code(View text) {
    using content::CodeLanguage;
    const content::CodeLines lines(text);
    std::size_t made = content::is_python(lines) ? 1 : 0;
    for (const char* name : {"python", "typescript", "rust", "cpp"}) {
        const CodeLanguage language = content::code_language(name);
        const content::CodeUnits units = content::cut_code(lines, language, true, content::read_code(lines, language));
        made += content::rank_code(lines, units, "").size();
    }
    return made;
}

std::size_t terms(View text) {
    text::TermReader reader(text.size());
    std::vector<std::int32_t> ids;
    reader.append(text, {0, text.size()}, ids);
    return ids.size();
}

std::size_t xml(View text) {
    const content::TreeUnits units = content::scan_xml(text);
    return content::rank_tree(text, units, {}).priority.size();
}

std::function<std::size_t(View)> segments(text::Level level, std::size_t piece = 0) {
    return [level, piece](View text) { return text::segment(text, level, 200, piece).size(); };
}

const std::map<std::string, std::function<std::size_t(View)>> kKernels = {
    {"characters", segments(text::Level::kCharacter)},
    {"words", segments(text::Level::kWord)},
    {"clauses", segments(text::Level::kClause)},
    {"sentences", segments(text::Level::kSentence)},
    {"pieces", segments(text::Level::kSentence, 32)},
    {"sections", segments(text::Level::kSection)},
    {"terms", terms},
    {"code", code},
    {"xml", xml},
    {"html", [](View text) { return content::html_texts(text).start.size(); }},
    {"table", [](View text) { return content::table_rows(text, '\0', true).standing.size(); }},
    {"lines",
     [](View text) {
         content::LineReader reader("a 1", 4096);
         reader.append(text, true);
         return reader.rows().size();
     }},
};

}  // namespace

int main() {
    std::string name, text;
    std::size_t bytes = 0, made = 0;
    while (std::cin >> name >> bytes && std::cin.ignore()) {
        text.resize(bytes);
        std::cin.read(text.data(), static_cast<std::streamsize>(bytes));
        const auto& kernel = kKernels.at(name);
        CALLGRIND_ZERO_STATS;
        made += kernel(text);
        CALLGRIND_DUMP_STATS;
        std::cout << "done" << std::endl;
    }
    return made == 1 ? 2 : 0;  // so that what kernels give is asked for
}
