// Fuzzes what texts are taken for, the rows of tables and the text of pages: any bytes, made valid UTF-8.
#include "kernels/detect/detect.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "kernels/content/html_text.hpp"
#include "kernels/content/tables.hpp"
#include "kernels/text/utf8.hpp"
#include "valid_utf8.hpp"

namespace {

using namespace tersely;

void check_spans(std::string_view text, const std::vector<std::int64_t>& start, const std::vector<std::int64_t>& end) {
    std::int64_t covered = 0;
    for (std::size_t i = 0; i < start.size(); ++i) {
        check(covered <= start[i] && start[i] < end[i], "spans are not empty, sorted and disjoint");
        check(end[i] <= static_cast<std::int64_t>(text.size()), "spans lie in the text");
        const auto first = static_cast<std::size_t>(start[i]);
        const auto last = static_cast<std::size_t>(end[i]);
        check(!text::is_continuation(text[first]), "spans start on characters");
        check(last == text.size() || !text::is_continuation(text[last]), "spans end on characters");
        covered = end[i];
    }
}

void check_detection(std::span<const std::string_view> pieces) {
    const detect::Detection found = detect::detect(pieces);
    check(found.kind <= detect::ContentKind::mixed, "kinds are known");
    check(static_cast<std::size_t>(found.language) < detect::kLanguages, "languages are known");
    check(found.confidence >= 0 && found.confidence <= 1, "confidences lie in [0, 1]");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = replace_invalid({reinterpret_cast<const char*>(data), size});
    const std::string_view view(text);
    check_detection({&view, 1});
    const std::size_t third = text::floor_char(view, view.size() / 3);
    const std::array<std::string_view, 3> pieces = {view.substr(0, third), view.substr(third), view};
    check_detection(pieces);
    const content::HtmlTexts texts = content::html_texts(view);
    check_spans(view, texts.start, texts.end);
    check(texts.glue.size() == texts.start.size() && texts.aside.size() == texts.start.size(), "a value a piece");
    for (const char delimiter : {'\0', ',', '|', '\t', ' ', '='}) {
        const content::TableRows rows = content::table_rows(view, delimiter, true);
        check_spans(view, rows.layout.start, rows.layout.end);
        check(rows.standing.size() == rows.layout.size(), "a value a row");
        for (const float standing : rows.standing) check(standing >= 0 && standing < 1, "standing is a share");
    }
    return 0;
}
