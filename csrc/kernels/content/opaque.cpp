#include "kernels/content/opaque.hpp"

#include <array>
#include <cstdint>

namespace tersely::content {
namespace {

enum Class : std::uint8_t { kSign, kLetter, kDigit, kBeyond };

constexpr std::array<Class, 256> classes() {
    std::array<Class, 256> table{};
    for (std::size_t byte = 0; byte < table.size(); ++byte) {
        const std::size_t small = byte | 0x20U;
        if (small >= 'a' && small <= 'z') table[byte] = kLetter;
        if (byte >= '0' && byte <= '9') table[byte] = kDigit;
        if (byte >= 0x80U) table[byte] = kBeyond;
    }
    return table;
}
constexpr std::array<Class, 256> kClasses = classes();

}  // namespace

bool is_opaque(std::string_view value) {
    constexpr std::size_t kFewLetters = 4, kShortest = 3, kLongest = 40, kShare = 8, kLong = 4 * kOpaque;
    if (value.size() < kOpaque) return false;
    std::size_t words = 0, letters = 0;
    for (std::size_t at = 0; at < value.size();) {
        std::array<std::size_t, 4> of{};  // bytes of a run of letters and digits, by class
        for (Class what = kSign; at < value.size(); ++at) {
            what = kClasses[static_cast<unsigned char>(value[at])];
            if (what != kLetter && what != kDigit) break;
            ++of[what];
        }
        letters += of[kLetter];
        if (of[kDigit] == 0 && of[kLetter] >= kShortest && of[kLetter] <= kLongest) words += of[kLetter];
        if (at < value.size()) {  // what ends the run
            const bool escape = value[at] == '\\', escaped = escape && value.substr(at + 1, 1) == "u";
            words += escaped ? 6 : static_cast<unsigned char>(value[at]) >= 0x80U ? 1 : 0;
            at += escaped ? 6 : escape ? 2 : 1;
        }
        if (kShare * words >= value.size()) return false;
    }
    return letters >= kFewLetters || value.size() >= kLong;
}

}  // namespace tersely::content
