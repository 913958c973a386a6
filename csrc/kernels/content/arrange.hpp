// What lines belong to: the line above that says whose each is; and lists, whose order is their writer's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/content/line_grades.hpp"

namespace tersely::content {

// Lists, in which what comes first matters most.
//  - Of names: four lines in five have kOpensId. Each is an entry.
//  - Of records that people wrote: the first line stands at the margin, and so do two others of its template at least,
//    each behind a blank line, or byte for byte the same; records have two lines or more on average, few say how
//    something went or what was found, and of what does not come back with every other record half has kWordy. Each is
//    an entry; its head is its first line with those that follow without a blank line, kLongestRecordHead at most.
//  - Trees: of three lines in five the branches are drawn. Entries of one depth are one.
// Words of errors in what people wrote are no outcomes: in lines of names, and in those of records that have kWordy,
// without kFailure. A line of a list is worth its grade and its place; an odd one, as below, comes before the others.
//
// In all other documents a line has an owner:
//  - the nearest line above with a smaller margin that is no quote of a file and no sibling of it: it ends with
//    an opening bracket, or is of another form, and one of the two does not begin with a digit (columns are set to the
//    right);
//  - else the last line that leads (kLeads, or it stands between rules) and is no copy: of its block, or right before;
//  - else the head of its block: the first line, of a template of which kFewestHeads or more begin blocks, most of all.
// A line that leads says little by itself and is never essential; but an owner is worth at least a part of what each of
// its lines is worth, so that it comes where they do. A head comes with each line of its block, an owner with each odd
// line, and each that is asked for: odd is one with an odd value, or of a rare template where few lines, but for those
// that lead, are of one. An owner that was there before, byte for byte, does not say whose the line is: it comes with
// the first line above the odd one that it owns and that was not. One or two lines that a rare lead with words of
// trouble leads to ("The conflict is caused by:"; indented, or right below one that says what failed), or that stand
// indented below one that is asked for, are worth nearly what it is.
struct Arrangement {
    std::vector<std::int32_t> needs;   // the owner; in records that people wrote the line before within a head, below
                                       // it its last line; in trees what it hangs on; -1: nothing
    std::vector<std::uint8_t> listed;  // 1: it is in a list
};

// Writes what lines are worth for what they belong to, by `grade` and `asked` as line_worth takes them; `lines` know
// how odd rows are. O(rows).
Arrangement arrange(const GradedLines& lines, std::span<const float> grade, std::span<const float> asked,
                    LineWorth& told);

}  // namespace tersely::content
