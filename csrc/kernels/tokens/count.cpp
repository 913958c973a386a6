#include "kernels/tokens/count.hpp"

#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "kernels/parallel.hpp"
#include "kernels/text/utf8.hpp"
#include "simd/prefetch.hpp"

namespace tersely::tokens {

namespace {

constexpr std::string_view kMagic = "TERSEBPE";
constexpr std::size_t kHeader = 64;

std::uint32_t number(std::string_view file, std::size_t at) {
    return static_cast<std::uint32_t>(load_first(file.data() + at, 4, file.size() - at));
}

void require(bool holds, const std::string& what) {
    if (!holds) throw std::invalid_argument("this is no table of tokens: " + what);
}

}  // namespace

TokenTable::TokenTable(std::string_view file) {
    require(file.size() >= kHeader && file.starts_with(kMagic), "it does not begin with TERSEBPE");
    require(number(file, 8) == 1, "its format is " + std::to_string(number(file, 8)) + ", not 1");
    require(number(file, 12) <= 1, "its pattern is " + std::to_string(number(file, 12)) + ", not 0 or 1");
    pattern_ = static_cast<Pattern>(number(file, 12));
    tokens_ = number(file, 16);
    const std::size_t strings = number(file, 20);
    slots_ = number(file, 24);
    longest_ = number(file, 28);
    const std::size_t size = kHeader + strings + 4 * slots_;
    require(file.size() == size,
            "it has " + std::to_string(file.size()) + " bytes, and should have " + std::to_string(size));
    require(slots_ > 0 && strings > 0 && strings <= kPlace, "it has no strings or slots, or too many");
    require(longest_ > 0 && longest_ <= kLongest, "its longest token has " + std::to_string(longest_) + " bytes");
    strings_ = file.substr(kHeader, strings);
    slot_bytes_ = file.data() + kHeader + strings;
}

namespace {

constexpr std::uint32_t kNone = TokenTable::kNone;
constexpr std::size_t kWindowsToLook = 256;  // between looks for Ctrl-C

}  // namespace

std::size_t Merger::count(std::string_view piece, std::size_t window) {
    for (Merged& one : merged_) one.piece = {};
    std::size_t tokens = count_in_windows(piece, window);
    for (; tokens == 0; window *= 2) tokens = count_in_windows(piece, 2 * window);
    return tokens;
}

// 0: a window that had to grow began otherwise than the one before it had said.
std::size_t Merger::count_in_windows(std::string_view piece, std::size_t window) {
    std::size_t tokens = 0;
    std::size_t begin = 0;
    std::size_t first = 0;  // bytes of the token at `begin`, as the window before it has it; 0: there is none
    std::size_t size = window;
    const std::vector<std::uint32_t>* starts = &merge(piece.substr(0, size));
    while (begin + size < piece.size()) {
        if (++rounds_ % kWindowsToLook == 0) check_cancelled();
        const auto last = std::upper_bound(starts->begin(), starts->end() - 1, size - size / 4) - 1;
        const std::uint32_t from = *last;
        const std::uint32_t length = *(last + 1) - from;
        const auto before = static_cast<std::size_t>(last - starts->begin());
        if (before > 0) {
            const std::size_t next = std::max(window, size / 2);
            starts = &merge(piece.substr(begin + from, next));
            if ((*starts)[1] == length) {
                tokens += before;
                begin += from;
                first = length;
                size = next;
                continue;
            }
        }
        size *= 2;
        starts = &merge(piece.substr(begin, size));
        if (first != 0 && (*starts)[1] != first) return 0;
    }
    return tokens + starts->size() - 1;
}

std::uint32_t Merger::rank(std::string_view piece, std::size_t first, std::size_t end) {
    const std::size_t size = end - first;
    if (size > table_->longest()) return kNone;
    const char* bytes = piece.data() + first;
    if (size > 7) return table_->find(Key(bytes, size, piece.size() - first));
    const std::uint64_t known = load_first(bytes, size, piece.size() - first) | std::uint64_t{size} << 56U;
    Pairs::Pair& pair = pairs_->at(known);
    if (pair.bytes != known) pair = {known, table_->find(Key(bytes, size, piece.size() - first))};
    return pair.rank;
}

// That of two bytes.
std::uint32_t Merger::rank_of_bytes(std::string_view piece, std::size_t first) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(piece[at]); };
    std::uint32_t& known = pairs_->of_bytes_[byte(first) | std::size_t{byte(first + 1)} << 8U];
    if (known == Pairs::kUnknown) known = table_->find(Key(piece.data() + first, 2, piece.size() - first));
    return known;
}

// Where the tokens of a window start, and its end. Windows of a piece that repeats itself are the same few.
const std::vector<std::uint32_t>& Merger::merge(std::string_view window) {
    for (const Merged& one : merged_) {
        if (one.piece == window) return one.starts;
    }
    Merged& oldest = merged_[++merges_ % merged_.size()];
    starts_.clear();
    window.size() <= kFew ? merge_few(window) : merge_many(window);
    starts_.push_back(static_cast<std::uint32_t>(window.size()));
    oldest.piece = window;
    oldest.starts.swap(starts_);
    return oldest.starts;
}

// Ranks stand in groups of eight, whose lowest is looked for again where one of them changes; a part that is gone has
// none.
void Merger::merge_few(std::string_view piece) {
    constexpr std::int32_t kNoPair = std::numeric_limits<std::int32_t>::max();
    constexpr std::size_t kGroup = 8;
    const std::size_t size = piece.size();
    const std::size_t groups = (size + kGroup - 1) / kGroup;
    std::array<std::int32_t, kFew> pairs;  // rank and place of a part with the next
    std::array<std::int32_t, kFew / kGroup> lows;
    std::array<std::uint8_t, kFew + 1> next, previous;
    const auto set = [&](std::size_t at, std::uint32_t found) {
        pairs[at] = found == kNone ? kNoPair : static_cast<std::int32_t>(found * kFew + at);
    };
    const auto lowest_of = [](const std::int32_t* eight) {
        const auto low = [&](std::size_t i) { return std::min(eight[i], eight[i + 4]); };
        return std::min(std::min(low(0), low(1)), std::min(low(2), low(3)));
    };
    const auto look_again = [&](std::size_t group) { lows[group] = lowest_of(&pairs[group * kGroup]); };
    std::fill(pairs.begin() + static_cast<std::ptrdiff_t>(size - 1),
              pairs.begin() + static_cast<std::ptrdiff_t>(groups * kGroup), kNoPair);
    for (std::size_t at = 0; at + 1 < size; ++at) set(at, rank_of_bytes(piece, at));
    for (std::size_t at = 0; at <= size; ++at) {
        next[at] = static_cast<std::uint8_t>(at + 1);
        previous[at] = static_cast<std::uint8_t>(at - 1);  // of the first: never asked for
    }
    lows.fill(kNoPair);
    for (std::size_t group = 0; group < groups; ++group) look_again(group);
    while (true) {
        const std::int32_t lowest = lowest_of(lows.data());
        if (lowest == kNoPair) break;
        const std::size_t at = static_cast<std::size_t>(lowest) % kFew;
        const std::size_t gone = next[at];
        const std::size_t after = next[gone];
        const std::size_t before = at > 0 ? previous[at] : at;
        pairs[gone] = kNoPair;
        next[at] = static_cast<std::uint8_t>(after);
        previous[after] = static_cast<std::uint8_t>(at);
        set(at, after < size ? rank(piece, at, next[after]) : kNone);
        if (at > 0) set(before, rank(piece, before, after));
        look_again(at / kGroup);
        if (gone / kGroup != at / kGroup) look_again(gone / kGroup);
        if (before / kGroup != at / kGroup) look_again(before / kGroup);
    }
    for (std::size_t at = 0; at < size; at = next[at]) starts_.push_back(static_cast<std::uint32_t>(at));
}

void Merger::merge_many(std::string_view piece) {
    const auto size = static_cast<std::uint32_t>(piece.size());
    next_.resize(size + 1);
    previous_.resize(size + 1);
    ranks_.assign(size + 1, kNone);
    heap_.clear();
    const auto offer = [&](std::uint32_t at) {
        const std::uint32_t middle = next_[at];
        ranks_[at] = middle == size ? kNone : rank(piece, at, next_[middle]);
        if (ranks_[at] != kNone) heap_.push_back(std::uint64_t{ranks_[at]} << 32U | at);
    };
    for (std::uint32_t at = 0; at <= size; ++at) {
        next_[at] = at + 1;
        previous_[at] = at - 1;
    }
    for (std::uint32_t at = 0; at + 1 < size; ++at) offer(at);
    std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
    while (!heap_.empty()) {
        std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
        const std::uint64_t top = heap_.back();
        heap_.pop_back();
        const auto at = static_cast<std::uint32_t>(top);
        if (ranks_[at] != top >> 32U) continue;  // one of the two has become longer
        if ((heap_.size() & 0xFFFU) == 0) check_cancelled();
        const std::uint32_t gone = next_[at];
        ranks_[gone] = kNone;
        next_[at] = next_[gone];
        previous_[next_[at]] = at;
        for (const std::uint32_t changed : {at, previous_[at]}) {
            if (changed >= size) continue;  // before the first
            const std::size_t held = heap_.size();
            offer(changed);
            if (heap_.size() > held) std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
        }
    }
    for (std::uint32_t at = 0; at < size; at = next_[at]) starts_.push_back(at);
}

using simd::prefetch;

namespace {

constexpr std::size_t kTogether = 32;   // spellings
constexpr std::size_t kRound = 1024;    // bytes in which they stand
constexpr std::uint32_t kRounds = 128;  // of so many, between looks for Ctrl-C

constexpr std::size_t kApart = 16;  // bytes between two marks, about
constexpr std::size_t kAhead = 4;   // bytes behind a piece by which its end is known, white space aside

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

// The first place from `first` on that `before` does not hold for, as it does for all in front of it: near ones are
// found in few steps.
template <typename Place, typename Before>
Place first_from(Place first, Place last, Before&& before) {
    Place high = first;
    for (std::ptrdiff_t step = 1; high != last && before(*high); step *= 2) {
        first = high + 1;
        high = last - first > step ? first + step : last;
    }
    return std::partition_point(first, high, before);
}

bool is_number(std::string_view text, std::size_t at, std::size_t size) {
    const auto digit = [&](std::size_t i) { return text::ascii_digit(text[at + i]); };
    return size <= 3 && digit(0) && digit(1) && (size == 2 || digit(2));
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

// Those of two or three digits.
std::size_t Counter::number_tokens(std::string_view text, std::size_t at, std::size_t size) {
    std::size_t number = 0;
    for (std::size_t i = 0; i < size; ++i) number = 10 * number + static_cast<std::size_t>(text[at + i] - '0');
    std::uint8_t& tokens = known_->numbers_[number + (size == 3 ? 100 : 0)];
    if (tokens == 0) tokens = static_cast<std::uint8_t>(new_tokens(Key(text.data() + at, size, text.size() - at)));
    return tokens;
}

std::size_t Counter::piece_tokens(std::string_view text, std::size_t at, std::size_t end) {
    if (end - at == 1) return 1;
    if (is_number(text, at, end - at)) return number_tokens(text, at, end - at);
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
    std::size_t marked_to = 0;
    if constexpr (marked) marks->tokens.push_back(0);
    const auto add = [&](std::size_t place, std::size_t size) {
        if constexpr (marked) marks->tokens[place] += static_cast<std::uint32_t>(size);
        tokens += size;
    };
    for (std::size_t at = 0; at < text.size();) {
        rounds.check_cancelled();
        std::size_t held = 0;
        const std::size_t until = std::min(text.size(), at + kRound);
        while (held < kTogether && at < until) {
            const std::size_t end = next_piece<pattern>(text, at);
            std::size_t place = 0;
            if constexpr (marked) {
                place = marks->end.size();
                if (end - marked_to >= kApart || end == text.size() || text[end - 1] == '\n' || text[end] == '\n') {
                    marks->end.push_back(static_cast<std::uint32_t>(end));
                    marks->tokens.push_back(0);
                    marked_to = end;
                }
            }
            if (end - at == 1) {
                add(place, 1);
            } else if (is_number(text, at, end - at)) {
                add(place, number_tokens(text, at, end - at));
            } else if (end - at > 16) {
                add(place, long_tokens(text, at, end));
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
                add(places[i], same.tokens);
                continue;
            }
            prefetch(table_->first_slot(keys[i]));
            fresh[unknown++] = static_cast<std::uint8_t>(i);
        }
        for (std::size_t i = 0; i < unknown; ++i) prefetch(table_->first_token(keys[fresh[i]]));
        for (std::size_t i = 0; i < unknown; ++i) add(places[fresh[i]], short_tokens(keys[fresh[i]]));
    }
    if constexpr (marked) marks->tokens.pop_back();  // of what follows the last
    return tokens;
}

std::size_t Counter::count(std::string_view text) {
    return table_->pattern() == Pattern::kO200k ? count_text<Pattern::kO200k, false>(text, nullptr)
                                                : count_text<Pattern::kCl100k, false>(text, nullptr);
}

std::size_t Counter::count(std::string_view text, Marks& marks) {
    marks = {};
    marks.end.reserve(text.size() / kApart + 1);
    marks.tokens.reserve(text.size() / kApart + 2);
    const std::size_t tokens = table_->pattern() == Pattern::kO200k ? count_text<Pattern::kO200k, true>(text, &marks)
                                                                    : count_text<Pattern::kCl100k, true>(text, &marks);
    std::partial_sum(marks.tokens.begin(), marks.tokens.end(), marks.tokens.begin());
    return tokens;
}

// A place among the ends, at or before the first that is not below `from`.
std::vector<std::uint32_t>::const_iterator Counter::near_in(const std::vector<std::uint32_t>& ends,
                                                            std::size_t from) const {
    const auto near = ends.begin() + static_cast<std::ptrdiff_t>(std::min(near_, ends.size()));
    return near != ends.begin() && *(near - 1) >= from ? ends.begin() : near;
}

// Tokens from `at`, where a piece begins, to the first end of a piece at `stop` or behind it, which `at` becomes. From
// the first place on where a piece begins in both texts they have the same pieces, as far as these are settled.
template <Pattern pattern>
std::size_t Counter::count_through(std::string_view text, std::size_t& at, std::size_t stop, const Marked& within) {
    const std::vector<std::uint32_t>& ends = within.marks->end;
    const std::size_t from = at - std::min(at, within.start);
    auto next = first_from(near_in(ends, from), ends.end(), [&](std::size_t end) { return end < from; });
    const auto settled = first_from(next, ends.end(), [&](std::size_t end) { return end <= within.settled; });
    near_ = static_cast<std::size_t>(next - ends.begin());
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

// Whether the marks say that a piece of the whole text ends where its first part does, and it is no white space: then
// the pieces are the same. A pattern finds what it prefers of all that it may match. Of that the part has some, and the
// piece among them; and it looks ahead behind white space alone.
bool Counter::ends_piece(std::string_view part, const Marks& marks) const {
    if (part.empty() || static_cast<unsigned char>(part.back()) >= 0x80U) return false;
    if ((kAsciiClass[static_cast<unsigned char>(part.back())] & kSpace) != 0) return false;
    const auto mark = first_from(near_in(marks.end, part.size()), marks.end.end(),
                                 [&](std::size_t end) { return end < part.size(); });
    return mark != marks.end.end() && *mark == part.size();
}

std::size_t Counter::count_part(std::string_view text, std::size_t begin, std::size_t end, const Marks& marks) {
    std::size_t at = begin;
    const std::string_view part = text.substr(0, end);
    const std::size_t settled = ends_piece(part, marks) ? end : settled_in(part, begin);
    return count_through(part, at, end, {0, &marks, settled});
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
