// Fuzzes the counter of tokens: any vocabulary that has all bytes, any text, beside a slow counter written from the
// contract; long pieces in small windows.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "kernels/text/utf8.hpp"
#include "kernels/tokens/count.hpp"
#include "valid_utf8.hpp"

namespace {

using namespace tersely;
using tokens::Key;
using tokens::TokenTable;
using Ranks = std::map<std::string, std::uint32_t, std::less<>>;

void append_number(std::string& out, std::uint32_t number) {
    for (int i = 0; i < 4; ++i) out.push_back(static_cast<char>(number >> (8 * i) & 0xFFU));
}

// The file of a vocabulary, by the contract of count.hpp.
std::string table_file(const std::vector<std::string>& vocabulary, bool o200k) {
    std::string strings(1, '\0');
    std::vector<std::uint32_t> slots(vocabulary.size() * 2);
    std::size_t longest = 0;
    for (const std::string& token : vocabulary) {
        longest = std::max(longest, token.size());
        const Key key(token.data(), token.size(), token.size());
        std::uint64_t place = (key.mixed >> 32U) * slots.size() >> 32U;
        while (slots[place] != 0) place = (place + 1) % slots.size();
        slots[place] = static_cast<std::uint32_t>((key.mixed & 0x7FFU) << 21U | strings.size());
        strings.push_back(static_cast<char>(token.size()));
        strings += token;
    }
    strings.resize((strings.size() + 63) / 64 * 64);
    std::string file = "TERSEBPE";
    for (const std::size_t number :
         {std::size_t{1}, std::size_t{o200k ? 0U : 1U}, vocabulary.size(), strings.size(), slots.size(), longest}) {
        append_number(file, static_cast<std::uint32_t>(number));
    }
    file += std::string(32, '\0') + strings;
    for (const std::uint32_t slot : slots) append_number(file, slot);
    return file;
}

std::size_t merged(const Ranks& ranks, std::string_view piece) {
    std::vector<std::string> parts;
    for (const char byte : piece) parts.emplace_back(1, byte);
    while (true) {
        auto lowest = ranks.end();
        std::size_t at = 0;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            const auto found = ranks.find(parts[i] + parts[i + 1]);
            if (found == ranks.end() || (lowest != ranks.end() && lowest->second <= found->second)) continue;
            lowest = found;
            at = i;
        }
        if (lowest == ranks.end()) return parts.size();
        parts[at] += parts[at + 1];
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
}

template <tokens::Pattern pattern>
std::size_t slow_count(const Ranks& ranks, std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = tokens::next_any_piece<pattern>(text, at);
        check(end > at && end <= text.size() && text::floor_char(text, end) == end, "a piece is whole characters");
        check(end == tokens::next_piece<pattern>(text, at), "words of ASCII end where any words do");
        const std::string_view piece = text.substr(at, end - at);
        count += ranks.find(piece) != ranks.end() ? 1 : merged(ranks, piece);
        at = end;
    }
    return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider input(data, size);
    const bool o200k = input.ConsumeBool();
    const std::size_t window = input.ConsumeIntegralInRange<std::size_t>(1, 64);
    Ranks ranks;
    std::vector<std::string> vocabulary;
    const auto add = [&](std::string token) {
        if (ranks.emplace(token, static_cast<std::uint32_t>(vocabulary.size())).second) vocabulary.push_back(token);
    };
    for (int byte = 0; byte < 256; ++byte) add(std::string(1, static_cast<char>(byte)));
    for (int more = input.ConsumeIntegralInRange(0, 60); more > 0; --more) {
        if (input.ConsumeBool()) {
            add(vocabulary[input.ConsumeIntegralInRange<std::size_t>(0, vocabulary.size() - 1)].substr(0, 8) +
                vocabulary[input.ConsumeIntegralInRange<std::size_t>(0, vocabulary.size() - 1)].substr(0, 8));
        } else if (std::string token = input.ConsumeRandomLengthString(20); !token.empty()) {
            add(std::move(token));
        }
    }
    const std::string file = table_file(vocabulary, o200k);
    const TokenTable table(file);
    const auto count = [&](std::string_view text) {
        return o200k ? slow_count<tokens::Pattern::kO200k>(ranks, text)
                     : slow_count<tokens::Pattern::kCl100k>(ranks, text);
    };

    const std::string run = input.ConsumeRandomLengthString(3000);
    if (!run.empty()) {
        tokens::Pairs pairs;
        tokens::Merger merger(table, pairs);
        check(merger.count(run, window) == merged(ranks, run), "windows give the tokens of the whole");
    }
    const std::string text = replace_invalid(input.ConsumeRemainingBytesAsString());

    tokens::Known known;
    tokens::Counter counter(table, known);
    check(counter.count(text) == count(text), "a text has the tokens of its pieces");
    tokens::Marks marks;
    check(counter.count(text, marks) == count(text), "marks change no count");
    const auto place = [&](std::size_t at) {
        while (at < text.size() && tersely::text::is_continuation(text[at])) ++at;
        return at;
    };
    const std::size_t begin = place(text.size() / 3), end = place(text.size() - text.size() / 4);
    if (begin <= end) {
        const std::string part = text.substr(begin, end - begin);
        check(counter.count_part(text, begin, end, marks) == count(part), "a part counts as a text of its own");
        const std::string joined = part + text;
        const std::array<std::size_t, 1> starts = {part.size()}, sizes = {text.size()};
        check(counter.count_joined(joined, starts, sizes, {&marks, 1}) == count(joined), "and so does what it is in");
    }
    return 0;
}
