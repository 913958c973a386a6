#include "kernels/text/lines.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "kernels/parallel.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"
#include "kernels/text/word_set.hpp"

namespace tersely::text {

Line read_line(std::string_view text, std::size_t at) {
    Line line;
    line.begin = line.first = at;
    const void* newline = at < text.size() ? std::memchr(text.data() + at, '\n', text.size() - at) : nullptr;
    std::size_t end =
        newline == nullptr ? text.size() : static_cast<std::size_t>(static_cast<const char*>(newline) - text.data());
    line.next = newline == nullptr ? end : end + 1;
    while (line.first < end) {
        const char byte = text[line.first];
        if (byte == '\t') {
            line.indent += 4 - line.indent % 4;
        } else if (ascii_space(byte)) {
            ++line.indent;
        } else if (static_cast<unsigned char>(byte) >= 0x80U) {
            const Decoded wide = decode(text, line.first);
            if (!is_space(wide.code)) break;
            ++line.indent;
            line.first += wide.length - 1;
        } else {
            break;
        }
        ++line.first;
    }
    while (end > line.first) {
        if (ascii_space(text[end - 1])) {
            --end;
            continue;
        }
        if (static_cast<unsigned char>(text[end - 1]) < 0x80U) break;
        const Decoded wide = decode_before(text, end);
        if (!is_space(wide.code)) break;
        end -= wide.length;
    }
    line.last = std::max(end, line.first);
    return line;
}

int atx_heading_level(std::string_view line) {
    std::size_t marks = 0;
    while (marks < line.size() && line[marks] == '#') ++marks;
    if (marks == 0 || marks > 6) return 0;
    return marks < line.size() && (line[marks] == ' ' || line[marks] == '\t') ? static_cast<int>(marks) : 0;
}

bool is_rule(std::string_view line) {
    if (line.size() < 3 || !among(line[0], "-=*_~")) return false;
    return std::all_of(line.begin(), line.end(), [&](char byte) { return byte == line[0] || byte == ' '; });
}

bool is_setext_underline(std::string_view line) {
    if (line.size() < 2 || (line[0] != '=' && line[0] != '-')) return false;
    return std::all_of(line.begin(), line.end(), [&](char byte) { return byte == line[0]; });
}

constexpr std::size_t kLeastUnderline = 4;

// The level of a heading whose text is this wide in bytes and whose underline is the line: 1 or 2 of Markdown, 3 and 4
// of reStructuredText, whose underlines are no shorter than the text; 0: it is none.
int underline_level(std::string_view line, std::size_t width) {
    if (is_setext_underline(line)) return line[0] == '=' ? 1 : 2;
    if (line.size() < std::max(width, kLeastUnderline) || !among(line[0], "~^\"+*")) return 0;
    const bool one = std::all_of(line.begin(), line.end(), [&](char byte) { return byte == line[0]; });
    return one ? (line[0] == '~' ? 3 : 4) : 0;
}

std::size_t note_mark(std::string_view text) {
    constexpr std::size_t kLongest = 32, kDigits = 4;
    const std::size_t end = text.empty() || text[0] != '[' ? 0 : text.substr(0, kLongest).find(']');
    if (end < 2 || end == std::string_view::npos) return 0;
    const std::string_view name = text.substr(1, end - 1);
    const bool number = name.size() <= kDigits && std::all_of(name.begin(), name.end(), ascii_digit);
    const bool named = name.size() > 1 && name[0] == '^' && name.find_first_of(" [^", 1) == std::string_view::npos;
    return number || named ? end + 1 : 0;
}

std::size_t list_marker(std::string_view line) {
    if (line.size() < 2) return 0;
    if (const std::size_t note = note_mark(line); note > 0) {
        const std::size_t space = note + (note < line.size() && line[note] == ':' ? 1 : 0);
        return space < line.size() && ascii_space(line[space]) ? space + 1 : 0;
    }
    const auto followed_by_space = [&](std::size_t at) { return at < line.size() && ascii_space(line[at]); };
    if (among(line[0], "-*+")) return followed_by_space(1) ? 2 : 0;
    if (static_cast<unsigned char>(line[0]) >= 0x80U) {
        static constexpr std::u32string_view kBullets = U"•‣⁃▪●◦·";  // with or without a space after them
        const Decoded bullet = decode(line, 0);
        return kBullets.find(bullet.code) != std::u32string_view::npos ? bullet.length : 0;
    }
    std::size_t at = 0;
    while (at < line.size() && at < 3 && ascii_digit(line[at])) ++at;
    if (at == 0 && ascii_lower(line[0])) at = 1;
    if (at == 0 || at >= line.size()) return 0;
    std::size_t after = at;
    if (line[after] == '.') ++after;
    if (after < line.size() && line[after] == ')') ++after;
    return after > at && followed_by_space(after) ? after + 1 : 0;
}

std::size_t fence_length(std::string_view line) {
    if (line.empty() || (line[0] != '`' && line[0] != '~')) return 0;
    std::size_t marks = 0;
    while (marks < line.size() && line[marks] == line[0]) ++marks;
    if (marks < 3) return 0;
    const bool inline_code = line[0] == '`' && line.find('`', marks) != std::string_view::npos;
    return inline_code ? 0 : marks;
}

bool closes_fence(std::string_view line, char mark, std::size_t length) {
    return line.size() >= length && std::all_of(line.begin(), line.end(), [&](char byte) { return byte == mark; });
}

bool is_table_row(std::string_view line) {
    return line.size() >= 2 && (line[0] == '|' || (line[0] == '+' && (line[1] == '-' || line[1] == '=')));
}

bool is_table_delimiter(std::string_view line) {
    bool dash = false;
    bool pipe = false;
    for (const char byte : line) {
        if (byte == '-')
            dash = true;
        else if (byte == '|')
            pipe = true;
        else if (byte != ':' && byte != ' ')
            return false;
    }
    return dash && pipe;
}

namespace {

// Digits of a date or time at the start: "2024-01-02", "08/11/09", "10:15:30", "081109 203615".
bool starts_with_stamp(std::string_view line) {
    std::size_t at = 0;
    int digits = 0;
    int separators = 0;
    while (at < line.size() && at < 24) {
        if (ascii_digit(line[at]))
            ++digits;
        else if (among(line[at], "-/:.,T") && digits >= 2)
            separators += line[at] != ',';
        else
            break;
        ++at;
    }
    if (separators >= 2 && digits >= 5) return true;
    return separators == 0 && digits >= 6 && at + 6 < line.size() && line[at] == ' ' && ascii_digit(line[at + 1]) &&
           ascii_digit(line[at + 2]) && ascii_digit(line[at + 3]);
}

bool starts_with_syslog_stamp(std::string_view line) {  // "Jun 14 15:16:01 "
    return line.size() >= 15 && line[3] == ' ' && line[9] == ':' && line[12] == ':' && ascii_digit(line[5]) &&
           one_of_threes(line.substr(0, 3), kMonthsOfThree);
}

bool starts_with_level(std::string_view line) {
    static constexpr std::array<std::string_view, 11> kLevels = {
        "TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "FATAL", "CRITICAL", "SEVERE", "PANIC"};
    for (const std::string_view level : kLevels) {
        if (!line.starts_with(level) || line.size() <= level.size()) continue;
        const char after = line[level.size()];
        if (after == ' ' || after == ']' || after == ':' || after == '\t' || after == '|') return true;
    }
    return false;
}

}  // namespace

bool is_log_line(std::string_view line) {
    if (line.size() < 12) return false;
    if (line[0] == '[' || line[0] == '<') line.remove_prefix(1);
    if (line.starts_with("- ")) line.remove_prefix(2);
    if (line[0] >= 'A' && line[0] <= 'Z') return starts_with_syslog_stamp(line) || starts_with_level(line);
    return ascii_digit(line[0]) && starts_with_stamp(line);
}

bool is_data_line(std::string_view line) {
    const char first = line.front();
    const char last = line.back();
    if (line.size() == 1) return among(first, "{}[]()");
    if (last == '{' || last == '}') return true;
    if (last == ';') {
        return among(line[line.size() - 2], ")}]\"'") || line.find(" = ") != std::string_view::npos;
    }
    if (among(first, "{}[]")) return among(last, ",{}[]:");
    if (first != '"' && first != '<') return false;
    return last == ',' || last == '>' || line.find("\":") != std::string_view::npos;
}

namespace {

// The part before ": " where it can be a speaker (at most 40 bytes); empty if there is none.
std::string_view speaker(std::string_view line) {
    const std::size_t colon = line.substr(0, 48).find(':');
    if (colon == std::string_view::npos || colon == 0) return {};
    if (colon + 1 < line.size() && !ascii_space(line[colon + 1]) && line[colon + 1] != '*') return {};
    std::string_view name = trimmed_of(line.substr(0, colon), ascii_space);
    while (!name.empty() && (name.front() == '*' || name.front() == '<' || name.front() == '[')) name.remove_prefix(1);
    while (!name.empty() && (name.back() == '*' || name.back() == '>' || name.back() == ']')) name.remove_suffix(1);
    return name;
}

constexpr std::string_view kRoles[] = {"user",     "assistant", "system", "human",       "ai",          "bot",
                                       "customer", "agent",     "client", "interviewer", "interviewee", "tool"};
constexpr std::string_view kLabels[] = {
    "note",       "notes",   "warning", "example", "examples", "date",    "author", "authors",  "title",   "from",
    "to",         "subject", "cc",      "url",     "doi",      "license", "source", "abstract", "summary", "keywords",
    "references", "sha",     "error",   "usage",   "version",  "input",   "output", "result",   "results"};

enum Word : std::uint8_t { kAny, kRole, kLabel };

// What the name is among those that are known, in whichever case. O(1).
Word known_name(std::string_view name) {
    static constexpr std::size_t kLongestWord = 12;
    static const WordSet known = [] {
        WordSet words(std::size(kRoles) + std::size(kLabels));
        words.add(kRoles, kRole);
        words.add(kLabels, kLabel);
        return words;
    }();
    if (name.size() > kLongestWord) return kAny;
    std::array<char, kLongestWord> lower{};
    std::transform(name.begin(), name.end(), lower.begin(),
                   [](char byte) { return ascii_upper(byte) ? static_cast<char>(byte + 32) : byte; });
    return static_cast<Word>(known.find({lower.data(), name.size()}));
}

// Whether a name of a speaker stands before what is said: "ann: ", "<ann> ".
bool opens_with_nick(std::string_view line) {
    constexpr std::size_t kLongestNick = 24;
    const bool framed = line.starts_with('<');
    if (framed) line.remove_prefix(1);
    const std::size_t end = line.substr(0, kLongestNick + 1).find(framed ? "> " : ": ");
    if (end == std::string_view::npos || end == 0 || known_name(line.substr(0, end)) == kLabel) return false;
    if (ascii_digit(line[0]) || starts_with_level(line)) return false;
    return std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(end), [](char byte) {
        return is_word(static_cast<unsigned char>(byte)) || static_cast<unsigned char>(byte) >= 0x80U ||
               among(byte, " .-'");
    });
}

}  // namespace

std::size_t behind_time(std::string_view line) {
    std::size_t at = !line.empty() && among(line[0], "[(") ? 1 : 0;
    const auto digits = [&](std::size_t most) {
        const std::size_t begin = at;
        while (at < line.size() && at - begin < most && ascii_digit(line[at])) ++at;
        return at - begin;
    };
    const auto take = [&](char sign) { return at < line.size() && line[at] == sign && ++at > 0; };
    std::size_t read = digits(4);
    if (read == 0) return 0;
    bool seconds = false;  // may follow, where a comma parts a date from the time
    if (at < line.size() && among(line[at], "./-")) {
        const char sign = line[at++];
        if (digits(2) == 0 || !take(sign) || digits(4) == 0) return 0;
        seconds = take(',');
        if (!take(' ')) return 0;
        read = digits(2);
    }
    if (read > 2 || read == 0 || !take(':') || digits(2) != 2) return 0;
    if (seconds && take(':') && digits(2) != 2) return 0;
    for (const std::string_view half : {" AM", " PM", " am", " pm"}) at += line.substr(at).starts_with(half) ? 3 : 0;
    if (line[0] == '[' || line[0] == '(') {
        if (!take(line[0] == '[' ? ']' : ')')) return 0;
    }
    if (line.substr(at).starts_with(" - ")) at += 2;
    return take(' ') ? at : 0;
}

Turn chat_turn(std::string_view line) {
    if (const std::size_t said = behind_time(line); said > 0)
        return opens_with_nick(line.substr(said)) ? Turn::kPossible : Turn::kNone;
    const std::string_view name = speaker(line);
    if (name.empty() || name.size() > 40) return Turn::kNone;
    const Word known = known_name(name);
    if (known == kLabel) return Turn::kNone;
    if (known == kRole) return Turn::kCertain;
    if (name.size() > 2 && name.size() <= 24 && name.front() == '#' && name.back() == '#') return Turn::kCertain;
    int words = 0;  // one to four capitalised words
    bool word_start = true;
    for (std::size_t at = 0; at < name.size();) {
        const Decoded here = decode(name, at);
        if (word_start && !is_upper(here.code)) return Turn::kNone;
        if (word_start && ++words > 4) return Turn::kNone;
        word_start = here.code == ' ';
        if (!word_start && !is_word(here.code) && here.code != '.' && here.code != '-' && here.code != '\'')
            return Turn::kNone;
        at += here.length;
    }
    return Turn::kPossible;
}

bool says_nothing(std::string_view line) {
    if (line.size() > 4) return false;
    int letters = 0, digits = 0;
    for (std::size_t at = 0; at < line.size(); at += decode(line, at).length) {
        const std::uint8_t flags = char_class(decode(line, at).code);
        if ((flags & kNgram) != 0 || decode(line, at).code >= 0x1F000) return false;
        letters += (flags & kUpper) != 0 ? 2 : (flags & kLetter) != 0 ? 1 : 0;
        digits += (flags & kDigit) != 0 ? 1 : 0;
    }
    return letters < 2 && digits < 3;
}

bool is_cue_time(std::string_view line) {
    constexpr std::size_t kLongestTime = 16;
    if (!ascii_digit(line.front())) return false;
    const auto of_time = [](char byte) { return ascii_digit(byte) || among(byte, ":.,"); };
    const std::size_t arrow = line.find(" --> ");
    if (arrow > kLongestTime || arrow + 5 >= line.size() || !ascii_digit(line[arrow + 5])) return false;
    return std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(arrow), of_time) &&
           line.find(':') < arrow;
}

int plain_heading_level(std::string_view line) {
    if (line.size() < 3 || line.size() > 80 || among(line.back(), ".,;:!?")) return 0;
    std::size_t at = 0;
    int depth = 0;  // "2.1 Methods": one level a number
    while (at < line.size() && ascii_digit(line[at]) && depth < 6) {
        std::size_t stop = at;
        while (stop < line.size() && ascii_digit(line[stop])) ++stop;
        if (stop - at > 2) break;
        ++depth;
        at = stop;
        if (at < line.size() && line[at] == '.') ++at;
    }
    if (depth > 0 && at + 1 < line.size() && line[at] == ' ' && ascii_upper(line[at + 1])) return depth;
    int letters = 0;
    for (at = 0; at < line.size();) {
        const Decoded here = decode(line, at);
        if (is_lower(here.code)) return 0;
        letters += is_upper(here.code) ? 1 : 0;
        at += here.length;
    }
    return letters >= 4 ? 1 : 0;
}

namespace {

constexpr std::size_t kLookAhead = 64;       // lines of a paragraph that are judged together
constexpr std::size_t kLongestFormula = 64;  // lines
constexpr std::size_t kNarrow = 50;          // bytes: no paragraph is wrapped so narrowly
constexpr std::size_t kWideLine = 200;       // bytes: paragraphs of a line each have sentences of their own
constexpr std::size_t kFewestApart = 4;      // lines of a list without marks
constexpr std::size_t kFewestWords = 6;      // of an indented paragraph

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
        if (const int level = open_ && lines_ == 1 && blocks_.back().kind == Kind::kProse
                                  ? underline_level(here, blocks_.back().width)
                                  : 0) {
            blocks_.back().end = line.last;
            blocks_.back().kind = Kind::kHeading;
            blocks_.back().level = static_cast<std::uint8_t>(level);
            marked_level_ = level;
            close();
            return after(line);
        }
        if (const std::size_t fence = fence_length(here)) return fenced(line, here[0], fence);
        if (const Line last = formula_end(line, here); last.first != line.first) {
            add(line, last, Kind::kFencedCode);
            return after(last);
        }
        if (const int level = atx_heading_level(here)) {
            add(line, line, Kind::kHeading, level);
            marked_level_ = level;
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
        if (line.indent >= 4 && !open_ && !in_list() && !is_written(line)) return indented(line);
        if (here[0] == '>') return run_of(line, Kind::kQuote, [](std::string_view text) { return text[0] == '>'; });
        if (is_table_row(here) || (here.find('|') != std::string_view::npos && header_row(line))) {
            return run_of(line, Kind::kTable, [](std::string_view text) {
                return is_table_row(text) || text.find('|') != std::string_view::npos;
            });
        }
        if (is_log_line(here) && (behind_time(here) == 0 || chat_turn(here) == Turn::kNone)) {
            add(line, line, Kind::kLogLine);
            return after(line);
        }
        const bool quiet = open_ && says_nothing(here);  // no block of its own
        if (!quiet && is_data_line(here)) {
            return run_of(line, Kind::kCode, is_data_line);
        }
        if (is_rule(here)) {
            add(line, line, Kind::kProse);
            return after(line);
        }
        if (starts_list_item(here)) {
            close();
            extend(line, Kind::kListItem);
            item_indent_ = line.indent;
            return after(line);
        }
        if (starts_chat_turn(line, here)) {
            if (answers(here)) {
                blocks_.back().answered = true;
            } else {
                close();
            }
            extend(line, Kind::kChatTurn);
            return after(line);
        }
        if (!open_ && is_plain_heading(line, here)) return after(line);
        if (!quiet && !goes_on_in_item(line, here) && stands_apart(line)) close();
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

    // The last line of a formula on lines of its own, from "$$" to "$$" or from "\[" to "\]"; else the line itself.
    Line formula_end(const Line& opening, std::string_view here) {
        const std::string_view closing = here == "$$" ? "$$" : here == "\\[" ? "\\]" : "";
        if (closing.empty()) return opening;
        Line line = after(opening);
        for (std::size_t count = 0; count < kLongestFormula && !at_end(line); ++count, line = after(line)) {
            if (content(line).ends_with(closing)) return line;
        }
        return opening;
    }

    // Whether the lines up to a blank one are sentences: words of letters that end as sentences do, in no data line.
    // Manuals indent all that they say.
    bool is_written(const Line& first) const {
        std::size_t words = 0, plain = 0;
        char last = 0;
        for (Line line = first; !at_end(line) && !line.blank(); line = after(line)) {
            const std::string_view here = content(line);
            if (is_data_line(here) || is_table_row(here) || list_marker(here) > 0) return false;
            for (std::size_t at = 0, end = 0; at < here.size(); at = end + 1) {
                end = std::min(here.find_first_of(" \t", at), here.size());
                std::string_view word = here.substr(at, end - at);
                if (word.empty()) continue;
                ++words;
                while (!word.empty() && std::string_view(".,;:!?)\"'").find(word.back()) != std::string_view::npos)
                    word.remove_suffix(1);
                if (!word.empty() && (word[0] == '(' || word[0] == '"')) word.remove_prefix(1);
                plain += !word.empty() && std::all_of(word.begin(), word.end(),
                                                      [](char byte) {
                                                          return ascii_alpha(byte) || byte == '-' || byte == '\'' ||
                                                                 static_cast<unsigned char>(byte) >= 0x80U;
                                                      })
                             ? 1U
                             : 0U;
            }
            last = here.back();
        }
        return words >= kFewestWords && 5 * plain >= 4 * words && (last == '.' || last == ':' || last == '!');
    }

    Line indented(const Line& first) {
        Line last = first;
        Line line = after(first);
        bool parted = false;  // a blank line stands above
        for (; !at_end(line); line = after(line)) {
            if (line.blank()) {
                parted = true;
                continue;
            }
            if (line.indent < 4 || (parted && is_written(line))) break;
            parted = false;
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

    // Inside a paragraph a number or a note starts an item only where a list is going on or begins at 1.
    bool starts_list_item(std::string_view here) const {
        if (list_marker(here) == 0) return false;
        const bool in_prose = open_ && blocks_.back().kind == Kind::kProse;
        const bool counted = ascii_digit(here[0]) || ascii_lower(here[0]) || (here[0] == '[' && here[1] != '^');
        return !in_prose || !counted || here.starts_with("1.") || here.starts_with("1)") || here.starts_with("[1]");
    }

    // Whether the open item is wrapped: its next line stands further to the right, or begins small.
    bool goes_on_in_item(const Line& line, std::string_view here) const {
        return open_ && in_list() && (line.indent > item_indent_ || is_lower(decode(here, 0).code));
    }

    // Whether a turn answers the question of the open one, both told by one letter: "Q: Is it open?", "A: Yes."
    bool answers(std::string_view here) const {
        if (!open_ || blocks_.back().kind != Kind::kChatTurn || here.size() < 2 || here[1] != ':') return false;
        const Block& turn = blocks_.back();
        return text_[turn.end - 1] == '?' && text_[turn.begin + 1] == ':' && text_[turn.begin] != here[0];
    }

    bool starts_chat_turn(const Line& line, std::string_view here) const {
        if (!ascii_upper(here[0]) && static_cast<unsigned char>(here[0]) < 0x80U && here[0] != '#' && here[0] != '*' &&
            here[0] != '<' && here[0] != '[' && !ascii_lower(here[0]) && behind_time(here) == 0) {
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
    int item_indent_ = 0;                 // of the last list item
    int marked_level_ = 0;                // of the last heading with a mark: those without one stand under it
};

}  // namespace

std::vector<Block> find_blocks(std::string_view text) { return BlockFinder(text).run(); }

}  // namespace tersely::text
