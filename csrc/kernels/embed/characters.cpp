#include "kernels/embed/characters.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

namespace tersely::embed {
namespace {

using enum CharAction;

struct ClassRun {
    char32_t first, last;
    CharAction action;
};
struct Replacement {
    char32_t from, to;
};
struct Expansion {
    char32_t from;
    char32_t parts[4];
};
struct MarkOrder {
    char32_t code;
    std::uint8_t combining_class;
};

#include "kernels/embed/wordpiece_tables.inc"

constexpr char32_t kLimit = 0x32400;  // above are tags, private use and noncharacters: all stand for themselves
constexpr std::size_t kPage = 256;
constexpr std::uint32_t kExpanded = 1U << 24U;  // the value is an index into kExpansions
constexpr unsigned kActionBits = 25;

// An entry: the action, kExpanded, and in 24 bits what stands in the character's place, 0 for itself.
struct Pages {
    std::array<std::uint16_t, kLimit / kPage> page{};  // page 0: letters that stand for themselves
    std::vector<std::uint32_t> entries = std::vector<std::uint32_t>(kPage);

    Pages() {
        for (const ClassRun& run : kClassRuns) {
            for (char32_t code = run.first; code <= run.last && code < kLimit; ++code) {
                at(code) |= static_cast<std::uint32_t>(run.action) << kActionBits;
            }
        }
        for (const Replacement& pair : kReplacements) at(pair.from) |= static_cast<std::uint32_t>(pair.to);
        for (std::size_t i = 0; i < std::size(kExpansions); ++i) {
            at(kExpansions[i].from) |= kExpanded | static_cast<std::uint32_t>(i);
        }
    }

    std::uint32_t& at(char32_t code) {
        std::uint16_t& own = page[code / kPage];
        if (own == 0) {
            own = static_cast<std::uint16_t>(entries.size() / kPage);
            entries.resize(entries.size() + kPage);
        }
        return entries[own * kPage + code % kPage];
    }
    std::uint32_t operator[](char32_t code) const { return entries[page[code / kPage] * kPage + code % kPage]; }
};

const Pages& pages() {
    static const Pages instance;
    return instance;
}

// Hangul syllables decompose by arithmetic (The Unicode Standard, section 3.12).
constexpr char32_t kSyllables = 0xAC00, kSyllableCount = 11172, kVowels = 21, kTails = 28;

Normalized hangul(char32_t index) {
    const char32_t tail = index % kTails;
    return {kLetter,
            static_cast<std::uint8_t>(tail == 0 ? 2 : 3),
            {0x1100 + index / (kVowels * kTails), 0x1161 + index / kTails % kVowels, 0x11A7 + tail}};
}

CharAction action_above_limit(char32_t code) {
    const ClassRun* found = std::lower_bound(std::begin(kClassRuns), std::end(kClassRuns), code,
                                             [](const ClassRun& run, char32_t value) { return run.last < value; });
    return found != std::end(kClassRuns) && found->first <= code ? found->action : kLetter;
}

}  // namespace

Normalized normalize(char32_t code) {
    if (code - kSyllables < kSyllableCount) return hangul(code - kSyllables);
    if (code >= kLimit) return {action_above_limit(code), 1, {code}};
    const std::uint32_t entry = pages()[code];
    const auto action = static_cast<CharAction>(entry >> kActionBits);
    const std::uint32_t value = entry & (kExpanded - 1);
    if ((entry & kExpanded) == 0) return {action, 1, {value == 0 ? code : static_cast<char32_t>(value)}};
    Normalized expanded{action, 0, {}};
    for (const char32_t part : kExpansions[value].parts) {
        if (part != 0) expanded.parts[expanded.size++] = part;
    }
    return expanded;
}

std::uint8_t combining_class(char32_t code) {
    const MarkOrder* found = std::lower_bound(std::begin(kMarkOrder), std::end(kMarkOrder), code,
                                              [](const MarkOrder& mark, char32_t value) { return mark.code < value; });
    return found != std::end(kMarkOrder) && found->code == code ? found->combining_class : 0;
}

}  // namespace tersely::embed
