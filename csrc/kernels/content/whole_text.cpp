#include "kernels/content/whole_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kernels/content/code_read.hpp"
#include "kernels/content/line_reader.hpp"
#include "kernels/content/marks.hpp"
#include "kernels/content/tables.hpp"
#include "kernels/text/places.hpp"
#include "kernels/text/unicode.hpp"

namespace tersely::content {
namespace {

using detect::ContentKind;
using detect::Language;

constexpr std::int64_t kHead = 6144, kMiddle = 3072, kTail = 3072;  // characters that are read of a long text
constexpr std::int64_t kNear = 65536;  // how far the middle part may move to start where a line ends
constexpr double kCertain = 0.975;     // confidence of what begins as nothing else does
constexpr double kSureEnough = 0.72;   // confidence: below it a text is read as lines or as prose
constexpr double kSurer = 0.8;         // the same of tables and traces: lines may look like columns by chance
constexpr std::size_t kPlace = 160, kShortestPlace = 5;  // characters of a line that names a place, and of that
constexpr std::size_t kLong = 200;                       // characters, on average, of lines that are paragraphs
constexpr std::array<std::string_view, 7> kOfPython = {":\n",  ":\r\n",  "\nfrom ", " = {",
                                                       " = (", "\"\"\"", "'''"};  // Python has one of these

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// The text; of a long one three parts.
std::vector<std::string_view> parts_of(std::string_view text) {
    constexpr std::int64_t kRead = kHead + kMiddle + kTail;
    if (text.size() <= kRead) return {text};
    const auto size = static_cast<std::int64_t>(simd::byte_kernels().count_chars(text.data(), text.size()));
    if (size <= kRead) return {text};
    text::Places places(text);
    const std::size_t head = places.byte(kHead);
    const std::int64_t half = size / 2;
    const std::size_t at = places.byte(half);
    const std::size_t found = text.substr(0, places.byte(half + kNear)).find('\n', at);
    std::int64_t start = half;
    if (found != std::string_view::npos) {
        const std::size_t before = simd::byte_kernels().count_chars(text.data() + at, found - at);
        start = std::max(half + static_cast<std::int64_t>(before) - 1, half);
    }
    start = std::min(start, size - kTail - kMiddle);
    const std::size_t from = places.byte(start);
    return {text.substr(0, head), text.substr(from, places.byte(start + kMiddle) - from),
            text.substr(places.byte(size - kTail))};
}

// Whether two lines in three are of changes, so that the others are what git or a person says of these.
bool is_mostly_diff(std::string_view text) {
    std::size_t lines = 0, changed = 0;
    for (std::size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
        const std::string_view line = text.substr(at, 8);
        if (line[0] == '\n' || line[0] == '\r' || line.starts_with(kDots)) continue;
        ++lines;
        changed += std::string_view("+-@ \\<>").find(line[0]) != std::string_view::npos || line.starts_with("diff ") ||
                   line.starts_with("index ");
    }
    return 3 * changed >= 2 * lines;
}

// Whether a line at the margin begins with a place and says what is wrong there ("run.sql:15: ERROR: ..."): a tool says
// that of code or data which it shows, too.
bool is_report(std::string_view text) {
    const QueryWords no_query("");
    LineWords words;
    for (std::size_t at = 0, next = 0; at < text.size(); at = next) {
        next = std::min(text.find('\n', at), text.size() - 1) + 1;
        if (text::ascii_space(text[at])) continue;
        const std::string_view line = text.substr(at, std::min(next - at, kPlace));
        const std::size_t space = std::min(line.find(' '), line.size());
        if (space < kShortestPlace || line[space - 1] != ':') continue;
        if (line.find_first_of("\"'<{[=,;") < space ||
            line.find_first_of("0123456789", line.find_first_of(":(")) >= space)
            continue;
        read_words(line.substr(0, line.find('\n')), no_query, words);
        if ((words.marks & kAnchor) != 0 && (words.marks & (kError | kTrouble | kFailure)) != 0) return true;
    }
    return false;
}

bool is_sure(const Look& look) {
    if (look.confidence <= kCertain) return false;
    switch (look.kind) {
        case ContentKind::code:
            return look.language != Language::none && look.language != Language::yaml && look.language != Language::ini;
        case ContentKind::json:
        case ContentKind::jsonl:
        case ContentKind::log:
        case ContentKind::diff:
        case ContentKind::stack_trace:
        case ContentKind::conversation:
            return true;  // no code surely looks like these
        default:
            return false;
    }
}

}  // namespace

Look look_at(std::string_view text) {
    const std::vector<std::string_view> parts = parts_of(text);
    const detect::Detection found = table_or(detect::detect(parts), parts);
    const Look look{found.kind, found.language, static_cast<double>(detect::calibrated(found.confidence))};
    const auto has = [text](std::string_view sign) { return holds(text, sign); };
    if (is_sure(look) || !(text.starts_with("from ") || std::any_of(kOfPython.begin(), kOfPython.end(), has)) ||
        !is_python(CodeLines(text))) {
        return look;
    }
    return {ContentKind::code, Language::python, 1.0};
}

bool may_be_data(std::string_view text) { return detect::may_be_data(parts_of(text)); }

std::optional<ContentKind> settled_kind(const Look& look, std::string_view text) {
    const bool prose = look.kind == ContentKind::prose;
    const bool chance = look.kind == ContentKind::table || look.kind == ContentKind::stack_trace;
    if (prose || look.confidence < (chance ? kSurer : kSureEnough)) {
        const auto has_short_lines = [text] {
            const auto breaks = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
            return breaks * kLong > simd::byte_kernels().count_chars(text.data(), text.size());
        };
        return is_lined(text) && (!prose || has_short_lines()) ? ContentKind::tool_output : ContentKind::prose;
    }
    const bool marked = look.kind == ContentKind::html && look.language == Language::xml;
    if ((marked || look.kind == ContentKind::code) && is_report(text)) return ContentKind::tool_output;
    if (marked) return std::nullopt;
    if (look.kind == ContentKind::diff && !is_mostly_diff(text) && is_lined(text)) return ContentKind::tool_output;
    if (look.kind != ContentKind::code) return look.kind;
    // What git wrote of a conflict is no program.
    if (holds(text, "\n<<<<<<< ") && holds(text, "\n>>>>>>> ")) return ContentKind::tool_output;
    const bool settings = look.language == Language::none || look.language == Language::ini ||
                          look.language == Language::toml || look.language == Language::yaml;
    return settings ? std::nullopt : std::optional(look.kind);
}

}  // namespace tersely::content
