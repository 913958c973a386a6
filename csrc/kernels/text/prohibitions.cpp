#include "kernels/text/prohibitions.hpp"

#include <array>
#include <bitset>
#include <cstddef>
#include <initializer_list>

namespace tersely::text {
namespace {

enum class Role : std::uint8_t { kForbids, kPermits, kDenies, kOrders };

struct Sign {
    std::string_view words;
    Role role;
};

constexpr auto kSigns = [] {
    std::array<Sign, 50> signs{};
    std::size_t count = 0;
    const auto add = [&](Role role, std::initializer_list<std::string_view> all) {
        for (const std::string_view words : all) signs[count++] = {words, role};
    };
    add(Role::kForbids, {"must not ",   "must never ",   "mustn't ",     "shall not ",      "may not be ",
                         "not allowed", "not permitted", " forbidden",   " prohibited",     "no circumstances",
                         " verboten",   " untersagt",    " keinen Umst", " keinesfalls",    "mag niet ",
                         "mogen niet ", " verboden",     "ne doit pas ", "ne doivent pas ", "ne devez pas ",
                         " interdit",   "en aucun cas",  "no debe ",     "no deben ",       "no se permite",
                         " prohibid",   "non deve ",     "non devono ",  " vietat",         "não deve",
                         " proibid",    "ie wolno ",     " zabroni",     "нельзя",          "запрещ",
                         "禁止",        "不得",          "严禁",         "てはならない",    "てはいけません",
                         "금지"});
    add(Role::kPermits, {" darf ", " dürfen "});
    add(Role::kDenies, {" nicht", " kein"});
    add(Role::kOrders, {"Never ", "Do not ", "Don't ", "DO NOT ", "NEVER "});
    return signs;
}();

constexpr std::size_t pair_at(std::string_view text, std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(text[at])) << 8U |
           static_cast<unsigned char>(text[at + 1]);
}

// Two bytes with which a sign begins.
const std::bitset<65536>& openings() {
    static const std::bitset<65536> pairs = [] {
        std::bitset<65536> made;
        for (const Sign& sign : kSigns) made.set(pair_at(sign.words, 0));
        return made;
    }();
    return pairs;
}

bool forbids(std::string_view said) {
    const std::bitset<65536>& opens = openings();
    bool permits = false;
    for (std::size_t at = 0; at + 1 < said.size(); ++at) {
        if (!opens[pair_at(said, at)]) continue;
        const std::string_view rest = said.substr(at);
        for (const Sign& sign : kSigns) {
            if (!rest.starts_with(sign.words)) continue;
            if (sign.role == Role::kForbids || (sign.role == Role::kDenies && permits) ||
                (sign.role == Role::kOrders && at <= 2))  // behind the mark of an item
                return true;
            permits = permits || sign.role == Role::kPermits;
        }
    }
    return false;
}

}  // namespace

std::vector<std::uint8_t> prohibitions(std::string_view text, const Segments& rows) {
    std::vector<std::uint8_t> found(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows.kind[i] != Kind::kProse && rows.kind[i] != Kind::kListItem) continue;
        const auto begin = static_cast<std::size_t>(rows.start[i]);
        found[i] = forbids(text.substr(begin, static_cast<std::size_t>(rows.end[i]) - begin)) ? 1 : 0;
    }
    return found;
}

}  // namespace tersely::text
