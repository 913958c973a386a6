// Places in files that a line names.
#pragma once

#include <cstddef>
#include <string_view>

namespace tersely::content {

// Where the line number ends that follows the path `line[begin:end]`; 0 where none does: "path:12", "path: 12",
// "path(12", "path[12", "path:[12", `path", line 12`, "path, line 12". A path has a dot between letters and no "//" in
// front of it. O(end - begin).
std::size_t anchor_after(std::string_view line, std::size_t begin, std::size_t end);

}  // namespace tersely::content
