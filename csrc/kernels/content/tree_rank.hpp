// Which units of data that nests come first: JSON, XML and YAML.
//
// Contract. Records are the values of arrays, the roots of JSON lines, the members of an object of kMap
// or more that are all objects or arrays, half of which open with the same key, and elements of a name that their
// container has more than once (anywhere at the same path), or of which an attribute says in words that it failed, or
// its name, of a root. Those at the same path, names of arrays' values left aside, are one list. Cells of a record are
// the values at each path in it that are in no other record, containers included; of elements, attributes and text.
// records.hpp says what a record's cells are worth and how much it stands out, s in [0, 1); a record that holds others
// no less than 0.9 of theirs, one of JSON that says what another before it does, 0.3 of it. Of a column that says m
// messages of words (the same but for digits) in n cells, 8 at least, 2 <= m <= n / 2, the first record that says one
// has 0.5 (1 - 0.5 log k / log n) at least, k the cells that say it.
//
// The weight of a root is 1 (of a declaration or comment 0.1). A value weighs what its container does, times
//  - in an object of few or different members: 0.95 (1 - 0.2 place / count), 0.7 of that for a long string;
//  - for a record: 1 for the first of its container, 0.7 where it stands out, 0.6 for the last, else 0.5 b / B with
//    b the lowest one bit of `place` and B the highest of the count: the middle, the quarters, the eighths ...
// A line of YAML has a tenth of that weight beside what it is worth as it is unlike others (line_grades.hpp), and what
// names the record of one that surprises by 0.4 or more has no less.
// Pieces of a string weigh 0.3 / (1 + place) of their head; what is opaque (json_scan.hpp), or says nothing in JSON,
// 0.1. Before all that come, by a lead that is added to 1:
//  - of JSON, the document's own scalars, in no list of two records or more: 0.97 for what complains (records.hpp),
//    else 0.95, half as much for each container around it but the root, an n-th for the n-th of a name that differs in
//    digits only, and where there are more than 8 names, as much less; pieces as below;
//  - of markup, the numbers of a tag in no record of which one counts failures ("errors="): 0.9;
//  - of JSON, what belongs to a record that stands out by s, which is 0.5 at least in a list called by a failure
//    ("errors"), and 0.004 of it less for each record before of the list with the same s: itself (s), what names it
//    (0.99 s, then 0.985 s; 0.96 s where it is opaque), the cells for which it stands out (0.98 s; worth kOdd, or half
//    of the record's best, but not 0) and what is in them (0.97 of s a step; of a string behind its head 0.75 / (1 +
//    place), but 0 where that is opaque), the phrases that it says (0.97 s for the first, 0.12 s less for each further
//    one, 0.3 s where the same but for digits was said before), then what else it says in few values (0.02 s, and as
//    much times what they tell, RecordColumns::worth, half of that for what is opaque).
// An element that is a record fails where a cell of it says so (RecordColumns::fails), its own name does and no
// severity of it says "warning" or less, or one in it failed; then its s is 0.9 + 0.1 s, else half of s. What failed in
// what failed has no less than that. In YAML what names a record, what it stands out for and phrases have a lead; other
// lines have none. Lead of what is in it, as shares of s, less 0.002 for each record of the same one
// before it, and times 0.95 where it failed as one before did (the first phrase that it says is the same but for
// digits; of what holds such records, where all of them did), else 0.97 where its name is the same but for digits: what
// names it 1 (0.7 where what failed in it has a name); what it says 1 (0.7 where what failed is in it), 0.12 less
// behind each phrase and each text that names it, 0.06 behind what is no phrase, 0.3 less where the same was said
// before, 0.3 at least. What it says are the attributes of an element that is a failure by its name, and the texts and
// attributes in elements for which it stands out, or in all where there are none. Of a record that did not fail, what
// it stands out for, and phrases that were not said before, have 1. With relevance r in [0, 1] a unit, 0 where fewer
// than a quarter of eight records or more say something else there (what opens a record of JSON has its key's), these
// weigh half; in records r is what the query says beyond the containers around all of them: r / (1 - c), 1 at most, c <
// 1 the most of those. m of a unit is the best r of what is in it, less the least r of its column in such lists (where
// all m are 0, no r counts); 1 - e = (1 - r) (1 - 0.9 e of its container), but of records (1 - max(0.9 m, r)) (1 - 0.6
// e of its container): a value is meant where its path says the rest of the query, and a match brings the record it is
// in. The priority is weight + 3 e^2, and that of a unit at least 0.9999 of that of what needs it; a record of JSON
// that has values, and an element without attributes, has no weight of its own: it comes with what is in it. A unit
// needs what it stands in; an element of XML only the record it is in (its end tag, its text and what stands around it
// in that record can be left out: markup is no longer well-formed then, and half as long). O(units) time and memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/content/hash_table.hpp"
#include "kernels/content/tree.hpp"

namespace tersely::content {

// What an element of markup says: whether it is something in words, and what it has in common with others.

// Whether a unit of markup (its bytes and kind) has two words or more with white space between them, in a text, a
// section or a quoted value; white space between tags and attributes is none. O(bytes).
bool is_phrase(std::string_view bytes, TreeKind kind);

// Which units of data that nests are records, and in which list (the contract of tree_rank.hpp says which).

inline constexpr std::int32_t kMap = 4;  // members from which an object of containers that are alike is a list

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
    std::vector<std::int64_t> own;  // a unit: what an earlier compression says it left out (marks.hpp)
};

// The name of the element that a unit begins.
std::string_view name_of_element(std::string_view text, const TreeUnits& units, std::size_t row);

// Whether an element that stands in none says by its name that something failed: the end of a report may be all there
// is.
bool failed_root(std::string_view text, const TreeUnits& units, std::size_t row);

// `roots`: how many units stand in none. O(units + cells).
Records records_of(std::string_view text, const TreeUnits& units, std::int32_t roots);

struct TreeRanks {
    std::vector<double> priority;      // a unit; 0 of what an earlier compression wrote, which is no record
    std::vector<std::int32_t> needs;   // a unit: what it comes with, -1: nothing
    std::vector<std::uint8_t> record;  // a unit: whether it is a record
    std::vector<std::int64_t> own;  // a unit: values that an earlier mark of ours counts, -1: no number; 0: it is none
};

// `shares`: of a query that each unit has, or none.
TreeRanks rank_tree(std::string_view text, const TreeUnits& units, std::span<const float> shares);

}  // namespace tersely::content
