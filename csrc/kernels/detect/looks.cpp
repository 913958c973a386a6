#include "kernels/detect/looks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/content/json_scan.hpp"
#include "kernels/detect/bytes.hpp"

namespace tersely::detect {

namespace {

enum Class : std::uint8_t { kOther, kSpace, kQuote, kOpen, kClose, kColon, kComma, kScalar };

constexpr std::array<Class, 256> classes() {
    std::array<Class, 256> table{};
    for (const char byte : std::string_view("0123456789+-.eEtrufalsnNaIity"))
        table[static_cast<unsigned char>(byte)] = kScalar;
    for (const char byte : std::string_view(" \t\r\n")) table[static_cast<unsigned char>(byte)] = kSpace;
    table['"'] = kQuote;
    table['{'] = table['['] = kOpen;
    table['}'] = table[']'] = kClose;
    table[':'] = kColon;
    table[','] = kComma;
    return table;
}
constexpr std::array<Class, 256> kClasses = classes();

// What stands before a place of a text that may be JSON.
struct Walk {
    std::size_t depth = 0;
    std::size_t members = 0;
    bool after_string = false;

    // Goes over what stands at `at`, a string as a whole; false: it cannot stand in JSON.
    bool step(std::string_view text, std::size_t& at) {
        const Class what = kClasses[static_cast<unsigned char>(text[at])];
        if (const std::size_t behind = content::comment_end(text, at); behind > at) {
            at = behind;
            return true;
        }
        if (what == kOther || (what == kColon && !after_string) || (what == kClose && depth == 0)) return false;
        if (what == kOpen) ++depth;
        if (what == kClose) --depth;
        if (what == kColon) ++members;
        if (what == kQuote) {
            ++at;
            while (at < text.size() && text[at] != '"') {
                if (text[at] == '\n') return false;
                at += text[at] == '\\' ? 2U : 1U;
            }
        }
        if (what != kSpace) after_string = what == kQuote;
        ++at;
        return true;
    }
};

std::size_t end_of_line(std::string_view text, std::size_t at) {
    return at < text.size() ? std::min(text.find('\n', at), text.size()) : text.size();
}

bool is_fence(std::string_view line) { return line.starts_with("```") || line.starts_with("~~~"); }

}  // namespace

JsonLook look_for_json(std::string_view text) {
    JsonLook look;
    Walk walk;
    bool line_start = true;
    for (std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; at < text.size();) {
        const Class what = kClasses[static_cast<unsigned char>(text[at])];
        const std::size_t behind = what == kSpace ? at + 1 : content::comment_end(text, at);
        if (behind > at) {
            line_start = line_start || text[behind - 1] == '\n';
            at = behind;
            continue;
        }
        if (walk.depth == 0) {
            if (what == kQuote && text.substr(at).starts_with("\"\xE2\x80\xA6")) {  // "… 31 more", on a line of ours
                at = text.find('"', at + 1);
                if (at == std::string_view::npos) return {};
                ++at;
                continue;
            }
            if (what != kOpen) return {};
            if (look.values > 0 && !line_start) look.own_lines = false;
        }
        line_start = false;
        if (!walk.step(text, at)) return {};
        if (walk.depth == 0) ++look.values;
    }
    look.members = walk.members;
    look.possible = walk.depth > 0 || look.values > 0;
    look.closed = walk.depth == 0;
    return look;
}

std::vector<JsonBlock> json_blocks(std::string_view text, bool open) {
    std::vector<JsonBlock> blocks;
    bool fenced = false;
    bool goes_on = false;  // whether only white space stands behind the last block
    for (std::size_t line = 0; line < text.size();) {
        static constexpr ByteSet kBlank = bytes_of(" \t\r\n");
        const std::size_t begin = find_out(text, kBlank, line);
        if (begin == text.size()) break;
        const bool at_margin = begin == line || text[begin - 1] == '\n';
        if (at_margin && is_fence(text.substr(begin))) fenced = !fenced;
        std::size_t at = begin;
        bool possible = at_margin && !fenced && kClasses[static_cast<unsigned char>(text[at])] == kOpen;
        if (possible) {
            Walk walk;
            do {
                possible = walk.step(text, at);
            } while (possible && walk.depth > 0 && at < text.size());
            const bool closed = possible && walk.depth == 0 && at <= text.size();
            if (possible && !closed && !open) break;
            const std::size_t end = end_of_line(text, at);
            possible =
                possible && (!closed || text.substr(at, end - at).find_first_not_of(" \t\r") == std::string_view::npos);
        }
        const std::size_t stop = std::min(at, text.size());
        if (possible && goes_on) blocks.back().end = stop;
        if (possible && !goes_on) blocks.push_back({begin, stop});
        goes_on = possible;
        line = std::min(end_of_line(text, stop), text.size() - 1) + 1;
    }
    std::erase_if(blocks, [&](const JsonBlock& block) { return block.end - block.begin < kLongBlock; });
    return blocks;
}

namespace {

constexpr std::string_view kDelimiters = ",;\t|";
constexpr std::size_t kMostRows = 64;
constexpr std::size_t kFewestRows = 3;
constexpr std::size_t kFirstRows = 6;  // after so many a text without any agreement is given up

// 1 + the place of a byte in kDelimiters; 0 for others, 5 for what else row readers stop at.
constexpr std::array<unsigned char, 256> places() {
    std::array<unsigned char, 256> table{};
    for (std::size_t i = 0; i < kDelimiters.size(); ++i)
        table[static_cast<unsigned char>(kDelimiters[i])] = static_cast<unsigned char>(i + 1);
    table['\n'] = table['"'] = 5;
    return table;
}
constexpr std::array<unsigned char, 256> kPlaces = places();

using Counts = std::array<std::size_t, kDelimiters.size()>;

// Delimiters outside quotes in the row that starts at `at`; moves `at` to the next row.
Counts count_row(std::string_view text, std::size_t& at) {
    Counts counts{};
    bool quoted = false;
    bool cell_start = true;
    for (; at < text.size(); ++at) {
        const char byte = text[at];
        const unsigned char place = kPlaces[static_cast<unsigned char>(byte)];
        if (place == 5) {
            const bool doubled = at > 0 && text[at - 1] == '"';
            if (byte == '"' && (quoted || cell_start || doubled)) quoted = !quoted;
            cell_start = false;
            if (byte == '\n' && !quoted) break;
        } else if (place != 0 && !quoted) {
            ++counts[place - 1U];
            cell_start = true;
        } else {
            cell_start = false;
        }
    }
    at = std::min(at + 1, text.size());
    return counts;
}

using Rows = std::array<Counts, kMostRows>;

// The delimiter that most rows have as often as the first row, the header, which ends with `ends`: a delimiter that
// only ends it parts nothing.
TableLook best_of(const Rows& rows, std::size_t size, char ends) {
    TableLook best;
    for (std::size_t which = 0; which < kDelimiters.size(); ++which) {
        const std::size_t cells = rows[0][which];
        if (cells == 0 || (cells == 1 && ends == kDelimiters[which])) continue;
        std::size_t same = 0;
        std::size_t fewer = 0;  // some writers leave empty cells at the end away
        for (std::size_t row = 0; row < size; ++row) {
            same += rows[row][which] == cells ? 1U : 0U;
            fewer += cells >= 4 && rows[row][which] < cells && rows[row][which] * 2 >= cells ? 1U : 0U;
        }
        const float agreement =
            (static_cast<float>(same) + 0.9F * static_cast<float>(fewer)) / static_cast<float>(size);
        if (agreement > best.agreement) best = {kDelimiters[which], cells + 1, agreement, size};
    }
    return best;
}

}  // namespace

bool is_remark(std::string_view line) {
    if (line.empty() || line[0] != '#') return !line.empty() && line[0] == ';';
    return line.size() == 1 || line[1] == ' ' || line[1] == '\n' || line[1] == '#';
}

bool says_who(std::string_view text) {
    std::vector<std::string_view> names;
    for (std::size_t at = 0, lines = 0; at < text.size() && lines < kMostRows; ++lines) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        const std::size_t bar = line.find('|');
        if (bar != std::string_view::npos)
            names.push_back(line.substr(0, line.find_last_not_of(' ', bar == 0 ? 0 : bar - 1) + 1));
        else if (names.size() < lines)  // of the lines before another had none
            return false;
        at = end + 1;
    }
    if (names.empty() || names[0].empty() || std::count(names.begin(), names.end(), names[0]) < 2) return false;
    std::sort(names.begin(), names.end());
    return 4 * (std::unique(names.begin(), names.end()) - names.begin()) <= static_cast<std::ptrdiff_t>(names.size());
}

TableLook look_for_table(std::string_view text) {
    Rows rows{};
    std::size_t size = 0;
    char ends = 0;
    for (std::size_t at = 0; at < text.size() && size < kMostRows;) {
        if (text[at] == '\n') {
            ++at;
            continue;
        }
        if (size == 0 && text[at] == '#' && is_remark(text.substr(at))) {  // says what the table is
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        const std::size_t begin = at;
        rows[size++] = count_row(text, at);
        if (size == 1) {
            const std::string_view row = text.substr(begin, at - begin);
            const std::size_t last = row.find_last_not_of(" \t\r\n");
            ends = last == std::string_view::npos ? '\0' : row[last];
            // "(rw,relatime)": what is in parentheses at the end is no cell
            if (ends == ')' && row.find(',') > row.rfind('(')) rows[0][kDelimiters.find(',')] = 0;
        }
        if ((size == 1 || size == kFirstRows) && best_of(rows, size, ends).agreement < 0.5F) return {};
    }
    const TableLook best = best_of(rows, size, ends);
    if (best.delimiter == '|' && best.cells == 2 && says_who(text)) return {};
    const bool ragged = best.agreement < 1 && size < kFirstRows + 2;  // of so few rows all must agree
    return size < kFewestRows || ragged ? TableLook{} : best;
}

namespace {

constexpr std::size_t kWidth = 256;
constexpr std::size_t kFewestLines = 4;
constexpr std::size_t kFewColumns = 3;
constexpr std::size_t kMostBefore = 8;  // lines above the header
constexpr std::size_t kMostHeads = 3;   // lines above the rule below it

// Whether a third of lines[0, size) have two blanks within: first words of lines that begin alike are no columns.
bool are_parted(const std::string_view* lines, std::size_t size) {
    std::size_t parted = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t first = lines[i].find_first_not_of(' ');
        parted += first != std::string_view::npos && (lines[i].find("  ", first) != std::string_view::npos ||
                                                      lines[i].find('\t', first) != std::string_view::npos)
                      ? 1U
                      : 0U;
    }
    return 3 * parted >= size;
}

// How many of a run of lines reach each place, and have something written there.
class Filling {
  public:
    void add(std::string_view line) { count(line, 1); }
    void take(std::string_view line) { count(line, static_cast<std::uint16_t>(-1)); }

    // Columns of the lines, of which there are `size`.
    std::size_t columns(std::size_t size) const {
        std::size_t columns = 0;
        bool text = false, gap = true;  // text: since the last gap half of the lines had some
        for (std::size_t at = 0; at < kWidth && 2U * reached_[at] > size; ++at) {
            if (10U * filled_[at] <= reached_[at]) {
                gap = gap || text;
                continue;
            }
            if (2U * filled_[at] < reached_[at]) continue;
            columns += gap ? 1U : 0U;
            gap = false;
            text = true;
        }
        return columns;
    }

  private:
    void count(std::string_view line, std::uint16_t by) {
        const std::size_t width = std::min(line.size(), kWidth);
        for (std::size_t at = 0; at < width; ++at) {
            reached_[at] = static_cast<std::uint16_t>(reached_[at] + by);
            filled_[at] = static_cast<std::uint16_t>(filled_[at] + (line[at] != ' ' && line[at] != '\t' ? by : 0));
        }
    }

    std::array<std::uint16_t, kWidth> filled_{}, reached_{};
};

// Columns of lines[first, size), for the first of these of 0 to `most` that have three; 0: none have. The lines are
// counted once; of those further up only what they added is taken away.
std::size_t first_columns(const std::string_view* lines, std::size_t size, std::size_t most) {
    if (size < kFewestLines) return 0;
    Filling filling;
    for (std::size_t i = 0; i < size; ++i) filling.add(lines[i]);
    for (std::size_t first = 0; first < most && first + kFewestLines <= size; ++first) {
        if (first > 0) filling.take(lines[first - 1]);
        const std::size_t columns = filling.columns(size - first);
        if (columns > kFewColumns || (columns == kFewColumns && are_parted(lines + first, size - first)))
            return columns;
    }
    return 0;
}

// Runs of two and more dashes that spaces part: "------- ----" below the names of two columns.
std::size_t dashes(std::string_view rule) {
    std::size_t runs = 0;
    for (std::size_t at = rule.find('-'); at != std::string_view::npos; at = rule.find('-', at)) {
        const std::size_t end = std::min(rule.find_first_not_of('-', at), rule.size());
        if (end - at < 2 || (end < rule.size() && rule[end] != ' ')) return 0;
        ++runs;
        at = end;
    }
    return rule.find('=') == std::string_view::npos ? runs : 0;
}

}  // namespace

std::size_t look_for_columns(std::string_view text) {
    std::array<std::string_view, kMostRows> lines{};
    std::size_t size = 0, block = 0, longest = 0, longest_at = 0;  // of lines without a blank one between them
    std::size_t ruled = 0;
    for (std::size_t at = 0; at < text.size() && size < kMostRows;) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        at = end + 1;
        static constexpr ByteSet kBlank = bytes_of(" \t\r"), kRuled = bytes_of("-=+ ");
        std::size_t width = line.size();
        while (width > 0 && in(kBlank, line[width - 1])) --width;
        if (width == 0) {
            block = size;
            continue;
        }
        if (width > 3 && find_out(line, kRuled) >= width) {  // a rule
            if (size > 0 && size <= kMostHeads) ruled = std::max(ruled, dashes(line.substr(0, width)));
            continue;
        }
        lines[size++] = line.substr(0, width);
        if (size - block > longest) {
            longest = size - block;
            longest_at = block;
        }
    }
    if (says_who(text)) return 0;
    if (ruled >= 2 && size >= kFewestLines) return std::max(ruled, kFewColumns);
    if (const std::size_t columns = first_columns(lines.data(), size, kMostBefore); columns > 0) return columns;
    return 2 * longest >= size ? first_columns(lines.data() + longest_at, longest, 2) : 0;
}

}  // namespace tersely::detect
