#include "kernels/detect/evidence.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/content/marks.hpp"
#include "kernels/detect/bytes.hpp"
#include "kernels/detect/line_marks.hpp"
#include "kernels/parallel.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::detect {
namespace {

// Lines at the margin that no other language has, and that no text quotes there.
constexpr std::array<std::string_view, 2> kPythonOnly = {"from __future__ import ", "__all__ = "};

constexpr std::size_t kHead = kMostBytes;  // bytes of a line that are read
constexpr std::size_t kWrapped = 320;      // bytes of a paragraph that count as a line of prose
constexpr std::size_t kMostWrapped = 16;
constexpr std::size_t kMoulded = 3;  // bytes that lines of one form begin with
constexpr std::size_t kFull = 40;    // bytes of a line that may run on in the next one
constexpr std::ptrdiff_t kManySpaces = 12;
constexpr std::uint32_t kOpening = 8;  // lines with evidence of a language
constexpr std::uint32_t kOpeningWeight = 3;
constexpr std::size_t kCommentBit = 16;
static_assert(kComment == 1U << kCommentBit);

std::uint32_t hash_of(std::string_view name) {
    std::uint32_t hash = 2166136261U;
    for (const char byte : name) hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619U;
    return hash | 1U;
}

bool wide(char byte) { return static_cast<unsigned char>(byte) >= 0x80U; }
bool letter_or_digit(char byte) { return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || byte == '('; }

// Whether a line that is a fence names what follows it: such a fence opens.
bool names_language(std::string_view fence) {
    const std::size_t after = fence.find_first_not_of(fence[0]);
    return after != std::string_view::npos && fence.find_first_not_of(" \t\r", after) != std::string_view::npos;
}

// "src/a.cpp, ...", "src/a.cpp:12: ...": what tools say of a file, however long it is.
bool opens_with_file(std::string_view head) {
    const std::string_view word = head.substr(0, head.find(' '));
    const std::size_t slash = word.rfind('/');
    return slash != std::string_view::npos && word.find('.', slash) != std::string_view::npos &&
           (word.back() == ',' || word.back() == ':');
}

// Whether a line opens with a word of letters: what it says of a place, it says within a sentence.
bool opens_with_word(std::string_view head) {
    const std::string_view word = head.substr(0, head.find(' '));
    return std::all_of(word.begin(), word.end(), ascii_alpha);
}

// Whether a line hangs on a branch of a drawn tree: "├── x", "|   `-- x", "+--- x".
bool hangs_on_branch(std::string_view head) {
    if (head.starts_with("\xE2\x94")) return has(head, "\xE2\x94\x80 ");
    return std::string_view("|`+\\").find(head[0]) != std::string_view::npos && has(head, "-- ");
}

// Whether a line opens with an id of letters and digits.
bool opens_with_id(std::string_view head) {
    constexpr std::size_t kShortestId = 6;
    const std::string_view word = head.substr(0, head.find(' '));
    const auto digits = static_cast<std::size_t>(std::count_if(word.begin(), word.end(), ascii_digit));
    return word.size() >= kShortestId && word.size() < head.size() && digits > 0 && digits < word.size() &&
           std::all_of(word.begin(), word.end(), [](char byte) { return ascii_digit(byte) || ascii_alpha(byte); });
}

// Whether two lines are the same but for digits.
bool differ_in_numbers(std::string_view one, std::string_view other) {
    std::size_t at = 0, there = 0;
    for (;; ++at, ++there) {
        while (at < one.size() && ascii_digit(one[at])) ++at;
        while (there < other.size() && ascii_digit(other[there])) ++there;
        if (at >= one.size() || there >= other.size()) return at >= one.size() && there >= other.size();
        if (one[at] != other[there]) return false;
    }
}

// Of the first word of a line that looks like the sign of who writes, "==123==", "[web]", "host>", "#12"; 0: none.
std::uint32_t sign_of(std::string_view head) {
    static constexpr ByteSet kEnds = bytes_of("=:]>|");
    const std::string_view word = head.substr(0, head.find(' '));
    const bool step = word.size() > 1 && word[0] == '#' && std::all_of(word.begin() + 1, word.end(), ascii_digit);
    if (step) return hash_of(word);
    const bool markup = word[0] == '<' || word[0] == '"' || word[0] == '#';
    const bool named = std::any_of(word.begin(), word.end(), letter_or_digit);
    return word.size() >= 4 && in(kEnds, word.back()) && !markup && named ? hash_of(word) : 0;
}

// "clean:", "$(NAME): x y": what a Makefile makes.
bool is_made(std::string_view head) {
    static constexpr ByteSet kEnds = bytes_of(" :=#");
    const std::size_t end = find_in(head, kEnds);
    if (end == head.size() || end == 0) return false;
    const std::size_t colon = head.find_first_not_of(' ', end);
    return colon != std::string_view::npos && head[colon] == ':' && head.substr(colon, 2) != ":=";
}

// Whether the value of name = value is none that TOML has: a word, a path, nothing.
bool is_loose(std::string_view field) {
    const std::size_t at = field.find_first_not_of(" \t", field.find('=') + 1);
    if (at == std::string_view::npos) return true;
    const std::string_view value = field.substr(at);
    static constexpr ByteSet kToml = bytes_of("\"'0123456789+-[{#");
    for (const std::string_view word : {"true", "false", "inf", "nan"}) {
        if (value.starts_with(word)) return false;
    }
    return !in(kToml, value[0]);
}

// Whether a line is words and web addresses alone, "let me know", or a sentence of many words without signs of code.
bool is_plain(std::string_view head) {
    const auto letters = std::count_if(head.begin(), head.end(), ascii_alpha);
    const auto spaces = std::count(head.begin(), head.end(), ' ');
    if (spaces >= kManySpaces && letters >= 3 * spaces) return head.find_first_of(";{}=<>\\") == std::string_view::npos;
    const auto word = [](char byte) {
        return ascii_alpha(byte) || byte == ' ' || static_cast<unsigned char>(byte) >= 0x80U;
    };
    const auto signs = head.size() - static_cast<std::size_t>(std::count_if(head.begin(), head.end(), word));
    return signs == 0 || (signs > 2 && signs == signs_of_addresses(head));
}

// The number in the margin of a line that somebody quotes, "12 | x", "%000003  x", "5:  12:x": the first of up to
// three.
struct Margin {
    bool found = false, words = false;  // words: a name or sign of code stands behind it
    std::uint64_t number = 0;
};

Margin read_margin(std::string_view head) {
    static constexpr ByteSet kSigns = bytes_of("%~+-!>*"), kBegins = bytes_of("_}@$#/");
    constexpr std::size_t kMostNumbers = 3, kMostDigits = 9;
    Margin margin;
    for (std::size_t numbers = 0; numbers < kMostNumbers && !head.empty(); ++numbers) {
        std::size_t at = in(kSigns, head[0]) ? 1 : 0;
        const std::size_t begin = at;
        std::uint64_t number = 0;
        for (; at < head.size() && ascii_digit(head[at]) && at - begin < kMostDigits; ++at)
            number = number * 10 + static_cast<std::uint64_t>(head[at] - '0');
        if (at == begin) break;
        const std::size_t behind = std::min(head.find_first_not_of(" \t", at), head.size());
        const bool barred = behind < head.size() && (head[behind] == '|' || head[behind] == ':');
        if (!barred && behind < head.size() && behind - at < 2 && head[at] != '\t') return {};
        if (numbers == 0) margin = {true, false, number};
        head.remove_prefix(std::min(head.find_first_not_of(" \t", behind + (barred ? 1 : 0)), head.size()));
    }
    margin.words = !head.empty() && (ascii_alpha(head[0]) || in(kBegins, head[0]));
    return margin;
}

}  // namespace

// Whether a part from within a text starts in a fence: where fences that open have names, one without a name closes.
bool Reader::starts_fenced(std::string_view piece) const {
    if (named_fences_ <= 0) return false;
    for (std::size_t at = 0; at < piece.size();) {
        const text::Line line = text::read_line(piece, at);
        at = line.next;
        const std::string_view head = piece.substr(line.first, std::min(line.last - line.first, kHead));
        if (text::fence_length(head) > 0) return !names_language(head);
    }
    return false;
}

void Reader::open(std::string_view piece, bool whole_first_line) {
    piece_ = piece;
    at_ = whole_first_line ? 0 : text::read_line(piece, 0).next;
    hunk_ = !whole_first_line && counts_[kHunk] > 0;  // after the first hunk of a diff there are others, and heads
    fenced_ = !whole_first_line && starts_fenced(piece.substr(at_));
    commented_ = false;
    string_ = 0;
    rewritten_ = piece.find('\x1b') != std::string_view::npos || piece.find('\r') != std::string_view::npos;
    marked_ = piece.find("\xE2\x80\xA6") != std::string_view::npos;
    quoted_ = piece.find("\"\"\"") != std::string_view::npos || piece.find("'''") != std::string_view::npos;
}

void Reader::read(std::size_t most) {
    while (at_ < std::min(most, piece_.size())) {
        check_cancelled();
        const text::Line line = text::read_line(piece_, at_);
        if (!line.blank()) add(piece_, line);
        was_blank_ = line.blank();
        at_ = line.next;
    }
}

// The language of "#!/bin/NAME", or of "exec NAME" below the "#!" of a shell.
void Reader::add_interpreter(std::string_view head) {
    static constexpr std::uint32_t kFewLines = 6;
    if (counts_.lines == 0 && head.starts_with("#!")) counts_.shebang = interpreter_language(head.substr(2));
    if (counts_.shebang != Language::shell || counts_.lines > kFewLines || !head.starts_with("exec ")) return;
    const Language run = interpreter_language(head.substr(5));
    if (run != Language::none) counts_.shebang = run;
}

// Counts escapes and what rewrites a line; `head`, `last`: without them, in `buffer`. Whether anything is left.
bool Reader::take_escapes(const text::Line& line, std::string_view& head, char& last, char* buffer) {
    if (head.find('\x1b') != std::string_view::npos) {
        ++counts_.escapes;
        head = without_escapes(head, buffer);
        if (head.empty()) return false;
        last = head.back();
    }
    const std::size_t carriage = head.find('\r');
    if (carriage != std::string_view::npos && line.first + carriage + 1 < line.last) ++counts_.escapes;
    return true;
}

void Reader::add(std::string_view piece, const text::Line& line) {
    const std::size_t end = std::min(line.last, line.first + kHead);
    std::string_view head = piece.substr(line.first, text::floor_char(piece, end) - line.first);
    char last = piece[line.last - 1];
    std::array<char, kHead> buffer{};
    if (rewritten_ && !take_escapes(line, head, last, buffer.data())) return;
    if (marked_ && content::own_mark(head).said.empty()) return;  // an earlier compression's words say nothing
    add_interpreter(head);
    ++counts_.lines;
    if (line.last - line.first > 160) ++counts_.long_lines;
    const bool indented = line.indent > 0;
    if (counts_.lines == 1 && head.starts_with("\"\"\"")) languages_.add_docstring();
    if (!indented && !fenced_ && string_ == 0 && counts_.shebang == Language::none) {
        const bool own = std::any_of(kPythonOnly.begin(), kPythonOnly.end(),
                                     [&](std::string_view start) { return head.starts_with(start); });
        if (own) counts_.shebang = Language::python;
    }
    if (target_ && piece[line.begin] == '\t') {
        languages_.add_recipe();
    } else {
        target_ = !indented && is_made(head);
    }
    if (in_comment(head)) {
        counts_.comments[0] += head.starts_with("/*") ? 1 : 0;
        ++counts_.of[kCommentBit];
        return;
    }
    const char* const end_of_piece = piece.data() + piece.size();
    const bool copied = rewritten_ && head.data() >= buffer.data() && head.data() < buffer.data() + buffer.size();
    const LineBytes bytes(head, copied ? head.size() : static_cast<std::size_t>(end_of_piece - head.data()));
    const std::uint32_t marks = line_marks(head, bytes, last, indented);
    add_shape(head, last);
    add_comment(head);
    if ((marks & kFence) != 0) {
        if (!fenced_) named_fences_ += names_language(head) ? 1 : -1;
        fenced_ = !fenced_;
    }
    if (fenced_ && (marks & kFence) == 0) {
        ++counts_.in_fence;
        return;
    }
    for (std::uint32_t rest = marks; rest != 0; rest &= rest - 1)
        ++counts_.of[static_cast<std::size_t>(std::countr_zero(rest))];
    if (head.starts_with("+-") && head.ends_with("-+") && head.find_first_not_of("+-=") == std::string_view::npos)
        ++counts_.borders;
    add_diff(piece[line.begin], marks);
    if (below_frame_ > 0 && indented && (marks & (kFrame | kTraceHead | kStamp)) == 0) {
        --below_frame_;
        ++counts_.below_frames;
        return;
    }
    below_frame_ = (marks & kFrame) != 0 && is_python_frame(head) ? 2 : 0;
    add_turn(head, marks);
    counts_.cues += text::is_cue_time(head) ? 1 : 0;
    const bool as_long = head.size() + 2 >= before_ && head.size() <= before_ + 3;
    if ((marks & kRule) != 0 && !was_blank_ && before_ > 0 && as_long && head[0] != '*') ++counts_.titles;
    add_heading(marks);
    const bool opens = (was_blank_ || was_rule_) && (marks & (kRule | kCode)) == 0 && !indented;
    before_ = opens ? head.size() : 0;
    was_rule_ = (marks & kRule) != 0;
    add_votes(head, bytes, marks, indented, last);
    constexpr std::uint32_t kOthers =
        kStamp | kLevel | kAnchor | kBuild | kFrame | kTraceHead | kTag | kComment | kCode | kList | kPipe;
    if ((marks & (kProse | kOthers)) == kProse) {  // a paragraph is as many lines as if it were wrapped
        const auto more = static_cast<std::uint32_t>(std::min((line.last - line.first) / kWrapped, kMostWrapped));
        counts_.lines += more;
        counts_.wrapped += more;
        counts_.words += more;
        counts_.sentences += more;
    }
}

// Whether the line is part of a string in three quotes of several lines, which starts a line or ends one that assigns
// or calls: documentation in Python, whatever its words look like.
bool Reader::in_string(std::string_view head) {
    if (string_ != 0) {
        const std::size_t closes = head.find(std::string_view(string_ == '"' ? "\"\"\"" : "'''"));
        if (closes != std::string_view::npos) string_ = 0;
        return true;
    }
    const std::size_t prefix = head.size() > 3 && (head[0] == 'r' || head[0] == 'u' || head[0] == 'b') ? 1 : 0;
    for (const std::string_view quotes : {std::string_view("\"\"\""), std::string_view("'''")}) {
        const std::size_t opens = head.find(quotes);
        if (opens == std::string_view::npos) continue;
        const bool starts = opens == prefix || opens == 0;
        const bool ends = opens + 3 == head.size() && opens > 0 && (head[opens - 1] == '(' || head[opens - 1] == ' ');
        if ((!starts && !ends) || head.find(quotes, opens + 3) != std::string_view::npos) continue;
        string_ = quotes[0];
        return starts;
    }
    return false;
}

// Whether the line is part of a comment /* ... */ of several lines; what stands behind its end becomes the line.
bool Reader::in_comment(std::string_view& head) {
    if (quoted_ && in_string(head)) return true;
    const bool inside = commented_;
    if (!inside && !head.starts_with("/*")) return false;
    const std::size_t end = head.find("*/");
    commented_ = end == std::string_view::npos;
    if (!inside || commented_) return commented_;
    const std::size_t rest = head.find_first_not_of(' ', end + 2);
    if (rest != std::string_view::npos) head.remove_prefix(rest);
    return rest == std::string_view::npos;
}

// What the line's ends say of how statements and blocks are written.
void Reader::add_shape(std::string_view head, char last) {
    switch (last) {
        case ';':
            ++counts_.statements;
            break;
        case ',':
            ++counts_.listed;
            break;
        case '{':
            ++counts_.opens;
            return;
        default:
            break;
    }
    if (head[0] == '}') ++counts_.opens;
}

void Reader::add_comment(std::string_view head) {
    const char after = head.size() > 1 ? head[1] : ' ';
    const auto add = [&](std::size_t bit, bool opens) { counts_.comments[bit] += opens ? 1 : 0; };
    switch (head[0]) {
        case '/':
            return add(0, after == '/' || after == '*');
        case '#':
            return add(1, after == ' ' || after == '#');
        case '-':
            return add(2, after == '-' && (head.size() == 2 || head[2] == ' '));
        case ';':
            return add(3, true);
        case '%':
            return add(4, after == ' ' || after == '%');
        case '(':
            return add(5, after == '*');
        case '!':
            return add(6, after == ' ');
        case '\'':
        case '"':
            return add(7, after == ' ');
        default:
            return;
    }
}

void Reader::add_diff(char first, std::uint32_t marks) {
    if ((marks & kHunk) != 0) hunk_ = true;
    if (hunk_ && (first == '+' || first == '-' || first == ' ' || first == '@')) ++counts_.plus_minus;
}

// A line of number signs is a heading where it stands alone: several of them are a comment.
void Reader::add_heading(std::uint32_t marks) {
    const bool heading = (marks & kHeading) != 0;
    if (heading && pending_ && !was_blank_) {
        --counts_.headings;
        counts_.remarks += 2;
        pending_ = false;
    } else if (heading && was_blank_) {
        ++counts_.headings;
        pending_ = true;
    } else {
        counts_.remarks += heading ? 1 : 0;
        pending_ = false;
    }
}

// Whether this name stood before a colon at the margin of an earlier line. Up to kSpeakers names are known.
bool Reader::is_known(std::uint32_t hash) {
    for (std::size_t step = 0; step < 8; ++step) {
        std::uint32_t& slot = counts_.speakers[(hash + step) % kSpeakers];
        if (slot == hash) return true;
        if (slot != 0) continue;
        slot = hash;
        return false;
    }
    return false;
}

void Reader::add_turn(std::string_view head, std::uint32_t marks) {
    if ((marks & kTurn) == 0 || (marks & (kStamp | kAnchor | kBuild | kLevel)) != 0) return;
    const std::string_view turn = head.substr(text::behind_time(head));
    const std::uint32_t before = std::exchange(speaker_, hash_of(turn.substr(0, turn.find_first_of(":>"))));
    const bool role = (marks & kRole) != 0;
    if (!is_known(speaker_) && !role) return;
    ++counts_.turns;
    counts_.replies += role || speaker_ != before ? 1 : 0;
}

// No mapping has a key twice, but many programs say their name before what they tell, and so do people who talk in
// small letters: they come back after others.
void Reader::add_key(std::string_view head, std::uint32_t marks, bool indented) {
    const std::uint32_t key = hash_of(head.substr(0, head.find(':')));
    const bool at_margin = !indented && head[0] != '-';
    const bool again = key == key_ && head[0] != '-';
    const bool known = at_margin && (marks & kTurn) == 0 && is_known(key);
    key_ = key;
    counts_.told += (marks & kProse) != 0 ? 1 : 0;
    if (known && (marks & (kProse | kStamp | kAnchor | kBuild | kLevel)) == kProse) {
        ++counts_.said;
        counts_.back += again ? 0 : 1;
    } else if (!again) {
        ++counts_.data;
    } else if ((marks & (kProse | kAnchor | kBuild)) == 0) {
        ++counts_.tool;
    }
}

// A sentence ends with a stop, maybe within quotes or brackets, or its line is nearly full and the next one goes on in
// a small letter, but not as it began: such lines are of one form. `words`: whether the line is words that are new;
// `place`: what names one may be a part of a sentence, but opens none. Returns
// whether the line goes on with one: then it tells of events, and is none.
bool Reader::add_sentence(std::string_view head, char last, bool words, bool place) {
    const bool moulded = std::string_view(prose_).starts_with(head.substr(0, kMoulded));
    const bool goes_on = open_ != Open::kNone && !was_blank_ && !moulded && (ascii_lower(head[0]) || wide(head[0]));
    if (goes_on && open_ == Open::kWords) ++counts_.sentences;
    const std::size_t size = head.size() - (last == '"' || last == ')' ? 1 : 0);
    const bool stops = size > 2 && std::string_view(".!?").find(head[size - 1]) != std::string_view::npos;
    const bool unspaced = size > 2 && static_cast<unsigned char>(head[size - 3]) >= 0xE0U;  // no space, so few stops
    const bool sentence = words && (goes_on || (!place && (stops || unspaced || head.size() == kHead)));
    counts_.sentences += sentence ? 1 : 0;
    open_ = !words || head.size() < kFull ? Open::kNone : sentence ? Open::kSentence : Open::kWords;
    return goes_on && words;
}

void Reader::add_votes(std::string_view head, const LineBytes& bytes, std::uint32_t marks, bool indented, char last) {
    const std::uint32_t sign = (marks & (kTurn | kKeyValue | kComment)) == 0 ? sign_of(head) : 0;
    const bool prefixed = sign != 0 && sign == sign_;
    counts_.prefixed += prefixed ? 1 : 0;
    sign_ = sign;
    const bool place = prefixed || (marks & (kStamp | kFrame | kTag | kAnchor | kBuild)) != 0;
    const bool trace = (marks & (kFrame | kTraceHead)) != 0;
    const bool listed = hangs_on_branch(head) || ((marks & kProse) != 0 && opens_with_id(head));
    const bool prose = (marks & kProse) != 0, again = prose && differ_in_numbers(head, prose_);
    const bool plain = prose && !listed && !prefixed && (marks & (kCode | kComment | kStamp | kFrame | kTag)) == 0;
    const bool words = plain && !place;
    counts_.again += again ? 1 : 0;
    counts_.words += words ? 1 : 0;
    counts_.words_again += words && again ? 1 : 0;
    const bool within = add_sentence(head, last, plain && !again && (words || opens_with_word(head)), place);
    if (prose) prose_.assign(head);
    const bool paragraph = prose && head.size() > 150 && !opens_with_file(head);
    const bool level = (marks & kLevel) != 0 && (marks & kStamp) == 0;
    // "image: registry/cart:1.4", "CART_URL=https://cart:8000" name no place.
    const bool value = ((marks & kKeyValue) != 0 && head.find(' ', head.find(": ") + 2) == std::string_view::npos) ||
                       ((marks & kField) != 0 && head.find(' ') == std::string_view::npos);
    const std::uint32_t said = value ? marks & ~kAnchor : marks;
    const bool event = !paragraph && !within && ((said & (kAnchor | kBuild)) != 0 || level);
    if (!indented) {
        ++counts_.at_margin;
        counts_.stamped_at_margin += (marks & kStamp) != 0 ? 1 : 0;
        counts_.events_at_margin += (event && !trace) || (marks & kStamp) != 0 ? 1 : 0;
    }
    if (event) ++(trace ? counts_.tool_in_trace : counts_.tool);
    if ((marks & kField) != 0 && head[0] == '[' && head.find(',') == std::string_view::npos) ++counts_.sections;
    if ((marks & kField) != 0 && head[0] != '[' && is_loose(head)) ++counts_.loose;
    if ((marks & kList) != 0 && !letter_or_digit(head[0])) ++counts_.items;
    const Margin margin = read_margin(head);
    const std::uint64_t step = margin.number - number_;  // down as well: any other number will do
    const bool jumps = margin.found && step != 1 && step != step_;
    if (margin.found) {
        number_ = margin.number;
        step_ = step;
    }
    if ((marks & kKeyValue) != 0 && (marks & kCode) == 0 && !margin.found) add_key(head, marks, indented);
    counts_.hung += listed ? 1 : 0;
    auto speaks = Spoken::kNot;
    const bool told = (marks & (kStamp | kFrame)) != 0 || hunk_;  // lines of logs, traces and diffs are no code
    if (!told && ((marks & kProse) == 0 || (marks & kCode) != 0 || indented)) {
        speaks = languages_.add(head, bytes, indented);
    }
    const bool spoken = speaks == Spoken::kClearly || (speaks == Spoken::kSlightly && (marks & kCode) != 0);
    counts_.spoken += spoken ? 1 : 0;
    if (spoken && counts_.spoken == kOpening) {  // what a file opens with tells its language best
        for (std::uint32_t& score : languages_.scores()) score *= kOpeningWeight;
    }
    if ((marks & (kCode | kPacked)) != 0 && !place) {
        ++counts_.code;
        counts_.strong += spoken || (marks & kPacked) != 0 ? 1 : 0;
    } else if (spoken && !place && (marks & (kProse | kComment)) == 0) {
        ++counts_.strong;
        ++counts_.code;
    } else {
        return;
    }
    counts_.quoted += margin.found && margin.words ? 1 : 0;
    counts_.jumbled += jumps && margin.words ? 1 : 0;
    counts_.plain += spoken && counts_.lines <= kSentences && is_plain(head) ? 1 : 0;
}

}  // namespace tersely::detect
