#include "kernels/write/layout.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "kernels/text/segment.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::write {
namespace {

constexpr std::string_view kOmitted = " … ";
constexpr std::int64_t kShortGap = 2;      // characters between two quotes of a line that are written as they are
constexpr std::size_t kNumberedWidth = 5;  // of the number of a line

using Rows = std::span<const std::int64_t>;

template <typename T>
const T& of(std::span<const T> column, std::int64_t row) {
    return column[static_cast<std::size_t>(row)];
}
template <typename T>
T of(const std::vector<T>& column, std::int64_t row) {
    return column[static_cast<std::size_t>(row)];
}

bool has_text(const Characters& text, std::int64_t begin, std::int64_t stop) {
    for (std::int64_t i = begin; i < stop; ++i) {
        if (!text::is_space(text[i])) return true;
    }
    return false;
}

bool says(std::string_view words) {
    for (std::size_t at = 0; at < words.size();) {
        const text::Decoded one = text::decode(words, at);
        if (!text::is_space(one.code)) return true;
        at += one.length;
    }
    return false;
}

bool stands_in_lines(std::uint8_t kind) {
    const auto of_row = static_cast<text::Kind>(kind);
    return of_row == text::Kind::kTable || of_row == text::Kind::kFencedCode || of_row == text::Kind::kCode;
}

// A text that grows by pieces of a document and by what is no source's.
class Writer {
  public:
    explicit Writer(const Layout& layout) : layout_(layout) {}

    void open(std::int32_t document) {
        document_ = document;
        text_ = layout_.texts[static_cast<std::size_t>(document)];
        line_ = 1;
        counted_ = 0;
    }

    // Whose words are said: nobody's, as what joins two pieces; ours; ours but for the white space around them.
    enum class Said : std::uint8_t { kJoint, kGenerated, kStripped };

    void say(std::string_view words, Said as = Said::kGenerated) {
        const std::size_t before = written_.said.size();
        for (std::size_t at = 0; at < words.size();) {
            const text::Decoded one = text::decode(words, at);
            written_.said.push_back(one.code);
            at += one.length;
        }
        const std::size_t behind = written_.said.size();
        if (behind == before) return;
        std::size_t first = before;
        std::size_t last = behind;
        while (first < last && text::is_space(written_.said[first])) ++first;
        while (last > first && text::is_space(written_.said[last - 1])) --last;
        if (as != Said::kJoint && first < last) {
            if (as == Said::kGenerated) std::tie(first, last) = std::tie(before, behind);
            const auto offset = [&](std::size_t at) {
                return written_.length + static_cast<std::int64_t>(at - before);
            };
            written_.places.insert(written_.places.end(), {offset(first), offset(last)});
        }
        put({-1, static_cast<std::int64_t>(before), static_cast<std::int64_t>(behind)});
        at_line_ = written_.said.back() == U'\n';
    }

    // A piece of the document; `generated`: more than white space of it is no source's.
    void copy(std::int64_t begin, std::int64_t stop, bool generated = false) {
        begin = std::max<std::int64_t>(begin, 0);
        stop = std::min(stop, text_.size);
        if (begin >= stop) return;
        const std::int64_t at = written_.length;
        put({document_, begin, stop});
        if (generated && has_text(text_, begin, stop))
            written_.places.insert(written_.places.end(), {at, written_.length});
        at_line_ = text_[stop - 1] == U'\n';
    }

    struct Gap {
        std::int64_t blank, begin, stop;
    };
    // Of a gap, where the white space at its end begins that is too wide, and what of it is written instead: the last
    // line break and its indent, or one character.
    Gap narrowed(std::int64_t begin, std::int64_t stop) const {
        std::int64_t blank = stop;
        if (stop - begin > kWidestGap) {
            while (blank > begin && text::is_space(text_[blank - 1])) --blank;
        }
        if (stop - blank <= kWidestGap) return {stop, stop, stop};
        std::int64_t line = stop;
        while (line > blank && text_[line - 1] != U'\n') --line;
        if (line == blank) return {blank, stop - 1, stop};
        return {blank, line - 1, stop - line > kWidestGap ? line : stop};
    }

    bool has_comma(std::int64_t begin, std::int64_t stop) const {  // as the first of it: a comment may have some, too
        while (begin < stop && text::is_space(text_[begin])) ++begin;
        return begin < stop && text_[begin] == U',';
    }

    // A piece of the document; lines that begin in it get their numbers. Pieces come in order.
    void copy_numbered(std::int64_t begin, std::int64_t stop) {
        for (; counted_ < std::min(begin, text_.size); ++counted_) line_ += text_[counted_] == U'\n' ? 1 : 0;
        stop = std::min(stop, text_.size);
        std::int64_t line = line_;
        for (std::int64_t at = begin; at <= stop; ++line) {
            std::int64_t end = at;
            while (end < stop && text_[end] != U'\n') ++end;
            if (at != begin) say("\n", Said::kJoint);
            if (at < end) {
                if (at_line_) {
                    std::string digits = std::to_string(line);
                    if (digits.size() < kNumberedWidth) digits.insert(0, kNumberedWidth - digits.size(), ' ');
                    say(digits + "  ");
                }
                copy(at, end);
            }
            at = end + 1;
        }
    }

    const Characters& text() const { return text_; }
    Written& written() { return written_; }

  private:
    void put(Piece piece) {
        written_.length += piece.stop - piece.begin;
        written_.pieces.push_back(piece);
    }

    const Layout& layout_;
    std::int32_t document_ = 0;
    Characters text_;
    bool at_line_ = true;
    std::int64_t line_ = 1, counted_ = 0;  // the number of the line of a character, and that
    Written written_;
};

using Said = Writer::Said;

// Writes the kept rows of one region.
struct RegionWriter {
    const Layout& layout;
    const Region& region;
    Rows rows;
    Wording wording;
    Writer& to;

    std::int64_t start(std::int64_t row) const { return of(layout.start, row); }
    std::int64_t end(std::int64_t row) const { return of(layout.end, row); }

    // The row behind the run of touching rows that begins with rows[at], as an index.
    std::size_t behind_run(std::size_t at) const {
        while (++at < rows.size() && layout.touch(rows[at - 1], rows[at])) {
        }
        return at;
    }

    std::string_view between(std::int64_t last, std::int64_t next) const {
        if (of(layout.block, last) == of(layout.block, next) && next - last > 1) {  // something is left out
            const bool in_lines = stands_in_lines(of(layout.kind, next));
            if (layout.clauses) {
                if (!in_lines) return kOmitted;
            } else if (layout.pieces) {
                bool same_line = true;
                for (std::int64_t i = end(last); same_line && i < start(next); ++i) same_line = to.text()[i] != U'\n';
                if (same_line) return kOmitted;
                if (in_lines) return "\n";
            }
        }
        return layout.within;
    }

    void operator()(const Plain& /*form*/) const {
        for (std::size_t at = 0; at < rows.size();) {
            const std::size_t next = behind_run(at);
            to.copy(start(rows[at]), end(rows[next - 1]));
            if (next < rows.size()) to.say(between(rows[next - 1], rows[next]), Said::kStripped);
            at = next;
        }
    }

    // Each source with its kept words; within a line, a gap becomes a space. Of a source without words nothing is said.
    void operator()(const Quoted& form) const {
        const auto is_source = [&](std::int64_t row) { return of(layout.heading, row) < 0; };
        std::int64_t before = -1;
        for (std::size_t at = 0; at < rows.size(); ++at) {
            const std::int64_t row = rows[at];
            if (is_source(row) && (at + 1 == rows.size() || is_source(rows[at + 1]))) continue;
            if (before >= 0 && end(before) != start(row)) {
                const bool same_line = of(layout.block, row) == of(layout.block, before);
                if (is_source(row)) {
                    to.say("\n", Said::kJoint);
                } else if (same_line && !is_source(before) && start(row) - end(before) <= kShortGap) {
                    to.copy(end(before), start(row), true);
                } else if (!is_source(before)) {
                    to.say(same_line ? " " : "\n" + form.indent, Said::kJoint);
                }
            }
            to.copy(start(row), end(row));
            before = row;
        }
    }

    // Runs of kept lines, markers between them, a note behind those that have one.
    void operator()(const Lines& form) const {
        const std::int64_t shift = region.shift;
        const bool says = wording != Wording::kBare;
        const bool notes = says && form.note;
        const auto goes_on = [&](std::int64_t row) {
            return !form.continued.empty() && of(form.continued, row + shift) != 0;
        };
        std::shared_ptr<const RunMarker> counts = wording == Wording::kSigns ? nullptr : form.marker;
        if (wording == Wording::kTotal && form.total) counts = total(form.total);
        bool written = false;
        std::int64_t left = region.first;  // the first row that nothing stands for yet
        for (std::size_t at = 0; at <= rows.size();) {
            const bool more = at < rows.size();
            const std::int64_t first = more ? rows[at] : region.last;
            std::int64_t begin = left;  // of what is left out, what begins a line; the rest stands behind a kept unit
            while (at > 0 && begin < first && goes_on(begin)) ++begin;
            const bool on = more && at > 0 && begin == first && goes_on(first);
            if (left < begin && (on || says)) to.say(form.elision);
            std::int64_t quiet = begin;  // nothing is said of rows right behind the one whose note tells of them
            while (notes && !form.told.empty() && begin > region.first && quiet < first &&
                   of(form.told, quiet + shift) == begin - 1 + shift)
                ++quiet;
            if (quiet < first && says) {
                std::string said = form.marker->say(begin + shift, first - 1 + shift);
                if (!said.empty()) {
                    if (written) to.say(form.joint, Said::kJoint);
                    written = true;
                    if (counts != form.marker) {
                        said = counts ? counts->say(begin + shift, first - 1 + shift) : std::string();
                        if (said.empty()) said = form.sign->say(begin + shift, first - 1 + shift);
                    }
                    to.say(said);
                }
            }
            if (!more) break;
            if (on) {
                to.say(" ", Said::kJoint);
            } else if (written) {
                to.say(form.joint, Said::kJoint);
            }
            written = true;
            std::int64_t open = start(first);
            for (bool touched = true; touched;) {
                const std::int64_t last = rows[at++];
                touched = at < rows.size() && layout.touch(last, rows[at]);
                const bool noted = notes && (form.noted.empty() || of(form.noted, last + shift) != 0);
                const std::string note = noted ? form.note(last + shift) : std::string();
                if (!touched || !note.empty()) {
                    to.copy(open, end(last));
                    to.say(note);
                    open = end(last);
                }
                left = last + 1;
            }
        }
    }

    // Runs of kept rows with the source's own gaps or the form's, and a marker in the place of each run between.
    void operator()(const Nested& form) const {
        const std::shared_ptr<const RunMarker> marker = nested_marker(form);
        std::int64_t done = region.first;  // the first row that nothing stands for yet
        std::int64_t closed = 0;           // where the run before ends
        for (std::size_t at = 0; at <= rows.size();) {
            const bool inside = at > 0;
            const bool more = at < rows.size();
            const std::int64_t first = more ? rows[at] : region.last;
            const std::int64_t opens = more ? start(first) : 0;
            if (done < first) {
                const std::string stand_in = marker->say(done + region.shift, first - 1 + region.shift);
                const bool says = !stand_in.empty();
                const std::int64_t behind = end(first - 1);
                const bool comma = !says && inside && more && to.has_comma(behind, opens);
                if (inside && (says || comma)) put_gap(form, done, closed, start(done), true);
                to.say(stand_in);
                if (more && (says || (inside && !comma))) put_gap(form, first, behind, opens, true);  // none closes
            } else if (inside && more) {
                put_gap(form, first, closed, opens, false);
            }
            if (!more) break;
            const std::size_t next = form.gap ? at + 1 : behind_run(at);
            closed = end(rows[next - 1]);
            put(form, opens, closed, false);
            done = rows[next - 1] + 1;
            at = next;
        }
    }

    // What stands before a row; beside a marker, more than white space of it is no source's.
    void put_gap(const Nested& form, std::int64_t row, std::int64_t begin, std::int64_t stop, bool marked) const {
        if (form.gap) {
            to.say(form.gap(row + region.shift));
            return;
        }
        const Writer::Gap near = to.narrowed(begin, stop);
        put(form, begin, near.blank, marked);
        put(form, near.begin, near.stop, marked);
    }

    void put(const Nested& form, std::int64_t begin, std::int64_t stop, bool marked) const {
        if (form.numbered) {
            to.copy_numbered(begin, stop);
        } else {
            to.copy(begin, stop, marked);
        }
    }

    std::shared_ptr<const RunMarker> nested_marker(const Nested& form) const {
        if (wording == Wording::kShort && form.short_marker) return form.short_marker;
        if ((wording == Wording::kTotal || wording == Wording::kSigns) && form.total) return total(form.total);
        return wording == Wording::kBare ? form.bare : form.marker;
    }

    std::shared_ptr<const RunMarker> total(const Total& made_of) const {
        std::vector<std::int64_t> local(rows.begin(), rows.end());
        for (std::int64_t& row : local) row += region.shift;
        return made_of(local);
    }
};

}  // namespace

void Layout::check() const {
    const auto require = [](bool holds, const char* message) {
        if (!holds) throw std::invalid_argument(message);
    };
    const std::size_t n = document.size();
    require(start.size() == n && end.size() == n && block.size() == n && heading.size() == n && kind.size() == n,
            "all columns must have one length");
    std::int64_t row = 0;
    for (const Region& region : regions) {
        require(region.first == row && row <= region.last && static_cast<std::size_t>(region.last) <= n,
                "regions must have all rows, in order");
        require(0 <= region.document && static_cast<std::size_t>(region.document) < texts.size(),
                "document must lie in [0, len(texts))");
        const auto rows = static_cast<std::size_t>(region.last + region.shift);
        const auto fits = [&](std::size_t size) {
            return size == 0 || (region.first + region.shift >= 0 && rows <= size);
        };
        if (const auto* lines = std::get_if<Lines>(&region.form)) {
            require(fits(lines->continued.size()) && fits(lines->noted.size()) && fits(lines->told.size()),
                    "columns must be of all rows");
        }
        std::int64_t at = 0;
        for (; row < region.last; ++row) {
            require(of(document, row) == region.document, "rows must be of their region's document");
            require(at <= of(start, row) && of(start, row) <= of(end, row) &&
                        of(end, row) <= texts[static_cast<std::size_t>(region.document)].size,
                    "start and end must ascend in the text");
            at = of(end, row);
        }
    }
    require(static_cast<std::size_t>(row) == n, "regions must have all rows, in order");
}

bool Layout::marks_joints() const { return clauses || pieces || says(separator) || says(within); }

Written Layout::write(std::span<const std::int64_t> rows, Wording wording) const {
    Writer to(*this);
    std::vector<Part>& parts = to.written().parts;
    std::int64_t before = -1;  // the last row that was written of the document
    std::size_t at = 0;
    for (const Region& region : regions) {
        const std::size_t begin = at;
        while (at < rows.size() && rows[at] < region.last) ++at;
        const Rows mine = rows.subspan(begin, at - begin);
        if (mine.empty()) continue;
        if (parts.empty() || parts.back().document != region.document) {
            if (!parts.empty()) {
                parts.back().end = to.written().length;
                to.say(separator, Said::kStripped);
            }
            parts.push_back({region.document, to.written().length, 0});
            to.open(region.document);
        } else {
            to.open(region.document);
            const std::int64_t gap = of(end, before);
            const std::int64_t opens = of(start, region.first);
            if (region.form.index() == 0 && region.first != mine.front()) {
                to.say(within, Said::kStripped);
            } else if (opens - gap <= kWidestGap && !has_text(to.text(), gap, opens)) {  // at a fence
                to.copy(gap, opens);
            } else {
                to.say("\n", Said::kJoint);
            }
        }
        std::visit(RegionWriter{*this, region, mine, wording, to}, region.form);
        before = mine.back();
    }
    if (!parts.empty()) parts.back().end = to.written().length;
    return std::move(to.written());
}

Characters Layout::source(const Written& written, const Piece& piece) const {
    if (piece.document >= 0) return texts[static_cast<std::size_t>(piece.document)];
    return {written.said.data(), static_cast<std::int64_t>(written.said.size()), sizeof(char32_t), false};
}

std::string Layout::utf8(const Written& written) const {
    std::string bytes;
    bytes.reserve(static_cast<std::size_t>(written.length));
    for (const Piece& piece : written.pieces) {
        const Characters from = source(written, piece);
        if (from.ascii) {
            bytes.append(static_cast<const char*>(from.data) + piece.begin,
                         static_cast<std::size_t>(piece.stop - piece.begin));
            continue;
        }
        for (std::int64_t i = piece.begin; i < piece.stop; ++i) {
            const char32_t code = from[i];
            text::append_utf8(bytes, (code & 0xFFFFF800U) == 0xD800U ? 0xFFFDU : code);
        }
    }
    return bytes;
}

}  // namespace tersely::write
