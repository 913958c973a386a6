#include "kernels/text/sentences.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/text/abbreviations.hpp"
#include "kernels/text/inline_list.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"
#include "simd/bytes.hpp"

namespace tersely::text {
namespace {

constexpr std::size_t kThaiSentence = 120;  // bytes: forty characters
constexpr std::size_t kNarrow = 45;         // lines shorter than this are not wrapped prose
constexpr std::size_t kUnwrapped = 140;     // nor are lines longer than this

enum class Ender { kNone, kStop, kStrong, kEllipsis, kTight };  // kTight: no space needed after it

Ender ender(char32_t code) {
    switch (code) {
        case '.': return Ender::kStop;
        case '!': case '?': case 0x203C: case 0x203D: case 0x2047: case 0x2048: case 0x2049:
        case 0x061F: case 0x06D4: case 0x0589: case 0x1362: case 0x1367: case 0x104B: case 0x17D4: case 0x0F0D:
            return Ender::kStrong;
        case 0x2026: return Ender::kEllipsis;
        case 0x3002: case 0xFF01: case 0xFF1F: case 0xFF0E: case 0xFF61: case 0x0964: case 0x0965:
            return Ender::kTight;
        default: return Ender::kNone;
    }
}

bool is_thai(char32_t code) { return code >= 0x0E01 && code <= 0x0E5B; }

class Splitter {
  public:
    Splitter(std::string_view text, const Block& block, bool ordinal_stops, std::vector<Span>& out)
        : text_(text.substr(0, block.end)), begin_(block.begin), start_(block.begin), line_(block.begin),
          width_(block.width), quoted_(block.kind == Kind::kQuote), ordinal_stops_(ordinal_stops), out_(out) {}

    void run() {
        const simd::ByteKernels& kernels = simd::byte_kernels();
        std::size_t at = start_;
        while (at < text_.size()) {
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
            split_inline_list(text_, {start_, end}, items_);
            for (const Span& item : items_) split_long(text_, item, kLongestSegment, out_);
            items_.clear();
        }
        start_ = skip_space(end);
        depth_ = 0;
    }

    std::size_t skip_space(std::size_t at) const {
        while (at < text_.size()) {
            const Decoded here = decode(text_, at);
            if (!is_space(here.code)) break;
            at += here.length;
        }
        return at;
    }

    std::size_t skip_closing(std::size_t at) const {
        while (at < text_.size()) {
            const Decoded here = decode(text_, at);
            if ((char_class(here.code) & kClosing) != 0 || here.code == '*' || here.code == 0x201C) {
                if (here.code == '*' && at + 1 < text_.size() && ascii_space(text_[at + 1]) && at > 0 &&
                    ascii_space(text_[at - 1])) {
                    break;
                }
                at += here.length;
                continue;
            }
            if (here.code != '[') break;  // a footnote mark: [12]
            std::size_t stop = at + 1;
            while (stop < text_.size() && ascii_digit(text_[stop])) ++stop;
            if (stop == at + 1 || stop >= text_.size() || text_[stop] != ']') break;
            at = stop + 1;
        }
        return at;
    }

    // The first letter or digit of what follows, past quotes, brackets and dashes (at most 8 marks).
    std::size_t first_word(std::size_t at) const {
        for (int marks = 0; at < text_.size() && marks < 8; ++marks) {
            const Decoded here = decode(text_, at);
            if (is_word(here.code) || is_space(here.code)) break;
            at += here.length;
        }
        return at;
    }

    // The word at `at`, in lower case (ASCII only), at most 24 bytes.
    std::string word_at(std::size_t at) const {
        std::string word;
        while (at < text_.size() && word.size() < 24) {
            const Decoded here = decode(text_, at);
            if (!is_word(here.code) && here.code != '\'') break;
            append_utf8(word, here.code < 0x80 && is_upper(here.code) ? here.code + 32 : here.code);
            at += here.length;
        }
        return word;
    }

    // Start of the run of word characters and inner stops that ends at `end` (at most 24 bytes back).
    std::size_t token_before(std::size_t end) const {
        std::size_t at = end;
        while (at > start_ && end - at < 24) {
            const Decoded here = decode_before(text_, at);
            if (!is_word(here.code) && here.code != '.' && here.code != ',' && here.code != 0xB0) break;
            at -= here.length;
        }
        return at;
    }

    bool previous_word_capitalised(std::size_t token) const {
        std::size_t end = token;
        while (end > start_ && token - end < 8 && (text_[end - 1] == ' ' || text_[end - 1] == '.')) --end;
        if (end == start_) return true;
        const std::size_t word = token_before(end);
        return word < end && is_upper(decode(text_, word).code);
    }

    // Whether the single full stop at `stop` may end a sentence before the word at `next`.
    bool stop_ends(std::size_t stop, std::size_t next) const {
        const std::size_t token = token_before(stop);
        if (token == stop) return true;  // "2017 ." or a bracket before it
        const std::string_view raw = text_.substr(token, stop - token);
        const std::string follower = word_at(next);
        const bool starter = is_sentence_starter(follower);
        const bool digits = std::all_of(raw.begin(), raw.end(), ascii_digit);
        if (digits) {
            if (raw.size() <= 3 && token == start_) return false;  // a list number: "1. First"
            const bool apart = token == start_ || ascii_space(text_[token - 1]) || text_[token - 1] == '-';
            return !(ordinal_stops_ && apart && raw.size() <= 2);
        }
        std::string lower;
        for (std::size_t at = token; at < stop;) {
            const Decoded here = decode(text_, at);
            append_utf8(lower, here.code < 0x80 && is_upper(here.code) ? here.code + 32 : here.code);
            at += here.length;
        }
        switch (abbreviation(lower)) {
            case Abbreviation::kNever: return false;
            case Abbreviation::kNumber:
                if (next < text_.size() && ascii_digit(text_[next])) return false;
                return raw.size() > 1 && (starter || lower == "no" || lower == "app" || lower == "art" || lower == "par");
            case Abbreviation::kOften: return starter;
            case Abbreviation::kNone: break;
        }
        const Decoded first = decode(text_, token);
        const bool attached = token > start_ && (text_[token - 1] == '/' || text_[token - 1] == '-');
        if (first.length == raw.size() && !attached && is_letter(first.code) && (char_class(first.code) & kNgram) == 0) {
            if (!is_upper(first.code)) return false;
            return starter && !previous_word_capitalised(token);  // "you and I. Did", not "J. Smith"
        }
        if (raw.find('.') != std::string_view::npos && !ascii_digit(raw.back())) {
            return is_initials(raw) ? starter : true;
        }
        return true;
    }

    static bool is_initials(std::string_view token) {  // U.S, LL.AA.II, Ph.D
        std::size_t part = 0;
        for (std::size_t at = 0; at <= token.size(); ++at) {
            if (at < token.size() && token[at] != '.') continue;
            if (at - part > 2) return false;
            part = at + 1;
        }
        return true;
    }

    // "end.Next": a missing space, not a file name or a host name.
    bool lacks_space(std::size_t mark, std::size_t next) const {
        if (mark == start_ || !is_lower(decode_before(text_, mark).code) || !is_upper(decode(text_, next).code)) return false;
        for (std::size_t at = mark; at > start_ && mark - at < 24; --at) {
            if (ascii_space(text_[at - 1])) break;
            if (!ascii_alpha(text_[at - 1])) return false;
        }
        const std::string word = word_at(next);
        const std::size_t after = next + word.size();
        const bool word_ends = after >= text_.size() || ascii_space(text_[after]) || text_[after] == ',';
        return word_ends && is_sentence_starter(word);
    }

    std::size_t possible_end(std::size_t at) {
        const std::size_t mark = at;
        int stops = 0;
        bool strong = false;
        bool tight = false;
        while (at < text_.size()) {
            const Decoded here = decode(text_, at);
            const Ender kind = ender(here.code);
            if (kind == Ender::kNone) {
                // ". . ." is one mark
                if (stops == 0 || strong || here.code != ' ' || !spaced_stop(at + 1)) break;
                ++at;
                continue;
            }
            stops += kind == Ender::kStop ? 1 : kind == Ender::kEllipsis ? 3 : 0;
            strong |= kind == Ender::kStrong || kind == Ender::kTight;
            tight |= kind == Ender::kTight;
            at += here.length;
        }
        if (stops > 1 && at < text_.size() && text_[at] == ']') return at;  // "[...]" stands for words
        const std::size_t end = skip_emoticon(skip_closing(at));
        if (end >= text_.size() || depth_ > 0) return end;
        const Decoded behind = decode(text_, end);
        if (!is_space(behind.code)) {
            if (tight && behind.code != 0x3001 && behind.code != 0xFF0C && behind.code != ',') {
                finish(end);
                return start_;
            }
            if (lacks_space(mark, end)) {
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
        const std::size_t next = skip_space(end);
        if (next >= text_.size()) return true;
        const std::size_t word = first_word(next);
        const char32_t code = word < text_.size() ? decode(text_, word).code : U' ';
        const bool wrapped = std::memchr(text_.data() + end, '\n', next - end) != nullptr;
        if (is_lower(code)) {
            if (stops > 1 || end > mark + 1 || !ends_word(mark)) return false;
            if (wrapped && deliberate(end, next)) return strong || stop_ends(mark, word);
            const bool starter = is_sentence_starter(word_at(word));
            if (strong) return informal() || (starter && text_[mark] == '?');
            return (informal() || starter) && stop_ends(mark, word);
        }
        if (strong) return true;
        if (stops == 1) return stop_ends(mark, word);
        if (stops == 3 && is_i(word)) return false;  // "... I mean": the capital says nothing
        return is_upper(code) || !is_letter(code) || stops > 3;
    }

    bool is_i(std::size_t word) const {
        return text_[word] == 'I' && (word + 1 >= text_.size() || !is_word(decode(text_, word + 1).code));
    }

    // A lower-case word of three letters or more right before the mark: no unknown abbreviation.
    bool ends_word(std::size_t mark) const {
        const std::size_t token = token_before(mark);
        if (mark - token < 3 || abbreviation(text_.substr(token, mark - token)) != Abbreviation::kNone) return false;
        for (std::size_t at = token; at < mark;) {
            const Decoded here = decode(text_, at);
            if (!is_lower(here.code)) return false;
            at += here.length;
        }
        return true;
    }

    // Whether the block is written without capitals: it starts with a small letter or says " i ".
    bool informal() const {
        if (informal_ < 0) {
            const std::string_view block = text_.substr(begin_);
            const bool small = is_lower(decode(text_, begin_).code);
            informal_ = small || memmem(block.data(), block.size(), " i ", 3) != nullptr ? 1 : 0;
        }
        return informal_ == 1;
    }

    // ". " or ".." or "." before a closing mark at `at`: one more stop of a spaced ellipsis.
    bool spaced_stop(std::size_t at) const {
        if (at >= text_.size() || text_[at] != '.') return false;
        if (at + 1 >= text_.size() || text_[at + 1] == ' ' || text_[at + 1] == '.') return true;
        return (char_class(decode(text_, at + 1).code) & kClosing) != 0;
    }

    std::size_t skip_emoticon(std::size_t end) const {
        if (end + 2 >= text_.size() || text_[end] != ' ' || std::strchr(":;=", text_[end + 1]) == nullptr) return end;
        std::size_t at = end + 1;
        while (at < text_.size() && at - end < 5 && !ascii_space(text_[at])) {
            if (is_word(decode(text_, at).code) && at > end + 3) return end;
            ++at;
        }
        const bool stands_alone = at >= text_.size() || ascii_space(text_[at]);
        return stands_alone && at - end > 2 ? at : end;
    }

    void note_line(std::size_t from, std::size_t to) {
        for (std::size_t at = to; at > from; --at) {
            if (text_[at - 1] == '\n') {
                line_ = at;
                return;
            }
        }
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
        std::size_t next = skip_space(at);
        if (quoted_) {
            while (next < text_.size() && (text_[next] == '>' || text_[next] == ' ')) ++next;
        }
        if (next >= text_.size()) return next;
        const char32_t code = decode(text_, first_word(next) < text_.size() ? first_word(next) : next).code;
        if (end > start_ && !is_lower(code) && deliberate(end, next)) {
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
        const std::size_t next = skip_space(at);
        if (next < text_.size() && is_thai(decode(text_, next).code)) finish(at);
        return next;
    }

    std::string_view text_;
    std::size_t begin_;  // of the block
    std::size_t start_;  // of the sentence going on
    std::size_t line_;   // of the line going on
    std::size_t width_;
    bool quoted_;
    bool ordinal_stops_;
    int depth_ = 0;               // of open CJK title marks
    mutable int informal_ = -1;  // not looked at yet
    std::vector<Span>& out_;
    std::vector<Span> items_;
};

}  // namespace

void split_sentences(std::string_view text, const Block& block, bool ordinal_stops, std::vector<Span>& out) {
    Splitter(text, block, ordinal_stops, out).run();
}

void split_long(std::string_view text, Span span, std::size_t limit, std::vector<Span>& out) {
    while (span.end - span.begin > limit) {
        const std::string_view window = text.substr(span.begin, limit);
        std::size_t cut = 0;
        for (const char* breaks : {"\n", ";", ",", " \t\r\v\f"}) {
            const std::size_t found = window.find_last_of(breaks);
            if (found != std::string_view::npos && found >= limit / 2) {
                cut = found + 1;
                break;
            }
        }
        if (cut == 0) cut = floor_char(text, span.begin + limit) - span.begin;
        std::size_t end = span.begin + cut;
        const std::size_t resume = end;
        while (end > span.begin && ascii_space(text[end - 1])) --end;
        if (end > span.begin) out.push_back({span.begin, end});
        span.begin = resume;
        while (span.begin < span.end && ascii_space(text[span.begin])) ++span.begin;
    }
    if (span.end > span.begin) out.push_back(span);
}

}  // namespace tersely::text
