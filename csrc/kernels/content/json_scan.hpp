// JSON in units: what an outline of it may keep or leave out, by place in the text.
//
// Contract:
//  - a text is one value (RFC 8259, strictly), or JSON lines: values that stand on lines of their own; a byte order
//    mark before it is passed over, as section 8.1 allows;
//  - units are half-open, non-empty, in source order and disjoint; between them stand white space and commas only;
//  - a value is one unit, with its key where it has one ("key": value), or several:
//      an object or array is what opens it (with its key), its values, and what closes it; where it holds scalars only,
//      is not an object in an array, and is no longer than kWholeContainer bytes, it is one unit;
//      a string longer than kWholeString is a head of about kStringHead bytes (with its key), pieces of about
//      kStringPiece, and the closing quote; no cut parts an escape, a pair of surrogate escapes or a character;
//  - `place` counts the values of a container, the roots of a text, or the pieces of a string, from 0; `count` is how
//    many a container has;
//  - what is not JSON, or nests deeper than kDeepest, gives no units and says why and where.
// One pass, O(bytes) time, O(units + depth) memory. Any bytes are safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tersely::content {

inline constexpr std::size_t kDeepest = 512;  // of containers in each other; Python's own reader stops near 1,000
inline constexpr std::size_t kWholeContainer = 48;
inline constexpr std::size_t kWholeString = 48;
inline constexpr std::size_t kStringHead = 24;
inline constexpr std::size_t kStringPiece = 120;

// kLine: of a text that is not JSON; scan_json gives none.
enum class JsonKind : std::uint8_t { kScalar, kObject, kArray, kClose, kHead, kPiece, kLine };

enum class JsonFault : std::uint8_t { kNone, kInvalid, kTooDeep };

struct JsonUnits {
    std::vector<std::int64_t> start, end;  // bytes
    std::vector<JsonKind> kind;
    std::vector<std::int32_t> parent;  // what opens the container, or the head of the string; -1 for roots
    std::vector<std::int32_t> place;
    std::vector<std::int32_t> count;        // of values; 0 but for containers of several units
    std::vector<std::uint64_t> key;         // hash of the key, 0 without one
    std::vector<std::uint64_t> value;       // hash of a scalar's bytes; of an object's keys; 0 of others
    std::vector<std::int64_t> value_start;  // where the value begins, after its key
    JsonFault fault = JsonFault::kNone;
    std::size_t fault_at = 0;  // byte

    std::size_t size() const { return start.size(); }
};

JsonUnits scan_json(std::string_view text);

}  // namespace tersely::content
