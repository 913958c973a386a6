// Which values are odd where they stand: rare among the values of one place, or far from its other numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tersely::content {

// Contract. A place is a position in what is said again and again: a word of a template's lines. Of N values at a
// place, up to kMostValues different ones are told apart; beyond that only their sizes are.
//  - A rare value: (1 - H / log2 N) min(log2(N / R), 2 log2(T / c)), as of records (records.hpp): it comes c times, H
//  is
//    the entropy of the values in bits, R how many of the N come no more often than it, T the mean of c over them. So
//    nothing is odd where all values differ (times, ids, hashes), or all are the same.
//  - A far number: log2(N / F) where F numbers at most, one in twenty, lie beyond it or as far, and none within a
//    factor of 4 of them on the side of the others; a large one, three powers of two above the median's or
//    more, two thirds of log2(N / F), F with its power of two or a higher one.
//    Zeros (where all other numbers are 8 and more), numbers below zero and
//    what is no number are apart from others in the same way. Nothing is far where most values are no numbers.
// The larger of both counts.
// Numbers have units: 3987m, 7811Mi, 2.1GiB, 48210ms, 60%; those of one place are compared in one unit.
// O(kMostValues) time a value, at worst; at most kMostPlaces places have more than one value, others are nowhere odd.
class OddValues {
  public:
    static constexpr std::size_t kMostValues = 32;
    static constexpr std::size_t kMostPlaces = std::size_t{1} << 15U;
    static constexpr std::uint8_t kNothing = 0;  // the code of a place without a value
    static constexpr std::size_t kSizes = 64;    // classes of numbers
    static constexpr std::size_t kCodes = kMostValues + kSizes;

    // Takes up a value, its hash and bytes, at a place; its code there.
    std::uint8_t add(std::size_t place, std::uint64_t hash, std::string_view bytes) {
        if (place < first_.size() && first_[place].hash == hash && first_[place].place < 0) {  // most are
            ++first_[place].count;
            return 1;
        }
        return add_other(place, hash, bytes);
    }

    // How odd values are, by place and code.
    class Judged {
      public:
        float operator()(std::size_t place, std::uint8_t code) const {
            const std::int32_t at = place < of_.size() ? of_[place] : -1;
            return at < 0 || code == kNothing ? 0 : odd_[static_cast<std::size_t>(at)][code - 1U];
        }
        bool varies(std::size_t place) const { return place < of_.size() && of_[place] >= 0; }

      private:
        friend class OddValues;
        std::vector<std::int32_t> of_;
        std::vector<std::array<float, kCodes>> odd_;
    };
    // O(places * kMostValues^2).
    Judged judge() const;

  private:
    std::uint8_t add_other(std::size_t place, std::uint64_t hash, std::string_view bytes);

    struct Value {
        std::uint64_t hash = 0;
        std::uint32_t count = 0;
        std::uint8_t size = 0;  // class
    };
    struct Place {
        std::vector<Value> values;
        std::vector<std::uint32_t> sizes;  // values of each class; empty while all values are told apart
        std::size_t last = 0;              // of values: the one that came last
    };
    struct First {  // of most places all there is
        std::uint64_t hash = 0;
        std::uint32_t count = 0;
        std::int32_t place = -1;  // of places_, once there are two values
        std::uint8_t size = 0;
    };

    std::vector<First> first_;
    std::vector<Place> places_;
};

}  // namespace tersely::content
