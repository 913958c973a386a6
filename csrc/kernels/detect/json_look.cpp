#include "kernels/detect/json_look.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/content/json_scan.hpp"
#include "kernels/detect/bytes.hpp"

namespace tersely::detect {
namespace {

enum Class : std::uint8_t { kOther, kSpace, kQuote, kOpen, kClose, kColon, kComma, kScalar };

constexpr std::array<Class, 256> classes() {
    std::array<Class, 256> table{};
    for (const char byte : std::string_view("0123456789+-.eEtrufalsnNaIity"))
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

// What stands before a place of a text that may be JSON.
struct Walk {
    std::size_t depth = 0;
    std::size_t members = 0;
    bool after_string = false;

    // Goes over what stands at `at`, a string as a whole; false: it cannot stand in JSON.
    bool step(std::string_view text, std::size_t& at) {
        const Class what = kClasses[static_cast<unsigned char>(text[at])];
        if (const std::size_t behind = content::comment_end(text, at); behind > at) {
            at = behind;
            return true;
        }
        if (what == kOther || (what == kColon && !after_string) || (what == kClose && depth == 0)) return false;
        if (what == kOpen) ++depth;
        if (what == kClose) --depth;
        if (what == kColon) ++members;
        if (what == kQuote) {
            ++at;
            while (at < text.size() && text[at] != '"') {
                if (text[at] == '\n') return false;
                at += text[at] == '\\' ? 2U : 1U;
            }
        }
        if (what != kSpace) after_string = what == kQuote;
        ++at;
        return true;
    }
};

std::size_t end_of_line(std::string_view text, std::size_t at) {
    return at < text.size() ? std::min(text.find('\n', at), text.size()) : text.size();
}

bool is_fence(std::string_view line) { return line.starts_with("```") || line.starts_with("~~~"); }

}  // namespace

JsonLook look_for_json(std::string_view text) {
    JsonLook look;
    Walk walk;
    bool line_start = true;
    for (std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; at < text.size();) {
        const Class what = kClasses[static_cast<unsigned char>(text[at])];
        const std::size_t behind = what == kSpace ? at + 1 : content::comment_end(text, at);
        if (behind > at) {
            line_start = line_start || text[behind - 1] == '\n';
            at = behind;
            continue;
        }
        if (walk.depth == 0) {
            if (what == kQuote && text.substr(at).starts_with("\"\xE2\x80\xA6")) {  // "… 31 more", on a line of ours
                at = text.find('"', at + 1);
                if (at == std::string_view::npos) return {};
                ++at;
                continue;
            }
            if (what != kOpen) return {};
            if (look.values > 0 && !line_start) look.own_lines = false;
        }
        line_start = false;
        if (!walk.step(text, at)) return {};
        if (walk.depth == 0) ++look.values;
    }
    look.members = walk.members;
    look.possible = walk.depth > 0 || look.values > 0;
    look.closed = walk.depth == 0;
    return look;
}

std::vector<JsonBlock> json_blocks(std::string_view text, bool open) {
    std::vector<JsonBlock> blocks;
    bool fenced = false;
    bool goes_on = false;  // whether only white space stands behind the last block
    for (std::size_t line = 0; line < text.size();) {
        static constexpr ByteSet kBlank = bytes_of(" \t\r\n");
        const std::size_t begin = find_out(text, kBlank, line);
        if (begin == text.size()) break;
        const bool at_margin = begin == line || text[begin - 1] == '\n';
        if (at_margin && is_fence(text.substr(begin))) fenced = !fenced;
        std::size_t at = begin;
        bool possible = at_margin && !fenced && kClasses[static_cast<unsigned char>(text[at])] == kOpen;
        if (possible) {
            Walk walk;
            do {
                possible = walk.step(text, at);
            } while (possible && walk.depth > 0 && at < text.size());
            const bool closed = possible && walk.depth == 0 && at <= text.size();
            if (possible && !closed && !open) break;
            const std::size_t end = end_of_line(text, at);
            possible =
                possible && (!closed || text.substr(at, end - at).find_first_not_of(" \t\r") == std::string_view::npos);
        }
        const std::size_t stop = std::min(at, text.size());
        if (possible && goes_on) blocks.back().end = stop;
        if (possible && !goes_on) blocks.push_back({begin, stop});
        goes_on = possible;
        line = std::min(end_of_line(text, stop), text.size() - 1) + 1;
    }
    std::erase_if(blocks, [&](const JsonBlock& block) { return block.end - block.begin < kLongBlock; });
    return blocks;
}

}  // namespace tersely::detect
