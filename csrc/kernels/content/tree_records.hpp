// Which units of data that nests are records, and in which list (the contract of tree_rank.hpp says which).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/content/hash_table.hpp"
#include "kernels/content/tree.hpp"

namespace tersely::content {

inline constexpr std::int32_t kMap = 32;  // members from which an object of containers is a list

inline bool opens(TreeKind kind) { return kind == TreeKind::kObject || kind == TreeKind::kArray; }
inline bool part(TreeKind kind) {
    return kind == TreeKind::kClose || kind == TreeKind::kPiece || kind == TreeKind::kAttribute;
}

// Numbers for hashes, by first occurrence.
class Numbers {
  public:
    std::int32_t operator[](std::uint64_t hash) {
        std::int32_t& next = after_[hash];
        if (next == 0) next = static_cast<std::int32_t>(after_.size());
        return next - 1;
    }
    std::size_t size() const { return after_.size(); }

  private:
    HashTable<std::int32_t> after_;  // a number and one
};

inline std::uint64_t joined(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t sum = (a ^ (b + 0x9E3779B97F4A7C15ULL + (a << 6U) + (a >> 2U))) * 0xFF51AFD7ED558CCDULL;
    return sum ^ (sum >> 32U);
}

inline std::string_view piece(std::string_view text, std::int64_t start, std::int64_t end) {
    return text.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start));
}

// Which units are records, and in which list; which record each unit lies in.
struct Records {
    std::vector<std::uint8_t> is_record;  // a unit
    std::vector<std::uint64_t> path;      // a unit
    std::vector<std::int32_t> inside;     // a unit: the number of the record that it is or lies in, -1: none
    std::vector<std::int32_t> list;       // a record
    std::vector<std::int32_t> row;        // a record
    std::size_t lists = 0;
    std::vector<std::int64_t> own;  // a unit: what an earlier compression says it left out (own_marks.hpp)
};

// The name of the element that a unit begins.
std::string_view name_of_element(std::string_view text, const TreeUnits& units, std::size_t row);

// Whether an element that stands in none says by its name that something failed: the end of a report may be all there
// is.
bool failed_root(std::string_view text, const TreeUnits& units, std::size_t row);

// `roots`: how many units stand in none. O(units + cells).
Records records_of(std::string_view text, const TreeUnits& units, std::int32_t roots);

}  // namespace tersely::content
