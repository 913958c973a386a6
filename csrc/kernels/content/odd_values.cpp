#include "kernels/content/odd_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/content/hash_table.hpp"
#include "kernels/text/unicode.hpp"

namespace tersely::content {
namespace {

// Classes of numbers: by their power of two, and those apart.
constexpr std::uint8_t kNone = 0, kZero = 1, kBelow = 2, kLeast = 3, kMost = 63;
constexpr int kSmallest = -30;                          // powers of two
constexpr std::size_t kEight = kLeast + 3 - kSmallest;  // the class of 8
constexpr std::size_t kGap = 3;                         // classes that lie between far numbers and others, and one
constexpr float kLarge = 2.0F / 3;                      // for large numbers beside far ones
constexpr std::uint32_t kFar = 20;                      // of so many numbers one at most is far
constexpr std::uint32_t kDiffer = 3;  // one in so many values, at least, differs where the largest one counts
// Of values of which one in so many, and a few, outgrow all before them one is the largest; a counter outgrows itself.
constexpr std::uint32_t kOutgrownShare = 3, kOutgrown = 2;
constexpr float kTelling = 1.5F;                              // of a value among those of one name
constexpr std::uint8_t kBySize = OddValues::kMostValues + 1;  // the first code of a class

// The power of two that a unit stands for; `known`: whether it may be a unit.
int power_of(std::string_view unit, bool& known) {
    known = unit.size() <= 3;
    if (unit.empty() || !known) return 0;
    if (unit == "%") return 0;
    known = std::all_of(unit.begin(), unit.end(),
                        [](char byte) { return text::ascii_alpha(byte) || static_cast<unsigned char>(byte) >= 0x80U; });
    const bool more = unit.size() > 1 && (unit[1] == 'i' || unit[1] == 'B' || unit[1] == 'b');
    const bool alone = unit.size() == 1;
    switch (unit[0]) {
        case 'n':
            return unit == "ns" ? -30 : 0;
        case 'u':
            return unit == "us" ? -20 : 0;
        case 'm':
            return unit == "ms" || alone ? -10 : 0;
        case 'k':
        case 'K':
            return alone || more ? 10 : 0;
        case 'M':
            return alone || more ? 20 : 0;
        case 'G':
            return alone || more ? 30 : 0;
        case 'T':
            return alone || more ? 40 : 0;
        default:
            return unit == "\xC2\xB5s" ? -20 : 0;
    }
}

}  // namespace

OddValues::Number OddValues::number_of(std::string_view bytes) {
    std::size_t at = 0;
    const bool below = !bytes.empty() && bytes[0] == '-';
    if (below || (!bytes.empty() && bytes[0] == '+')) ++at;
    std::uint64_t number = 0;
    std::size_t digits = 0, behind = 0;
    bool point = false;
    for (; at < bytes.size(); ++at) {
        if (text::ascii_digit(bytes[at])) {
            if (digits == 18) return {};
            number = number * 10 + static_cast<std::uint64_t>(bytes[at] - '0');
            ++digits;
            behind += point ? 1 : 0;
        } else if (bytes[at] == '.' && !point && digits > 0) {
            point = true;
        } else {
            break;
        }
    }
    if (digits == 0) return {};
    bool known = false;
    const int power = power_of(bytes.substr(at), known);
    if (!known) return {};
    const bool measured = point || at < bytes.size();
    if (number == 0) return {0, kZero, measured};
    double value = std::ldexp(static_cast<double>(number), power);
    for (; behind > 0; --behind) value /= 10;
    if (below) return {-value, kBelow, measured};
    const int size = std::ilogb(value) - kSmallest + kLeast;
    return {value, static_cast<std::uint8_t>(std::clamp<int>(size, kLeast, kMost)), measured};
}

std::uint8_t OddValues::Place::outgrows(const Number& number) {
    if (number.value == largest.value) ++as_large;
    if (number.value <= largest.value) return 0;
    largest = number;
    as_large = 1;
    ++outgrown;
    return kOutgrows;
}

std::uint8_t OddValues::add_other(std::size_t at, std::uint64_t hash, std::string_view bytes) {
    if (at >= first_.size()) first_.resize(std::max(at + 1, 2 * first_.size()));
    First& first = first_[at];
    if (first.place < 0) {
        if (first.count == 0) {
            first = {hash, 1, -1, number_of(bytes)};
            return static_cast<std::uint8_t>(1 | kOutgrows);
        }
        if (places_.size() == kMostPlaces) return kNothing;
        first.place = static_cast<std::int32_t>(places_.size());
        places_.emplace_back();
        Place& made = places_.back();
        made.values.push_back({first.hash, first.count, first.number});
        made.outgrows(first.number);
        made.as_large = first.count;
    }
    Place& place = places_[static_cast<std::size_t>(first.place)];
    if (place.sizes.empty()) {
        std::vector<Value>& values = place.values;
        if (values[place.last].hash != hash) {
            const auto found =
                std::find_if(values.begin(), values.end(), [&](const Value& one) { return one.hash == hash; });
            place.last = static_cast<std::size_t>(found - values.begin());
            if (found == values.end() && values.size() < kMostValues) values.push_back({hash, 0, number_of(bytes)});
        }
        if (place.last < values.size()) {
            ++values[place.last].count;
            return static_cast<std::uint8_t>((place.last + 1) | place.outgrows(values[place.last].number));
        }
        place.sizes.assign(kSizes, 0);
        for (const Value& one : values) place.sizes[one.number.size] += one.count;
    }
    const Number number = number_of(bytes);
    ++place.sizes[number.size];
    return static_cast<std::uint8_t>((kBySize + number.size) | place.outgrows(number));
}

OddValues::Verdict OddValues::judge_place(const Place& place) {
    std::array<std::uint32_t, kSizes> sizes{};
    std::uint32_t all = 0, numbers = 0;
    std::vector<std::uint32_t> counts;
    for (const Value& one : place.values) {
        sizes[one.number.size] += one.count;
        counts.push_back(one.count);
    }
    if (!place.sizes.empty()) std::copy(place.sizes.begin(), place.sizes.end(), sizes.begin());
    for (const std::uint32_t count : sizes) all += count;
    const auto odd_as = [all](std::uint32_t few) {
        return std::log2(static_cast<float>(all) / static_cast<float>(few));
    };
    const bool named = 2 * sizes[kNone] > all;
    const bool differ = !place.sizes.empty() || kDiffer * counts.size() >= all;
    const bool has_largest = !named && differ && all >= kFewestNumbers && place.largest.measured &&
                             place.as_large == 1 && place.outgrown <= kOutgrown + all / kOutgrownShare;
    const auto far = [&](std::uint32_t few) { return named || few == 0 || few * kFar > all ? 0.0F : odd_as(few); };
    std::array<float, kCodes> odd{};
    float* const of_size = odd.data() + kMostValues;
    for (const std::uint8_t apart : {kNone, kZero, kBelow}) of_size[apart] = far(sizes[apart]);
    for (std::size_t i = kLeast; i < kSizes; ++i) {
        numbers += sizes[i];
        if (i < kEight && sizes[i] > 0) of_size[kZero] = 0;  // who counts begins with 0
    }
    std::fill(of_size + kLeast, of_size + kSizes, far(numbers));
    std::uint32_t below = 0;
    for (std::size_t i = kLeast, before = kSizes; i < kSizes; ++i) {
        if (sizes[i] == 0) continue;
        if (before < kSizes && i - before >= kGap) {
            for (std::size_t k = kLeast; k < kSizes; ++k)
                of_size[k] = std::max(of_size[k], far(k < i ? below : numbers - below));
        }
        below += sizes[i];
        before = i;
    }
    std::uint32_t above = 0;
    std::size_t middle = kLeast;
    for (std::uint32_t count = sizes[middle]; 2 * count < numbers;) count += sizes[++middle];
    for (std::size_t i = kSizes; i-- > middle + kGap;) {
        above += sizes[i];
        if (sizes[i] > 0) of_size[i] = std::max(of_size[i], kLarge * far(above));
    }
    float uneven = 1, mean = 0;  // 1 - H / log2 N, T
    for (const std::uint32_t count : counts) {
        const float share = static_cast<float>(count) / static_cast<float>(all);
        uneven -= all == 1 ? 1 : share * odd_as(count) / std::log2(static_cast<float>(all));
        mean += share * static_cast<float>(count);
    }
    for (std::size_t value = 0; value < place.values.size(); ++value) {
        const Value& one = place.values[value];
        odd[value] = of_size[one.number.size];
        if (!place.sizes.empty()) continue;
        std::uint32_t rarer = 0;
        for (const std::uint32_t count : counts) rarer += count <= one.count ? count : 0;
        const float below_mean = 2 * std::log2(mean / static_cast<float>(one.count));
        odd[value] = std::max(odd[value], uneven * std::min(odd_as(rarer), below_mean));
    }
    return {odd, has_largest};
}

void OddValues::Place::merge(const Value& value) {
    if (sizes.empty()) {
        const auto found =
            std::find_if(values.begin(), values.end(), [&](const Value& one) { return one.hash == value.hash; });
        if (found != values.end()) found->count += value.count;
        if (found == values.end() && values.size() == kMostValues) {
            sizes.assign(kSizes, 0);
            for (const Value& one : values) sizes[one.number.size] += one.count;
        } else if (found == values.end()) {
            values.push_back(value);
        }
    }
    if (!sizes.empty()) sizes[value.number.size] += value.count;
}

// Compares the values of places that have few with those of all places of their name.
void OddValues::judge_named(std::span<const std::uint64_t> names, Judged& judged) const {
    HashTable<std::int32_t> numbers;  // of names, plus one
    std::vector<Place> merged;
    const auto each = [&](auto&& of) {  // calls of(place, group, values)
        for (std::size_t at = 0; at < std::min(first_.size(), names.size()); ++at) {
            const First& first = first_[at];
            if (names[at] == 0 || first.count == 0) continue;
            std::int32_t& number = numbers[names[at]];
            if (number == 0) {
                merged.emplace_back();
                number = static_cast<std::int32_t>(merged.size());
            }
            const Value alone{first.hash, first.count, first.number};
            const bool single = first.place < 0;
            const Place* const place = single ? nullptr : &places_[static_cast<std::size_t>(first.place)];
            if (place != nullptr && !place->sizes.empty()) continue;
            of(at, static_cast<std::size_t>(number - 1), single ? std::span(&alone, 1) : std::span(place->values));
        }
    };
    each([&](std::size_t, std::size_t group, std::span<const Value> values) {
        for (const Value& one : values) merged[group].merge(one);
    });
    std::vector<Verdict> verdicts;
    for (const Place& place : merged) verdicts.push_back(judge_place(place));
    each([&](std::size_t at, std::size_t group, std::span<const Value> values) {
        std::uint32_t all = 0;
        for (const Value& one : values) all += one.count;
        if (all >= kFewestNumbers) return;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::vector<Value>& known = merged[group].values;
            const auto found =
                std::find_if(known.begin(), known.end(), [&](const Value& one) { return one.hash == values[i].hash; });
            const std::size_t code = found == known.end() ? kMostValues + values[i].number.size
                                                          : static_cast<std::size_t>(found - known.begin());
            const float odd = verdicts[group].odd[code];
            if (odd < kTelling) continue;
            std::int32_t& of = judged.of_[at];
            if (of < 0) {
                of = static_cast<std::int32_t>(judged.places_.size());
                judged.places_.emplace_back();
            }
            float& mine = judged.places_[static_cast<std::size_t>(of)].odd[i];
            mine = std::max(mine, odd);
        }
    });
}

OddValues::Judged OddValues::judge(std::span<const std::uint64_t> names) const {
    Judged judged;
    for (const First& first : first_) judged.of_.push_back(first.place);
    for (const Place& place : places_) judged.places_.push_back(judge_place(place));
    judge_named(names, judged);
    return judged;
}

}  // namespace tersely::content
