#include "kernels/tokens/count.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/parallel.hpp"

namespace tersely::tokens {

namespace {

constexpr std::size_t kTogether = 32;  // spellings
constexpr std::size_t kRounds = 0x7F;  // of so many, between looks for Ctrl-C, less one

void prefetch([[maybe_unused]] const void* at) {
#if defined(__GNUC__)
    __builtin_prefetch(at);
#endif
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

// Looks spellings up together, so that one is fetched from memory while others are read: where it stands among the
// known ones, then where among the tokens.
template <Pattern pattern>
std::size_t Counter::count_text(std::string_view text) {
    std::array<Key, kTogether> keys;
    std::array<std::uint8_t, kTogether> fresh;
    std::size_t tokens = 0;
    std::size_t rounds = 0;
    for (std::size_t at = 0; at < text.size();) {
        if ((++rounds & kRounds) == 0) Interruptible::check();
        std::size_t held = 0;
        while (held < kTogether && at < text.size()) {
            const std::size_t end = next_piece<pattern>(text, at);
            if (end - at == 1) {
                ++tokens;
            } else if (end - at > 16) {
                tokens += long_tokens(text, at, end);
            } else {
                keys[held] = Key(text.data() + at, end - at, text.size() - at);
                prefetch(&known_->all_[keys[held].mixed & (Known::kSpellings - 1)]);
                ++held;
            }
            at = end;
        }
        std::size_t unknown = 0;
        for (std::size_t i = 0; i < held; ++i) {
            const Known::Spelling& same = known_->all_[keys[i].mixed & (Known::kSpellings - 1)];
            if (same.is(keys[i])) {
                tokens += same.tokens;
                continue;
            }
            prefetch(table_->first_slot(keys[i]));
            fresh[unknown++] = static_cast<std::uint8_t>(i);
        }
        for (std::size_t i = 0; i < unknown; ++i) tokens += short_tokens(keys[fresh[i]]);
    }
    return tokens;
}

std::size_t Counter::count(std::string_view text) {
    return table_->pattern() == Pattern::kO200k ? count_text<Pattern::kO200k>(text)
                                                : count_text<Pattern::kCl100k>(text);
}

}  // namespace tersely::tokens
