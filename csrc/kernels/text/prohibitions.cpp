#include "kernels/text/prohibitions.hpp"

#include <bitset>
#include <cstddef>

namespace tersely::text {
namespace {

enum class Role : std::uint8_t { kForbids, kPermits, kDenies, kOrders };

struct Sign {
    std::string_view words;
    Role role;
};

constexpr Sign kSigns[] = {
    {"must not ", Role::kForbids},
    {"must never ", Role::kForbids},
    {"mustn't ", Role::kForbids},
    {"shall not ", Role::kForbids},
    {"may not be ", Role::kForbids},
    {"not allowed", Role::kForbids},
    {"not permitted", Role::kForbids},
    {" forbidden", Role::kForbids},
    {" prohibited", Role::kForbids},
    {"no circumstances", Role::kForbids},
    {" darf ", Role::kPermits},
    {" dürfen ", Role::kPermits},
    {" nicht", Role::kDenies},
    {" kein", Role::kDenies},
    {" verboten", Role::kForbids},
    {" untersagt", Role::kForbids},
    {" keinen Umst", Role::kForbids},
    {" keinesfalls", Role::kForbids},
    {"mag niet ", Role::kForbids},
    {"mogen niet ", Role::kForbids},
    {" verboden", Role::kForbids},
    {"ne doit pas ", Role::kForbids},
    {"ne doivent pas ", Role::kForbids},
    {"ne devez pas ", Role::kForbids},
    {" interdit", Role::kForbids},
    {"en aucun cas", Role::kForbids},
    {"no debe ", Role::kForbids},
    {"no deben ", Role::kForbids},
    {"no se permite", Role::kForbids},
    {" prohibid", Role::kForbids},
    {"non deve ", Role::kForbids},
    {"non devono ", Role::kForbids},
    {" vietat", Role::kForbids},
    {"não deve", Role::kForbids},
    {" proibid", Role::kForbids},
    {"ie wolno ", Role::kForbids},
    {" zabroni", Role::kForbids},
    {"нельзя", Role::kForbids},
    {"запрещ", Role::kForbids},
    {"禁止", Role::kForbids},
    {"不得", Role::kForbids},
    {"严禁", Role::kForbids},
    {"てはならない", Role::kForbids},
    {"てはいけません", Role::kForbids},
    {"금지", Role::kForbids},
    {"Never ", Role::kOrders},
    {"Do not ", Role::kOrders},
    {"Don't ", Role::kOrders},
    {"DO NOT ", Role::kOrders},
    {"NEVER ", Role::kOrders},
};

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
