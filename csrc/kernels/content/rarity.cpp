#include "kernels/content/rarity.hpp"

#include <cmath>
#include <utility>

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
