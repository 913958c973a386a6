#include "kernels/tokens/count.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "kernels/parallel.hpp"
#include "kernels/text/utf8.hpp"
#include "simd/prefetch.hpp"

namespace tersely::tokens {

using simd::prefetch;

namespace {

constexpr std::size_t kTogether = 32;   // spellings
constexpr std::uint32_t kRounds = 128;  // of so many, between looks for Ctrl-C

constexpr std::size_t kPiece = 4;  // bytes of one, about
constexpr std::size_t kAhead = 4;  // bytes behind a piece by which its end is known, white space aside

// Up to which byte the ends of pieces are the same whatever follows the text, or is cut off behind it; `begin` or less
// where none behind it is. A pattern looks at all of a run of white space; else at no more than kAhead bytes behind a
// piece ("'ll" and the next character), or at a run of letters that ends the same way: with none that is small.
// O(text.size() - begin).
std::size_t settled_in(std::string_view text, std::size_t begin) {
    std::size_t end = text.size();
    while (end > begin) {
        std::size_t at = end - 1;
        while (at > begin && text::is_continuation(text[at])) --at;
        if (char_class(text::decode(text, at).code) != kSpace) break;
        end = at;
    }
    return end - std::min(end, kAhead);
}

}  // namespace

std::size_t Counter::long_tokens(std::string_view text, std::size_t at, std::size_t end) {
    const std::size_t size = end - at;
    const std::string_view piece = text.substr(at, size);
    if (size > kLongest) return merger_.count(piece);
    const Key key(piece.data(), size, text.size() - at);
    if (size <= table_->longest() && table_->find(key) != TokenTable::kNone) return 1;
    if (long_.empty()) long_.resize(kLong);
    Long& same = long_[key.mixed & (kLong - 1)];
    if (same.size != size || std::memcmp(same.at, piece.data(), size) != 0) {
        same = {piece.data(), static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(merger_.count(piece))};
    }
    return same.tokens;
}

std::size_t Counter::short_tokens(const Key& key) {
    Known::Spelling& same = known_->all_[key.mixed & (Known::kSpellings - 1)];
    if (!same.is(key)) same = {key.first, key.last, static_cast<std::uint32_t>(key.size), new_tokens(key)};
    return same.tokens;
}

// Those of a spelling of up to 16 bytes that has no place among all known ones.
std::uint32_t Counter::new_tokens(const Key& key) {
    if (table_->find(key) != TokenTable::kNone) return 1;
    Known::Spelling& same = known_->merged_[key.mixed & (Known::kMerged - 1)];
    if (!same.is(key)) {
        const auto tokens = static_cast<std::uint32_t>(merger_.count({key.bytes, key.size}));
        same = {key.first, key.last, static_cast<std::uint32_t>(key.size), tokens};
    }
    return same.tokens;
}

std::size_t Counter::piece_tokens(std::string_view text, std::size_t at, std::size_t end) {
    if (end - at == 1) return 1;
    if (end - at > 16) return long_tokens(text, at, end);
    return short_tokens(Key(text.data() + at, end - at, text.size() - at));
}

// Looks spellings up together, so that one is fetched from memory while others are read: where it stands among the
// known ones, then where among the tokens.
template <Pattern pattern, bool marked>
std::size_t Counter::count_text(std::string_view text, [[maybe_unused]] Marks* marks) {
    std::array<Key, kTogether> keys;
    std::array<std::uint8_t, kTogether> fresh;
    [[maybe_unused]] std::array<std::size_t, kTogether> places{};  // of their marks
    std::size_t tokens = 0;
    Rounds<kRounds> rounds;
    const auto mark = [&](std::size_t place, std::size_t size) {
        if constexpr (marked) marks->tokens[place] = static_cast<std::uint32_t>(size);
        tokens += size;
    };
    for (std::size_t at = 0; at < text.size();) {
        rounds.check_cancelled();
        std::size_t held = 0;
        while (held < kTogether && at < text.size()) {
            const std::size_t end = next_piece<pattern>(text, at);
            std::size_t place = 0;
            if constexpr (marked) {
                place = marks->end.size();
                marks->end.push_back(static_cast<std::uint32_t>(end));
                marks->tokens.push_back(0);
            }
            if (end - at == 1) {
                mark(place, 1);
            } else if (end - at > 16) {
                mark(place, long_tokens(text, at, end));
            } else {
                keys[held] = Key(text.data() + at, end - at, text.size() - at);
                if constexpr (marked) places[held] = place;
                prefetch(&known_->all_[keys[held].mixed & (Known::kSpellings - 1)]);
                ++held;
            }
            at = end;
        }
        std::size_t unknown = 0;
        for (std::size_t i = 0; i < held; ++i) {
            const Known::Spelling& same = known_->all_[keys[i].mixed & (Known::kSpellings - 1)];
            if (same.is(keys[i])) {
                mark(places[i], same.tokens);
                continue;
            }
            prefetch(table_->first_slot(keys[i]));
            fresh[unknown++] = static_cast<std::uint8_t>(i);
        }
        for (std::size_t i = 0; i < unknown; ++i) prefetch(table_->first_token(keys[fresh[i]]));
        for (std::size_t i = 0; i < unknown; ++i) mark(places[fresh[i]], short_tokens(keys[fresh[i]]));
    }
    return tokens;
}

std::size_t Counter::count(std::string_view text) {
    return table_->pattern() == Pattern::kO200k ? count_text<Pattern::kO200k, false>(text, nullptr)
                                                : count_text<Pattern::kCl100k, false>(text, nullptr);
}

std::size_t Counter::count(std::string_view text, Marks& marks) {
    marks = {};
    marks.end.reserve(text.size() / kPiece + 1);
    marks.tokens.reserve(text.size() / kPiece + 1);
    const std::size_t tokens = table_->pattern() == Pattern::kO200k ? count_text<Pattern::kO200k, true>(text, &marks)
                                                                    : count_text<Pattern::kCl100k, true>(text, &marks);
    std::partial_sum(marks.tokens.begin(), marks.tokens.end(), marks.tokens.begin());
    return tokens;
}

// Tokens from `at`, where a piece begins, to the first end of a piece at `stop` or behind it, which `at` becomes. From
// the first place on where a piece begins in both texts they have the same pieces, as far as these are settled.
template <Pattern pattern>
std::size_t Counter::count_through(std::string_view text, std::size_t& at, std::size_t stop, const Marked& within) {
    const std::vector<std::uint32_t>& ends = within.marks->end;
    const auto settled = std::upper_bound(ends.begin(), ends.end(), within.settled);
    auto next = std::lower_bound(ends.begin(), settled, at - std::min(at, within.start));
    std::size_t tokens = 0;
    Rounds<kRounds> rounds;
    while (at < stop) {
        rounds.check_cancelled();
        if (at >= within.start && next != settled) {
            const std::size_t begin = at - within.start;
            while (next != settled && *next < begin) ++next;
            const bool both = begin == 0 || (next != settled && *next == begin);
            if (both) {
                const auto place = [&](auto mark) { return static_cast<std::size_t>(mark - ends.begin()); };
                const auto last = settled - 1;
                if (*last > begin) {
                    tokens += within.marks->tokens[place(last)] - (begin == 0 ? 0 : within.marks->tokens[place(next)]);
                    at = within.start + *last;
                }
                next = settled;
                continue;
            }
        }
        const std::size_t end = next_piece<pattern>(text, at);
        tokens += piece_tokens(text, at, end);
        at = end;
    }
    return tokens;
}

std::size_t Counter::count_through(std::string_view text, std::size_t& at, std::size_t stop, const Marked& within) {
    return table_->pattern() == Pattern::kO200k ? count_through<Pattern::kO200k>(text, at, stop, within)
                                                : count_through<Pattern::kCl100k>(text, at, stop, within);
}

std::size_t Counter::count_part(std::string_view text, std::size_t begin, std::size_t end, const Marks& marks) {
    std::size_t at = begin;
    return count_through(text.substr(0, end), at, end, {0, &marks, settled_in(text.substr(0, end), begin)});
}

std::size_t Counter::count_joined(std::string_view joined, std::span<const std::size_t> starts,
                                  std::span<const std::size_t> sizes, std::span<const Marks> marks) {
    std::size_t tokens = 0, at = 0;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const Marked within{starts[i], &marks[i], settled_in(joined.substr(starts[i], sizes[i]), 0)};
        tokens += count_through(joined, at, starts[i] + sizes[i], within);
    }
    const Marks none;
    return tokens + count_through(joined, at, joined.size(), {0, &none, 0});
}

}  // namespace tersely::tokens
