// Data in units that stand in one another: JSON (json_scan.hpp), XML (xml_scan.hpp) and YAML (yaml_scan.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tersely::content {

// kLine: of a text that is not of its kind; scanners give none. kAttribute: of a start tag that is a unit for each.
enum class TreeKind : std::uint8_t { kScalar, kObject, kArray, kClose, kHead, kPiece, kLine, kAttribute };

enum class TreeFault : std::uint8_t { kNone, kInvalid, kTooDeep };

// An attribute, or the text of an element, in a unit of XML.
struct TreeCell {
    std::int32_t row;
    std::int64_t name, name_end, start, end;  // bytes; of a text, the name of its element
    bool attribute;
};

struct TreeUnits {
    std::vector<std::int64_t> start, end;  // bytes
    std::vector<TreeKind> kind;
    std::vector<std::int32_t> parent;  // what opens the container, or the head of the string; -1 for roots
    std::vector<std::int32_t> place;
    std::vector<std::int32_t> count;        // of values; 0 but for containers of several units
    std::vector<std::uint64_t> key;         // hash of the key, or of the element's name; 0 without one
    std::vector<std::uint64_t> value;       // hash of a scalar's bytes; of an object's keys; 0 of others
    std::vector<std::int64_t> value_start;  // where the value begins, after its key
    std::vector<TreeCell> cells;            // of markup, by rows
    bool markup = false;                    // whether the units are elements
    bool nested = false;                    // whether what a unit stands in says what it is, as in YAML
    TreeFault fault = TreeFault::kNone;
    std::size_t fault_at = 0;  // byte

    std::size_t size() const { return start.size(); }

    void reserve(std::size_t units) {
        each_column([units](auto& column) { column.reserve(units); });
    }
    void shrink(std::size_t units) {
        each_column([units](auto& column) { column.resize(units); });
    }

    // A unit from `from` to `to` whose value begins at `value_from`, with no values yet: its row.
    std::size_t add(std::size_t from, std::size_t value_from, std::size_t to, TreeKind what, std::int32_t above,
                    std::int32_t at, std::uint64_t key_hash, std::uint64_t value_hash) {
        start.push_back(static_cast<std::int64_t>(from));
        value_start.push_back(static_cast<std::int64_t>(value_from));
        end.push_back(static_cast<std::int64_t>(to));
        kind.push_back(what);
        parent.push_back(above);
        place.push_back(at);
        count.push_back(0);
        key.push_back(key_hash);
        value.push_back(value_hash);
        return size() - 1;
    }

  private:
    template <typename See>
    void each_column(See see) {
        for (auto* column : {&start, &end, &value_start}) see(*column);
        for (auto* column : {&parent, &place, &count}) see(*column);
        for (auto* column : {&key, &value}) see(*column);
        see(kind);
    }
};

}  // namespace tersely::content
