// Short strings as numbers, and small sets of words that are looked up by them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace tersely::text {

// use(word) for each word of a list, spaces between them.
template <typename Use>
constexpr void each_word(std::string_view list, Use&& use) {
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t end = std::min(list.find(' ', at), list.size());
        if (end > at) use(list.substr(at, end - at));
        at = end + 1;
    }
}

template <typename Word>
std::uint64_t load(const char* at) {
    Word word;
    std::memcpy(&word, at, sizeof(Word));
    return word;
}

// One to seven bytes as a number, without reading past them.
inline std::uint64_t load_short(const char* at, std::size_t size) {
    if (size >= 4) return load<std::uint32_t>(at) | load<std::uint32_t>(at + size - 4) << 8U * (size - 4);
    const auto byte = [&](std::size_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(at[i])); };
    return byte(0) | byte(size / 2) << 8U * (size / 2) | byte(size - 1) << 8U * (size - 1);
}

inline std::uint64_t mix(std::uint64_t value) {
    value *= 0x9E3779B97F4A7C15ULL;
    return value ^ value >> 32U;
}

// Words of 1 to 16 bytes, each with a value above 0; of a word that is added twice, the first value counts.
// A lookup costs a hash and, on average, less than two comparisons of numbers.
class WordSet {
  public:
    explicit WordSet(std::size_t words) : slots_(4) {
        while (slots_.size() < 3 * words) slots_.resize(2 * slots_.size());
    }
    void add(std::string_view word, std::uint8_t value) {
        const Slot key = key_of(word);
        std::size_t at = slot_of(key);
        while (slots_[at].value != 0 && !slots_[at].is(key)) at = (at + 1) & (slots_.size() - 1);
        if (slots_[at].value != 0) return;
        slots_[at] = key;
        slots_[at].value = value;
    }
    void add(std::span<const std::string_view> words, std::uint8_t value) {
        for (const std::string_view word : words) add(word, value);
    }
    std::uint8_t find(std::string_view word) const {  // 0: it is not in the set
        if (word.empty() || word.size() > kLongest) return 0;
        const Slot key = key_of(word);
        for (std::size_t at = slot_of(key); slots_[at].value != 0; at = (at + 1) & (slots_.size() - 1)) {
            if (slots_[at].is(key)) return slots_[at].value;
        }
        return 0;
    }

  private:
    static constexpr std::size_t kLongest = 16;
    struct Slot {
        std::uint64_t first = 0, last = 0;  // eight bytes each, which overlap; of seven bytes or less, all and 0
        std::uint8_t size = 0, value = 0;

        bool is(const Slot& key) const { return first == key.first && last == key.last && size == key.size; }
    };
    static Slot key_of(std::string_view word) {
        const std::size_t size = word.size();
        if (size < 8) return {load_short(word.data(), size), 0, static_cast<std::uint8_t>(size), 0};
        return {load<std::uint64_t>(word.data()), load<std::uint64_t>(word.data() + size - 8),
                static_cast<std::uint8_t>(size), 0};
    }
    std::size_t slot_of(const Slot& key) const {
        return static_cast<std::size_t>(mix(mix(key.first ^ key.size) ^ key.last) >> 7U) & (slots_.size() - 1);
    }

    std::vector<Slot> slots_;  // a power of two
};

}  // namespace tersely::text
