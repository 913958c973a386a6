#include "kernels/detect/json_look.hpp"

#include <array>
#include <cstdint>

namespace tersely::detect {
namespace {

enum Class : std::uint8_t { kOther, kSpace, kQuote, kOpen, kClose, kColon, kComma, kScalar };

constexpr std::array<Class, 256> classes() {
    std::array<Class, 256> table{};
    for (const char byte : std::string_view("0123456789+-.eEtrufalsn"))
        table[static_cast<unsigned char>(byte)] = kScalar;
    for (const char byte : std::string_view(" \t\r\n")) table[static_cast<unsigned char>(byte)] = kSpace;
    table['"'] = kQuote;
    table['{'] = table['['] = kOpen;
    table['}'] = table[']'] = kClose;
    table[':'] = kColon;
    table[','] = kComma;
    return table;
}
constexpr std::array<Class, 256> kClasses = classes();

}  // namespace

JsonLook look_for_json(std::string_view text) {
    JsonLook look;
    std::size_t depth = 0;
    bool line_start = true;
    bool after_string = false;
    std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    for (; at < text.size(); ++at) {
        const char byte = text[at];
        const Class what = kClasses[static_cast<unsigned char>(byte)];
        if (what == kSpace) {
            line_start = line_start || byte == '\n';
            continue;
        }
        if (depth == 0) {
            if (what == kQuote && text.substr(at).starts_with("\"\xE2\x80\xA6")) {  // "… 31 more", on a line of ours
                at = text.find('"', at + 1);
                if (at == std::string_view::npos) return {};
                continue;
            }
            if (what != kOpen) return {};
            if (look.values > 0 && !line_start) look.own_lines = false;
        }
        line_start = false;
        if (what == kOpen) {
            ++depth;
        } else if (what == kClose) {
            if (--depth == 0) ++look.values;
        } else if (what == kQuote) {
            ++at;
            while (at < text.size() && text[at] != '"') {
                if (text[at] == '\n') return {};
                at += text[at] == '\\' ? 2U : 1U;
            }
        } else if (what == kColon) {
            if (!after_string) return {};
            ++look.members;
        } else if (what == kOther) {
            return {};
        }
        after_string = what == kQuote;
    }
    look.possible = depth > 0 || look.values > 0;
    look.closed = depth == 0;
    return look;
}

}  // namespace tersely::detect
