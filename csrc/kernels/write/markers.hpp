// What stands in the place of rows that are left out: of code a comment, of data and of lines how many there were.
//
// Contract: a marker is asked for a run [first, last] of rows of one document and answers in UTF-8; "": nothing is
// said. Columns have a value per row, in source order. Raises std::invalid_argument for columns that do not fit
// together, and for a run that is none. O(1) a run, but for what is said below.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kernels/content/code_units.hpp"
#include "kernels/content/tree.hpp"

namespace tersely::write {

class RunMarker {
  public:
    virtual ~RunMarker() = default;
    virtual std::string say(std::int64_t first, std::int64_t last) const = 0;
};

// Of each row of code its lines, the last row of a suite that begins with it (-1: none does), whether it lies in a
// block comment; by document what stands in for an empty suite, and what opens and closes a comment.
struct CodeRows {
    std::vector<std::int32_t> document, first, last, suite;
    std::vector<std::uint8_t> inside;
    std::vector<content::CodeRole> role;
    std::vector<std::string> stand_in, opens, closes;
    std::vector<std::int32_t> before;  // units that are no comments, before each row and behind the last; made here
};

// A comment in the place of a run of units of code: which lines it stands for, or an "…"; and what the language asks
// for. kBare: that alone.
class CodeMarker : public RunMarker {
  public:
    enum class Wording : std::uint8_t { kFull, kShort, kBare };

    explicit CodeMarker(CodeRows rows);
    CodeMarker in(Wording wording) const { return {rows_, wording}; }
    std::string say(std::int64_t first, std::int64_t last) const override;

  private:
    CodeMarker(std::shared_ptr<const CodeRows> rows, Wording wording) : rows_(std::move(rows)), wording_(wording) {}

    std::shared_ptr<const CodeRows> rows_;
    Wording wording_ = Wording::kFull;
};

// Values of data (content/tree.hpp). `container`: the row that each lies in, -1: none; `own`: of marks of an earlier
// compression how many values they stand for, else 0; `record`: containers that are records.
struct TreeRows {
    using Lists = std::unordered_map<std::int32_t, std::vector<std::int64_t>>;

    std::vector<std::int32_t> document, container, place, count;
    std::vector<std::int64_t> start, end, own;
    std::vector<content::TreeKind> kind;
    std::vector<std::uint8_t> record;
    std::vector<std::int32_t> roots;  // of each document; made here, as is the next
    Lists marks;                      // of an earlier compression, by container; -1 - its document: of roots

    bool in_object(std::int32_t within) const;
    std::int64_t values_of(std::int32_t within) const;
    std::int64_t stop(std::size_t first, std::size_t last) const;
    bool closes(std::size_t row) const { return row < kind.size() && kind[row] == content::TreeKind::kClose; }
};

// The number of values that are left out. kNumbers: without words, and without a number where places say it. kTotal: a
// container outside of all records counts what it lacks once, at its end; elsewhere a list has an "…", and a name says
// what its value is, so objects have none. O(run) where it ends a document.
class TreeMarker : public RunMarker {
  public:
    explicit TreeMarker(TreeRows rows);
    TreeMarker numbers() const { return {rows_, Wording::kNumbers}; }
    TreeMarker total(std::span<const std::int64_t> kept) const;  // O(kept rows)
    std::string say(std::int64_t first, std::int64_t last) const override;

  private:
    enum class Wording : std::uint8_t { kFull, kNumbers, kTotal };

    TreeMarker(std::shared_ptr<const TreeRows> rows, Wording wording) : rows_(std::move(rows)), wording_(wording) {}
    template <typename Counts>
    std::int64_t left_out(std::int32_t container, const Counts& counts) const;
    std::string say_total(std::size_t first, std::size_t last) const;

    std::shared_ptr<const TreeRows> rows_;
    Wording wording_ = Wording::kFull;
    TreeRows::Lists kept_;                    // places of kept values, by container
    std::unordered_set<std::int64_t> marks_;  // of an earlier compression, that are kept
};

// Lines of documents. `earlier`: lines that were left out before, beside each row; `continued`: rows that go on in the
// line before; `lines`: of all documents, where some have no row, else -1.
struct LineRows {
    std::vector<std::int32_t> document;
    std::vector<std::int64_t> line, earlier;  // line: in its document; earlier becomes a sum up to each row
    std::vector<bool> continued;
    std::int64_t lines = -1;
    std::vector<std::int64_t> number;  // of the line among all that have rows; made here

    std::int64_t line_beside(std::int64_t row, std::int64_t step) const;
};

// The number of lines that are left out; as a total, those of a document once, in the last place: "… 40 lines in all".
class LineMarker : public RunMarker {
  public:
    explicit LineMarker(LineRows rows);
    LineMarker total(std::span<const std::int64_t> kept) const;  // O(rows)
    std::string say(std::int64_t first, std::int64_t last) const override;

  private:
    struct Left {
        std::int64_t last = -1, lines = 0, earlier = 0;
    };

    std::shared_ptr<const LineRows> rows_;
    std::vector<Left> totals_;  // by document
};

}  // namespace tersely::write
