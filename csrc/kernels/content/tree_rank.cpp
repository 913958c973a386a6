#include "kernels/content/tree_rank.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "kernels/content/json_scan.hpp"
#include "kernels/content/line_grades.hpp"
#include "kernels/content/marks.hpp"
#include "kernels/content/records.hpp"
#include "kernels/parallel.hpp"

namespace tersely::content {

bool is_phrase(std::string_view bytes, TreeKind kind) {
    bool tag = kind == TreeKind::kAttribute, between = false, word = false;
    char quote = '\0';
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        const char byte = bytes[at];
        if (tag && quote == '\0') {
            if (byte == '"' || byte == '\'') quote = byte;
            if (byte == '>') tag = false;
            between = word = false;
        } else if (quote != '\0' && byte == quote) {
            quote = '\0';
        } else if (quote == '\0' && byte == '<' && bytes.substr(at, 2) != "<!") {
            tag = true;
        } else if (byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r') {
            between = word;
        } else {
            if (between) return true;
            word = true;
        }
    }
    return false;
}

namespace {

// Of each container how many of its members open with the key that the first of them opens with.
std::vector<std::int32_t> alike_members(const TreeUnits& units) {
    const std::size_t n = units.size();
    std::vector<std::uint64_t> key(n, 0);
    std::vector<std::int32_t> alike(n, 0);
    for (std::size_t row = 0; row < n; ++row) {  // what is in a container follows it
        const std::int32_t parent = units.parent[row];
        if (parent < 0 || units.place[row] != 0 || units.key[row] == 0) continue;
        const std::int32_t around = units.parent[static_cast<std::size_t>(parent)];
        if (around < 0) continue;
        std::uint64_t& first = key[static_cast<std::size_t>(around)];
        if (first == 0) first = units.key[row];
        if (first == units.key[row]) ++alike[static_cast<std::size_t>(around)];
    }
    return alike;
}

// Containers of JSON whose values are records; the last entry is that of the roots.
std::vector<std::uint8_t> lists_of(const TreeUnits& units, std::int32_t roots, const std::vector<std::int64_t>& own) {
    const std::size_t n = units.size();
    const std::vector<std::int32_t> alike = alike_members(units);
    std::vector<std::uint8_t> list(n + 1);
    for (std::size_t row = 0; row < n; ++row) {
        const bool map = units.kind[row] == TreeKind::kObject && units.count[row] >= kMap;
        list[row] = units.kind[row] == TreeKind::kArray || (map && 2 * alike[row] >= units.count[row]);
    }
    list[n] = roots > 1;
    for (std::size_t row = 0; row < n; ++row) {  // a map has containers only
        const std::int32_t parent = units.parent[row];
        if (parent < 0 || opens(units.kind[row]) || units.kind[row] == TreeKind::kClose || own[row] != 0) continue;
        const auto above = static_cast<std::size_t>(parent);
        if (units.kind[above] == TreeKind::kObject) list[above] = 0;
    }
    return list;
}

// Of each unit.
std::vector<std::int64_t> own_of(std::string_view text, const TreeUnits& units) {
    std::vector<std::int64_t> own(units.size());
    for (std::size_t row = 0; row < own.size(); ++row) {
        if (units.kind[row] != TreeKind::kScalar) continue;
        const std::string_view value = piece(text, units.start[row], units.end[row]);
        own[row] = units.markup ? own_elements(value) : own_values(value);
    }
    return own;
}

}  // namespace

std::string_view name_of_element(std::string_view text, const TreeUnits& units, std::size_t row) {
    const std::string_view tag = piece(text, units.start[row] + 1, units.end[row]);
    return tag.substr(0, tag.find_first_of(" \t\r\n/>"));
}

bool failed_root(std::string_view text, const TreeUnits& units, std::size_t row) {
    return units.markup && units.parent[row] < 0 && units.key[row] != 0 &&
           says_failure(name_of_element(text, units, row), "{");
}

Records records_of(std::string_view text, const TreeUnits& units, std::int32_t roots) {
    const std::size_t n = units.size();
    Records found;
    found.own = own_of(text, units);
    found.is_record.resize(n);
    found.path.resize(n);
    found.inside.assign(n, -1);
    std::vector<std::uint8_t> lists;
    if (!units.markup) lists = lists_of(units, roots, found.own);
    Numbers siblings;  // of one name in one container
    std::vector<std::int32_t> met;
    Numbers paths;
    std::vector<std::uint8_t> repeated;        // a path
    std::vector<std::int32_t> path_of(n, -1);  // an element
    for (std::size_t row = 0; row < n; ++row) {
        const std::int32_t parent = units.parent[row];
        const std::size_t above = parent < 0 ? n : static_cast<std::size_t>(parent);
        const std::uint64_t over = parent < 0 ? 1 : found.path[above];
        if (!units.markup) {
            check_cancelled();
            const bool record = lists[above] != 0 && !part(units.kind[row]) && found.own[row] == 0;
            found.is_record[row] = record;
            found.path[row] = joined(over, record ? 2 : units.key[row]);
            continue;
        }
        found.path[row] = units.kind[row] == TreeKind::kAttribute ? over : joined(over, units.key[row]);
        if (units.key[row] == 0 || part(units.kind[row])) continue;
        const auto path = static_cast<std::size_t>(paths[found.path[row]]);
        path_of[row] = static_cast<std::int32_t>(path);
        if (path >= repeated.size()) repeated.push_back(0);
        const std::uint64_t here = joined(static_cast<std::uint64_t>(parent) + 2, units.key[row]);
        const auto sibling = static_cast<std::size_t>(siblings[here]);
        if (sibling >= met.size()) met.push_back(0);
        if (++met[sibling] > 1) repeated[path] = 1;
        found.is_record[row] = failed_root(text, units, row);
    }
    const auto repeats = [&](std::size_t row) { return repeated[static_cast<std::size_t>(path_of[row])] != 0; };
    for (const TreeCell& cell : units.cells) {  // those of which an attribute says that they failed
        if (!units.markup || !cell.attribute) continue;
        const auto row = static_cast<std::size_t>(cell.row);
        const auto of = units.kind[row] == TreeKind::kAttribute ? static_cast<std::size_t>(units.parent[row]) : row;
        if (path_of[of] < 0 || repeats(of) || found.is_record[of] != 0) continue;
        if (says_failure(piece(text, cell.name, cell.name_end), piece(text, cell.start, cell.end)))
            found.is_record[of] = 1;
    }
    Numbers numbers;
    for (std::size_t row = 0; row < n; ++row) {
        const std::int32_t parent = units.parent[row];
        if (path_of[row] >= 0 && repeats(row)) found.is_record[row] = 1;
        if (found.is_record[row] != 0) {
            found.inside[row] = static_cast<std::int32_t>(found.row.size());
            found.row.push_back(static_cast<std::int32_t>(row));
            found.list.push_back(numbers[found.path[row]]);
        } else if (parent >= 0) {
            found.inside[row] = found.inside[static_cast<std::size_t>(parent)];
        }
    }
    found.lists = numbers.size();
    return found;
}

namespace {

// Of what an odd record leads by: what it says besides, that it failed where what did is in it, of each thing it says
// the step to the next, what was said before, what failed as one before did, the step from one record in another to
// the next, up to so many. Measured with `python -m benchmarks.content --parts json`, `--formats DIR`.
constexpr float kRest = 0.3F;
constexpr float kHolds = 0.7F;
constexpr float kStep = 0.12F;
constexpr float kRepeated = 0.3F;
constexpr float kAgain = 0.95F;
constexpr float kNamedAgain = 0.97F;
constexpr float kPieces = 0.75F;      // of JSON: of a string, behind its head
constexpr float kSays = 0.97F;        // of JSON: the first phrase that a record says
constexpr float kElse = 0.02F;        // of JSON: what a record says besides that for which it stands out
constexpr float kUsual = 0.25F;       // share of a list's records that say something else, below which
constexpr std::size_t kFewUsual = 8;  // a query does not mean what the others say, in lists of so many
constexpr float kLeast = 0.02F;       // of JSON: what tells nothing of it
constexpr float kOpaqueName = 0.96F;
constexpr float kCopied = 0.3F;                    // of JSON: of the standing, of what was written before
constexpr float kComplains = 0.97F, kOwn = 0.95F;  // of JSON: scalars of the document that say something wrong, others
constexpr float kFailuresCounted = 0.9F;      // for numbers of a tag that counts failures: below what failed itself
constexpr float kFewOwn = 8, kDeeper = 0.5F;  // of more, or deeper, others weigh less
constexpr double kHardly = 0.1;               // of the weight: what is opaque or says nothing
constexpr float kListed = 0.5F;               // of JSON: how much a record stands out of a list of what failed
constexpr float kJsonTurn = 0.004F;
constexpr float kTurn = 0.002F;
constexpr std::int32_t kTurns = 50, kShortList = 8;
constexpr double kBrought = 0.9999;  // of what is in a container: that brings it, and it is not taken alone

constexpr std::string_view kPresent = "{";  // the value of an element as a cell of the record around it

std::string_view bare(std::string_view value) {
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    return value;
}

// The record that a record lies in; -1: none.
std::int32_t record_around(const TreeUnits& units, const Records& records, std::size_t record) {
    const std::int32_t parent = units.parent[static_cast<std::size_t>(records.row[record])];
    return parent < 0 ? -1 : records.inside[static_cast<std::size_t>(parent)];
}

std::uint64_t hash_of(std::string_view bytes) {
    std::uint64_t hash = bytes.size();
    for (const char byte : bytes) hash = joined(hash, static_cast<unsigned char>(byte));
    return hash;
}

// Whether a unit is of the start tag of the record it is in, not of an element in that.
bool in_head(const TreeUnits& units, const Records& records, std::size_t row) {
    if (units.kind[row] != TreeKind::kAttribute) return records.is_record[row] != 0 && opens(units.kind[row]);
    return records.is_record[static_cast<std::size_t>(units.parent[row])] != 0;
}

// The record that a unit is a cell of: of a record that is a container, the one around it.
std::int32_t record_of_cell(const TreeUnits& units, const Records& records, std::size_t row) {
    if (records.is_record[row] == 0 || units.kind[row] == TreeKind::kScalar || units.kind[row] == TreeKind::kHead)
        return records.inside[row];
    const std::int32_t parent = units.parent[row];
    return parent < 0 ? -1 : records.inside[static_cast<std::size_t>(parent)];
}

// What stands behind a key, of a string in pieces without its quotes.
std::string_view value_of(std::string_view text, const TreeUnits& units, std::size_t row) {
    const std::int64_t start = units.value_start[row];
    if (units.kind[row] != TreeKind::kHead) return piece(text, start, units.end[row]);
    return piece(text, start + 1, units.end[row + static_cast<std::size_t>(units.count[row])]);
}

// The name before the value of a unit of JSON, without quotes.
std::string_view key_of(std::string_view text, const TreeUnits& units, std::size_t row) {
    const std::string_view name = piece(text, units.start[row], units.value_start[row]);
    return bare(name.substr(0, name.find_last_of('"') + 1));
}

// Which units say nothing in words; of a long text or attribute the whole, not its head.
std::vector<bool> opaque_units(std::string_view text, const TreeUnits& units) {
    std::vector<bool> opaque(units.size());
    for (std::size_t row = 0; row < units.size(); ++row) opaque[row] = is_opaque(value_of(text, units, row));
    for (const TreeCell& cell : units.cells) {
        const auto row = static_cast<std::size_t>(cell.row);
        if (units.kind[row] == TreeKind::kAttribute || units.kind[row] == TreeKind::kHead)
            opaque[row] = is_opaque(piece(text, cell.start, cell.end));
    }
    return opaque;
}

// Calls each(row, record, path, name, value) for all cells of records.
template <typename Each>
void each_cell(std::string_view text, const TreeUnits& units, const Records& records, Each each) {
    for (std::size_t row = 0; row < units.size(); ++row) {
        check_cancelled();
        if (part(units.kind[row]) || records.own[row] != 0) continue;
        const bool container = opens(units.kind[row]);
        const std::int32_t record = record_of_cell(units, records, row);
        if (units.markup) {  // that a container has such an element; its values are cells of their own
            const std::int32_t parent = units.parent[row];
            const std::int32_t around = parent < 0 ? -1 : records.inside[static_cast<std::size_t>(parent)];
            if (around < 0 || units.key[row] == 0) continue;
            each(row, around, joined(records.path[row], 3), name_of_element(text, units, row), kPresent);
            continue;
        }
        if (record >= 0 && !(container && records.is_record[row] != 0)) {
            const std::string_view name = key_of(text, units, row);
            const std::string_view value = value_of(text, units, row);
            each(row, record, records.path[row], name, container ? value.substr(0, 1) : bare(value));
        }
        if (container && units.value[row] != 0 && records.is_record[row] != 0) {  // which keys it has
            const auto* bytes = reinterpret_cast<const char*>(&units.value[row]);
            each(row, records.inside[row], joined(records.path[row], 3), std::string_view(),
                 std::string_view(bytes, sizeof(std::uint64_t)));
        }
    }
    for (const TreeCell& cell : units.cells) {
        check_cancelled();
        const auto row = static_cast<std::size_t>(cell.row);
        if (records.inside[row] < 0) continue;
        const std::string_view name = piece(text, cell.name, cell.name_end);
        std::uint64_t path = records.path[row];
        for (const char byte : name) path = joined(path, static_cast<unsigned char>(byte));
        each(row, records.inside[row], cell.attribute ? path : records.path[row], name,
             piece(text, cell.start, cell.end));
    }
}

// What the cells of units say; `worth` and `names` (2: the best name, 1: the next) of the record that a unit is in,
// `present` that the record around it has it.
struct Values {
    Values(std::size_t units, std::size_t records)
        : worth(units), tells(units), present(units), names(units), fails(records), holds(records), failure(records) {}
    std::vector<float> worth, tells, present;
    std::vector<std::int8_t> names;
    std::vector<std::uint8_t> fails;    // a record: whether it failed
    std::vector<std::uint8_t> holds;    // whether one in it did
    std::vector<std::uint8_t> failure;  // whether it is one, by the name of its element
};

constexpr float kNewKind = 0.5F;  // how much the first record of a rare message stands out
constexpr float kFailed = 0.1F;   // how much a record stands out that failed as all others did

// What columns of records say in words. Where that is a few messages, the first record of each stands out: of a rare
// one by kNewKind, of one that all say by half of that.
class Messages {
  public:
    void add(std::size_t column, std::int32_t record, std::string_view value) {
        if (value.find(' ') == std::string_view::npos) return;
        const auto number = static_cast<std::size_t>(numbers_[joined(template_of(value), column)]);
        if (columns_.size() <= column) columns_.resize(column + 1);
        if (number == messages_.size()) {
            messages_.push_back({column, record, 0});
            ++columns_[column].messages;
        }
        ++messages_[number].times;
        ++columns_[column].cells;
    }

    void raise(std::vector<float>& stands) const {
        for (const auto& [column, first, times] : messages_) {
            const auto [messages, cells] = columns_[column];
            if (cells < kFewUsual || messages < 2 || 2 * messages > cells) continue;
            const float alike = std::log2(static_cast<float>(times)) / std::log2(static_cast<float>(cells));
            float& stand = stands[static_cast<std::size_t>(first)];
            stand = std::max(stand, kNewKind * (1 - 0.5F * alike));
        }
    }

  private:
    struct Message {
        std::size_t column;
        std::int32_t first;  // record
        std::uint32_t times;
    };
    struct Column {
        std::uint32_t messages = 0, cells = 0;
    };
    Numbers numbers_;
    std::vector<Message> messages_;
    std::vector<Column> columns_;
};

// Of JSON: the keys and values for which records stand out, and what is in them.
template <typename Tells>
void lead_values(std::string_view text, const TreeUnits& units, const Records& records, const Values& values,
                 const std::vector<float>& stands, const std::vector<float>& own_stands,
                 const std::vector<bool>& opaque, Tells tells, std::vector<float>& lead) {
    std::vector<float> brought(units.size());  // of odd containers, for what is in them
    std::vector<float> told(stands.size());    // a record: how much it has said
    Numbers said;                              // phrases
    for (std::size_t row = 0; row < units.size(); ++row) {
        if (units.kind[row] == TreeKind::kClose) continue;
        const std::int32_t parent = units.parent[row];
        if (parent >= 0 && brought[static_cast<std::size_t>(parent)] > 0) {
            const float from = brought[static_cast<std::size_t>(parent)];
            const bool rest =
                units.kind[row] == TreeKind::kPiece && values.names[static_cast<std::size_t>(parent)] == 0;
            lead[row] = !rest          ? 0.97F * from
                        : !opaque[row] ? kPieces * from / (1 + static_cast<float>(units.place[row]))
                                       : 0;
            brought[row] = lead[row];
        }
        const std::int32_t record = records.inside[row];
        if (record < 0 || part(units.kind[row])) continue;
        const float stand = stands[static_cast<std::size_t>(record)];
        if (stand <= 0) continue;
        if (records.is_record[row] != 0) lead[row] = std::max(lead[row], stand);
        float own = 0;
        if (values.names[row] > 0) {
            own = opaque[row] ? kOpaqueName * stand : (values.names[row] == 2 ? 0.99F : 0.985F) * stand;
            if (units.kind[row] == TreeKind::kHead) brought[row] = own;
        }
        if (values.worth[row] > 0 && tells(record, values.worth[row]) &&
            !(records.is_record[row] != 0 && opens(units.kind[row]))) {
            own = std::max(own, 0.98F * stand);
            brought[row] = std::max(brought[row], own);
        }
        const std::int32_t cell_of = record_of_cell(units, records, row);
        const float odd = cell_of < 0 ? 0 : own_stands[static_cast<std::size_t>(cell_of)];
        if (own == 0 && odd > 0 && is_phrase(value_of(text, units, row), units.kind[row])) {
            float& before = told[static_cast<std::size_t>(cell_of)];
            const std::size_t known = said.size();
            const auto hash = template_of(value_of(text, units, row));
            own = static_cast<std::size_t>(said[hash]) < known ? kRest * odd : std::max(kSays - before, kRest) * odd;
            before += kStep;
            if (units.kind[row] == TreeKind::kHead) brought[row] = own;
        }
        // what else it says, where that is short
        if (own == 0 && units.kind[row] != TreeKind::kHead && units.count[row] <= kShortList) {
            own = (kLeast + kElse * values.tells[row]) * odd;
            if (opens(units.kind[row])) brought[row] = std::max(brought[row], own);
        }
        lead[row] = std::max(lead[row], own);
    }
}

// Records that failed as one before did: 2 by the template of the first phrase that they say, and what holds such
// records, where all of them did; else 1 by that of their name.
template <typename Shown, typename Says>
std::vector<std::uint8_t> said_again(std::string_view text, const TreeUnits& units, const Records& records,
                                     const Values& values, Shown shown, Says says) {
    const std::size_t m = records.row.size();
    std::vector<std::uint8_t> named(m), phrased(m), again(m), fresh(m);
    Numbers said;
    const auto before = [&](std::uint64_t hash) {
        const std::size_t known = said.size();
        return static_cast<std::size_t>(said[hash]) < known;
    };
    for (std::size_t row = 0; row < units.size(); ++row) {
        if (records.inside[row] < 0 || !shown(row)) continue;
        const auto record = static_cast<std::size_t>(records.inside[row]);
        if (values.fails[record] == 0) continue;
        const auto bytes = piece(text, units.start[row], units.end[row]);
        if (values.names[row] == 2 && values.failure[record] == 0 && named[record] == 0) {
            named[record] = 1;
            if (before(joined(template_of(bytes), 1))) again[record] = 1;
        } else if (values.holds[record] == 0 && phrased[record] == 0 && says(row) &&
                   is_phrase(bytes, units.kind[row])) {
            phrased[record] = before(joined(template_of(bytes), 2)) ? 2 : 1;
        }
    }
    for (std::size_t record = m; record-- > 0;) {
        if (values.fails[record] == 0) continue;
        const bool known = values.holds[record] != 0 ? fresh[record] == 0 : phrased[record] == 2;
        if (known) again[record] = 2;
        const std::int32_t around = record_around(units, records, record);
        if (!known && around >= 0) fresh[static_cast<std::size_t>(around)] = 1;
    }
    return again;
}

// Of markup: by bundles, what names a record and the first that it stands out for, then what else that says.
template <typename Tells>
void lead_elements(std::string_view text, const TreeUnits& units, const Records& records, const Values& values,
                   const std::vector<float>& stands, const std::vector<bool>& attributed,
                   const std::vector<bool>& opaque, Tells tells, std::vector<float>& lead) {
    const std::size_t n = units.size();
    std::vector<std::uint8_t> telling(n);          // an element for which its record stands out, and what is in it
    std::vector<std::uint8_t> has(stands.size());  // a record: whether it has one
    for (std::size_t row = 0; row < n; ++row) {
        const std::int32_t parent = units.parent[row];
        const std::int32_t around = parent < 0 ? -1 : records.inside[static_cast<std::size_t>(parent)];
        if (around >= 0 && values.present[row] > 0 && tells(around, values.present[row])) {
            telling[row] = 1;
            has[static_cast<std::size_t>(around)] = 1;
        } else if (parent >= 0 && records.is_record[row] == 0) {
            telling[row] = telling[static_cast<std::size_t>(parent)];
        }
    }
    const auto says = [&](std::size_t row) {  // whether it is something that its record says, not names it
        const auto record = static_cast<std::size_t>(records.inside[row]);
        if (values.names[row] > 0 && values.failure[record] == 0) return false;
        if (in_head(units, records, row)) return values.failure[record] != 0;
        return telling[row] != 0 || has[record] == 0 ||
               (values.holds[record] == 0 && tells(records.inside[row], values.worth[row]));
    };
    const auto shown = [&](std::size_t row) {
        return units.kind[row] != TreeKind::kClose && units.kind[row] != TreeKind::kPiece &&
               (!opens(units.kind[row]) || attributed[row]);
    };
    const auto phrase = [&](std::size_t row) {  // of a line of YAML what stands behind its key
        std::string_view bytes = piece(text, units.start[row], units.end[row]);
        const std::size_t key = units.nested ? bytes.find(": ") : std::string_view::npos;
        if (key != std::string_view::npos) bytes.remove_prefix(key + 2);
        return is_phrase(bytes, units.kind[row]);
    };
    const std::vector<std::uint8_t> again = said_again(text, units, records, values, shown, says);
    std::vector<std::uint8_t> wide(stands.size());  // a record: whether what failed in it has names of its own
    for (std::size_t row = 0; row < n; ++row) {
        if (records.inside[row] < 0 || values.names[row] == 0) continue;
        const auto record = static_cast<std::size_t>(records.inside[row]);
        if (values.fails[record] == 0 || values.failure[record] != 0) continue;
        for (std::int32_t around = record_around(units, records, record); around >= 0;) {
            if (wide[static_cast<std::size_t>(around)] != 0) break;
            wide[static_cast<std::size_t>(around)] = 1;
            around = record_around(units, records, static_cast<std::size_t>(around));
        }
    }
    Numbers said;                                   // of odd records
    std::vector<float> told(stands.size());         // how much of it came before
    std::vector<std::int32_t> held(stands.size());  // odd records in it
    std::vector<float> turn(stands.size());         // of it among those
    for (std::size_t row = 0; row < n; ++row) {
        const std::int32_t inside = records.inside[row];
        if (inside < 0 || units.kind[row] == TreeKind::kClose) continue;
        const auto record = static_cast<std::size_t>(inside);
        const float stand = stands[record];
        if (stand <= 0) continue;
        if (records.is_record[row] != 0) {
            const std::int32_t around = record_around(units, records, record);
            turn[record] = 1;
            bool later = again[record] != 0;
            if (around >= 0 && stands[static_cast<std::size_t>(around)] > 0) {
                const auto outer = static_cast<std::size_t>(around);
                turn[record] = turn[outer] * (1 - kTurn * static_cast<float>(std::min(held[outer]++, kTurns)));
                later = later && again[outer] < again[record];
            }
            if (later) turn[record] *= again[record] == 2 ? kAgain : kNamedAgain;
            if (values.holds[record] != 0) told[record] = 1 - kHolds;
        }
        if (units.kind[row] == TreeKind::kPiece) {
            const auto head = static_cast<std::size_t>(units.parent[row]);
            const auto place = static_cast<float>(units.place[row]);
            lead[row] = values.names[head] > 0 ? lead[head] : 0.5F * lead[head] / (1 + place);
            continue;
        }
        if (!shown(row)) continue;
        float share = kRest;
        if (values.names[row] > 0 && values.failure[record] == 0) {
            share = wide[record] != 0 ? kHolds : 1;
            if (!in_head(units, records, row)) told[record] += kStep;  // it says something, too
        } else {
            const std::size_t known = said.size();
            const auto bytes = piece(text, units.start[row], units.end[row]);
            if (opaque[row]) continue;
            const bool repeated = static_cast<std::size_t>(said[hash_of(bytes)]) < known;
            if (values.fails[record] == 0 || units.nested) {
                if (tells(inside, values.worth[row]) || (!repeated && phrase(row))) share = 1;
            } else if (says(row)) {
                share = 1 - told[record];
                told[record] += is_phrase(bytes, units.kind[row]) ? kStep : 0.5F * kStep;
            }
            if (repeated) share -= kRepeated;
        }
        // Lines of YAML that say nothing else are worth what they are as lines.
        lead[row] = units.nested && share <= kRest ? 0 : stand * turn[record] * std::max(share, kRest);
    }
}

// Of JSON: the document's own scalars, in no list of records; what is said to be wrong first.
std::vector<float> lead_own(std::string_view text, const TreeUnits& units, const Records& records,
                            const std::vector<bool>& opaque) {
    std::vector<std::size_t> size(records.lists);
    for (const std::int32_t list : records.list) ++size[static_cast<std::size_t>(list)];
    const auto listed = [&](std::int32_t record) {
        while (record >= 0 && size[static_cast<std::size_t>(records.list[static_cast<std::size_t>(record)])] < 2)
            record = record_around(units, records, static_cast<std::size_t>(record));
        return record >= 0;
    };
    std::vector<float> own(units.size()), deep(units.size(), 1);
    HashTable<float> met;  // names but for digits
    for (std::size_t row = 0; row < units.size(); ++row) {
        const std::int32_t parent = units.parent[row];
        const std::size_t above = parent < 0 ? row : static_cast<std::size_t>(parent);
        if (parent >= 0 && units.parent[above] >= 0) deep[row] = kDeeper * deep[above];
        if (units.kind[row] != TreeKind::kScalar && units.kind[row] != TreeKind::kHead) continue;
        const bool element = parent >= 0 && units.kind[above] == TreeKind::kArray;
        const std::int32_t record = records.is_record[row] != 0
                                        ? record_around(units, records, static_cast<std::size_t>(records.inside[row]))
                                        : records.inside[row];
        if (records.own[row] != 0 || listed(record)) continue;
        const std::string_view value = bare(value_of(text, units, row));
        const auto list = element ? key_of(text, units, above) : std::string_view();
        const auto name = key_of(text, units, row);
        if (complains(list, name, value)) {
            own[row] = kComplains;
        } else if (!element && !says_nothing(value) && !opaque[row]) {
            own[row] = kOwn * deep[row] / ++met[joined(above, template_of(name))];
        }
    }
    const float share = std::min(1.0F, kFewOwn / static_cast<float>(std::max<std::size_t>(met.size(), 1)));
    for (std::size_t row = 0; row < units.size(); ++row) {
        if (own[row] > 0 && own[row] <= kOwn) own[row] *= share;
        if (units.kind[row] == TreeKind::kPiece)
            own[row] =
                kPieces * own[static_cast<std::size_t>(units.parent[row])] / (1 + static_cast<float>(units.place[row]));
    }
    return own;
}

// Of markup, the numbers of a tag in no record of which one counts failures: what a report comes to.
void lead_totals(std::string_view text, const TreeUnits& units, const Records& records, std::vector<float>& lead) {
    const auto value = [&](const TreeCell& cell) { return piece(text, cell.start, cell.end); };
    const auto each = [&](auto&& of) {
        for (const TreeCell& cell : units.cells) {
            const auto row = static_cast<std::size_t>(cell.row);
            if (!cell.attribute || records.inside[row] >= 0) continue;
            of(cell, row, units.kind[row] == TreeKind::kAttribute ? static_cast<std::size_t>(units.parent[row]) : row);
        }
    };
    std::vector<bool> complain(units.size());
    each([&](const TreeCell& cell, std::size_t, std::size_t tag) {
        if (complains({}, piece(text, cell.name, cell.name_end), value(cell))) complain[tag] = true;
    });
    each([&](const TreeCell& cell, std::size_t row, std::size_t tag) {
        if (complain[tag] && value(cell).find_first_not_of("0123456789.") == std::string_view::npos)
            lead[row] = kFailuresCounted;
    });
}

// A record of JSON that says what another one before it does, by its keys, its values and the lengths of long ones,
// stands out less: reports list what failed once more.
void pass_over_copies(const TreeUnits& units, const Records& records, std::vector<float>& stands) {
    std::vector<std::uint64_t> said(stands.size());
    for (std::size_t row = 0; row < units.size(); ++row) {
        const std::int32_t record = records.inside[row];
        if (record < 0 || stands[static_cast<std::size_t>(record)] <= 0) continue;
        std::uint64_t& whole = said[static_cast<std::size_t>(record)];
        const auto length = static_cast<std::uint64_t>(units.end[row] - units.start[row]);
        whole = joined(whole, units.key[row] ^ units.value[row] ^ length);
    }
    Numbers met;
    for (std::size_t record = 0; record < stands.size(); ++record) {
        const auto row = static_cast<std::size_t>(records.row[record]);
        if (stands[record] <= 0 || !opens(units.kind[row])) continue;
        const std::size_t known = met.size();
        if (static_cast<std::size_t>(met[said[record]]) < known) stands[record] *= kCopied;
    }
}

// Of records of a list that stand out alike, each a little less than the one before, so that what it says comes before
// the names of all others.
void take_turns(const Records& records, std::vector<float>& stands) {
    HashTable<std::int32_t> met;
    for (std::size_t record = 0; record < stands.size(); ++record) {
        if (stands[record] <= 0) continue;
        const auto like =
            joined(std::bit_cast<std::uint32_t>(stands[record]), static_cast<std::uint64_t>(records.list[record]));
        stands[record] *= 1 - kJsonTurn * static_cast<float>(std::min(met[like]++, kTurns));
    }
}

// Which units of records that stand out come first, and how much they do; 0 of the others.
struct Odd {
    std::vector<float> lead;           // a unit
    std::vector<std::uint8_t> record;  // a record
    std::vector<std::uint8_t> usual;   // a unit: whether most records of the list have what it says
};

Odd odd_units(std::string_view text, const TreeUnits& units, const Records& records,
              const std::vector<bool>& attributed, const std::vector<bool>& opaque) {
    const std::size_t n = units.size();
    Odd odd;
    odd.lead.resize(n);
    odd.record.resize(records.row.size());
    odd.usual.resize(n);
    if (!units.markup) odd.lead = lead_own(text, units, records, opaque);
    if (records.row.empty()) return odd;
    RecordColumns columns;
    for (std::size_t list = 0; list < records.lists; ++list) columns.add_list();
    for (const std::int32_t list : records.list) columns.add_record(static_cast<std::size_t>(list));
    Numbers numbers;
    const auto column_of = [&](std::int32_t record, std::uint64_t path, std::string_view name) {
        const auto list = static_cast<std::size_t>(records.list[static_cast<std::size_t>(record)]);
        const auto known = numbers.size();
        const auto column = static_cast<std::size_t>(numbers[joined(path, list)]);
        if (column == known) columns.add_column(list, name);
        return column;
    };
    struct Found {
        std::size_t row;
        std::int32_t record;
        RecordColumns::Cell cell;
        std::string_view value;
    };
    std::vector<Found> cells;
    each_cell(
        text, units, records,
        [&](std::size_t row, std::int32_t record, std::uint64_t path, std::string_view name, std::string_view value) {
            cells.push_back({row, record, columns.add(column_of(record, path, name), value), value});
        });
    columns.settle();
    Standing standing(records.row.size());
    Values values(n, records.row.size());
    std::vector<std::uint8_t> has(records.row.size());   // an element in it is a failure by its name
    std::vector<std::uint8_t> mild(records.row.size());  // but of no such severity: <error severity="warning">
    struct Judged {
        std::uint64_t reason = 0;
        float worth = -1, tells = 0;  // a worth is not negative
    };
    std::vector<Judged> judged(columns.entries());
    std::vector<std::size_t> sizes(records.lists);  // records of each list
    for (const std::int32_t list : records.list) ++sizes[static_cast<std::size_t>(list)];
    for (const auto& [row, record, cell, value] : cells) {
        check_cancelled();
        Judged alone;
        Judged& found = cell.entry < 0 ? alone : judged[static_cast<std::size_t>(cell.entry)];
        if (found.worth < 0) found.worth = columns.worth(cell, value, &found.reason, &found.tells);
        const float one = found.worth;
        const auto number = static_cast<std::size_t>(record);
        standing.add(number, one, found.reason);
        const bool fails = units.markup && columns.fails(cell.column, value);
        if (record != records.inside[row]) {  // that the record around it has it, which fails with it
            if (fails) values.failure[static_cast<std::size_t>(records.inside[row])] = 1;
            values.present[row] = one;
            continue;
        }
        if (fails) (value == kPresent ? has : values.fails)[number] = 1;
        if (units.markup && columns.is_mild(cell.column, value)) mild[number] = 1;
        values.worth[row] = std::max(values.worth[row], one);
        values.tells[row] = opaque[row] ? 0.5F * found.tells : found.tells;
        const bool keyed = !units.markup && opens(units.kind[row]) && records.is_record[row] != 0;
        odd.usual[row] =  // what it has is, its key is not
            !keyed && found.tells < kUsual && sizes[static_cast<std::size_t>(records.list[number])] >= kFewUsual;
        const auto naming = columns.names_of(static_cast<std::size_t>(records.list[number]));
        for (std::size_t i = 0; i < naming.size(); ++i) {
            if (naming[i] == cell.column) values.names[row] = static_cast<std::int8_t>(2 - i);
        }
    }
    for (std::size_t record = 0; record < records.row.size(); ++record) {
        if ((values.failure[record] != 0 || has[record] != 0) && mild[record] == 0) values.fails[record] = 1;
        if (!failed_root(text, units, static_cast<std::size_t>(records.row[record]))) continue;
        values.fails[record] = 1;  // no record is around it that could have it
        values.failure[record] = 1;
    }
    std::vector<float> stands = standing.settle(records.list, records.lists);
    Messages messages;
    for (const auto& [row, record, cell, value] : cells) {
        if (!opaque[row]) messages.add(cell.column, record, value);
    }
    messages.raise(stands);
    if (!units.markup) {
        for (std::size_t record = 0; record < stands.size(); ++record) {  // "failures": [...]
            const std::int32_t parent = units.parent[static_cast<std::size_t>(records.row[record])];
            if (parent >= 0 && complains({}, key_of(text, units, static_cast<std::size_t>(parent)), kPresent))
                stands[record] = std::max(stands[record], kListed);
        }
        pass_over_copies(units, records, stands);
    }
    if (!units.markup) take_turns(records, stands);
    const std::vector<float> own_stands = stands;  // without what is in them
    for (std::size_t record = stands.size(); record-- > 0;) {
        if (values.fails[record] != 0)
            stands[record] = 0.9F + 0.1F * std::max(stands[record], kFailed);
        else if (units.markup)
            stands[record] *= 0.5F;
        odd.record[record] = stands[record] > 0;
        const std::int32_t around = record_around(units, records, record);
        if (around < 0) continue;
        if (values.fails[record] != 0) {
            values.fails[static_cast<std::size_t>(around)] = 1;
            values.holds[static_cast<std::size_t>(around)] = 1;
        }
        float& outer = stands[static_cast<std::size_t>(around)];
        outer = std::max(outer, (units.markup ? 1.0F : 0.9F) * stands[record]);
    }
    for (std::size_t record = 0; record < stands.size(); ++record) {  // what failed in what failed is as telling
        const std::int32_t around = record_around(units, records, record);
        if (around >= 0 && values.fails[record] != 0 && values.fails[static_cast<std::size_t>(around)] != 0)
            stands[record] = std::max(stands[record], stands[static_cast<std::size_t>(around)]);
    }
    const auto tells = [&](std::int32_t record, float one) {
        const auto number = static_cast<std::size_t>(record);
        return odd.record[number] != 0 && one >= std::min(kOdd, 0.5F * standing.worth(number));
    };
    if (units.markup) {
        lead_elements(text, units, records, values, stands, attributed, opaque, tells, odd.lead);
        lead_totals(text, units, records, odd.lead);
    } else {
        lead_values(text, units, records, values, stands, own_stands, opaque, tells, odd.lead);
    }
    return odd;
}

// Of each unit, its share of what a query says beyond what it says of the containers around all records.
std::vector<float> beyond_containers(const TreeUnits& units, const Records& records, std::span<const float> relevance) {
    std::vector<float> said(relevance.size()), result(relevance.begin(), relevance.end());
    for (std::size_t row = 0; row < result.size(); ++row) {
        if (units.parent[row] < 0) continue;
        const auto above = static_cast<std::size_t>(units.parent[row]);
        said[row] = records.inside[above] < 0 ? std::max(said[above], relevance[above]) : said[above];
        if (records.inside[row] >= 0 && said[row] < 1) result[row] = std::min(1.0F, relevance[row] / (1 - said[row]));
    }
    return result;
}

// What a query says of each unit beyond what it says of all of its column, in lists of kFewUsual records or more, whose
// keys it names, and beyond what most of them say.
std::vector<double> apart(const Records& records, std::span<const float> relevance,
                          const std::vector<std::uint8_t>& usual) {
    Numbers columns;
    std::vector<std::int32_t> column(relevance.size(), -1);
    std::vector<std::pair<std::size_t, double>> cells;  // of a column: how many, and the least
    for (std::size_t row = 0; row < relevance.size(); ++row) {
        if (records.inside[row] < 0) continue;
        column[row] = columns[records.path[row]];
        const auto here = static_cast<std::size_t>(column[row]);
        if (here == cells.size()) cells.emplace_back(0, 1);
        ++cells[here].first;
        cells[here].second = std::min(cells[here].second, static_cast<double>(relevance[row]));
    }
    std::vector<double> result(relevance.begin(), relevance.end());
    for (std::size_t row = 0; row < result.size(); ++row) {
        if (usual[row] != 0) result[row] = 0;
        const auto here = static_cast<std::size_t>(column[row]);
        if (column[row] >= 0 && cells[here].first >= kFewUsual)
            result[row] = std::max(result[row] - cells[here].second, 0.0);
    }
    return result;
}

}  // namespace

TreeRanks rank_tree(std::string_view text, const TreeUnits& units, std::span<const float> shares) {
    const std::size_t n = units.size();
    const auto roots = static_cast<std::int32_t>(
        std::count_if(units.parent.begin(), units.parent.end(), [](std::int32_t parent) { return parent < 0; }));
    Records records = records_of(text, units, roots);
    std::vector<bool> attributed(n);
    for (const TreeCell& cell : units.cells) {
        if (cell.attribute) attributed[static_cast<std::size_t>(cell.row)] = true;
    }
    const std::vector<bool> opaque = opaque_units(text, units);
    const Odd odd = odd_units(text, units, records, attributed, opaque);
    std::vector<double> weight(n);
    std::vector<double> priority(n);
    for (std::size_t row = 0; row < n; ++row) {
        const std::int32_t parent = units.parent[row];
        const double inherited = parent < 0 ? 1 : weight[static_cast<std::size_t>(parent)];
        const std::int32_t place = units.place[row];
        const std::int32_t count = parent < 0 ? roots : units.count[static_cast<std::size_t>(parent)];
        double share = 1;
        if (units.kind[row] == TreeKind::kPiece) {
            share = 0.3 / (1 + place);
        } else if (units.kind[row] == TreeKind::kAttribute) {
            share = 0.99 - 0.01 * std::min(place, 50);
        } else if (records.is_record[row] == 0) {
            share = parent < 0 ? (units.markup && units.key[row] == 0 ? 0.1 : 1)
                               : 0.95 * (1 - 0.2 * place / std::max(count, 1));
            if (units.kind[row] == TreeKind::kHead) share *= 0.7;
        } else if (place > 0) {
            const auto low = static_cast<double>(place & -place);
            share = 0.5 * low / static_cast<double>(std::bit_floor(static_cast<std::uint32_t>(std::max(count, 1))));
            if (place + 1 == count) share = std::max(share, 0.6);
            if (odd.record[static_cast<std::size_t>(records.inside[row])] != 0) share = std::max(share, 0.7);
        }
        weight[row] = inherited * share;
        if (opaque[row] ||
            (!units.markup && units.kind[row] == TreeKind::kScalar && says_nothing(bare(value_of(text, units, row)))))
            weight[row] *= kHardly;
        const bool split = !part(units.kind[row]) && row + 1 < n && units.kind[row + 1] == TreeKind::kAttribute;
        const bool empty = split || (opens(units.kind[row]) && units.count[row] > 0 &&
                                     (units.markup ? !attributed[row] : records.is_record[row] != 0));
        if ((units.markup && units.kind[row] == TreeKind::kClose) || records.own[row] != 0) continue;
        const double lead = odd.lead[row];
        priority[row] = empty ? 0 : lead > 0 ? 1 + lead : weight[row];  // it is what is in it
    }
    if (units.nested) rank_lines(text, units, records, odd.lead, kBrought, priority);
    std::vector<std::int32_t> needs = units.parent;
    for (std::size_t row = 0; units.markup && !units.nested && row < n; ++row) {
        if (needs[row] < 0 || units.key[row] == 0) continue;
        const std::int32_t around = records.inside[static_cast<std::size_t>(needs[row])];
        needs[row] = around < 0 ? -1 : records.row[static_cast<std::size_t>(around)];
    }
    const auto raise = [&](std::vector<double>& values, double share) {  // what is needed by what needs it
        for (std::size_t row = n; row-- > 0;) {
            if (needs[row] < 0 || (units.markup && units.kind[row] == TreeKind::kClose)) continue;
            double& above = values[static_cast<std::size_t>(needs[row])];
            above = std::max(above, share * values[row]);
        }
    };
    const std::vector<float> relevance = beyond_containers(units, records, shares);
    std::vector<double> best = apart(records, relevance, odd.usual);
    if (std::all_of(best.begin(), best.end(), [](double one) { return one <= 0; })) {
        raise(priority, kBrought);
        return {std::move(priority), std::move(needs), std::move(records.is_record), std::move(records.own)};
    }
    raise(best, 1);
    std::vector<double> near(n);
    for (std::size_t row = 0; row < n; ++row) {
        const std::int32_t parent = units.parent[row];
        const double inherited = parent < 0 ? 0 : near[static_cast<std::size_t>(parent)];
        const double own = odd.usual[row] != 0 ? 0 : static_cast<double>(relevance[row]);
        near[row] = records.is_record[row] != 0 ? 1 - (1 - std::max(own, 0.9 * best[row])) * (1 - 0.6 * inherited)
                                                : 1 - (1 - own) * (1 - 0.9 * inherited);
        if ((units.markup && units.kind[row] == TreeKind::kClose) || records.own[row] != 0) continue;
        priority[row] = 0.5 * priority[row] + 3 * near[row] * near[row];
    }
    raise(priority, kBrought);
    return {std::move(priority), std::move(needs), std::move(records.is_record), std::move(records.own)};
}

}  // namespace tersely::content
