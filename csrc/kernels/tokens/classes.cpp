#include "kernels/tokens/classes.hpp"

namespace tersely::tokens {
namespace {

struct ClassRun {
    char32_t first, last;
    std::uint8_t flag;
};

#include "kernels/tokens/classes.inc"

constexpr char32_t kLimit = 0x32400;  // above it: only the variation selectors
constexpr ClassRun kLastRun = kClassRuns[std::size(kClassRuns) - 1];
static_assert(kLastRun.first >= kLimit && kClassRuns[std::size(kClassRuns) - 2].last < kLimit);

struct Table {
    std::array<std::uint8_t, kLimit> flags{};

    Table() {
        for (const ClassRun& run : kClassRuns) {
            for (char32_t code = run.first; code <= run.last && code < kLimit; ++code) flags[code] = run.flag;
        }
    }
};

}  // namespace

constexpr std::array<std::uint8_t, 0x80> kAsciiClass = [] {
    std::array<std::uint8_t, 0x80> flags{};
    for (const ClassRun& run : kClassRuns) {
        for (char32_t code = run.first; code <= run.last && code < flags.size(); ++code) flags[code] = run.flag;
    }
    return flags;
}();

std::uint8_t wide_class(char32_t code) {
    static const Table table;
    if (code < kLimit) return table.flags[code];
    return code >= kLastRun.first && code <= kLastRun.last ? kLastRun.flag : 0;
}

}  // namespace tersely::tokens
