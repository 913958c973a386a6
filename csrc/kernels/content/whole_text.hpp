// What a text is as a whole, and as what it is parsed.
#pragma once

#include <optional>
#include <string_view>

#include "kernels/detect/detect.hpp"

namespace tersely::content {

struct Look {
    detect::ContentKind kind = detect::ContentKind::prose;
    detect::Language language = detect::Language::none;
    double confidence = 0;  // as `calibrated` says
};

// What `detect` and `table_or` find in a text, in three parts of a long one: its first 6,144 characters, 3,072 from the
// end of a line behind its half on, and its last 3,072. What is not surely something else is Python where all of it
// parses (`is_python`). O(bytes).
Look look_at(std::string_view text);

// `detect::may_be_data` of the same parts.
bool may_be_data(std::string_view text);

// As what a text is parsed. The kind of its look, if sure enough, else lines of a tool or prose, whichever it stands
// in; lines, too, where code or data is quoted by a tool that names a place at the margin, and what is wrong there.
// nullopt: XML, settings, and calls without a language, whose readers have to tell. O(bytes).
std::optional<detect::ContentKind> settled_kind(const Look& look, std::string_view text);

}  // namespace tersely::content
