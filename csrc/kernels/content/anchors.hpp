// Places in files that a line names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tersely::content {

struct Anchor {
    std::size_t end = 0;     // of path and line number, bytes; 0: no anchor
    std::uint64_t hash = 0;  // of path and number
};

// Whether a line number follows the path `line[begin:end]`: "path:12", "path: 12", "path(12", "path[12", "path:[12",
// `path", line 12`, "path, line 12". A path has a dot between letters and no "//" in front of it.
// O(end - begin).
Anchor anchor_after(std::string_view line, std::size_t begin, std::size_t end);

}  // namespace tersely::content
