#include "kernels/text/segment.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "kernels/parallel.hpp"
#include "kernels/text/abbreviations.hpp"
#include "kernels/text/lines.hpp"
#include "kernels/text/sentences.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"
#include "simd/bytes.hpp"

namespace tersely::text {
namespace {

constexpr std::size_t kWholeItem = 400;   // a list item up to this many bytes stays whole
constexpr std::size_t kWholeTable = 600;  // a table: else one segment a row
constexpr std::size_t kWholeLine = 300;   // a line of code or data, among clauses
constexpr std::size_t kWholeCode = 1200;  // a code block: else pieces of whole lines

// Pieces of `span` that end at line ends, none under `least` bytes but the last. least 0 = every line; a line that says
// nothing goes with the one before, or behind it. A piece keeps the indentation of its first line unless it is a single
// one.
void split_lines(std::string_view text, Span span, std::size_t least, std::vector<Span>& out) {
    constexpr std::size_t kMostJoined = 200;  // bytes
    text = text.substr(0, span.end);          // a span of one line has none to look for behind it
    const std::size_t before = out.size();
    std::size_t begin = span.begin;
    while (begin < span.end) {
        check_cancelled();
        std::size_t end = begin;
        do {
            const std::size_t newline = text.find('\n', end);
            end = newline == std::string_view::npos ? span.end : newline + 1;
        } while (end < span.end && end - begin < least);
        const Span piece = trim(text, {begin, end});
        const auto quiet = [text](const Span& one) {
            return says_nothing(text.substr(one.begin, one.end - one.begin));
        };
        if (out.size() > before && piece.end > piece.begin && piece.end - out.back().begin <= kMostJoined &&
            (quiet(piece) || quiet(out.back()))) {
            out.back().end = piece.end;
        } else if (piece.end > piece.begin) {
            const std::size_t indent = text.substr(begin, piece.begin - begin).find_last_of('\n') + 1;
            split_long(text, {least == 0 ? piece.begin : begin + indent, piece.end}, kLongestSegment, out);
        }
        begin = end;
    }
}

// Whether a block is many lines of hardly anything. O(size of it).
bool tiny_lines(std::string_view text, Span span) {
    const std::size_t size = span.end - span.begin;
    if (size < kManyTiny) return false;
    const auto lines = std::count(text.begin() + static_cast<std::ptrdiff_t>(span.begin),
                                  text.begin() + static_cast<std::ptrdiff_t>(span.end), '\n');
    return size <= (kTinyLine + 1) * static_cast<std::size_t>(lines);
}

// Cuts what is longer than kWholePieces pieces into lines, and those into pieces.
void split_larger(std::string_view text, std::size_t piece, std::vector<Span>& spans) {
    if (std::none_of(spans.begin(), spans.end(),
                     [&](const Span& span) { return span.end - span.begin > kWholePieces * piece; })) {
        return;
    }
    std::vector<Span> lines, cut;
    for (const Span& span : spans) {
        if (span.end - span.begin <= kWholePieces * piece) {
            cut.push_back(span);
            continue;
        }
        lines.clear();
        split_lines(text, span, 0, lines);
        for (const Span& line : lines) split_long(text, line, piece, cut);
    }
    spans = std::move(cut);
}

// Whether a line is the one below the head of a table: dashes, with bars and colons.
bool is_dashed(std::string_view line) {
    return line.find('-') != std::string_view::npos && line.find_first_not_of("|-: \t\r") == std::string_view::npos;
}

// The rows of a table, a line each; its head with the dashes below it.
void split_rows(std::string_view text, const Span& table, std::vector<Span>& out) {
    const std::size_t head = out.size();
    split_lines(text, table, 0, out);
    if (out.size() < head + 3 || !is_dashed(text.substr(out[head + 1].begin, out[head + 1].end - out[head + 1].begin)))
        return;
    if (out[head + 1].end - out[head].begin > kLongestSegment) return;
    out[head].end = out[head + 1].end;
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(head) + 1);
}

void split_block(std::string_view text, const Block& block, const OrdinalStops& ordinal_stops, std::vector<Span>& out) {
    const Span whole{block.begin, block.end};
    const std::size_t size = block.end - block.begin;
    if (block.cue) return split_long(text, whole, kLongestSegment, out);
    switch (block.kind) {
        case Kind::kHeading:
        case Kind::kLogLine:
            return split_long(text, whole, kLongestSegment, out);
        case Kind::kTable:
            return size <= kWholeTable ? out.push_back(whole) : split_rows(text, whole, out);
        case Kind::kFencedCode:
            return size <= kWholeCode ? out.push_back(whole) : split_lines(text, whole, kWholeCode / 2, out);
        case Kind::kCode:
            return split_lines(text, whole, tiny_lines(text, whole) ? kTinyPiece : 0, out);
        case Kind::kChatTurn:
            if (size <= (block.answered ? kWholeItem : kWholeTurn)) return out.push_back(whole);
            return split_sentences(text, block, ordinal_stops, out);
        case Kind::kListItem:
            if (size <= kWholeItem) return split_inline_list(text, whole, out);
            [[fallthrough]];
        default:
            return split_sentences(text, block, ordinal_stops, out);
    }
}

// The block's sentences, cut into clauses; what has none stays whole.
void split_into_clauses(std::string_view text, const Block& block, const OrdinalStops& ordinal_stops,
                        std::vector<Span>& out) {
    if (block.kind == Kind::kTable) return split_rows(text, {block.begin, block.end}, out);
    std::vector<Span> sentences;
    split_block(text, block, ordinal_stops, sentences);
    for (const Span& sentence : sentences) {
        const bool whole = block.kind == Kind::kHeading || block.kind == Kind::kFencedCode ||
                           (block.kind == Kind::kCode && sentence.end - sentence.begin <= kWholeLine);
        whole ? out.push_back(sentence) : split_clauses(text, sentence, out);
    }
}

// Runs of characters that are not white space; of scripts without spaces, each character.
void split_words(std::string_view text, const Block& block, std::vector<Span>& out) {
    std::size_t begin = block.begin;
    std::size_t at = block.begin;
    const auto flush = [&](std::size_t end) {
        if (end > begin) split_long(text, {begin, end}, kLongestSegment, out);
    };
    while (at < block.end) {
        const Decoded here = decode(text, at);
        const std::uint8_t flags = char_class(here.code);
        const bool alone = (flags & kNgram) != 0 && (flags & kLetter) != 0;
        if ((flags & kSpace) != 0 || alone) {
            flush(at);
            begin = at + ((flags & kSpace) != 0 ? here.length : 0);
        }
        at += here.length;
        if (alone) {  // marks stay with the character before them
            while (at < block.end && (char_class(decode(text, at).code) & kMark) != 0) at += decode(text, at).length;
            flush(at);
            begin = at;
        }
    }
    flush(block.end);
}

void characters(std::string_view text, std::size_t window, Segments& out) {
    std::size_t begin = 0;
    std::int32_t block = 0;
    while (begin < text.size()) {
        std::size_t end = begin;
        for (std::size_t count = 0; count < window && end < text.size(); ++count) end += decode(text, end).length;
        out.push({begin, end}, Kind::kProse, block++, -1);
        begin = end;
    }
}

void sections(const std::vector<Block>& blocks, Segments& out) {
    for (std::size_t first = 0; first < blocks.size();) {
        std::size_t stop = first + 1;
        while (stop < blocks.size() && blocks[stop].kind != Kind::kHeading) ++stop;
        out.push({blocks[first].begin, blocks[stop - 1].end}, blocks[first].kind, static_cast<std::int32_t>(out.size()),
                 -1);
        first = stop;
    }
}

// Whether the block's last sentence says what the items of a list behind it are.
bool leads_into_list(std::string_view text, const Block& block, const std::vector<Span>& spans, Level level) {
    if (block.kind != Kind::kProse || spans.empty() || (level != Level::kSentence && level != Level::kClause))
        return false;
    const Span& last = spans.back();
    return text[last.end - 1] == ':' && last.end - last.begin <= kLongestLead;
}

// Whether a block is an indented paragraph, of the list item before it.
bool goes_on(std::string_view text, const Block& block) {
    return block.kind == Kind::kProse && block.begin > 0 &&
           (text[block.begin - 1] == ' ' || text[block.begin - 1] == '\t');
}

}  // namespace

Segments segment(std::string_view text, Level level, std::size_t window, std::size_t piece, bool whole) {
    Segments out;
    if (level == Level::kCharacter) {
        characters(text, std::max<std::size_t>(window, 1), out);
        return out;
    }
    const std::vector<Block> blocks = find_blocks(text);
    if (level == Level::kSection) {
        sections(blocks, out);
        return out;
    }
    if (whole && level == Level::kSentence && text.size() <= kWholeTurn && !blocks.empty()) {
        out.push({blocks.front().begin, blocks.back().end}, blocks.size() == 1 ? blocks.front().kind : Kind::kProse, 0,
                 -1);
        return out;
    }
    out.reserve(blocks.size());  // a block has a segment or more
    const OrdinalStops ordinal_stops(text);
    std::array<std::int32_t, 7> open{};  // the open heading of each level
    open.fill(-1);
    std::vector<Span> spans;
    std::int32_t leads = -1;  // the sentence that leads into a list: it ends in a colon
    for (std::size_t index = 0; index < blocks.size(); ++index) {
        const Block& block = blocks[index];
        check_cancelled();
        spans.clear();
        if (level == Level::kParagraph) {
            spans.push_back({block.begin, block.end});
        } else if (level == Level::kWord) {
            split_words(text, block, spans);
        } else if (level == Level::kClause) {
            split_into_clauses(text, block, ordinal_stops, spans);
        } else {
            if (piece > 0 && block.kind == Kind::kTable) {
                split_rows(text, {block.begin, block.end}, spans);
            } else {
                split_block(text, block, ordinal_stops, spans);
            }
            if (piece > 0 && block.kind != Kind::kHeading) split_larger(text, piece, spans);
        }
        const bool heading = block.kind == Kind::kHeading;
        if (heading) std::fill(open.begin() + block.level, open.end(), -1);
        const bool item = block.kind == Kind::kListItem;
        const std::int32_t under = item && leads >= 0 ? leads : *std::max_element(open.begin(), open.end());
        const auto first = static_cast<std::int32_t>(out.size());
        for (const Span& span : spans) out.push(span, block.kind, static_cast<std::int32_t>(index), under);
        if (piece > 0 && block.kind == Kind::kTable && spans.size() > 1) {
            const auto ruled = [&](std::size_t row) {
                std::string_view line = text.substr(spans[row].begin, spans[row].end - spans[row].begin);
                return is_dashed(line.substr(line.rfind('\n') + 1));
            };
            auto row = out.heading.begin() + first;
            if (ruled(0)) {
                std::fill(++row, out.heading.end(), first);
            } else if (spans.size() > 2 && ruled(1)) {  // the head was larger than the room
                *++row = first;
                std::fill(++row, out.heading.end(), first + 1);
            }
        }
        if (heading) open[block.level] = first;
        if (!item && (leads < 0 || !goes_on(text, block)))
            leads = leads_into_list(text, block, spans, level) ? static_cast<std::int32_t>(out.size()) - 1 : -1;
    }
    return out;
}

void to_characters(std::string_view text, std::vector<std::int64_t>& start, std::vector<std::int64_t>& end) {
    const simd::ByteKernels& kernels = simd::byte_kernels();
    if (kernels.count_chars(text.data(), text.size()) == text.size()) return;  // a byte is a character
    std::size_t byte = 0;
    std::int64_t character = 0;
    const auto advance = [&](std::int64_t& offset) {
        const auto to = static_cast<std::size_t>(offset);
        if (to < byte || to > text.size()) throw std::logic_error("units must ascend in their text");
        character += static_cast<std::int64_t>(kernels.count_chars(text.data() + byte, to - byte));
        byte = to;
        offset = character;
    };
    for (std::size_t i = 0; i < start.size(); ++i) {
        check_cancelled();
        advance(start[i]);
        advance(end[i]);
    }
}

}  // namespace tersely::text
