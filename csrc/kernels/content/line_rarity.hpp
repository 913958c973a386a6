// How unlike the others of its text a line of a tree by indentation is: YAML, outlines, snapshots of pages.
//
// Contract. A column is lines with one key below lines of one column; all that hold others below a line that holds
// nothing else, four at least; and without a key lines of one form below such: what is left without quoted words and
// digits where there are quotes or brackets ("button [disabled]"), else all. Of a column with n of the N lines, rarity
// is 1 - log n / log N; of a text that c of n lines of a column have, surprise is (log n/c - H) / log n, at least 0,
// with H the mean of log n/c: nothing in a column where all are alike or all differ. O(bytes) time, O(lines) memory.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/content/tree.hpp"
#include "kernels/content/tree_records.hpp"

namespace tersely::content {

// Writes the priority of lines that lead nothing (`lead` 0) and hold nothing, or are items: half their rarity, their
// surprise, a fifth of log n/c / log N, a tenth for the first of a column, and a tenth of what it is (where they
// stand). What names the record of one that surprises by 0.4 or more, the first of a column of which nine lines in ten
// differ, has `brought` of that at least.
void rank_lines(std::string_view text, const TreeUnits& units, const Records& records, const std::vector<float>& lead,
                double brought, std::vector<double>& priority);

}  // namespace tersely::content
