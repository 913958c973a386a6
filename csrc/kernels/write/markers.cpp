#include "kernels/write/markers.hpp"

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <utility>

namespace tersely::write {
namespace {

using content::CodeRole;
using content::TreeKind;

void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

void require_rows(std::size_t n, std::initializer_list<std::size_t> sizes) {
    for (const std::size_t size : sizes) require(size == n, "all columns must have one length");
}

void require_run(std::int64_t first, std::int64_t last, std::size_t rows) {
    require(0 <= first && first <= last && last < static_cast<std::int64_t>(rows),
            "first and last must be rows, in order");
}

void require_ascending(const std::vector<std::int32_t>& document) {
    for (std::size_t i = 0; i < document.size(); ++i)
        require(document[i] >= (i == 0 ? 0 : document[i - 1]), "document must ascend");
}

std::string in_words(std::int64_t lines, std::int64_t earlier) {
    lines += lines > 0 ? earlier : 0;
    if (lines <= 0) return "… more lines";
    return "… " + std::to_string(lines) + (lines > 1 ? " lines" : " line");
}

}  // namespace

CodeMarker::CodeMarker(CodeRows rows) {
    const std::size_t n = rows.document.size();
    require_rows(n, {rows.first.size(), rows.last.size(), rows.suite.size(), rows.inside.size(), rows.role.size()});
    require(rows.stand_in.size() == rows.opens.size() && rows.opens.size() == rows.closes.size(),
            "all lists must have one length");
    for (const std::int32_t index : rows.document)
        require(0 <= index && static_cast<std::size_t>(index) < rows.opens.size(), "document must lie in the lists");
    rows.before.assign(n + 1, 0);
    for (std::size_t i = 0; i < n; ++i) {
        const bool says = rows.role[i] != CodeRole::kComment && rows.role[i] != CodeRole::kText;
        rows.before[i + 1] = rows.before[i] + (says ? 1 : 0);
    }
    rows_ = std::make_shared<const CodeRows>(std::move(rows));
}

std::string CodeMarker::say(std::int64_t first_row, std::int64_t last_row) const {
    const CodeRows& rows = *rows_;
    require_run(first_row, last_row, rows.first.size());
    const auto first = static_cast<std::size_t>(first_row);
    const auto last = static_cast<std::size_t>(last_row);
    const auto document = static_cast<std::size_t>(rows.document[first]);
    const bool whole = 0 <= rows.suite[first] && rows.suite[first] <= last_row;
    const bool inside = rows.inside[first] != 0;
    std::string said = whole ? rows.stand_in[document] : std::string();
    if (wording_ == Wording::kBare) return said;
    if (wording_ == Wording::kShort) {
        if (inside) return "…";
        if (rows.before[first] == rows.before[last + 1]) return "";  // comments only
        if (!said.empty()) return said;
        return rows.opens[document] + " …" + rows.closes[document];
    }
    if (inside) said.clear();
    if (!said.empty()) said.append("  ");
    if (!inside) said.append(rows.opens[document]).append(" ");
    const std::int32_t low = rows.first[first] + 1;
    const std::int32_t high = rows.last[last] + 1;
    said.append(low == high ? "… line " : "… lines ").append(std::to_string(low));
    if (low != high) said.append("-").append(std::to_string(high));
    return inside ? said : said.append(rows.closes[document]);
}

bool TreeRows::in_object(std::int32_t within) const {
    return within >= 0 && kind[static_cast<std::size_t>(within)] == TreeKind::kObject;
}

std::int64_t TreeRows::values_of(std::int32_t within) const {
    return within >= 0 ? count[static_cast<std::size_t>(within)] : roots[static_cast<std::size_t>(-1 - within)];
}

// The place behind a run, which lies in one container.
std::int64_t TreeRows::stop(std::size_t first, std::size_t last) const {
    if (last + 1 < document.size() && document[last + 1] == document[first]) return place[last + 1];
    const auto at = [&](std::size_t row) { return container.begin() + static_cast<std::ptrdiff_t>(row); };
    return std::count(at(first), at(last + 1), container[first]) + place[first];
}

TreeMarker::TreeMarker(TreeRows rows) {
    const std::size_t n = rows.document.size();
    require_rows(n, {rows.start.size(), rows.end.size(), rows.kind.size(), rows.container.size(), rows.place.size(),
                     rows.count.size(), rows.own.size(), rows.record.size()});
    require_ascending(rows.document);
    for (std::size_t i = 0; i < n; ++i) {
        std::int32_t& container = rows.container[i];
        require(-1 <= container && container < static_cast<std::int32_t>(i), "parent must point upwards");
        rows.roots.resize(static_cast<std::size_t>(rows.document[i]) + 1);
        if (container < 0) {
            container = -1 - rows.document[i];
            ++rows.roots.back();
        }
        if (rows.own[i] != 0) rows.marks[container].push_back(static_cast<std::int64_t>(i));
    }
    rows_ = std::make_shared<const TreeRows>(std::move(rows));
}

TreeMarker TreeMarker::total(std::span<const std::int64_t> kept) const {
    TreeMarker made(rows_, Wording::kTotal);
    for (const std::int64_t row : kept) {
        require_run(row, row, rows_->kind.size());
        const auto at = static_cast<std::size_t>(row);
        if (rows_->own[at] != 0) made.marks_.insert(row);
        if (rows_->kind[at] == TreeKind::kClose || rows_->kind[at] == TreeKind::kPiece) continue;
        made.kept_[rows_->container[at]].push_back(rows_->place[at]);
    }
    return made;
}

std::string TreeMarker::say(std::int64_t first_row, std::int64_t last_row) const {
    require_run(first_row, last_row, rows_->kind.size());
    const auto first = static_cast<std::size_t>(first_row);
    const auto last = static_cast<std::size_t>(last_row);
    if (wording_ == Wording::kTotal) return say_total(first, last);
    const std::string more = wording_ == Wording::kFull ? " more" : "";
    if (rows_->kind[first] == TreeKind::kPiece) {
        const std::string left = "… " + std::to_string(rows_->end[last] - rows_->start[first]) + more;
        return rows_->closes(last + 1) ? left : left + " …";
    }
    const std::int32_t container = rows_->container[first];
    const std::int64_t begin = rows_->place[first];
    const std::int64_t stop = rows_->stop(first, last);
    const auto between = [&](std::int64_t row) { return first_row <= row && row <= last_row; };
    const std::string count = std::to_string(stop - begin + left_out(container, between)) + more;
    if (rows_->kind[first] == TreeKind::kLine) return "… " + count + (more.empty() ? "" : " lines");
    if (!rows_->in_object(container)) return "\"… " + count + "\"";
    const bool at_end = stop == rows_->values_of(container);
    const std::string key = at_end ? "…" : "… " + std::to_string(begin + 1) + "-" + std::to_string(stop);
    if (!more.empty()) return "\"" + key + "\": \"" + count + "\"";
    return "\"" + key + "\": " + (at_end ? count : "\"\"");
}

// The values that marks of an earlier compression say were left out, beside themselves.
template <typename Counts>
std::int64_t TreeMarker::left_out(std::int32_t container, const Counts& counts) const {
    const auto marks = rows_->marks.find(container);
    std::int64_t sum = 0;
    if (marks == rows_->marks.end()) return sum;
    for (const std::int64_t row : marks->second) {
        if (counts(row)) sum += std::max<std::int64_t>(rows_->own[static_cast<std::size_t>(row)], 0) - 1;
    }
    return sum;
}

std::string TreeMarker::say_total(std::size_t first, std::size_t last) const {
    if (rows_->kind[first] == TreeKind::kPiece) return rows_->closes(last + 1) ? "…" : "… …";
    const bool is_line = rows_->kind[first] == TreeKind::kLine;
    const std::int32_t container = rows_->container[first];
    const bool named = rows_->in_object(container);
    const std::string here = named ? "" : is_line ? "…" : "\"…\"";
    const auto kept = kept_.find(container);
    if (kept != kept_.end()) {
        for (std::int32_t at = container; at >= 0; at = rows_->container[static_cast<std::size_t>(at)]) {
            if (rows_->record[static_cast<std::size_t>(at)] != 0) return here;  // it is a record, or lies in one
        }
    }
    static const std::vector<std::int64_t> kNone;
    const std::vector<std::int64_t>& places = kept == kept_.end() ? kNone : kept->second;
    const std::int64_t values = rows_->values_of(container);
    const std::int64_t stop = rows_->stop(first, last);
    const auto behind = places.end() - std::lower_bound(places.begin(), places.end(), stop);
    if (behind < values - stop) return here;  // more is left out behind
    const auto gone = [this](std::int64_t row) { return !marks_.contains(row); };
    const std::int64_t missing = values - static_cast<std::int64_t>(places.size()) + left_out(container, gone);
    const std::string left = std::to_string(missing) + " more";
    if (is_line) return "… " + left;
    return named ? "\"…\": \"" + left + "\"" : "\"… " + left + "\"";
}

// The line before or after a row; -1 before the first; after the last, how many there are, or -1.
std::int64_t LineRows::line_beside(std::int64_t row, std::int64_t step) const {
    const auto other = static_cast<std::size_t>(row + step);
    if (other < line.size() && document[other] == document[static_cast<std::size_t>(row)]) return line[other];
    return step > 0 && document.back() == 0 ? lines : -1;
}

LineMarker::LineMarker(LineRows rows) {
    const std::size_t n = rows.line.size();
    require_rows(n, {rows.document.size(), rows.continued.size(), rows.earlier.size()});
    require_ascending(rows.document);
    rows.number.resize(n);
    std::int64_t before = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const bool next = i > 0 && rows.line[i] != rows.line[i - 1];
        rows.number[i] = (i == 0 ? 0 : rows.number[i - 1]) + (next ? 1 : 0);
        before += std::exchange(rows.earlier[i], before);
    }
    rows.earlier.push_back(before);
    rows_ = std::make_shared<const LineRows>(std::move(rows));
}

LineMarker LineMarker::total(std::span<const std::int64_t> kept) const {
    LineMarker made(*this);
    std::vector<bool> out = rows_->continued;
    out.flip();
    for (const std::int64_t row : kept) {
        require_run(row, row, out.size());
        out[static_cast<std::size_t>(row)] = false;
    }
    made.totals_.assign(out.empty() ? 0 : static_cast<std::size_t>(rows_->document.back()) + 1, Left());
    for (std::size_t row = 0; row < out.size(); ++row) {
        if (!out[row]) continue;
        Left& left = made.totals_[static_cast<std::size_t>(rows_->document[row])];
        left.last = static_cast<std::int64_t>(row);
        ++left.lines;
        left.earlier += rows_->earlier[row + 1] - rows_->earlier[row];
    }
    return made;
}

std::string LineMarker::say(std::int64_t first_row, std::int64_t last_row) const {
    require_run(first_row, last_row, rows_->line.size());
    const auto first = static_cast<std::size_t>(first_row);
    const auto last = static_cast<std::size_t>(last_row);
    std::int64_t lines = rows_->number[last] - rows_->number[first] + 1;
    if (!totals_.empty()) {
        const Left& left = totals_[static_cast<std::size_t>(rows_->document[first])];
        if (last_row < left.last) return "";
        return in_words(left.lines, left.earlier) + (left.lines > lines ? " in all" : "");
    }
    if (rows_->lines >= 0) {
        const std::int64_t below = rows_->line_beside(last_row, 1);
        lines = below < 0 ? below : below - rows_->line_beside(first_row, -1) - 1;
    }
    return in_words(lines, rows_->earlier[last + 1] - rows_->earlier[first]);
}

}  // namespace tersely::write
