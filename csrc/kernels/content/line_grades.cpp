#include "kernels/content/line_grades.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "kernels/content/hash_table.hpp"
#include "kernels/content/marks.hpp"
#include "kernels/parallel.hpp"
#include "kernels/text/segment.hpp"

namespace tersely::content {
namespace {

constexpr std::int32_t kAlike = 4;   // from which lines that hold others, beside none that do not, are a list
constexpr float kRare = 0.5F;        // for rarity
constexpr float kSeldom = 0.2F;      // for how seldom a text is in its column
constexpr float kPlace = 0.1F;       // for where it stands
constexpr float kSurprising = 0.4F;  // surprise from which a line's record is named
constexpr float kFirst = 0.1F;       // for the first of a column
constexpr float kDiffer = 0.9F;      // share of a column's lines whose texts differ, from which they are names

// What is left of a line without words in quotes, and without digits.
std::uint64_t form_of(std::string_view line) {
    std::uint64_t hash = kHashSeed;
    char quote = 0;
    for (const char byte : line) {
        if (quote != 0) {
            if (byte == quote) quote = 0;
        } else if (byte == '"') {
            quote = byte;
        } else if (byte < '0' || byte > '9') {
            hash = hash_byte(hash, byte);
        }
    }
    return hash;
}

// Columns of lines, and which texts they have; -1 of pieces.
struct Columns {
    std::vector<std::int32_t> column, said;      // a unit: its column; its text in that
    std::vector<std::int32_t> lines, differing;  // a column: lines, texts
    std::vector<std::int32_t> times;             // a text of a column: lines that have it

    Columns(std::string_view text, const TreeUnits& units) : column(units.size(), -1), said(units.size(), -1) {
        std::vector<bool> keyed(units.size());
        for (const TreeCell& cell : units.cells) {
            if (!cell.attribute || cell.name_end - cell.name > 1) keyed[static_cast<std::size_t>(cell.row)] = true;
        }
        std::vector<std::int32_t> holders(units.size());  // of what a line holds, what holds something itself
        for (std::size_t row = 0; row < units.size(); ++row) {
            if (units.parent[row] >= 0 && opens(units.kind[row]))
                ++holders[static_cast<std::size_t>(units.parent[row])];
        }
        Numbers columns, texts;
        for (std::size_t row = 0; row < units.size(); ++row) {
            check_cancelled();
            if (part(units.kind[row])) continue;
            const std::string_view line = piece(text, units.start[row], units.end[row]);
            const std::int32_t parent = units.parent[row];
            const auto above = parent < 0 ? 0 : static_cast<std::size_t>(column[static_cast<std::size_t>(parent)]) + 1;
            const std::int32_t beside = parent < 0 ? 0 : units.count[static_cast<std::size_t>(parent)];
            const bool item = line.starts_with('-');
            const bool formed = !keyed[row] && line.find_first_of("\"[") != std::string_view::npos;
            std::uint64_t name = units.key[row];
            if (formed) {
                name = form_of(line);
            } else if (item && keyed[row]) {
                name = hash_name(line.substr(0, line.find(':')));
            } else if (beside >= kAlike && holders[static_cast<std::size_t>(parent)] == beside) {
                name = 0;  // a list of what has names
            }
            const auto number = columns[joined(above, name)];
            if (static_cast<std::size_t>(number) == lines.size()) {
                lines.push_back(0);
                differing.push_back(0);
            }
            const auto here = texts[joined(static_cast<std::uint64_t>(number), hash_name(line))];
            if (static_cast<std::size_t>(here) == times.size()) {
                times.push_back(0);
                ++differing[static_cast<std::size_t>(number)];
            }
            ++lines[static_cast<std::size_t>(number)];
            ++times[static_cast<std::size_t>(here)];
            column[row] = number;
            said[row] = here;
        }
    }
};

struct LineRarity {
    std::vector<float> worth;          // a unit, 0 of pieces
    std::vector<float> surprise;       // a unit
    std::vector<std::int32_t> naming;  // a record: the unit that names it, -1: none
};

LineRarity line_rarity(std::string_view text, const TreeUnits& units, const Records& records) {
    const Columns all(text, units);
    const std::size_t n = units.size();
    const auto log_of = [](std::int32_t count) { return std::log2(static_cast<float>(count)); };
    float total = 0;
    std::vector<float> mean(all.lines.size());
    for (std::size_t row = 0; row < n; ++row) {
        if (all.column[row] < 0) continue;
        ++total;
        const auto column = static_cast<std::size_t>(all.column[row]);
        mean[column] += log_of(all.lines[column]) - log_of(all.times[static_cast<std::size_t>(all.said[row])]);
    }
    LineRarity found{std::vector<float>(n), std::vector<float>(n), std::vector<std::int32_t>(records.row.size(), -1)};
    const float most = std::log2(std::max(total, 2.0F));
    std::vector<bool> met(all.lines.size());
    for (std::size_t row = 0; row < n; ++row) {
        if (all.column[row] < 0) continue;
        const auto column = static_cast<std::size_t>(all.column[row]);
        const std::int32_t lines = all.lines[column];
        const float here = log_of(lines);
        const float own = here - log_of(all.times[static_cast<std::size_t>(all.said[row])]);
        if (lines > 1) found.surprise[row] = std::max(own - mean[column] / static_cast<float>(lines), 0.0F) / here;
        const float rarity = 1 - here / most;
        found.worth[row] = kRare * rarity + kSeldom * own / most + found.surprise[row] + (met[column] ? 0 : kFirst);
        met[column] = true;
        const std::int32_t record = records.inside[row];
        if (record < 0 || lines < 2 || found.naming[static_cast<std::size_t>(record)] >= 0) continue;
        if (static_cast<float>(all.differing[column]) >= kDiffer * static_cast<float>(lines))
            found.naming[static_cast<std::size_t>(record)] = static_cast<std::int32_t>(row);
    }
    return found;
}

}  // namespace

void rank_lines(std::string_view text, const TreeUnits& units, const Records& records, const std::vector<float>& lead,
                double brought, std::vector<double>& priority) {
    const LineRarity rarity = line_rarity(text, units, records);
    for (std::size_t row = 0; row < units.size(); ++row) {
        if (part(units.kind[row]) || lead[row] > 0 || records.own[row] != 0) continue;
        const bool says = units.count[row] == 0 || text[static_cast<std::size_t>(units.start[row])] == '-';
        if (says) priority[row] = rarity.worth[row] + kPlace * priority[row];
        const std::int32_t record = records.inside[row];
        if (record < 0 || rarity.surprise[row] < kSurprising) continue;
        const std::int32_t name = rarity.naming[static_cast<std::size_t>(record)];
        if (name < 0) continue;
        double& named = priority[static_cast<std::size_t>(name)];
        named = std::max(named, brought * priority[row]);
    }
}

namespace {

constexpr std::int64_t kFewFound = 3;    // lines of a finding that is rare
constexpr std::int64_t kRareShare = 20;  // of so many findings one, at most, is of a rare kind
constexpr double kBelowGrade = 0.5;      // of what stands indented below a place where something is wrong
constexpr double kNoneGrade = 0.3;       // of a count of none, where something failed, and of how something stands
constexpr double kMildFinding = 0.4;     // of one that is no error, where few are
constexpr std::size_t kValueLines = 10;  // lines behind a failure in which values that were compared stand
// Failures, of all lines or in number, that have the room for what stands around them.
constexpr double kScarce = 0.03, kAlwaysFew = 3;
constexpr float kNoteGrade = 0.3F;         // of a note above a quote, the first of its template
constexpr double kConclusions = 0.02;      // of all rows: more say what each part came to
constexpr std::size_t kSectionLines = 40;  // lines above a failure in which the head of its section is looked for
constexpr std::size_t kLinesBefore = 2, kLinesBehind = 7;  // lines of its section around a failure that tell of it
// Lines at the end of a long document that say how all ended: with a number, and none like them before.
constexpr std::size_t kClosingLines = 3;
constexpr std::size_t kLongEnough = 20;  // lines of a document that has a closing
constexpr std::size_t kTotalLines = 6;   // lines below a heading of totals that may be these, with a number
constexpr float kTotalGrade = 0.4F;
constexpr std::size_t kEnding = 12;  // lines at the end of a document, where verdicts stand
// Grade of a line that stands beside a failure, at most: tables' odd rows come first.
constexpr float kSceneShare = 0.25F;
constexpr double kDrawnShare = 0.3;  // of what a line is worth, for one of a quote of what is complained of
constexpr double kLongLine = 120;    // characters: of a longer line without words of errors a root counts
constexpr double kLeastWorth = 0.1;  // of pieces of long lines, and of signs alone
// What a line is worth per token beside the others, as a sum: what it says of an outcome, and how unlike them it is.
constexpr double kOutcomeWorth = 10;        // times its grade
constexpr double kSceneWorth = 2;           // times what it tells of a failure beside it (scenes)
constexpr double kNearWorth = 1;            // for lines with words of errors, and within `context` rows of one
constexpr double kFirstWorth = 1.5;         // of the first of its template, over the root of its place in its run
constexpr double kRareWorth = 1;            // where at most kRareLines have its words
constexpr double kOddWorth = 3;             // times how odd a value is that it says (LineReader::odd)
constexpr double kMostOdd = 0.95;           // of a value: of what costs most (LineReader::odd), or as rare
constexpr float kFewOdd = 0.3F;             // of a value, from which its line is odd
constexpr std::ptrdiff_t kOddShare = 50;    // where one line in so many is odd, at most, that is worth twice as much
constexpr double kShareWorth = 2;           // over the root of how many lines its template has
constexpr double kPieceWorth = 4;           // instead, times its grade, for a piece of a long line behind its head
constexpr double kOverwrittenWorth = 0.01;  // of what is written over
// Of documents whose lines have one shape: lines at least, the share of that shape, that of rare ones at most.
constexpr std::size_t kFewestAlike = 10;
constexpr double kMostAlike = 0.6, kOddShapes = 0.1;
constexpr float kOddGrade = 0.5F;
constexpr float kOddValue = 0.5F;        // LineReader::odd from which a line is odd by a value
constexpr std::size_t kMostShared = 12;  // units of a line, at most, that have its grade

// Whether two lines that follow each other say what was expected and what was found, and one of them names an error.
bool names_what_failed(const Row& one, const Row& next) {
    return has(one, kCompared) && has(next, kCompared) &&
           (has(one, kError | kTrouble) || has(next, kError | kTrouble)) && one.document == next.document &&
           next.line == one.line + 1;
}

// What the line above a trace and its first new frame tell, in [0, 0.6]: of later traces less and less; those below
// words of errors or trouble are counted by themselves. New is a frame that no trace had before, byte for byte; one
// that is in no library goes before one that is, and an odder one before one whose words more than kRareLines have
// ("malloc", at another address each time).
std::vector<float> trace_grades(const GradedLines& lines) {
    const std::span<const Row> rows = lines.rows;
    const auto odd = [&](std::size_t i) { return lines.odd.empty() ? 0.0F : lines.odd[i]; };
    const auto is_common = [&](std::size_t i) {
        return rows[i].variant >= 0 && lines.variants[static_cast<std::size_t>(rows[i].variant)] > kRareLines;
    };
    std::vector<float> worth(rows.size(), 0);
    std::vector<double> says;          // of each trace
    std::vector<std::size_t> new_row;  // of each trace, its first new frame
    double told = 0, untold = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!has(rows[i], kFrame)) continue;
        // A call and its place may stand in turn, so one line between frames is none of another trace.
        const bool follows = (i >= 1 && has(rows[i - 1], kFrame)) || (i >= 2 && has(rows[i - 2], kFrame));
        if (!follows) {
            const std::size_t above = i == 0 ? 0 : i - 1;
            const bool said = has(rows[above], kError | kTrouble) && !has(rows[above], kFrame);
            (said ? told : untold) += 1;
            says.push_back(said ? 0.5 + 0.2 / (1 + told) : 0.3 + 0.6 / (1 + untold));
            new_row.push_back(rows.size());
            if (!has(rows[above], kFrame)) worth[above] = static_cast<float>(says.back());
        }
        std::size_t& told_by = new_row.back();
        const bool is_new = rows[i].copies == 0, first = told_by == rows.size();
        const bool own = !first && has(rows[told_by], kLibrary) && !has(rows[i], kLibrary);
        const bool odder = !first && has(rows[told_by], kLibrary) == has(rows[i], kLibrary) && is_common(told_by) &&
                           odd(i) > odd(told_by);
        if (is_new && (first || own || odder)) told_by = i;
    }
    for (std::size_t trace = 0; trace < says.size(); ++trace) {
        if (new_row[trace] < rows.size()) worth[new_row[trace]] = static_cast<float>(says[trace]);
    }
    return worth;
}

// Quotes of what a tool complains of, with signs below that point at something: rows of a gutter in one run with such
// signs, and the row above these. What is wrong there stands above the quote: in the last row before it, and in the one
// before that where that names the place alone.
struct Quotes {
    std::vector<bool> drawn, heads;

    explicit Quotes(std::span<const Row> rows) : drawn(rows.size(), false), heads(rows.size(), false) {
        const auto below = [&](std::size_t i) {  // whether the row stands right below the one before it
            return i > 0 && rows[i].document == rows[i - 1].document && rows[i].line == rows[i - 1].line + 1;
        };
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (!has(rows[i], kPoints)) continue;
            std::size_t first = i;
            if (below(first) && !has(rows[first - 1], kAnchor | kFailure)) --first;
            while (below(first) && (drawn[first - 1] || has(rows[first - 1], kGutter))) --first;
            std::fill(drawn.begin() + static_cast<std::ptrdiff_t>(first),
                      drawn.begin() + static_cast<std::ptrdiff_t>(i) + 1, true);
            while (i + 1 < rows.size() && below(i + 1) && has(rows[i + 1], kGutter | kPoints)) drawn[++i] = true;
            if (!below(first) || has(rows[first - 1], kFrame)) continue;
            heads[first - 1] = true;
            if (has(rows[first - 1], kAnchor) && below(first - 1) && !drawn[first - 2]) heads[first - 2] = true;
        }
    }
};

// The failures that are said for the first time, ascending, or none where they are many. A count of failures has
// nothing around it that tells of one; where all are counts, errors tell.
std::vector<std::size_t> few_failures(const GradedLines& lines, std::span<const float> grade) {
    std::vector<std::size_t> failed, errors;
    for (std::size_t i = 0; i < grade.size(); ++i) {
        const Row& row = lines.rows[i];
        if (row.copies != 0 || stands_for_others(row) || has(row, kSummary)) continue;
        if (grade[i] >= static_cast<float>(kFailedGrade)) failed.push_back(i);
        if (has(row, kError) && !has(row, kPassed | kQuiet)) errors.push_back(i);
    }
    std::vector<std::size_t>& found = failed.empty() ? errors : failed;
    const double most = std::max(kAlwaysFew, kScarce * static_cast<double>(lines.total));
    if (static_cast<double>(found.size()) > most) found.clear();
    return found;
}

// For each row whether it or one within `reach` rows of its document has words of errors for the first time.
std::vector<bool> near_errors(std::span<const Row> rows, std::span<const float> grade, std::size_t reach) {
    std::vector<bool> near(rows.size(), false);
    const auto look = [&](std::size_t i, std::size_t before, std::size_t& since) {
        if (rows[i].document != rows[before].document) since = reach + 1;
        since = grade[i] >= static_cast<float>(kErrorGrade) && rows[i].copies == 0 ? 0 : std::min(since, reach) + 1;
        if (since <= reach) near[i] = true;
    };
    std::size_t since = reach + 1;
    for (std::size_t i = 0; i < rows.size(); ++i) look(i, i == 0 ? 0 : i - 1, since);
    since = reach + 1;
    for (std::size_t i = rows.size(); i-- > 0;) look(i, std::min(i + 1, rows.size() - 1), since);
    return near;
}

// For each row how many lines of its form, and margin, stand right before it; 0 for what is said in sentences. O(rows).
std::vector<std::size_t> places_in_runs(const GradedLines& lines) {
    std::vector<std::size_t> place(lines.rows.size(), 0);
    const auto form = [&](const Row& row) { return lines.forms[static_cast<std::size_t>(row.template_id)]; };
    for (std::size_t i = 1; i < place.size(); ++i) {
        const Row &row = lines.rows[i], &above = lines.rows[i - 1];
        if (stands_for_others(row) || stands_for_others(above) || has(row, kWordy)) continue;
        if (row.document == above.document && row.line == above.line + 1 && row.margin == above.margin &&
            form(row) == form(above))
            place[i] = place[i - 1] + 1;
    }
    return place;
}

// Of what a reader has read. Where rows were let go, one stands for what lies between two, so that lines are near which
// were.
struct ReadLines {
    explicit ReadLines(const LineReader& reader)
        : findings(reader.findings()), variants(reader.variants()), forms(reader.forms()), total(reader.lines()) {
        counts.reserve(reader.templates().size());
        for (const TemplateFacts& facts : reader.templates()) counts.push_back(std::max(facts.count, facts.said));
        odd = reader.odd();
        if (!reader.has_let_go()) {
            rows = reader.rows();
            return;
        }
        const std::vector<float> of_rows = std::exchange(odd, {});
        Row between;
        between.template_id = -1;
        for (std::size_t i = 0; i < of_rows.size(); ++i) {
            const Row& row = reader.rows()[i];
            const bool first = with_gaps.empty() || with_gaps.back().document != row.document;
            if (row.line > (first ? 0 : with_gaps.back().line + 1)) {
                between.document = row.document;
                between.start = between.end = row.start;
                between.line = row.line - 1;
                with_gaps.push_back(between);
                odd.push_back(0);
            }
            with_gaps.push_back(row);
            odd.push_back(of_rows[i]);
        }
        rows = with_gaps;
    }
    GradedLines graded() const { return {rows, counts, findings, variants, forms, odd, total}; }

    std::span<const Row> rows;
    std::vector<Row> with_gaps;
    std::vector<float> odd;
    std::vector<std::int64_t> counts;
    std::span<const std::int64_t> findings, variants;
    std::vector<std::uint64_t> forms;
    std::int64_t total;
};

}  // namespace

std::vector<std::size_t> ends_of_documents(std::span<const Row> rows) {
    std::vector<std::size_t> ends(rows.size(), rows.size());
    for (std::size_t i = rows.size(); i-- > 1;) ends[i - 1] = rows[i - 1].document == rows[i].document ? ends[i] : i;
    return ends;
}

std::vector<std::int64_t> places_of_lines(std::span<const Row> rows) {
    std::int32_t most = -1;
    for (const Row& row : rows) most = std::max(most, row.template_id);
    const auto group = [](const Row& row) {
        return static_cast<std::size_t>(stands_for_others(row) ? 0 : row.template_id + 1);
    };
    const std::size_t groups = static_cast<std::size_t>(most + 2);
    std::vector<std::int64_t> size(groups, 0), met(groups, 0), place(rows.size(), 0);
    for (const Row& row : rows) size[group(row)] += has(row, kContinued) ? 0 : 1;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (has(rows[i], kContinued)) {
            place[i] = i == 0 ? 0 : place[i - 1];
            continue;
        }
        const std::size_t of = group(rows[i]);
        const std::int64_t rank = met[of]++;
        place[i] = rank == 0 ? 0 : rank + 1 == size[of] ? 1 : rank + 1;
    }
    return place;
}

std::vector<float> outcome_grades(const GradedLines& lines) {
    const std::span<const Row> rows = lines.rows;
    const std::size_t n = rows.size();
    const std::vector<std::int64_t> place = places_of_lines(rows);
    const std::vector<std::size_t> end = ends_of_documents(rows);
    const std::vector<float> traces = trace_grades(lines);
    std::int64_t found = 0;
    for (const std::int64_t count : lines.findings) found += count;
    const std::int64_t rare = std::max(kFewFound, found / kRareShare);
    std::vector<bool> met(lines.findings.size(), false);
    std::vector<float> result(n, 0);
    const bool failed_once = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return has(row, kFailure); });
    const auto count_of = [&rows](auto&& of) { return std::count_if(rows.begin(), rows.end(), of); };
    const auto errors = count_of([](const Row& row) { return row.finding >= 0 && has(row, kError); });
    const bool severe = errors > 0 && 2 * errors < found;  // few findings are errors: others are none
    const auto concludes = [](const Row& row) { return has(row, kConcludes) && row.copies == 0 && !has(row, kQuiet); };
    const bool concluded =
        static_cast<double>(count_of(concludes)) <= std::max(kAlwaysFew, kConclusions * static_cast<double>(n));
    const Quotes quotes(rows);
    const auto says_below = [&](std::size_t i) {  // what is wrong at the place above, indented below it
        if (i == 0 || quotes.drawn[i] || rows[i].document != rows[i - 1].document) return false;
        const Row& above = rows[i - 1];
        return has(above, kAnchor) && has(above, kError) && !has(above, kFrame) && !has(rows[i], kAnchor) &&
               rows[i].line == above.line + 1 && above.margin >= 0 && rows[i].margin > above.margin;
    };
    std::size_t behind = kValueLines + 1;  // lines since the last one that says that something failed
    for (std::size_t i = 0; i < n; ++i) {
        const Row& row = rows[i];
        const float later = 1.0F / static_cast<float>(1 + place[i]);
        const bool quiet = has(row, kQuiet);
        double grade = 0;
        if (has(row, kTrouble) && !quiet) grade = 0.25F + 0.1F * later;
        if (has(row, kError) && !has(row, kPassed)) grade = quiet ? 0.45F : 0.45F + 0.2F * later;
        if (failed_once && has(row, kNone) && !has(row, kError | kTrouble | kPassed | kFailure)) {
            grade = std::max(grade, kNoneGrade);
        } else if (has(row, kSummary)) {
            const double most = end[i] - i <= kEnding ? 0.1 + 0.3 : 0.1;
            grade = std::max(grade, 0.45 + most * static_cast<double>(later));
        }
        if (has(row, kFailure)) {
            grade = 0.7F + 0.2F * later;
            if (has(row, kSummary)) grade = std::max(grade, 0.9);
        }
        if (has(row, kVerdict)) grade = std::max(grade, 0.85);
        if (row.finding >= 0 && static_cast<std::size_t>(row.finding) < lines.findings.size()) {
            const auto finding = static_cast<std::size_t>(row.finding);
            const std::int64_t many = lines.findings[finding];
            const double told = 0.15 * (met[finding] ? 0 : 1) + 0.1 * (many > 0 && many <= rare ? 1 : 0);
            met[finding] = true;
            if (told > 0) grade = std::max(grade, severe && !has(row, kError) ? kMildFinding : 0.55) + told;
        }
        if (concluded && concludes(row)) grade = std::max(grade, has(row, kPassed) ? 0.65 : kNoneGrade);
        const float headed = has(row, kNotes) ? kNoteGrade * later : 0.45F + 0.1F * later;
        if (quotes.heads[i]) grade = std::max(grade, static_cast<double>(headed));
        if (quotes.drawn[i] && grade < kFailedGrade) grade *= kDrawnShare;
        if (has(row, kFromHere)) grade = std::max(grade, static_cast<double>(0.45F + 0.1F * later));
        if (says_below(i)) grade = std::max(grade, kBelowGrade + 0.1 * static_cast<double>(later));
        const bool failed = grade >= kFailedGrade;
        behind = failed ? 0 : std::min(behind + 1, kValueLines + 1);
        const bool paired =
            (i > 0 && names_what_failed(rows[i - 1], row)) || (i + 1 < n && names_what_failed(row, rows[i + 1]));
        if (has(row, kCompared) && (paired || (behind > 0 && behind <= kValueLines)))
            grade = std::max(grade, static_cast<double>(0.45F + 0.2F * later));
        grade = std::max(grade, static_cast<double>(traces[i])) / static_cast<double>(1 + row.copies);
        if (stands_for_others(row) || has(row, kOverwritten)) grade = 0;
        result[i] = static_cast<float>(std::min(grade, 1.0));
    }
    return result;
}

std::vector<float> report_grades(const GradedLines& lines) {
    const std::span<const Row> rows = lines.rows;
    std::vector<float> grade = outcome_grades(lines);
    for (const std::size_t failed : few_failures(lines, grade)) {
        std::size_t head = failed;  // behind a blank line, or the first of the document
        while (head > 0 && failed - head <= kSectionLines && rows[head].document == rows[head - 1].document &&
               rows[head].line - rows[head - 1].line <= 1)
            --head;
        if (failed - head <= kSectionLines && !stands_for_others(rows[head])) grade[head] = std::max(grade[head], 0.6F);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!has(rows[i], kTotals)) continue;
        for (std::size_t below = i + 1; below < rows.size() && below <= i + kTotalLines; ++below) {
            const std::int64_t step = rows[below].line - rows[below - 1].line;
            if (rows[below].document != rows[i].document || step > (below == i + 1 ? 2 : 1)) break;
            if (has(rows[below], kNumber) && !stands_for_others(rows[below]))
                grade[below] = std::max(grade[below], kTotalGrade);
        }
    }
    const std::vector<std::size_t> end = ends_of_documents(rows);
    std::size_t first = 0;
    std::vector<std::int64_t> closing(lines.counts.size(), 0);  // of a template, lines in closings
    const auto closes = [&](std::size_t i) { return end[i] - i <= kClosingLines && !stands_for_others(rows[i]); };
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (closes(i) && !has(rows[i], kContinued)) ++closing[static_cast<std::size_t>(rows[i].template_id)];
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        if (i > 0 && rows[i - 1].document != row.document) first = i;
        if (!closes(i) || end[i] - first < kLongEnough || !has(row, kNumber)) continue;
        const auto of = static_cast<std::size_t>(row.template_id);
        if (lines.counts[of] == closing[of]) grade[i] = std::max(grade[i], 0.5F);
    }
    return grade;
}

std::vector<float> scenes(const GradedLines& lines, std::span<const float> grade) {
    std::vector<float> told(grade.size(), 0);
    const std::vector<std::size_t> failed = few_failures(lines, grade);
    if (failed.empty()) return told;
    for (const std::size_t row : failed) {
        for (std::size_t step = 1; step <= kLinesBehind && row + step < told.size(); ++step)
            told[row + step] =
                std::max(told[row + step], static_cast<float>(1 / (1 + 0.2 * static_cast<double>(step))));
        for (std::size_t step = 1; step <= kLinesBefore && step <= row; ++step)
            told[row - step] = std::max(told[row - step], 0.4F);
    }
    for (const std::size_t row : failed) told[row] = 0;
    for (std::size_t i = 0; i < told.size(); ++i) {
        if (has(lines.rows[i], kPassed) || lines.rows[i].copies > 0) told[i] = 0;
    }
    return told;
}

Repeats repeated_traces(const GradedLines& lines, std::span<const float> grade) {
    constexpr std::size_t kBetween = 3, kAround = 3;  // rows from a frame to the next; beside a run
    const std::span<const Row> rows = lines.rows;
    const auto of_trace = [&](std::size_t i) { return has(rows[i], kFrame) && !stands_for_others(rows[i]); };
    const auto beside = [&](std::size_t i, std::size_t next) {
        return rows[next].document == rows[i].document && rows[next].line == rows[i].line + 1;
    };
    Repeats found;
    HashTable<std::size_t> runs;  // one more than a run's first row
    for (std::size_t i = 0, last = 0; i < rows.size(); i = last + 1) {
        last = i;
        if (!of_trace(i)) continue;
        std::size_t frames = 1;
        bool again = rows[i].copies > 0;
        std::uint64_t key = mix(kHashSeed, static_cast<std::uint32_t>(rows[i].document));
        for (std::size_t j = i + 1; j < rows.size() && j - last <= kBetween && rows[j].document == rows[i].document;
             ++j) {
            if (!of_trace(j)) continue;
            again = again && rows[j].copies > 0;
            last = j;
            ++frames;
        }
        if (frames < 2) continue;
        for (std::size_t j = i; j <= last; ++j) key = mix(key, static_cast<std::uint32_t>(rows[j].template_id));
        std::size_t& known = runs[key];
        if (known == 0) known = i + 1;
        const std::size_t first = known - 1;
        if (first == i || !again) continue;
        if (found.told.empty()) {
            found.told.assign(rows.size(), -1);
            found.times.assign(rows.size(), 0);
        }
        std::size_t low = i, high = last;
        const auto alike = [&](std::size_t row) {
            const std::size_t other = row - i + first;
            return other < i && !stands_for_others(rows[row]) && rows[row].template_id == rows[other].template_id;
        };
        while (low > 0 && i - low < kAround && first + low > i && beside(low - 1, low) && alike(low - 1)) --low;
        while (high + 1 < rows.size() && high - last < kAround && beside(high, high + 1) && alike(high + 1)) ++high;
        std::size_t counts = low - i + first;
        for (std::size_t row = low; row <= high; ++row) {
            const std::size_t other = row - i + first;
            found.told[row] = found.told[other] >= 0 ? found.told[other] : static_cast<std::int32_t>(other);
            if (found.times[counts] == 0 && (found.times[other] > 0 || grade[other] > grade[counts])) counts = other;
        }
        found.times[counts] = std::max<std::int64_t>(found.times[counts], 1) + 1;
    }
    return found;
}

LineWorth line_worth(const GradedLines& lines, std::span<const float> grade, std::span<const float> asked,
                     std::size_t context) {
    const std::span<const Row> rows = lines.rows;
    const std::vector<float> told = scenes(lines, grade);
    std::vector<std::int64_t> met(lines.counts.size(), 0);
    LineWorth result{std::vector<float>(rows.size(), 0), std::vector<std::uint8_t>(rows.size(), 0)};
    const std::vector<bool> near = near_errors(rows, grade, context);
    const Quotes quotes(rows);
    const std::vector<std::size_t> in_run = places_in_runs(lines);
    const auto odd_lines = std::count_if(lines.odd.begin(), lines.odd.end(), [](float odd) { return odd >= kFewOdd; });
    const bool few_odd = kOddShare * odd_lines <= static_cast<std::ptrdiff_t>(rows.size() + kOddShare / 2);
    const double odd_worth = few_odd ? 2 * kOddWorth : kOddWorth;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        if (stands_for_others(row)) continue;
        const auto of = static_cast<std::size_t>(row.template_id);
        const double graded = static_cast<double>(grade[i]);
        const bool failed = grade[i] >= static_cast<float>(kFailedGrade);
        double worth = kLeastWorth + kPieceWorth * graded;
        const std::int64_t alike = lines.counts[of];
        // Another failure than those before; of counts told again and again, as of progress, the last one.
        const bool counted = has(row, kSummary) && alike > kFewFound;
        const bool apart = failed && (!counted || met[of] + 1 >= alike);
        if (apart) result.first[i] |= kFails;
        if (!has(row, kContinued)) {
            const double odd = lines.odd.empty() ? 0 : static_cast<double>(lines.odd[i]);
            const bool rare =
                (row.variant < 0 ? alike : lines.variants[static_cast<std::size_t>(row.variant)]) <= kRareLines;
            // Said again and again, it tells less each time; a failure is another one each time.
            const bool lasts = rare || apart || !has(row, kError | kTrouble | kSummary | kFailure);
            if (failed && (rare || met[of] < kFewFound)) result.first[i] |= kFails;
            if (lines.forms[of] != 0 && (rare || met[of] == 0)) result.first[i] |= kIsNew;
            const double again = lasts ? 1 : std::sqrt(static_cast<double>(1 + met[of]));
            worth = kOutcomeWorth * graded / again + kSceneWorth * static_cast<double>(told[i]);
            if (lines.forms[of] == 0) {  // signs alone say nothing new
                worth += kLeastWorth;
            } else {
                worth += kShareWorth / std::sqrt(static_cast<double>(std::max<std::int64_t>(alike, 1)));
                if (met[of] == 0) worth += kFirstWorth / std::sqrt(static_cast<double>(1 + in_run[i]));
                if (rare) worth += kRareWorth;
                worth += odd_worth * odd + (odd >= kMostOdd ? kOddWorth : 0);
            }
            ++met[of];
        }
        if (near[i]) worth += kNearWorth;
        const auto size = static_cast<double>(row.end - row.start);
        if (size > kLongLine && graded < kErrorGrade) worth *= std::sqrt(kLongLine / size);
        const bool drawn = quotes.drawn[i] && !failed;
        if (drawn) worth *= kDrawnShare;
        worth += static_cast<double>(asked[i]);
        if (has(row, kOverwritten)) worth = kOverwrittenWorth;
        if (row.copies > 0) worth /= 2 + static_cast<double>(row.copies);
        if (row.copies > 0 || has(row, kOverwritten) || drawn) result.first[i] = 0;
        result.worth[i] = static_cast<float>(worth);
    }
    return result;
}

namespace {

// Raises the grades of lines with odd values, where few have one, and of those of a shape that few have, in documents
// of which most lines have one shape.
void raise_odd_lines(const GradedLines& lines, std::vector<float>& grade) {
    const std::vector<std::size_t> ends = ends_of_documents(lines.rows);
    std::vector<std::int64_t> alike(lines.counts.size(), 0);  // of a template, lines of the document
    for (std::size_t first = 0; first < ends.size(); first = ends[first]) {
        const auto each = [&](auto&& of) {
            for (std::size_t i = first; i < ends[first]; ++i) {
                if (!stands_for_others(lines.rows[i]) && !has(lines.rows[i], kContinued))
                    of(i, alike[static_cast<std::size_t>(lines.rows[i].template_id)]);
            }
        };
        const auto by_value = [&](std::size_t i) { return lines.odd[i] >= kOddValue; };
        std::int64_t most = 0, shapes = 0, values = 0;  // lines of the commonest shape, of rare ones, with odd values
        each([&](std::size_t, std::int64_t& count) { most = std::max(most, ++count); });
        each([&](std::size_t i, const std::int64_t& count) {
            shapes += count <= kRareLines ? 1 : 0;
            values += by_value(i) ? 1 : 0;
        });
        const auto size = static_cast<double>(ends[first] - first);
        const auto few = [&](std::int64_t count) { return static_cast<double>(count) <= kOddShapes * size; };
        const bool few_shapes =
            ends[first] - first >= kFewestAlike && static_cast<double>(most) >= kMostAlike * size && few(shapes);
        const bool few_values = few(values);
        each([&](std::size_t i, const std::int64_t& count) {
            if ((few_shapes && count <= kRareLines) || (few_values && by_value(i)))
                grade[i] = std::max(grade[i], kOddGrade);
        });
        each([](std::size_t, std::int64_t& count) { count = 0; });
    }
}

}  // namespace

std::vector<float> grades_of_units(std::span<const std::string_view> texts, const UnitPlaces& units,
                                   std::span<const std::uint8_t> graded, std::size_t most) {
    std::vector<bool> wanted(texts.size(), graded.empty());
    std::vector<bool> given(texts.size(), false);  // by a tool
    for (std::size_t i = 0; i < graded.size(); ++i) {
        const auto document = static_cast<std::size_t>(units.document[i]);
        if (graded[i] != 1) wanted[document] = true;
        if (graded[i] == kOfTool) given[document] = true;
    }
    for (std::size_t i = 0; i < texts.size(); ++i) wanted[i] = wanted[i] && (given[i] || is_lined(texts[i]));
    std::vector<float> result;
    if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) return result;
    LineReader reader("", most);
    for (std::size_t i = 0; i < texts.size(); ++i) reader.append(wanted[i] ? texts[i] : std::string_view(), true);
    const ReadLines all(reader);
    const GradedLines lines = all.graded();
    std::vector<float> told = report_grades(lines);
    const std::vector<float> beside = scenes(lines, told);
    raise_odd_lines(lines, told);
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < told.size(); ++i) {
        told[i] = std::max(told[i], kSceneShare * beside[i]);
        if (told[i] > 0) rows.push_back(i);
    }
    if (rows.empty()) return result;
    result.assign(units.document.size(), 0);
    std::vector<std::int64_t> start, end;
    for (std::size_t at = 0; at < rows.size();) {
        check_cancelled();
        const std::int32_t document = lines.rows[rows[at]].document;
        start.clear();
        end.clear();
        std::size_t upto = at;
        for (; upto < rows.size() && lines.rows[rows[upto]].document == document; ++upto) {
            start.push_back(lines.rows[rows[upto]].start);
            end.push_back(lines.rows[rows[upto]].end);
        }
        text::to_characters(texts[static_cast<std::size_t>(document)], start, end);
        const auto [low, high] = std::equal_range(units.document.begin(), units.document.end(), document);
        const auto begin = static_cast<std::size_t>(low - units.document.begin());
        const auto stop = static_cast<std::size_t>(high - units.document.begin());
        const std::span<const std::int64_t> starts = units.start.subspan(begin, stop - begin);
        const std::span<const std::int64_t> ends = units.end.subspan(begin, stop - begin);
        for (std::size_t line = 0; at < upto; ++at, ++line) {
            const auto first = std::upper_bound(ends.begin(), ends.end(), start[line]) - ends.begin();
            const auto last = std::lower_bound(starts.begin(), starts.end(), end[line]) - starts.begin();
            if (last - first > static_cast<std::ptrdiff_t>(kMostShared)) continue;
            for (auto unit = first; unit < last; ++unit) {
                float& grade = result[begin + static_cast<std::size_t>(unit)];
                grade = std::max(grade, told[rows[at]]);
            }
        }
    }
    for (std::size_t i = 0; i < graded.size(); ++i) {
        if (graded[i] == 1) result[i] = 0;
    }
    return result;
}

}  // namespace tersely::content
