// Which values are odd where they stand: rare among the values of one place, or far from its other numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
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
//  - The largest measured number, with a unit or a point (the slowest, the longest; what has none may be an id):
//    kLargest times log2 of all lines, where it comes once among
//    kFewestNumbers values or more, most of them numbers and one in three another one, and at most a third and two of
//    them are larger than all before them, as a counter is.
// The largest of these counts. A place with fewer than kFewestNumbers values is compared with all places of its name
// ("loops=" in other templates), too, and has what it is odd by there, from 1.5.
// Numbers have units: 3987m, 7811Mi, 2.1GiB, 48210ms, 60%; those of one place are compared in one unit.
// O(kMostValues) time a value, at worst; at most kMostPlaces places have more than one value, others are nowhere odd.
class OddValues {
  public:
    static constexpr std::size_t kMostValues = 32;
    static constexpr std::size_t kMostPlaces = std::size_t{1} << 15U;
    static constexpr std::uint8_t kNothing = 0;  // the code of a place without a value
    static constexpr std::size_t kSizes = 64;    // classes of numbers
    static constexpr std::size_t kCodes = kMostValues + kSizes;
    static constexpr std::uint8_t kOutgrows = 128;  // in a code: the number is larger than all before it at its place
    static constexpr std::uint32_t kFewestNumbers = 6;
    static constexpr float kLargest = 0.65F;

    // Takes up a value, its hash and bytes, at a place; its code there.
    std::uint8_t add(std::size_t place, std::uint64_t hash, std::string_view bytes) {
        if (place < first_.size() && first_[place].hash == hash && first_[place].place < 0) {  // most are
            ++first_[place].count;
            return 1;
        }
        return add_other(place, hash, bytes);
    }

    struct Verdict {
        std::array<float, kCodes> odd{};  // by code
        bool has_largest = false;
    };
    // How odd values are, by place and code.
    class Judged {
      public:
        float operator()(std::size_t place, std::uint8_t code) const {
            const std::int32_t at = place < of_.size() ? of_[place] : -1;
            const std::uint8_t value = code & (kOutgrows - 1U);
            return at < 0 || value == kNothing ? 0 : places_[static_cast<std::size_t>(at)].odd[value - 1U];
        }
        bool varies(std::size_t place) const { return place < of_.size() && of_[place] >= 0; }
        // Whether the last value of the place that outgrows all before it is odd, as the largest one.
        bool has_largest(std::size_t place) const {
            return varies(place) && places_[static_cast<std::size_t>(of_[place])].has_largest;
        }

      private:
        friend class OddValues;
        std::vector<std::int32_t> of_;
        std::vector<Verdict> places_;
    };
    // `names`: of each place, 0 for none. O(places * kMostValues^2).
    Judged judge(std::span<const std::uint64_t> names = {}) const;

  private:
    std::uint8_t add_other(std::size_t place, std::uint64_t hash, std::string_view bytes);
    void judge_named(std::span<const std::uint64_t> names, Judged& judged) const;

    static constexpr double kNoNumber = -1e300;
    struct Number {
        double value = kNoNumber;
        std::uint8_t size = 0;  // class
        bool measured = false;  // it has a unit or a point
    };
    static Number number_of(std::string_view bytes);

    struct Value {
        std::uint64_t hash = 0;
        std::uint32_t count = 0;
        Number number;
    };
    struct Place {
        std::vector<Value> values;
        std::vector<std::uint32_t> sizes;  // values of each class; empty while all values are told apart
        std::size_t last = 0;              // of values: the one that came last
        Number largest;
        std::uint32_t as_large = 0, outgrown = 0;  // values like it; how often a larger one came

        std::uint8_t outgrows(const Number& number);
        void merge(const Value& value);  // values that another place has
    };
    static Verdict judge_place(const Place& place);
    struct First {  // of most places all there is
        std::uint64_t hash = 0;
        std::uint32_t count = 0;
        std::int32_t place = -1;  // of places_, once there are two values
        Number number;
    };

    std::vector<First> first_;
    std::vector<Place> places_;
};

}  // namespace tersely::content
