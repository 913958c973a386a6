#include "kernels/text/terms.hpp"
#include "kernels/text/word_set.hpp"

namespace tersely::text {
namespace {

constexpr std::size_t kShort = 7;  // bytes that fit into a key beside their number
constexpr std::uint64_t kLong = 1ULL << 63U;

// Short strings: their bytes and length, so equal keys are equal strings. Longer ones: a hash.
std::uint64_t key_of(std::string_view term) {
    if (term.size() <= kShort)
        return load_short(term.data(), term.size()) | static_cast<std::uint64_t>(term.size()) << 56U;
    std::uint64_t value = term.size();
    std::size_t at = 0;
    for (; at + 8 < term.size(); at += 8) value = mix(value ^ load<std::uint64_t>(term.data() + at));
    return mix(value ^ load<std::uint64_t>(term.data() + term.size() - 8)) | kLong;
}

std::size_t slot_of(std::uint64_t key) { return static_cast<std::size_t>(mix(key) >> 7U); }

}  // namespace

std::int32_t Vocabulary::intern(std::string_view term) {
    const std::uint64_t key = key_of(term);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = slot_of(key) & mask;
    for (; slots_[at].key != 0; at = (at + 1) & mask) {
        if (slots_[at].key != key) continue;
        if ((key & kLong) == 0 || (*this)[static_cast<std::size_t>(slots_[at].id)] == term) return slots_[at].id;
    }
    const auto id = static_cast<std::int32_t>(size());
    slots_[at] = {key, id};
    arena_.append(term);
    offsets_.push_back(arena_.size());
    if (size() * 8 > slots_.size() * 5) grow();
    return id;
}

void Vocabulary::grow() {
    std::vector<Slot> larger(slots_.size() * 2);
    const std::size_t mask = larger.size() - 1;
    for (const Slot& slot : slots_) {
        if (slot.key == 0) continue;
        std::size_t at = slot_of(slot.key) & mask;
        while (larger[at].key != 0) at = (at + 1) & mask;
        larger[at] = slot;
    }
    slots_ = std::move(larger);
}

}  // namespace tersely::text
