// Tables of characters, from runs of those that have the same flags.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace tersely::text {

struct ClassRun {
    char32_t first, last;
    std::uint8_t flags;
};

// Sets the flags of the characters below flags.size() that are in a run.
constexpr void set_flags(std::span<const ClassRun> runs, std::span<std::uint8_t> flags) {
    for (const ClassRun& run : runs) {
        for (char32_t code = run.first; code <= run.last && code < flags.size(); ++code) flags[code] = run.flags;
    }
}

constexpr std::array<std::uint8_t, 0x80> ascii_flags(std::span<const ClassRun> runs) {
    std::array<std::uint8_t, 0x80> flags{};
    set_flags(runs, flags);
    return flags;
}

}  // namespace tersely::text
