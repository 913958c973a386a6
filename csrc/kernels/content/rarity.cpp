#include "kernels/content/rarity.hpp"

#include <cmath>

#include "kernels/content/code_shape.hpp"
#include "kernels/content/hash_table.hpp"
#include "kernels/text/unicode.hpp"

namespace tersely::content {
namespace {

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
            if (!code_word_byte(before)) form = hash_byte(form, 'w');
        } else if (!text::ascii_space(byte)) {
            form = hash_byte(form, byte);
        }
        const bool letter = capital || (byte >= 'a' && byte <= 'z') || static_cast<unsigned char>(byte) >= 0x80U;
        if (!letter || (capital && (before < 'A' || before > 'Z'))) end_word();
        if (letter) word = hash_byte(word, capital ? static_cast<char>(byte - 'A' + 'a') : byte);
        before = byte;
    }
    end_word();
    return form;
}

}  // namespace

std::vector<double> rarity(std::span<const std::string_view> texts) {
    struct Word {
        std::size_t texts = 0, last = 0;  // that have it, and one behind the last of them
    };
    HashTable<std::int32_t> forms, numbers;  // numbers of words, from 1
    std::vector<Word> words;
    std::vector<std::size_t> said, ends;  // words of all texts, and where each text's end
    std::vector<std::uint64_t> form_of;
    for (const std::string_view text : texts) {
        form_of.push_back(read_form(text, [&](std::uint64_t hash) {
            std::int32_t& number = numbers[hash];
            if (number == 0) {
                words.emplace_back();
                number = static_cast<std::int32_t>(words.size());
            }
            said.push_back(static_cast<std::size_t>(number) - 1);
            Word& word = words[said.back()];
            word.texts += word.last == ends.size() + 1 ? 0 : 1;
            word.last = ends.size() + 1;
        }));
        ends.push_back(said.size());
        ++forms[form_of.back()];
    }
    std::vector<double> result;
    std::size_t at = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::size_t begin = at;
        double sum = 0;
        for (; at < ends[i]; ++at) sum += 1.0 / static_cast<double>(words[said[at]].texts);
        result.push_back(0.5 / std::sqrt(static_cast<double>(forms[form_of[i]])));
        if (at > begin) result.back() += 0.5 * sum / static_cast<double>(at - begin);
    }
    return result;
}

std::vector<float> query_share(std::span<const std::int32_t> ids, std::span<const std::int64_t> offsets,
                               std::span<const std::int32_t> query, std::size_t vocabulary) {
    const std::size_t n = offsets.size() - 1;
    std::vector<std::int32_t> number(vocabulary, -1);  // of a term among those of the query
    std::vector<std::size_t> holders;                  // units that hold each
    for (const std::int32_t id : query) {
        std::int32_t& mine = number[static_cast<std::size_t>(id)];
        if (mine >= 0) continue;
        mine = static_cast<std::int32_t>(holders.size());
        holders.push_back(0);
    }
    std::vector<std::size_t> seen(holders.size(), n);
    const auto each = [&](std::size_t row, auto&& use) {  // each distinct term of the query in a unit
        const auto end = static_cast<std::size_t>(offsets[row + 1]);
        for (auto at = static_cast<std::size_t>(offsets[row]); at < end; ++at) {
            const std::int32_t term = number[static_cast<std::size_t>(ids[at])];
            if (term < 0 || seen[static_cast<std::size_t>(term)] == row) continue;
            seen[static_cast<std::size_t>(term)] = row;
            use(static_cast<std::size_t>(term));
        }
    };
    for (std::size_t row = 0; row < n; ++row) each(row, [&](std::size_t term) { ++holders[term]; });
    std::vector<double> weight(holders.size());
    double whole = 0;
    for (std::size_t term = 0; term < holders.size(); ++term) {
        const auto held = static_cast<double>(holders[term]);
        if (held == 0) continue;
        const double idf = std::log(1 + (static_cast<double>(n) - held + 0.5) / (held + 0.5));
        weight[term] = idf * idf;
        whole += weight[term];
    }
    std::vector<float> share(n);
    if (whole == 0) return share;
    seen.assign(holders.size(), n);
    for (std::size_t row = 0; row < n; ++row) {
        double sum = 0;
        each(row, [&](std::size_t term) { sum += weight[term]; });
        share[row] = static_cast<float>(sum / whole);
    }
    return share;
}

}  // namespace tersely::content
