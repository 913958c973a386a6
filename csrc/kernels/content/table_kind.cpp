#include "kernels/content/table_kind.hpp"

#include <algorithm>

#include "kernels/content/lined.hpp"
#include "kernels/content/table_layout.hpp"
#include "kernels/detect/table_look.hpp"

namespace tersely::content {
namespace {

constexpr float kMostly = 0.5F, kInColumns = 0.9F;
constexpr std::size_t kLooked = 3072;  // bytes of a text that is surely something else

}  // namespace

detect::Detection table_or(detect::Detection look, std::span<const std::string_view> pieces) {
    using enum detect::ContentKind;
    if (look.kind != prose && look.kind != markdown && look.kind != code && look.kind != tool_output) return look;
    if (look.certain) return look;  // code whose literals stand in columns
    for (const std::string_view piece : pieces) {
        if (piece.find("\n```") != std::string_view::npos || piece.find("\n~~~") != std::string_view::npos) return look;
    }
    if (pieces.empty()) return look;
    if (look.kind == prose && detect::says_who(pieces[0])) return {log, detect::Language::none, kSure};
    const bool sure = look.confidence >= kSure && look.kind != prose;
    const float columns = look_for_columns(sure ? pieces[0].substr(0, kLooked) : pieces[0]);
    if (columns < (sure ? kInColumns : kMostly) || !is_lined(pieces[0])) return look;
    return {table, detect::Language::none, std::max(columns, kSure)};
}

}  // namespace tersely::content
