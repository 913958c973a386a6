#include "kernels/tokens/table.hpp"

#include <stdexcept>
#include <string>

namespace tersely::tokens {
namespace {

constexpr std::string_view kMagic = "TERSEBPE";
constexpr std::size_t kHeader = 64;

std::uint32_t number(std::string_view file, std::size_t at) {
    return static_cast<std::uint32_t>(load_first(file.data() + at, 4, file.size() - at));
}

void require(bool holds, const std::string& what) {
    if (!holds) throw std::invalid_argument("this is no table of tokens: " + what);
}

}  // namespace

TokenTable::TokenTable(std::string_view file) {
    require(file.size() >= kHeader && file.starts_with(kMagic), "it does not begin with TERSEBPE");
    require(number(file, 8) == 1, "its format is " + std::to_string(number(file, 8)) + ", not 1");
    require(number(file, 12) <= 1, "its pattern is " + std::to_string(number(file, 12)) + ", not 0 or 1");
    pattern_ = static_cast<Pattern>(number(file, 12));
    tokens_ = number(file, 16);
    const std::size_t strings = number(file, 20);
    slots_ = number(file, 24);
    longest_ = number(file, 28);
    const std::size_t size = kHeader + strings + 4 * slots_;
    require(file.size() == size,
            "it has " + std::to_string(file.size()) + " bytes, and should have " + std::to_string(size));
    require(slots_ > 0 && strings > 0 && strings <= kPlace, "it has no strings or slots, or too many");
    require(longest_ > 0 && longest_ <= kLongest, "its longest token has " + std::to_string(longest_) + " bytes");
    strings_ = file.substr(kHeader, strings);
    slot_bytes_ = file.data() + kHeader + strings;
}

}  // namespace tersely::tokens
