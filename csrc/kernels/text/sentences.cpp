#include "kernels/text/sentences.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/parallel.hpp"
#include "kernels/text/abbreviations.hpp"
#include "kernels/text/full_stop.hpp"
#include "kernels/text/inline_list.hpp"
#include "kernels/text/marks.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"
#include "simd/bytes.hpp"

namespace tersely::text {
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
            split_inline_list(text_, trim(text_, {start_, end}), out_);
            cut_long(first);
        }
        start_ = skip_space(text_, end);
        depth_ = 0;
    }

    // Cuts the spans from the one of this number on where one of them is too long, as few are.
    void cut_long(std::size_t first) {
        const auto begin = out_.begin() + static_cast<std::ptrdiff_t>(first);
        const auto fits = [](const Span& span) {
            return span.end > span.begin && span.end - span.begin <= kLongestSegment;
        };
        if (std::all_of(begin, out_.end(), fits)) return;
        const std::vector<Span> items(begin, out_.end());
        out_.erase(begin, out_.end());
        for (const Span& item : items) split_long(text_, item, kLongestSegment, out_);
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
    int depth_ = 0;              // of open CJK title marks
    mutable int informal_ = -1;  // not looked at yet
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

}  // namespace tersely::text
