#include "kernels/content/opaque.hpp"

namespace tersely::content {
namespace {

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
bool is_letter(char byte) { return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z'); }

}  // namespace

bool is_opaque(std::string_view value) {
    constexpr std::size_t kFewLetters = 4, kShortest = 3, kLongest = 40, kShare = 8, kLong = 4 * kOpaque;
    if (value.size() < kOpaque) return false;
    std::size_t words = 0, letters = 0;
    for (std::size_t at = 0; at < value.size();) {
        if (static_cast<unsigned char>(value[at]) >= 0x80U) {
            ++words;
            ++at;
            continue;
        }
        if (value[at] == '\\') {
            const bool escaped = value.substr(at + 1, 1) == "u";
            words += escaped ? 6 : 0;
            at += escaped ? 6 : 2;
            continue;
        }
        const std::size_t begin = at;
        bool digit = false;
        for (; at < value.size() && (is_letter(value[at]) || is_digit(value[at])); ++at) {
            letters += is_letter(value[at]) ? 1 : 0;
            digit = digit || is_digit(value[at]);
        }
        if (!digit && at - begin >= kShortest && at - begin <= kLongest) words += at - begin;
        if (at == begin) ++at;
    }
    return (letters >= kFewLetters || value.size() >= kLong) && kShare * words < value.size();
}

}  // namespace tersely::content
