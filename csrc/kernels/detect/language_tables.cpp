#include "kernels/detect/language_tables.hpp"

#include <algorithm>

#include "kernels/detect/language_relatives.hpp"
#include "kernels/detect/language_starts.hpp"
#include "kernels/detect/language_words.hpp"

namespace tersely::detect {
namespace {

// The first eight bytes of a text, as a number that is in order as they are; 0 for those that it has not.
std::uint64_t key_of(std::string_view text) {
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < 8; ++i)
        key = key << 8U | (i < text.size() ? static_cast<unsigned char>(text[i]) : std::uint64_t{0});
    return key;
}

template <typename Lists>
constexpr std::size_t count(const Lists& lists, char between) {
    std::size_t entries = 0;
    for (const List& list : lists)
        entries += 1 + static_cast<std::size_t>(std::count(list.entries.begin(), list.entries.end(), between));
    return entries;
}

template <typename Lists, typename See>
void each_entry(const Lists& lists, char between, See see) {
    for (const List& list : lists) {
        for (std::size_t at = 0; at <= list.entries.size();) {
            const std::size_t end = std::min(list.entries.find(between, at), list.entries.size());
            see(list.entries.substr(at, end - at), list);
            at = end + 1;
        }
    }
}

Word word_of(std::string_view entry, const List& list) {
    Word word{entry, Where::kFirst, 0, list.language, list.weight};
    const std::size_t end = entry.find('~');
    if (end != std::string_view::npos) {
        word.last = entry[end + 1];
        word.text = entry.substr(0, end);
    }
    if (word.text[0] == '.' || word.text[0] == ':') {
        word.where = word.text[0] == '.' ? Where::kMember : Where::kTyped;
        word.text.remove_prefix(1);
        return word;
    }
    switch (word.text.back()) {
        case '*':
            word.where = Where::kAnywhere;
            break;
        case '(':
            word.where = Where::kCalled;
            break;
        case ':':
            word.where = Where::kKeyed;
            break;
        case '$':
            word.where = Where::kEnding;
            break;
        default:
            return word;
    }
    word.text.remove_suffix(1);
    return word;
}

static_assert(count(kWords, ' ') + count(kRelativeWords, ' ') <= kMostWords &&
              2 * kMostWords <= LanguageTables::kSlots);
static_assert(count(kStarts, '\n') + count(kRelativeStarts, '\n') <= kMostStarts);

}  // namespace

LanguageTables::LanguageTables() : slots_(kSlots) {
    const auto add_word = [&](std::string_view entry, const List& list) { words_.push_back(word_of(entry, list)); };
    each_entry(kWords, ' ', add_word);
    each_entry(kRelativeWords, ' ', add_word);
    std::stable_sort(words_.begin(), words_.end(), [](const Word& a, const Word& b) {
        return a.text != b.text ? a.text < b.text : a.last != 0 && b.last == 0;
    });
    for (std::size_t row = 0; row < words_.size(); ++row) {
        if (row > 0 && words_[row].text == words_[row - 1].text) continue;
        std::size_t slot = slot_of(words_[row].text);
        while (slots_[slot].row != kNone) slot = (slot + 1) & (kSlots - 1);
        slots_[slot] = {static_cast<std::uint16_t>(row), print_of(words_[row].text)};
    }
    const auto add_start = [&](std::string_view entry, const List& list) {
        starts_.push_back({entry, list.language, list.weight});
    };
    each_entry(kStarts, '\n', add_start);
    each_entry(kRelativeStarts, '\n', add_start);
    std::stable_sort(starts_.begin(), starts_.end(), [](const Start& a, const Start& b) { return a.text < b.text; });
    for (std::size_t row = 0; row < starts_.size(); ++row) {
        const std::string_view text = starts_[row].text;
        keys_.push_back(key_of(text));
        ++by_byte_[static_cast<unsigned char>(text[0]) + 1U];
        std::uint16_t above = row == 0 ? kNone : static_cast<std::uint16_t>(row - 1);
        if (row > 0 && text == starts_[row - 1].text) above = shorter_[row - 1];
        while (above != kNone && !text.starts_with(starts_[above].text)) above = shorter_[above];
        shorter_.push_back(above);
    }
    for (std::size_t byte = 1; byte < by_byte_.size(); ++byte)
        by_byte_[byte] = static_cast<std::uint16_t>(by_byte_[byte] + by_byte_[byte - 1]);
}

// The last start that is not behind the line in order, or one of those that begin that one, whose own beginnings then
// are starts of the line, too.
std::size_t LanguageTables::last_start(std::string_view line) const {
    const auto byte = static_cast<unsigned char>(line[0]);
    const std::size_t first = by_byte_[byte];
    const std::uint64_t key = key_of(line);
    auto behind = static_cast<std::size_t>(
        std::upper_bound(keys_.begin() + static_cast<std::ptrdiff_t>(first), keys_.begin() + by_byte_[byte + 1U], key) -
        keys_.begin());
    while (behind > first && keys_[behind - 1] == key && starts_[behind - 1].text > line) --behind;
    if (behind == first) return kNone;
    auto row = static_cast<std::uint16_t>(behind - 1);
    while (row != kNone && !line.starts_with(starts_[row].text)) row = shorter_[row];
    return row;
}

const LanguageTables& language_tables() {
    static const LanguageTables kTables;
    return kTables;
}

}  // namespace tersely::detect
