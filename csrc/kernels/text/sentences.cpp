#include "kernels/text/sentences.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "kernels/parallel.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"
#include "simd/bytes.hpp"

namespace tersely::text {

Ender ender(char32_t code) {
    switch (code) {
        case '.':
            return Ender::kStop;
        case '!':
        case '?':
        case 0x203C:
        case 0x203D:
        case 0x2047:
        case 0x2048:
        case 0x2049:
        case 0x061F:
        case 0x06D4:
        case 0x0589:
        case 0x1362:
        case 0x1367:
        case 0x104B:
        case 0x17D4:
        case 0x0F0D:
            return Ender::kStrong;
        case 0x2026:
            return Ender::kEllipsis;
        case 0x3002:
        case 0xFF01:
        case 0xFF1F:
        case 0xFF0E:
        case 0xFF61:
        case 0x0964:
        case 0x0965:
            return Ender::kTight;
        default:
            return Ender::kNone;
    }
}

std::size_t skip_space(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const Decoded here = decode(text, at);
        if (!is_space(here.code)) break;
        at += here.length;
    }
    return at;
}

Span trim(std::string_view text, Span span) {
    span.begin = skip_space(text.substr(0, span.end), span.begin);
    while (span.end > span.begin) {
        const Decoded last = decode_before(text, span.end);
        if (!is_space(last.code)) break;
        span.end -= last.length;
    }
    return span;
}

namespace {

// A closing "»" of French text at `at`: not one that opens, as in German, before a word.
bool closes_guillemet(std::string_view text, std::size_t at) {
    if (at >= text.size() || decode(text, at).code != 0xBB) return false;
    return at + 2 >= text.size() || !is_word(decode(text, at + 2).code);
}

}  // namespace

std::size_t skip_closing(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const Decoded here = decode(text, at);
        if ((char_class(here.code) & kClosing) != 0 || here.code == '*' || here.code == 0x201C) {
            if (here.code == '*' && at + 1 < text.size() && ascii_space(text[at + 1]) && at > 0 &&
                ascii_space(text[at - 1])) {
                break;
            }
            at += here.length;
            continue;
        }
        if (is_space(here.code) && closes_guillemet(text, at + here.length)) {
            at += here.length + 2;
            continue;
        }
        if (here.code != '[') break;  // a footnote mark: [12]
        std::size_t stop = at + 1;
        while (stop < text.size() && ascii_digit(text[stop])) ++stop;
        if (stop == at + 1 || stop >= text.size() || text[stop] != ']') break;
        at = stop + 1;
    }
    return at;
}

std::size_t first_word(std::string_view text, std::size_t at) {
    for (int marks = 0; at < text.size() && marks < 8; ++marks) {
        const Decoded here = decode(text, at);
        if (is_word(here.code) || is_space(here.code)) break;
        at += here.length;
    }
    return at;
}

std::string word_at(std::string_view text, std::size_t at) {
    std::string word;
    while (at < text.size() && word.size() < 24) {
        const Decoded here = decode(text, at);
        if (!is_word(here.code) && here.code != '\'') break;
        append_utf8(word, here.code < 0x80 && is_upper(here.code) ? here.code + 32 : here.code);
        at += here.length;
    }
    return word;
}

bool spaced_stop(std::string_view text, std::size_t at) {
    if (at >= text.size() || text[at] != '.') return false;
    if (at + 1 >= text.size() || text[at + 1] == ' ' || text[at + 1] == '.') return true;
    return (char_class(decode(text, at + 1).code) & kClosing) != 0;
}

std::size_t skip_emoticon(std::string_view text, std::size_t end) {
    if (end + 2 >= text.size() || text[end] != ' ' || !among(text[end + 1], ":;=")) return end;
    std::size_t at = end + 1;
    while (at < text.size() && at - end < 5 && !ascii_space(text[at])) {
        if (is_word(decode(text, at).code) && at > end + 3) return end;
        ++at;
    }
    const bool stands_alone = at >= text.size() || ascii_space(text[at]);
    return stands_alone && at - end > 2 ? at : end;
}

namespace {

// Start of the run of word characters and inner stops that ends at `end` (at most 24 bytes back).
std::size_t token_before(std::string_view text, std::size_t start, std::size_t end) {
    std::size_t at = end;
    while (at > start && end - at < 24) {
        const Decoded here = decode_before(text, at);
        if (!is_word(here.code) && here.code != '.' && here.code != ',' && here.code != 0xB0) break;
        at -= here.length;
    }
    return at;
}

bool previous_word_capitalised(std::string_view text, std::size_t start, std::size_t token) {
    std::size_t end = token;
    while (end > start && token - end < 8 && (text[end - 1] == ' ' || text[end - 1] == '.')) --end;
    if (end == start) return true;
    const std::size_t word = token_before(text, start, end);
    return word < end && is_upper(decode(text, word).code);
}

// What joins a single letter to the word before it: "km/h", "x-y", "can't", "Anna's".
bool among_joints(char32_t code) { return code == '/' || code == '-' || code == '\'' || code == 0x2019; }

// A Roman numeral, or a single letter: what may stand after "Fig." or "Vol." in place of a number.
bool is_numeral(std::string_view lower) {
    return lower.size() == 1 || lower.find_first_not_of("ivxlcdm") == std::string_view::npos;
}

// A letter with those before it that have a stop and a space behind them: "т. д" is "т.д".
std::string spaced_letters(std::string_view text, std::size_t start, std::size_t token, std::size_t stop) {
    std::string letters(text.substr(token, stop - token));
    for (int more = 0; more < 3 && token >= start + 3 && text.substr(token - 2, 2) == ". "; ++more) {
        const std::size_t before = token_before(text, start, token - 2);
        if (before == token - 2 || !is_letter(decode(text, before).code)) break;
        if (before + decode(text, before).length != token - 2) break;
        letters.insert(0, std::string(text.substr(before, token - 2 - before)) + ".");
        token = before;
    }
    return letters;
}

// Whether digits and a space stand before the token: it is a unit or says of which era a year is.
bool behind_number(std::string_view text, std::size_t start, std::size_t token) {
    return token >= start + 2 && text[token - 1] == ' ' && ascii_digit(text[token - 2]);
}

bool is_initials(std::string_view token) {  // U.S, LL.AA.II, Ph.D
    std::size_t part = 0;
    for (std::size_t at = 0; at <= token.size(); ++at) {
        if (at < token.size() && token[at] != '.') continue;
        if (at - part > 2) return false;
        part = at + 1;
    }
    return true;
}

}  // namespace

bool stop_ends(std::string_view text, std::size_t start, std::size_t stop, std::size_t next,
               const OrdinalStops& ordinal_stops) {
    const std::size_t token = token_before(text, start, stop);
    if (token == stop) return true;  // "2017 ." or a bracket before it
    const std::string_view raw = text.substr(token, stop - token);
    const std::string follower = word_at(text, next);
    const bool starter = is_sentence_starter(follower);
    const bool digits = std::all_of(raw.begin(), raw.end(), ascii_digit);
    if (digits) {
        if (raw.size() <= 3 && token == start) return false;  // a list number: "1. First"
        const bool apart = token == start || ascii_space(text[token - 1]) || text[token - 1] == '-';
        return !(apart && raw.size() <= 2 && ordinal_stops.before(follower));
    }
    const Decoded first = decode(text, token);
    const bool single = first.length == raw.size() && is_letter(first.code);
    if (single && token > start && among_joints(decode_before(text, token).code)) return true;
    switch (abbreviation(single ? spaced_letters(text, start, token, stop) : std::string(raw), is_upper(first.code))) {
        case Abbreviation::kNever:
            return false;
        case Abbreviation::kNumber:
            if (next < text.size() && ascii_digit(text[next])) return false;
            return raw.size() > 1 && !is_numeral(follower);
        case Abbreviation::kOften:
            return starter;
        case Abbreviation::kEnds:
            return next >= text.size() || is_upper(decode(text, next).code);
        case Abbreviation::kNone:
            break;
    }
    if (single && (char_class(first.code) & kNgram) == 0) {
        if (!is_upper(first.code)) return starter && behind_number(text, start, token);  // "5 m. The"
        return starter && !previous_word_capitalised(text, start, token);  // "you and I. Did", not "J. Smith"
    }
    if (raw.find('.') != std::string_view::npos && !ascii_digit(raw.back())) {
        return is_initials(raw) ? starter : true;
    }
    return true;
}

bool is_inner_stop(std::string_view text, std::size_t start, std::size_t stop) {
    constexpr std::size_t kItemNumber = 9;  // bytes: three digits of full width
    const Decoded mark = decode(text, stop);
    if (mark.code != 0xFF0E || stop == start || stop + mark.length >= text.size()) return false;
    const auto plain = [](char32_t code) { return is_word(code) && (char_class(code) & kNgram) == 0; };
    if (!plain(decode_before(text, stop).code)) return false;
    if (plain(decode(text, stop + mark.length).code)) return true;
    std::size_t at = stop;
    while (at > start && stop - at < kItemNumber && is_digit(decode_before(text, at).code))
        at -= decode_before(text, at).length;
    return at == start;
}

bool lacks_space(std::string_view text, std::size_t start, std::size_t mark, std::size_t next) {
    if (mark == start || !is_lower(decode_before(text, mark).code) || !is_upper(decode(text, next).code)) return false;
    for (std::size_t at = mark; at > start && mark - at < 24; --at) {
        if (ascii_space(text[at - 1])) break;
        if (!ascii_alpha(text[at - 1])) return false;
    }
    const std::string word = word_at(text, next);
    const std::size_t after = next + word.size();
    const bool word_ends = after >= text.size() || ascii_space(text[after]) || text[after] == ',';
    return word_ends && is_sentence_starter(word);
}

bool ends_word(std::string_view text, std::size_t start, std::size_t mark) {
    const std::size_t token = token_before(text, start, mark);
    if (mark - token < 3 || abbreviation(text.substr(token, mark - token), false) != Abbreviation::kNone) return false;
    return !any_code(text.substr(token, mark - token), [](char32_t code) { return !is_lower(code); });
}

namespace {

struct Marker {
    int value = 0;  // number, or 1 for "a"
    bool letter = false;
    std::string_view tail;  // ".", ")" or ".)"
};

// The marker "12.)" at the start of `text`; value 0 where there is none.
Marker read_marker(std::string_view text) {
    Marker marker;
    std::size_t at = 0;
    while (at < text.size() && at < 3 && ascii_digit(text[at])) marker.value = marker.value * 10 + (text[at++] - '0');
    if (at == 0 && !text.empty() && ascii_lower(text[0])) {
        marker.letter = true;
        marker.value = text[0] - 'a' + 1;
        at = 1;
    }
    const std::size_t tail = at;
    while (at < text.size() && at - tail < 2 && (text[at] == '.' || text[at] == ')')) ++at;
    if (at == 0 || at == tail || at >= text.size() || text[at] != ' ') return {};
    marker.tail = text.substr(tail, at - tail);
    return marker;
}

bool is_bullet(char32_t code) { return code == 0x2022 || code == 0x2043 || code == 0x25CF || code == 0x25AA; }

}  // namespace

void split_inline_list(std::string_view text, Span sentence, std::vector<Span>& out) {
    const std::string_view all = text.substr(0, sentence.end);
    std::string needle;
    Marker marker;
    const Decoded first = decode(all, sentence.begin);
    if (is_bullet(first.code)) {
        needle = std::string(all.substr(sentence.begin, first.length));
    } else {
        marker = read_marker(all.substr(sentence.begin));
        if (marker.value == 0) return out.push_back(sentence);
    }
    while (true) {
        if (marker.value > 0) {
            ++marker.value;
            if (marker.letter && marker.value > 26) break;
            needle.assign(1, ' ');
            if (marker.letter) {
                needle.push_back(static_cast<char>('a' + marker.value - 1));
            } else {
                needle += std::to_string(marker.value);
            }
            needle += marker.tail;
            needle.push_back(' ');
        }
        std::size_t found = all.find(needle, sentence.begin + 1);
        if (found == std::string_view::npos) break;
        std::size_t end = found;
        if (marker.value > 0) ++found;
        while (end > sentence.begin && ascii_space(all[end - 1])) --end;
        if (end > sentence.begin) out.push_back({sentence.begin, end});
        sentence.begin = found;
    }
    out.push_back(sentence);
}

namespace {

constexpr std::size_t kThaiSentence = 120;  // bytes: forty characters
constexpr std::size_t kNarrow = 45;         // lines shorter than this are not wrapped prose
constexpr std::size_t kUnwrapped = 140;     // nor are lines longer than this

// How good a place to cut long text is behind a character: lines are best, then semicolons, commas, white space.
constexpr int kNoBreak = 4;
int break_rank(char letter) {
    switch (letter) {
        case '\n':
            return 0;
        case ';':
            return 1;
        case ',':
            return 2;
        case ' ':
        case '\t':
        case '\r':
        case '\v':
        case '\f':
            return 3;
        default:
            return kNoBreak;
    }
}

constexpr std::size_t kUnmarkedWords = kLongestUnmarked / 16;
constexpr std::string_view kMarks = ",;:.!?()[]{}\"/|";

// Whether kLongestUnmarked bytes in a row are words without a mark between them, as in a transcript. A letter of three
// bytes (CJK, Thai, Devanagari) counts as a mark.
bool has_no_marks(std::string_view text, Span span) {
    std::size_t words = 0;
    for (std::size_t begin = span.begin, at = begin; at < span.end; ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        const bool arabic_comma = byte == 0x8C && at > span.begin && text[at - 1] == '\xD8';
        if (byte >= 0xE0 || arabic_comma || kMarks.find(text[at]) != std::string_view::npos) {
            begin = at + 1;
            words = 0;
        } else if (ascii_space(text[at])) {
            ++words;
        }
        if (at - begin >= kLongestUnmarked && words >= kUnmarkedWords) return true;
    }
    return false;
}

bool is_thai(char32_t code) { return code >= 0x0E01 && code <= 0x0E5B; }

class Splitter {
  public:
    Splitter(std::string_view text, const Block& block, const OrdinalStops& ordinal_stops, std::vector<Span>& out)
        : text_(text.substr(0, block.end)),
          begin_(block.begin),
          start_(block.begin),
          line_(block.begin),
          width_(block.width),
          quoted_(block.kind == Kind::kQuote),
          tiny_(block.width <= kTinyLine && block.end - block.begin >= kManyTiny),
          ordinal_stops_(ordinal_stops),
          first_(out.size()),
          out_(out) {}

    void run() {
        const simd::ByteKernels& kernels = simd::byte_kernels();
        std::size_t at = start_;
        while (at < text_.size()) {
            check_cancelled();
            at += kernels.find_mark(text_.data() + at, text_.size() - at);
            if (at >= text_.size()) break;
            const Decoded here = decode(text_, at);
            if (here.code == '\n' || here.code == '\r') {
                at = line_break(at);
            } else if (ender(here.code) != Ender::kNone) {
                at = possible_end(at);
            } else if (is_thai(here.code)) {
                at = thai_run(at);
            } else {
                depth_ += here.code == 0x300A ? 1 : 0;  // inside a CJK title nothing ends
                depth_ -= here.code == 0x300B && depth_ > 0 ? 1 : 0;
                at += here.length;
            }
        }
        finish(text_.size());
    }

  private:
    void finish(std::size_t end) {
        if (end > start_) {
            const std::size_t first = out_.size();
            const Span last = trim(text_, {start_, end});
            if (end == text_.size() && first > first_ && on_own_line(last) &&
                says_nothing(text_.substr(last.begin, last.end - last.begin))) {
                out_.back().end = last.end;
                start_ = end;
                return;
            }
            split_inline_list(text_, trim(text_, {start_, end}), out_);
            cut_long(first);
        }
        start_ = skip_space(text_, end);
        depth_ = 0;
    }

    bool on_own_line(const Span& span) const {
        std::size_t at = span.begin;
        while (at > begin_ && ascii_space(text_[at - 1]) && text_[at - 1] != '\n') --at;
        return at > begin_ && text_[at - 1] == '\n';
    }

    // Cuts the spans from the one of this number on where one of them is too long, as few are.
    void cut_long(std::size_t first) {
        const auto begin = out_.begin() + static_cast<std::ptrdiff_t>(first);
        const auto fits = [](const Span& span) {
            return span.end > span.begin && span.end - span.begin <= kLongestUnmarked;
        };
        if (std::all_of(begin, out_.end(), fits)) return;
        const std::vector<Span> items(begin, out_.end());
        out_.erase(begin, out_.end());
        for (const Span& item : items) {
            split_long(text_, item, has_no_marks(text_, item) ? kLongestUnmarked : kLongestSegment, out_);
        }
    }

    std::size_t possible_end(std::size_t at) {
        const std::size_t mark = at;
        if (is_inner_stop(text_, start_, mark)) return at + decode(text_, at).length;
        int stops = 0;
        bool strong = false;
        bool tight = false;
        while (at < text_.size()) {
            const Decoded here = decode(text_, at);
            const Ender kind = ender(here.code);
            if (kind == Ender::kNone) {
                // ". . ." is one mark
                if (stops == 0 || strong || here.code != ' ' || !spaced_stop(text_, at + 1)) break;
                ++at;
                continue;
            }
            stops += kind == Ender::kStop ? 1 : kind == Ender::kEllipsis ? 3 : 0;
            strong |= kind == Ender::kStrong || kind == Ender::kTight;
            tight |= kind == Ender::kTight;
            at += here.length;
        }
        if (stops > 1 && at < text_.size() && text_[at] == ']') return at;  // "[...]" stands for words
        const std::size_t end = skip_emoticon(text_, skip_closing(text_, at));
        if (end >= text_.size() || depth_ > 0) return end;
        const Decoded behind = decode(text_, end);
        if (!is_space(behind.code)) {
            if (tight && behind.code != 0x3001 && behind.code != 0xFF0C && behind.code != ',') {
                finish(end);
                return start_;
            }
            if (lacks_space(text_, start_, mark, end)) {
                finish(end);
                return start_;
            }
            return end;
        }
        if (ends_before(mark, end, stops, strong)) {
            finish(end);
            note_line(end, start_);
            return start_;
        }
        return end;
    }

    bool ends_before(std::size_t mark, std::size_t end, int stops, bool strong) const {
        const std::size_t next = skip_space(text_, end);
        if (next >= text_.size()) return true;
        const std::size_t word = first_word(text_, next);
        const char32_t code = word < text_.size() ? decode(text_, word).code : U' ';
        const bool wrapped = std::memchr(text_.data() + end, '\n', next - end) != nullptr;
        if (is_lower(code)) {
            if (stops > 1 || end > mark + 1 || !ends_word(text_, start_, mark)) return false;
            if (wrapped && deliberate(end, next)) return strong || stop_ends(text_, start_, mark, word, ordinal_stops_);
            const bool starter = is_sentence_starter(word_at(text_, word));
            if (strong) return informal() || (starter && text_[mark] == '?');
            return (informal() || starter) && stop_ends(text_, start_, mark, word, ordinal_stops_);
        }
        if (strong) return true;
        if (stops == 1) return stop_ends(text_, start_, mark, word, ordinal_stops_);
        if (stops == 3 && is_i(word)) return false;  // "... I mean": the capital says nothing
        return is_upper(code) || !is_letter(code) || stops > 3;
    }

    bool is_i(std::size_t word) const {
        return word < text_.size() && text_[word] == 'I' &&
               (word + 1 >= text_.size() || !is_word(decode(text_, word + 1).code));
    }

    // Whether the block is written without capitals: it starts with a small letter or says " i ".
    bool informal() const {
        if (informal_ < 0) {
            const std::string_view block = text_.substr(begin_);
            const bool small = is_lower(decode(text_, begin_).code);
            bool alone = false;  // " i "; faster than std::string_view::find, as there are many blanks
            for (std::size_t at = 2; at < block.size() && !alone; ++at) {
                alone = block[at - 1] == 'i' && block[at] == ' ' && block[at - 2] == ' ';
            }
            informal_ = small || alone ? 1 : 0;
        }
        return informal_ == 1;
    }

    void note_line(std::size_t from, std::size_t to) {
        for (std::size_t at = to; at > from; --at) {
            if (text_[at - 1] == '\n') {
                line_ = at;
                return;
            }
        }
    }

    // Whether the block's lines are merely wrapped: half of those without a mark at the end go on in small letters.
    bool wrapped() const {
        if (wrapped_ < 0) {
            std::size_t small = 0, other = 0;
            for (std::size_t at = text_.find('\n', begin_); at < text_.size(); at = text_.find('\n', at + 1)) {
                const std::size_t next = skip_space(text_, at);
                std::size_t end = at;
                while (end > begin_ && ascii_space(text_[end - 1])) --end;
                if (next >= text_.size() || end == begin_) break;
                if (ender(decode_before(text_, end).code) != Ender::kNone) continue;
                ++(is_lower(decode(text_, next).code) ? small : other);
                check_cancelled();
            }
            wrapped_ = small > 0 && small >= other ? 1 : 0;
        }
        return wrapped_ == 1;
    }

    // Whether the break between `end` and `next` was meant: the next word would still have fitted.
    bool deliberate(std::size_t end, std::size_t next) const {
        if (width_ < kNarrow || width_ > kUnwrapped) return true;
        std::size_t stop = next;
        while (stop < text_.size() && stop - next < 40 && !ascii_space(text_[stop])) ++stop;
        return (end - line_) + 1 + (stop - next) < width_ - width_ / 6;
    }

    std::size_t line_break(std::size_t at) {
        std::size_t end = at;
        while (end > start_ && ascii_space(text_[end - 1])) --end;
        std::size_t next = skip_space(text_, at);
        if (quoted_) {
            while (next < text_.size() && (text_[next] == '>' || text_[next] == ' ')) ++next;
        }
        if (next >= text_.size()) return next;
        if (tiny_) {
            if (end - std::min(start_, end) >= kTinyPiece) finish(end);
            return next;
        }
        const char32_t code =
            decode(text_, first_word(text_, next) < text_.size() ? first_word(text_, next) : next).code;
        const bool meant = end > start_ && !is_lower(code) && deliberate(end, next) &&
                           !says_nothing(text_.substr(start_, end - start_));
        if (meant && (2 * (end - line_) < width_ || !wrapped())) {
            finish(end);
            next = std::max(next, start_);
        }
        line_ = next;
        return next;
    }

    std::size_t thai_run(std::size_t at) {
        while (at < text_.size() && !ascii_space(text_[at]) && ender(decode(text_, at).code) == Ender::kNone) {
            at += decode(text_, at).length;
        }
        if (at >= text_.size() || text_[at] != ' ' || at - start_ < kThaiSentence) return at;
        const std::size_t next = skip_space(text_, at);
        if (next < text_.size() && is_thai(decode(text_, next).code)) finish(at);
        return next;
    }

    std::string_view text_;
    std::size_t begin_;  // of the block
    std::size_t start_;  // of the sentence going on
    std::size_t line_;   // of the line going on
    std::size_t width_;
    bool quoted_;
    bool tiny_;  // lines of hardly anything
    const OrdinalStops& ordinal_stops_;
    std::size_t first_;          // of its sentences in `out_`
    int depth_ = 0;              // of open CJK title marks
    mutable int informal_ = -1;  // not looked at yet
    mutable int wrapped_ = -1;
    std::vector<Span>& out_;
};

}  // namespace

void split_sentences(std::string_view text, const Block& block, const OrdinalStops& ordinal_stops,
                     std::vector<Span>& out) {
    Splitter(text, block, ordinal_stops, out).run();
}

void split_long(std::string_view text, Span span, std::size_t limit, std::vector<Span>& out) {
    while (span.end - span.begin > limit) {
        check_cancelled();
        std::size_t cut = 0;
        int worst = kNoBreak;
        for (std::size_t at = limit; at-- > limit / 2 && worst > 0;) {  // behind the last of the best, in one pass
            const int rank = break_rank(text[span.begin + at]);
            if (rank < worst) {
                worst = rank;
                cut = at + 1;
            }
        }
        if (cut == 0) cut = floor_char(text, span.begin + limit) - span.begin;
        const Span piece = trim(text, {span.begin, span.begin + cut});
        if (piece.end > piece.begin) out.push_back(piece);
        span = trim(text, {span.begin + cut, span.end});
    }
    if (span.end > span.begin) out.push_back(span);
}

namespace {

constexpr std::size_t kLeast = 6;         // bytes on each side of a border that a mark makes
constexpr std::size_t kLeastByWord = 20;  // ... that a word makes
constexpr std::size_t kLongestOpener = 8;

bool opens_clause(std::string_view word) {
    static const std::unordered_set<std::string_view> words = {
        "and",   "but",     "or",     "nor",     "because",  "which",  "who",     "whom",    "whose",
        "where", "when",    "while",  "that",    "although", "though", "if",      "unless",  "since",
        "until", "whereas",  // clauses
        "to",    "for",     "with",   "without", "from",     "by",     "in",      "on",      "at",
        "as",    "after",   "before", "during",  "under",    "into",   "through", "between", "against",
        "about", "over",    "within",  // phrases
        "und",   "oder",    "aber",   "weil",    "dass",     "wenn",   "et",      "ou",      "mais",
        "qui",   "dont",    "y",      "pero",    "porque",   "que",    "cuyo",    "cuya"};
    return words.contains(word);
}

// The small letters at `at`: a word, or "" where it goes on otherwise or is longer than any that opens a clause.
std::string_view small_word(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && end - at <= kLongestOpener && ascii_lower(text[end])) ++end;
    return end < text.size() && ascii_space(text[end]) ? text.substr(at, end - at) : std::string_view();
}

// Whether a dash that stands alone is at `at`.
bool lone_dash(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && end - at < 3 && text[end] == '-') ++end;
    if (end == at && text.substr(at).starts_with("\xE2\x80\x93")) end += 3;
    return end > at && end < text.size() && ascii_space(text[end]);
}

// Whether a mark ends a clause right before `end`; `next` begins behind it. Not in "12, 2024".
bool ends_by_mark(std::string_view text, std::size_t end, std::size_t next) {
    if (text[end - 1] == ',' && end > 1 && ascii_digit(text[end - 2]) && ascii_digit(text[next])) return false;
    if (text[end - 1] == '"' || text[end - 1] == '\'') {
        --end;
    } else if (text.substr(0, end).ends_with("\xE2\x80\x9D") || text.substr(0, end).ends_with("\xE2\x80\x99")) {
        end -= 3;
    }
    return end > 0 && among(text[end - 1], ",;:)]}|");
}

// Whether a clause may end behind this character without white space.
bool ends_tightly(char32_t code) {
    constexpr std::u32string_view marks = U"\u3001\uFF0C\uFF1B\uFF1A\uFF09\u060C\u061B";
    return marks.find(code) != std::u32string_view::npos;
}

}  // namespace

void split_clauses(std::string_view text, Span sentence, std::vector<Span>& out) {
    text = text.substr(0, sentence.end);
    std::size_t begin = sentence.begin;
    const auto cut = [&](std::size_t at) {
        const Span piece = trim(text, {begin, at});
        if (piece.end > piece.begin) out.push_back(piece);
        begin = at;
    };
    const auto far = [&](std::size_t before, std::size_t behind, std::size_t least) {
        return before - begin >= least && sentence.end - behind >= least;
    };
    for (std::size_t at = sentence.begin; at < sentence.end;) {
        if (ascii_space(text[at])) {
            std::size_t next = at;
            while (next < sentence.end && ascii_space(text[next])) ++next;
            if (far(at, next, kLeast) &&
                (ends_by_mark(text, at, next) || among(text[next], "([") || lone_dash(text, next))) {
                cut(next);
            } else if (far(at, next, kLeastByWord) && opens_clause(small_word(text, next))) {
                cut(next);
            }
            at = next;
            continue;
        }
        const Decoded here = decode(text, at);
        if (here.code == 0x2014 && far(at, at, kLeast)) cut(at);
        at += here.length;
        if (here.code >= 0x80 && ends_tightly(here.code) && far(at, at, kLeast)) cut(at);
    }
    cut(sentence.end);
}

}  // namespace tersely::text
