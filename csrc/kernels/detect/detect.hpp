// What a text is: prose, code, a log, JSON ... by the look of its lines.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/detect/languages.hpp"

namespace tersely::detect {

enum class ContentKind : std::uint8_t {
    prose,
    markdown,
    conversation,
    code,
    log,
    tool_output,  // of builds, linters, tests, package managers
    stack_trace,
    json,
    jsonl,
    table,  // CSV and its kin
    diff,
    html,  // and XML
    mixed,
};

struct Detection {
    ContentKind kind = ContentKind::prose;
    Language language = Language::none;  // of code, Markdown (rst) and HTML (html, xml)
    float confidence = 0;                // [0, 1]: the share of the evidence that agrees, 0 for a blank text
    bool certain = false;                // code of a named interpreter, lines of places in files ...
};

// `pieces`: the whole text, or the first, middle and last part of a long one; UTF-8. A line that a piece
// starts within (all but the first piece) is passed over.
//
// JSON is decided by its brackets, strings and literals; diffs by their headers; everything else by votes of the
// lines, of which the first 192 bytes are read (line_marks.hpp). Deterministic; O(bytes), constant memory.
Detection detect(std::span<const std::string_view> pieces);

// Whether `detect` may find JSON or XML in them: false only where it does not, which is cheap to see in most code.
// O(bytes), constant memory.
bool may_be_data(std::span<const std::string_view> pieces);

// The share of right kinds among texts of that much evidence (benchmarks/content/detection.py): rises with it, between
// measured points in straight lines; 0 for 0, 0.98 from 0.97.
float calibrated(float evidence);

}  // namespace tersely::detect
