// Fuzzes the WordPiece tokenizer and the static table: any vocabulary, any text, beside a slow tokenizer written
// from the contract.
#include "kernels/embed/wordpiece.hpp"

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "kernels/embed/static_table.hpp"
#include "valid_utf8.hpp"

namespace {

using namespace tersely;
using embed::CharAction;
using Ids = std::vector<std::int32_t>;

struct Vocabulary {
    std::string lines = "[UNK]";
    std::map<std::string, std::int32_t, std::less<>> ids = {{"[UNK]", 0}};

    void add(std::string word) {
        std::erase_if(word, [](char byte) { return byte == '\n' || byte == '\0'; });
        if (word.empty() || ids.contains(word)) return;
        ids.emplace(word, static_cast<std::int32_t>(ids.size()));
        lines += '\n' + word;
    }
    std::int32_t find(std::string_view word) const {
        const auto found = ids.find(word);
        return found == ids.end() ? -1 : found->second;
    }
};

using Chars = std::vector<std::pair<char32_t, std::uint8_t>>;  // with combining classes

std::string utf8(const Chars& chars, std::size_t first, std::size_t end) {
    std::string out;
    for (std::size_t i = first; i < end; ++i) text::append_utf8(out, chars[i].first);
    return out;
}

void append_word(const Vocabulary& words, const Chars& word, Ids& ids) {
    if (word.empty()) return;
    Ids found;
    for (std::size_t at = 0; at < word.size();) {
        std::size_t end = word.size();
        const std::string lead = at == 0 ? "" : "##";
        while (end > at && words.find(lead + utf8(word, at, end)) < 0) --end;
        if (end == at || word.size() > embed::WordPiece::kLongestWord) {
            ids.push_back(0);
            return;
        }
        found.push_back(words.find(lead + utf8(word, at, end)));
        at = end;
    }
    ids.insert(ids.end(), found.begin(), found.end());
}

void sort_marks(Chars& word, std::size_t from) {
    for (std::size_t first = from; first < word.size();) {
        std::size_t end = first + 1;
        while (end < word.size() && word[first].second != 0 && word[end].second != 0) ++end;
        const auto at = [&](std::size_t i) { return word.begin() + static_cast<std::ptrdiff_t>(i); };
        std::stable_sort(at(first), at(end), [](const auto& a, const auto& b) { return a.second < b.second; });
        first = end;
    }
}

Ids slow_ids(const Vocabulary& words, std::string_view text) {
    Ids ids;
    Chars word;
    std::size_t sorted = 0;  // characters whose marks are settled
    const auto end_word = [&] {
        sort_marks(word, sorted);
        append_word(words, word, ids);
        word.clear();
        sorted = 0;
    };
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view rest = text.substr(at);
        std::size_t special = 0;
        for (const char* token : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) {
            if (!rest.starts_with(token) || words.find(token) < 0) continue;
            end_word();
            ids.push_back(words.find(token));
            special = std::string_view(token).size();
        }
        const text::Decoded here = text::decode(text, at);
        at += special > 0 ? special : here.length;
        if (special > 0) continue;
        const embed::Normalized given = embed::normalize(here.code);
        if (given.action == CharAction::kSpace || given.action == CharAction::kAlone) end_word();
        if (given.action == CharAction::kAlone) append_word(words, {{given.parts[0], 0}}, ids);
        if (given.action == CharAction::kBreak) {
            sort_marks(word, sorted);
            sorted = word.size();
        }
        if (given.action != CharAction::kLetter && given.action != CharAction::kMark) continue;
        for (std::size_t i = 0; i < given.size; ++i) {
            word.emplace_back(given.parts[i], embed::combining_class(given.parts[i]));
        }
    }
    end_word();
    return ids;
}

void check_embedding(const Vocabulary& words, std::string_view text, const Ids& ids, FuzzedDataProvider& in) {
    const std::size_t half = in.ConsumeIntegralInRange<std::size_t>(1, 70);
    std::vector<std::uint8_t> rows(words.ids.size() * half);
    for (std::uint8_t& byte : rows) byte = in.ConsumeIntegral<std::uint8_t>();
    const std::vector<float> scales(words.ids.size(), in.ConsumeBool() ? 0.5F : 0.0F);
    const embed::StaticTable table(words.lines, rows, scales);
    std::vector<float> vector(2 * half, 7.0F);
    table.embed(std::vector<std::string_view>{text}, vector.data());
    std::vector<double> exact(2 * half);
    for (const std::int32_t id : ids) {
        const auto row = static_cast<std::size_t>(id);
        for (std::size_t b = 0; b < half; ++b) {
            exact[b] += static_cast<double>(scales[row]) * ((rows[row * half + b] & 15) - 8);
            exact[half + b] += static_cast<double>(scales[row]) * ((rows[row * half + b] >> 4U) - 8);
        }
    }
    double squares = 0;
    for (const double value : exact) squares += value * value;
    for (std::size_t i = 0; i < exact.size(); ++i) {  // sums of halves are exact in float32
        const double wanted = squares > 0 ? exact[i] / std::sqrt(squares) : 0;
        check(std::abs(static_cast<double>(vector[i]) - wanted) < 1e-6, "a vector is the sum of its rows, of length 1");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider in(data, size);
    Vocabulary words;
    for (std::size_t left = in.ConsumeIntegralInRange<std::size_t>(0, 24); left > 0; --left) {
        words.add(replace_invalid(in.ConsumeRandomLengthString(24)));
    }
    const std::size_t enough = in.ConsumeIntegralInRange<std::size_t>(1, 5);
    const std::string text = replace_invalid(in.ConsumeRandomLengthString(size));

    const embed::WordPiece tokenizer(words.lines);
    Ids ids, parts;
    embed::KnownWords known;
    check(tokenizer.append(text, 0, SIZE_MAX, known, ids) == text.size(), "the whole text is read");
    check(ids == slow_ids(words, text), "ids are those of the slow tokenizer");
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t before = parts.size(), next = tokenizer.append(text, at, enough, known, parts);
        check(next > at && parts.size() - before < enough + embed::WordPiece::kMostMore, "parts are bounded");
        at = next;
    }
    check(ids == parts, "parts give the ids of the whole");
    check_embedding(words, text, ids, in);
    return 0;
}
