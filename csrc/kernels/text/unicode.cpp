#include "kernels/text/unicode.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "kernels/text/class_runs.hpp"

namespace tersely::text {
namespace {

struct FoldPair {
    char32_t from, to;
};

#include "kernels/text/unicode_tables.inc"

constexpr char32_t kLimit = 0x32400;
constexpr char32_t kDirectFold = 0x600;  // Latin, Greek, Cyrillic: no search

struct Tables {
    std::array<std::uint8_t, kLimit> flags{};
    std::array<char32_t, kDirectFold> folded{};

    Tables() {
        set_flags(kClassRuns, flags);
        for (char32_t code = 0; code < kDirectFold; ++code) folded[code] = code;
        for (const FoldPair& pair : kFoldPairs) {
            if (pair.from < kDirectFold) folded[pair.from] = pair.to;
        }
    }
};

const Tables& tables() {
    static const Tables instance;
    return instance;
}

}  // namespace

constexpr std::array<std::uint8_t, 0x80> kAsciiClass = ascii_flags(kClassRuns);

std::uint8_t wide_class(char32_t code) { return code < kLimit ? tables().flags[code] : 0; }

char32_t fold(char32_t code) {
    if (code < kDirectFold) return tables().folded[code];
    const auto* found = std::lower_bound(std::begin(kFoldPairs), std::end(kFoldPairs), code,
                                         [](const FoldPair& pair, char32_t value) { return pair.from < value; });
    return found != std::end(kFoldPairs) && found->from == code ? found->to : code;
}

}  // namespace tersely::text
