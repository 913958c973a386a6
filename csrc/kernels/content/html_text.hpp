// The pieces of text of an HTML or XML page.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tersely::content {

enum class Glue : std::uint8_t { nothing, space, tab, line, paragraph };  // the larger wins

struct HtmlTexts {
    // Bytes of each piece, ascending: without white space around it, or the indentation of a line in a <pre>.
    std::vector<std::int64_t> start, end;
    std::vector<std::uint8_t> glue;   // Glue that stands before it: what the tags and white space there mean
    std::vector<std::uint8_t> aside;  // 1: in navigation, a footer, an aside, a form's controls
};

// What stands between tags, outside comments, declarations, scripts, styles, templates and pictures; references such
// as &amp; stay as they are written. Tags and quoted attributes end where HTML's tokenizer ends them; one that never
// ends takes the rest. Elements that are not known to run along in a line start one of their own, so XML is read too.
// O(bytes).
HtmlTexts html_texts(std::string_view html);

}  // namespace tersely::content
