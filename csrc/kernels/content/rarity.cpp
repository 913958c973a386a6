#include "kernels/content/rarity.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/content/code_shape.hpp"
#include "kernels/content/hash_table.hpp"
#include "kernels/content/marks.hpp"
#include "kernels/text/unicode.hpp"

namespace tersely::content {
namespace {

std::uint64_t mix(std::uint64_t hash, char byte) { return hash_byte(hash, static_cast<unsigned char>(byte)); }

// The hash of what a text has beside names, numbers and white space; use(hash) for each of its words: letters, cut
// before a capital.
template <typename Use>
std::uint64_t read_form(std::string_view text, Use&& use) {
    std::uint64_t form = kHashSeed, word = kHashSeed;
    const auto end_word = [&] {
        if (word != kHashSeed) use(word);
        word = kHashSeed;
    };
    char before = ' ';
    for (const char byte : text) {
        const bool capital = byte >= 'A' && byte <= 'Z';
        if (code_word_byte(byte)) {
            if (!code_word_byte(before)) form = mix(form, 'w');
        } else if (!text::ascii_space(byte)) {
            form = mix(form, byte);
        }
        const bool letter = capital || (byte >= 'a' && byte <= 'z') || static_cast<unsigned char>(byte) >= 0x80U;
        if (!letter || (capital && (before < 'A' || before > 'Z'))) end_word();
        if (letter) word = mix(word, capital ? static_cast<char>(byte - 'A' + 'a') : byte);
        before = byte;
    }
    end_word();
    return form;
}

}  // namespace

std::vector<double> rarity(std::span<const std::string_view> texts) {
    HashTable<std::int32_t> forms;
    HashTable<std::pair<std::int32_t, std::size_t>> holders;  // of a word: texts, and one behind the last of them
    std::vector<std::uint64_t> form_of(texts.size());
    std::vector<double> result(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::uint64_t form = read_form(texts[i], [&](std::uint64_t word) {
            auto& [many, last] = holders[word];
            many += last == i + 1 ? 0 : 1;
            last = i + 1;
        });
        form_of[i] = form;
        ++forms[form];
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
        double sum = 0, words = 0;
        read_form(texts[i], [&](std::uint64_t word) {
            sum += 1.0 / holders[word].first;
            ++words;
        });
        result[i] = 0.5 / std::sqrt(static_cast<double>(forms[form_of[i]]));
        if (words > 0) result[i] += 0.5 * sum / words;
    }
    return result;
}

}  // namespace tersely::content
