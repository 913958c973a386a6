#include "kernels/content/arrange.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "kernels/content/marks.hpp"

namespace tersely::content {
namespace {

constexpr std::size_t kFewestListed = 8;  // lines of a list
constexpr double kOpenWithIds = 0.8, kDrawn = 0.6, kSayOutcomes = 0.05;
constexpr std::uint32_t kOutcomes = kFailure | kPassed | kVerdict | kPoints;
constexpr std::size_t kFewestRecords = 3, kLongestRecordHead = 8;

constexpr float kGradeWorth = 10, kPlaceWorth = 5;  // what lines of lists are worth: times their grade, and their place
constexpr float kOdd = 0.3F;                        // of a value, from which its line needs its owner
constexpr float kAskedFor = 8;                      // of what it is worth for the query, the same
constexpr double kFewRare = 0.1;                    // of a document's lines: so few that are like no others are odd
constexpr float kBrought = 0.6F, kLeadWorth = 0.4F;  // of what a line is worth: for its owner, for itself if it leads
constexpr float kLed = 0.95F, kTroubledLead = 0.3F;  // of a lead with words of trouble: for what it leads to
constexpr std::size_t kMostLed = 2;                  // lines
constexpr std::int64_t kFewestHeads = 4;             // blocks that begin alike
constexpr double kHeadShare = 0.8;                   // of the lines of a template begin blocks
constexpr std::size_t kLongestBlock = 40;            // lines of one that has a head
constexpr std::size_t kMostOwners = 8;               // of an odd row, one above the other, that are brought by name

// Finds what each line of a document belongs to.
class OwnerReader {
  public:
    explicit OwnerReader(const GradedLines& lines)
        : owner(lines.rows.size(), kNobody),
          needs(lines.rows.size(), kNobody),
          leads(lines.rows.size(), false),
          lines_(lines),
          rows_(lines.rows),
          templates_(lines.counts.size()),
          name_(lines.rows.size(), kNobody) {}

    std::vector<std::int32_t> owner, needs;  // of each row: what it belongs to, and that if it heads the row's block
    std::vector<bool> leads;                 // of each row: whether it leads

    void read(std::size_t first, std::size_t end) {
        find_heads(first, end);
        above_.clear();
        std::int32_t lead = kNobody, head = kNobody;  // what rows of the same margin belong to
        for (std::size_t i = first; i < end; ++i) {
            const Row& row = rows_[i];
            if (has(row, kContinued)) continue;
            const bool apart = i > first && !follows(i);
            if (stands_for_others(row)) {
                above_.clear();
                lead = head = kNobody;
                continue;
            }
            if (apart && !(lead >= 0 && static_cast<std::size_t>(lead) + 1 == i)) lead = kNobody;
            if (apart || (head >= 0 && i - static_cast<std::size_t>(head) > kLongestBlock)) head = kNobody;
            if (is_rule(row)) continue;
            while (!above_.empty() && margin(rows_[above_.back()]) >= margin(row)) above_.pop_back();
            std::int32_t mine_is = above_.empty() ? kNobody : static_cast<std::int32_t>(above_.back());
            while (mine_is >= 0 && are_siblings(at(mine_is), row)) mine_is = owner[static_cast<std::size_t>(mine_is)];
            leads[i] = has(row, kLeads) || is_title(i, first, end);
            const bool begins = (apart || i == first) && templates_[static_cast<std::size_t>(row.template_id)].heads();
            const auto has_it = [&](std::int32_t one) { return one >= 0 && !begins && margin(at(one)) <= margin(row); };
            if (mine_is < 0 && has_it(lead) && !leads[i]) mine_is = lead;
            if (mine_is < 0 && has_it(head)) mine_is = head;
            owner[i] = mine_is;
            if (mine_is >= 0 && row.copies == 0 && name_[static_cast<std::size_t>(mine_is)] < 0)
                name_[static_cast<std::size_t>(mine_is)] = static_cast<std::int32_t>(i);
            if (mine_is >= 0 && mine_is == head) needs[i] = head;
            if (begins) head = static_cast<std::int32_t>(i);
            // a repeated line does not lead into another block
            if (begins || leads[i]) lead = row.copies > 0 ? kNobody : static_cast<std::int32_t>(i);
            if (!has(row, kGutter | kPoints)) above_.push_back(i);
        }
    }

    // Lets a row need its owner; one that says what others do is brought with the line that names it, and its owner.
    // O(kMostOwners).
    void bring(std::size_t i) {
        std::int32_t one = needs[i] = owner[i];
        for (std::size_t met = 0; met < kMostOwners && one >= 0 && at(one).copies > 0; ++met) {
            const std::int32_t name = name_[static_cast<std::size_t>(one)];
            const bool above = name >= 0 && name < static_cast<std::int32_t>(i);
            if (above) needs[static_cast<std::size_t>(name)] = one;
            if (above) needs[i] = name;
            i = static_cast<std::size_t>(one);
            one = needs[i] = owner[i];
        }
    }

  private:
    static constexpr std::int32_t kNobody = -1;
    struct Template {
        std::int64_t lines = 0, begin = 0;  // of the document; that begin a block
        bool heads() const {
            return begin >= kFewestHeads && static_cast<double>(begin) >= kHeadShare * static_cast<double>(lines);
        }
    };

    static std::int32_t margin(const Row& row) { return std::max(row.margin, -1 - row.margin); }
    bool follows(std::size_t i) const { return rows_[i].line == rows_[i - 1].line + 1 || has(rows_[i], kContinued); }
    bool is_rule(const Row& row) const {
        return !stands_for_others(row) && lines_.forms[static_cast<std::size_t>(row.template_id)] == 0;
    }
    bool is_title(std::size_t i, std::size_t first, std::size_t end) const {
        return i > first && i + 1 < end && is_rule(rows_[i - 1]) && is_rule(rows_[i + 1]) && follows(i) &&
               follows(i + 1);
    }
    const Row& at(std::int32_t row) const { return rows_[static_cast<std::size_t>(row)]; }
    // Rows of a column are set to its right; lines of one form are told of the same, but where branches are drawn or
    // a bracket opens.
    bool are_siblings(const Row& one, const Row& other) const {
        if (other.margin < 0 || has(one, kOpensBlock)) return false;
        return (has(one, kOpensNumber) && has(other, kOpensNumber)) ||
               lines_.forms[static_cast<std::size_t>(one.template_id)] ==
                   lines_.forms[static_cast<std::size_t>(other.template_id)];
    }

    // Tells of which templates the lines begin blocks.
    void find_heads(std::size_t first, std::size_t end) {
        const auto each = [&](auto&& told) {
            for (std::size_t i = first; i < end; ++i) {
                if (!stands_for_others(rows_[i]) && !has(rows_[i], kContinued))
                    told(i, templates_[static_cast<std::size_t>(rows_[i].template_id)]);
            }
        };
        each([](std::size_t, Template& one) { one = {}; });
        each([&](std::size_t i, Template& one) {
            ++one.lines;
            one.begin += i == first || !follows(i) ? 1 : 0;
        });
    }

    const GradedLines& lines_;
    std::span<const Row> rows_;
    std::vector<Template> templates_;
    std::vector<std::int32_t> name_;  // of each row: the first that is its own and stands nowhere else before
    std::vector<std::size_t> above_;
};

// Reads the list that a document's rows are, if they are one.
class ListReader {
  public:
    ListReader(const GradedLines& lines, std::span<const std::int32_t> owners)
        : place(lines.rows.size(), 0),
          needs(lines.rows.size(), -1),
          people(lines.rows.size(), 0),
          lines_(lines),
          rows_(lines.rows),
          owners_(owners),
          entry_(lines.rows.size()) {}

    std::vector<float> place;          // of each row 1 - its entry's number over their count
    std::vector<std::int32_t> needs;   // of each row, as Arrangement says
    std::vector<std::uint8_t> people;  // 1: people wrote it

    // Whether there is one.
    bool read(std::size_t first, std::size_t end) {
        first_ = first;
        end_ = end;
        std::size_t entries = 0;
        if (share([](const Row& row) { return has(row, kOpensId); }) >= kOpenWithIds) {
            entries = read_names();
        } else if (share([](const Row& row) { return row.margin < 0; }) >= kDrawn) {
            entries = read_tree();
        } else if (rows_[first].margin == 0 && !stands_for_others(rows_[first]) &&
                   share([](const Row& row) { return row.finding >= 0 || has(row, kOutcomes); }) <= kSayOutcomes) {
            entries = read_records();
        }
        for (std::size_t i = first; entries > 0 && i < end; ++i)
            place[i] = 1 - static_cast<float>(entry_[i]) / static_cast<float>(entries);
        return entries > 0;
    }

  private:
    template <typename Of>
    double share(Of&& of) const {
        const auto at = [&](std::size_t i) { return rows_.begin() + static_cast<std::ptrdiff_t>(i); };
        return static_cast<double>(std::count_if(at(first_), at(end_), of)) / static_cast<double>(end_ - first_);
    }

    std::size_t read_names() {
        for (std::size_t i = first_; i < end_; ++i) {
            entry_[i] = i - first_;
            people[i] = has(rows_[i], kFailure) ? 0 : 1;
        }
        return end_ - first_;
    }

    // Gives one more than the largest depth.
    std::size_t read_tree() {
        std::size_t most = 0;
        for (std::size_t i = first_; i < end_; ++i) {
            needs[i] = rows_[i].margin < 0 ? owners_[i] : -1;
            entry_[i] = needs[i] < 0 ? 0 : entry_[static_cast<std::size_t>(needs[i])] + 1;
            most = std::max(most, entry_[i]);
        }
        return most + 1;
    }

    // What comes back with every other record is no sign of people.
    std::size_t read_records() {
        std::size_t records = 0;
        const auto begins = [&](std::size_t i) {
            const bool apart = i == first_ || rows_[i].line > rows_[i - 1].line + 1 || rows_[i].copies > 0;
            return apart && rows_[i].margin == 0 && rows_[i].template_id == rows_[first_].template_id;
        };
        for (std::size_t i = first_; i < end_; ++i) {
            records += begins(i) ? 1 : 0;
            entry_[i] = records - 1;
        }
        if (records < kFewestRecords || 2 * records > end_ - first_) return 0;
        std::size_t others = 0, told = 0;
        for (std::size_t i = first_; i < end_; ++i) {
            const std::int64_t alike =
                stands_for_others(rows_[i]) ? 1 : lines_.counts[static_cast<std::size_t>(rows_[i].template_id)];
            if (2 * alike >= static_cast<std::int64_t>(records)) continue;
            ++others;
            told += has(rows_[i], kWordy) ? 1 : 0;
        }
        if (2 * told < others || 2 * others < records) return 0;
        std::size_t begin = first_, head = first_;  // the record's first row, and the last one of its head
        for (std::size_t i = first_; i < end_; ++i) {
            people[i] = has(rows_[i], kWordy) && !has(rows_[i], kFailure) ? 1 : 0;
            if (begins(i)) {
                begin = head = i;
                continue;
            }
            needs[i] = static_cast<std::int32_t>(head);
            if (head + 1 == i && i - begin < kLongestRecordHead && rows_[i].line <= rows_[head].line + 1) head = i;
        }
        return records;
    }

    const GradedLines& lines_;
    std::span<const Row> rows_;
    std::span<const std::int32_t> owners_;
    std::vector<std::size_t> entry_;
    std::size_t first_ = 0, end_ = 0;
};

// Lets one or two lines below one that leads tell what that does ("The conflict is caused by:"): they stand indented,
// or right below one that says what failed.
void hand_down(const GradedLines& lines, std::size_t lead, bool failed, LineWorth& told) {
    const Row &above = lines.rows[lead], &first = lines.rows[lead + 1];
    const auto led = [&](std::size_t i) {
        const Row& row = lines.rows[i];
        return row.document == above.document && row.line == lines.rows[i - 1].line + 1 && !stands_for_others(row) &&
               (row.margin > above.margin ? row.margin == first.margin : failed && i == lead + 1) &&
               !has(row, kFrame | kLeads | kPoints | kGutter);
    };
    std::size_t end = lead + 1;
    while (end < lines.rows.size() && end <= lead + kMostLed + 1 && led(end)) ++end;
    if (end > lead + kMostLed + 1) return;  // a list
    for (std::size_t i = lead + 1; i < end; ++i) {
        if (lines.rows[i].copies > 0) continue;
        told.worth[i] = std::max(told.worth[i], kLed * told.worth[lead]);
        told.first[i] = static_cast<std::uint8_t>(told.first[i] | (told.first[lead] & kFails));
    }
}

}  // namespace

Arrangement arrange(const GradedLines& lines, std::span<const float> grade, std::span<const float> asked,
                    LineWorth& told) {
    const std::vector<std::size_t> ends = ends_of_documents(lines.rows);
    OwnerReader owners(lines);
    ListReader lists(lines, owners.owner);
    Arrangement result{{}, std::vector<std::uint8_t>(ends.size(), 0)};
    std::vector<float> brought(ends.size(), 0);  // of an owner: by what it has
    for (std::size_t first = 0; first < ends.size(); first = ends[first]) {
        owners.read(first, ends[first]);
        const bool listed = ends[first] - first >= kFewestListed && lists.read(first, ends[first]);
        const auto is_rare = [&](std::size_t i) {
            return !owners.leads[i] && !stands_for_others(lines.rows[i]) &&
                   lines.counts[static_cast<std::size_t>(lines.rows[i].template_id)] <= kRareLines;
        };
        std::size_t rare = 0;
        for (std::size_t i = first; i < ends[first]; ++i) rare += is_rare(i) ? 1 : 0;
        const bool few = static_cast<double>(rare) <= kFewRare * static_cast<double>(ends[first] - first);
        const auto is_odd = [&](std::size_t i) { return lines.odd[i] >= kOdd || (few && is_rare(i)); };
        const auto leads_to_trouble = [&](std::size_t i) {
            return has(lines.rows[i], kLeads) && grade[i] >= kTroubledLead &&
                   lines.counts[static_cast<std::size_t>(lines.rows[i].template_id)] <= kRareLines;
        };
        for (std::size_t i = first; !listed && i + 1 < ends[first]; ++i) {
            const bool failed = grade[i] >= static_cast<float>(kFailedGrade);
            if (leads_to_trouble(i) || asked[i] >= kAskedFor) hand_down(lines, i, failed, told);
        }
        for (std::size_t i = ends[first]; i-- > first;) {
            float& worth = told.worth[i];
            if (listed) {
                const float graded = lists.people[i] != 0 ? 0 : grade[i];
                worth = kGradeWorth * graded + kPlaceWorth * (lists.place[i] + (is_odd(i) ? 1.0F : 0.0F)) + asked[i];
                told.first[i] = lists.people[i] != 0 ? 0 : told.first[i] & kFails;
                owners.needs[i] = lists.needs[i];
                result.listed[i] = lists.place[i] > 0 ? 1 : 0;
                continue;
            }
            if (owners.leads[i] && grade[i] < static_cast<float>(kErrorGrade)) {
                worth *= kLeadWorth;
                told.first[i] = 0;
            }
            worth = std::max(worth, brought[i]);
            if (owners.owner[i] < 0) continue;
            if (is_odd(i) || asked[i] >= kAskedFor) owners.bring(i);
            float& above = brought[static_cast<std::size_t>(owners.owner[i])];
            above = std::max(above, kBrought * worth);
        }
    }
    result.needs = std::move(owners.needs);
    return result;
}

}  // namespace tersely::content
