#include "kernels/text/blocks.hpp"

#include <algorithm>
#include <array>

#include "kernels/parallel.hpp"
#include "kernels/text/lines.hpp"
#include "kernels/text/unicode.hpp"

namespace tersely::text {
namespace {

constexpr std::size_t kLookAhead = 64;   // lines of a paragraph that are judged together
constexpr std::size_t kNarrow = 50;      // bytes: no paragraph is wrapped so narrowly
constexpr std::size_t kWideLine = 200;   // bytes: paragraphs of a line each have sentences of their own
constexpr std::size_t kFewestApart = 4;  // lines of a list without marks

class BlockFinder {
  public:
    explicit BlockFinder(std::string_view text) : text_(text) {}

    std::vector<Block> run() {
        Line line = read_line(text_, 0);
        while (line.begin < text_.size()) line = step(line);
        return std::move(blocks_);
    }

  private:
    std::string_view content(const Line& line) const { return text_.substr(line.first, line.last - line.first); }
    Line after(const Line& line) const { return line.next < judged_until_ ? judged(line.next) : read(line.next); }
    Line judged(std::size_t begin) const {
        while (at_ > 0 && ahead_[at_].begin > begin) --at_;
        while (at_ + 1 < held_ && ahead_[at_].begin < begin) ++at_;
        return at_ < held_ && ahead_[at_].begin == begin ? ahead_[at_] : read(begin);
    }
    Line read(std::size_t at) const {
        check_cancelled();  // a block may be as long as the text
        return read_line(text_, at);
    }
    bool at_end(const Line& line) const { return line.begin >= text_.size(); }

    void close() { open_ = false; }

    void add(const Line& from, const Line& to, Kind kind, int level = 0) {
        close();
        blocks_.push_back({from.first, to.last, kind, static_cast<std::uint8_t>(level),
                           static_cast<std::uint32_t>(std::max(from.width(), to.width()))});
    }

    // Adds the line to the open paragraph, or opens one.
    void extend(const Line& line, Kind kind) {
        if (!open_) {
            add(line, line, kind);
            open_ = true;
            lines_ = 1;
            return;
        }
        Block& block = blocks_.back();
        block.end = line.last;
        block.width = std::max(block.width, static_cast<std::uint32_t>(std::min<std::size_t>(line.width(), 1U << 30U)));
        ++lines_;
    }

    // Handles the line and returns the next one to look at. Each branch consumes at least a line.
    Line step(const Line& line) {
        if (line.blank()) {
            close();
            return after(line);
        }
        const std::string_view here = content(line);
        if (const std::size_t fence = fence_length(here)) return fenced(line, here[0], fence);
        if (const int level = atx_heading_level(here)) {
            add(line, line, Kind::kHeading, level);
            marked_level_ = level;
            return after(line);
        }
        if (open_ && lines_ == 1 && blocks_.back().kind == Kind::kProse && is_setext_underline(here)) {
            const int level = here[0] == '=' ? 1 : 2;
            blocks_.back().end = line.last;
            blocks_.back().kind = Kind::kHeading;
            blocks_.back().level = static_cast<std::uint8_t>(level);
            marked_level_ = level;
            close();
            return after(line);
        }
        if (opens_cue(line, here)) {
            const Line next =
                run_of(line, Kind::kChatTurn, [times = is_cue_time(here) ? 1 : 0](std::string_view text) mutable {
                    times += is_cue_time(text) ? 1 : 0;
                    return times <= 1;
                });
            blocks_.back().cue = true;
            return next;
        }
        if (line.indent >= 4 && !open_ && !in_list()) return indented(line);
        if (here[0] == '>') return run_of(line, Kind::kQuote, [](std::string_view text) { return text[0] == '>'; });
        if (is_table_row(here) || (here.find('|') != std::string_view::npos && header_row(line))) {
            return run_of(line, Kind::kTable, [](std::string_view text) {
                return is_table_row(text) || text.find('|') != std::string_view::npos;
            });
        }
        if (is_log_line(here)) {
            add(line, line, Kind::kLogLine);
            return after(line);
        }
        if (is_data_line(here)) {
            return run_of(line, Kind::kCode, is_data_line);
        }
        if (is_rule(here)) {
            add(line, line, Kind::kProse);
            return after(line);
        }
        if (starts_list_item(here)) {
            close();
            extend(line, Kind::kListItem);
            return after(line);
        }
        if (starts_chat_turn(line, here)) {
            close();
            extend(line, Kind::kChatTurn);
            return after(line);
        }
        if (!open_ && is_plain_heading(line, here)) return after(line);
        if (stands_apart(line)) close();
        extend(line, Kind::kProse);
        return after(line);
    }

    Line fenced(const Line& opening, char mark, std::size_t length) {
        Line last = opening;
        for (Line line = after(opening); !at_end(line); line = after(line)) {
            if (!line.blank()) last = line;
            if (closes_fence(content(line), mark, length)) break;
        }
        add(opening, last, Kind::kFencedCode);
        return after(last);
    }

    Line indented(const Line& first) {
        Line last = first;
        Line line = after(first);
        for (; !at_end(line); line = after(line)) {
            if (line.blank()) continue;
            if (line.indent < 4) break;
            last = line;
        }
        add(first, last, Kind::kCode);
        blocks_.back().begin = first.first;
        return after(last);
    }

    template <typename Belongs>
    Line run_of(const Line& first, Kind kind, Belongs belongs) {
        Line last = first;
        Line line = after(first);
        while (!at_end(line) && !line.blank() && belongs(content(line))) {
            last = line;
            line = after(line);
        }
        add(first, last, kind);
        return after(last);
    }

    bool in_list() const { return !blocks_.empty() && blocks_.back().kind == Kind::kListItem; }

    // A time, or what stands in the line above one: a number, a name.
    bool opens_cue(const Line& line, std::string_view here) const {
        constexpr std::size_t kLongestName = 32;
        if (is_cue_time(here)) return true;
        if (open_ || here.size() > kLongestName) return false;
        const Line next = after(line);
        return !at_end(next) && !next.blank() && is_cue_time(content(next));
    }

    bool header_row(const Line& line) const {
        const Line next = after(line);
        return !at_end(next) && !next.blank() && is_table_delimiter(content(next));
    }

    // Inside a paragraph a number starts an item only where a list is going on or begins at 1.
    bool starts_list_item(std::string_view here) const {
        if (list_marker(here) == 0) return false;
        const bool in_prose = open_ && blocks_.back().kind == Kind::kProse;
        return !in_prose || !(ascii_digit(here[0]) || ascii_lower(here[0])) || here.starts_with("1.") ||
               here.starts_with("1)");
    }

    bool starts_chat_turn(const Line& line, std::string_view here) const {
        if (!ascii_upper(here[0]) && static_cast<unsigned char>(here[0]) < 0x80U && here[0] != '#' && here[0] != '*' &&
            here[0] != '<' && here[0] != '[' && !ascii_lower(here[0])) {
            return false;
        }
        const Turn turn = chat_turn(here);
        if (turn != Turn::kPossible) return turn == Turn::kCertain;
        if (!blocks_.empty() && blocks_.back().kind == Kind::kChatTurn) return true;
        if (open_) return false;
        Line next = after(line);
        if (!at_end(next) && next.blank()) next = after(next);
        return !at_end(next) && !next.blank() && chat_turn(content(next)) != Turn::kNone;
    }

    // Whether the line is one of a list of lines, each of which says something by itself, and no part of a paragraph.
    // Looked up for kLookAhead lines at once, so all of it is linear.
    bool stands_apart(const Line& line) {
        if (line.begin >= judged_until_) judge(line);
        return apart_;
    }

    // Lines of a wrapped paragraph end where the next word does not fit, and go on with small letters or, now and then,
    // others.
    void judge(const Line& first) {
        std::array<std::size_t, kLookAhead> width{}, word{};
        std::size_t size = 0, small = 0;
        Line line = first;
        for (; size < kLookAhead && !at_end(line) && !line.blank(); line = read(line.next)) {
            ahead_[size] = line;
            const std::string_view here = content(line);
            width[size] = line.width();
            word[size] = std::min(here.find(' '), here.size());
            small += ascii_lower(here[0]) ? 1U : 0U;
            ++size;
        }
        judged_until_ = std::max(line.begin, first.next);
        held_ = size;
        at_ = 0;
        apart_ = false;
        if (size < kFewestApart) return;
        std::array<std::size_t, kLookAhead> sorted = width;
        std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(size));
        if (size == kLookAhead && sorted[size / 2] <= kTinyLine) return;
        const std::size_t widest = sorted[size - 1 - size / 8];  // a few may be longer: links
        std::size_t fits = 0;
        for (std::size_t i = 0; i + 1 < size; ++i) fits += width[i] + 1 + word[i + 1] <= widest ? 1U : 0U;
        const bool alike = 10 * small <= 3 * size || 10 * small >= 9 * size;
        apart_ = sorted[size / 2] <= kWideLine && alike && (widest < kNarrow || 2 * fits >= size - 1);
    }

    bool is_plain_heading(const Line& line, std::string_view here) {
        const int level = plain_heading_level(here);
        if (level == 0) return false;
        const Line next = after(line);
        if (at_end(next) || !next.blank()) return false;
        add(line, line, Kind::kHeading, std::min(marked_level_ + level, 6));
        return true;
    }

    std::string_view text_;
    std::vector<Block> blocks_;
    bool open_ = false;                   // the last block takes further lines
    int lines_ = 0;                       // lines of the open block
    bool apart_ = false;                  // the lines before judged_until_ are units each
    std::size_t judged_until_ = 0;        // bytes
    std::array<Line, kLookAhead> ahead_;  // the lines that were judged last
    std::size_t held_ = 0;                // how many these are
    mutable std::size_t at_ = 0;          // among them: the one that was asked for last
    int marked_level_ = 0;                // of the last heading with a mark: those without one stand under it
};

}  // namespace

std::vector<Block> find_blocks(std::string_view text) { return BlockFinder(text).run(); }

}  // namespace tersely::text
