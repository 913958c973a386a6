#include "kernels/content/line_reader.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "kernels/content/marks.hpp"
#include "kernels/content/own_marks.hpp"
#include "kernels/parallel.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::content {
namespace {

constexpr std::size_t kFewestRows = 1024;
constexpr std::int64_t kLeastWorth = 64;  // of a row, below zero
constexpr std::int64_t kWorths = 4096;    // more than rows may differ in: 64 words of a query are 3,328

// How many bits a count takes: 0 for 0, 1 for 1, 2 for 2 and 3, ...
std::int64_t bits_of(std::int64_t count) {
    return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(count)));
}

bool blank(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

std::uint64_t hash_bytes(std::string_view bytes) {
    std::uint64_t hash = bytes.size() + 1;
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
        hash = (hash ^ eight) * 0x9E3779B97F4A7C15ULL;
        hash ^= hash >> 32U;
    }
    return hash;
}

// Where a long line is cut: after the last space of its second half, else on a character.
std::size_t piece_size(std::string_view line) {
    if (line.size() <= kLongestLine) return line.size();
    for (std::size_t at = kLongestLine; at > kLongestLine / 2; --at) {
        if (line[at - 1] == ' ') return at;
    }
    return std::max(text::floor_char(line, kLongestLine), kLongestLine - 3);  // bytes need not be UTF-8
}

}  // namespace

LineReader::LineReader(std::string_view query, std::size_t most_rows)
    : query_(query), most_rows_(most_rows), asked_lines_(kMostQueryWords) {
    if (most_rows < kFewestRows) throw std::invalid_argument("most_rows must be 1024 or more");
}

std::int32_t LineReader::append(std::string_view bytes, bool last) {
    if (!waiting_.empty()) {  // what ends the waiting line is copied
        const std::size_t held = waiting_.size();
        const std::size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
        const std::size_t taken = std::min(end + 1, bytes.size());
        std::string joined;
        joined.swap(waiting_);
        joined.append(bytes.substr(0, taken));
        const std::size_t used = read_lines(joined, last && taken == bytes.size());
        waiting_ = used < held ? joined.substr(used) : std::string();
        bytes.remove_prefix(used < held ? taken : used - held);
    }
    waiting_.append(bytes.substr(read_lines(bytes, last)));
    const std::int32_t document = document_;
    if (last) {
        if (returned_) end_line(false);
        base_ = line_ = 0;
        ++document_;
    }
    return document;
}

// Reads what is whole of `bytes` and gives how many bytes that is: all of them with `last`, else all but the start of
// a line, of at most kLongestLine bytes.
std::size_t LineReader::read_lines(std::string_view bytes, bool last) {
    std::size_t at = 0, newline = 0;
    const auto pass = [&](std::size_t to) {
        base_ += static_cast<std::int64_t>(to - at);
        at = to;
    };
    while (at < bytes.size()) {
        check_cancelled();
        if (returned_) {
            pass(std::min(bytes.find_first_not_of('\r', at), bytes.size()));
            if (at == bytes.size()) break;
            end_line(bytes[at] != '\n');
            if (bytes[at] == '\n') pass(at + 1);
            continue;
        }
        if (newline <= at) newline = std::min(bytes.find('\n', at), bytes.size());
        const std::size_t end = std::min(bytes.substr(0, newline).find('\r', at), newline);
        while (end - at > kLongestLine) {
            const std::size_t size = piece_size(bytes.substr(at, end - at));
            read_piece(bytes.substr(at, size));
            pass(at + size);
        }
        if (end == bytes.size() && !last) break;
        read_piece(bytes.substr(at, end - at));
        pass(end);
        returned_ = end < newline;
        if (!returned_) end_line(false);
        if (end < bytes.size()) pass(end + 1);
    }
    return at;
}

void LineReader::end_line(bool overwritten) {
    if (overwritten && head_ != kNone) {
        for (std::size_t i = head_; i < rows_.size(); ++i) rows_[i].marks |= kOverwritten;
    }
    head_ = kNone;
    returned_ = false;
    ++line_;
    ++all_lines_;
}

// A line as a terminal shows it: without escapes. A view of the line where it has none, else of plain_.
std::string_view LineReader::without_escapes(std::string_view line) {
    std::size_t escape = line.find('\x1b');
    if (escape == std::string_view::npos) return line;
    plain_.clear();
    std::size_t at = 0;
    for (; escape != std::string_view::npos; escape = line.find('\x1b', at)) {
        plain_.append(line.substr(at, escape - at));
        at = after_escape(line, escape);
    }
    plain_.append(line.substr(at));
    return plain_;
}

// The number of a hash, by first occurrence, counted once more; -1 beyond kMostVariants.
std::int32_t LineReader::counted(std::uint64_t hash, HashTable<std::int32_t>& ids, std::vector<std::int64_t>& counts) {
    if (counts.size() == kMostVariants && ids.find(hash) == nullptr) return -1;
    std::int32_t& id = ids[hash];
    if (id == 0) {
        counts.push_back(0);
        id = static_cast<std::int32_t>(counts.size());
    }
    ++counts[static_cast<std::size_t>(id - 1)];
    return id - 1;
}

void LineReader::read_piece(std::string_view piece) {
    const bool goes_on = head_ != kNone;
    std::size_t first = 0, end = piece.size();
    while (end > 0 && blank(piece[end - 1])) --end;
    if (end == 0) return;
    if (goes_on) {
        while (blank(piece[first])) ++first;
    }
    const std::string_view line = piece.substr(first, end - first);
    const std::string_view shown = without_escapes(line);
    const std::size_t indent = std::min(shown.find_first_not_of(" \t"), shown.size());
    const OwnMark mark = own_mark(shown.substr(indent));
    const std::string_view plain = shown.substr(0, indent + mark.said.size());
    read_words(plain, query_, words_);
    Row row;
    row.start = base_ + static_cast<std::int64_t>(first);
    row.end = base_ + static_cast<std::int64_t>(end);
    row.line = line_;
    row.asked = words_.asked;
    row.marks = words_.marks;
    row.document = document_;
    row.stands_for = mark.stands_for;
    if (mark.said.empty() && !goes_on) row.marks |= kOwn;
    if (words_.finding != 0) row.finding = counted(words_.finding, finding_ids_, findings_);
    if (copies_.size() == kMostSeen) copies_.clear();
    std::int32_t& copies = copies_[hash_bytes(line)];
    row.copies = copies;
    copies = std::min(copies + 1, 1 << 30);

    std::uint64_t fresh = row.asked;
    if (goes_on) {
        Row& head = rows_[head_];
        row.template_id = head.template_id;
        row.variant = head.variant;
        fresh &= ~head.asked;
        head.asked |= row.asked;
        head.marks |= row.marks;
        row.marks |= kContinued;
    } else {
        row.template_id = miner_.add(words_.tokens);
        row.variant = counted(words_.plain, variant_ids_, variants_);
        const auto id = static_cast<std::size_t>(row.template_id);
        if (id >= templates_.size()) templates_.resize(id + 1);
        TemplateFacts& facts = templates_[id];
        ++facts.count;
        facts.said = std::max(facts.said, row.stands_for);
        if (words_.stamp.size > 0) {
            const std::string_view stamp = plain.substr(words_.stamp.at, words_.stamp.size);
            if (facts.first_stamp.empty()) facts.first_stamp = stamp;
            facts.last_stamp = stamp;
        }
        head_ = rows_.size();
    }
    for (std::uint64_t bits = fresh; bits != 0; bits &= bits - 1) {
        ++asked_lines_[static_cast<std::size_t>(std::countr_zero(bits))];
    }
    rows_.push_back(row);
    if (rows_.size() > most_rows_) let_go();
}

void LineReader::let_go() {
    has_let_go_ = true;
    const std::size_t n = rows_.size();
    std::vector<std::int64_t> met(templates_.size()), worth(n);
    const auto goes_on = [&](std::size_t i) { return (rows_[i].marks & kContinued) != 0; };
    for (std::size_t i = 0; i < n; ++i) {
        const Row& row = rows_[i];
        const auto id = static_cast<std::size_t>(row.template_id);
        const bool rare = row.variant >= 0 && variants_[static_cast<std::size_t>(row.variant)] <= kKeptHead;
        const std::int64_t before = goes_on(i) ? std::max<std::int64_t>(met[id], 1) - 1 : met[id]++;
        std::int64_t value = goes_on(i) ? 0 : before == 0 ? 40 : rare ? 12 : before < kKeptHead ? 8 : 0;
        value += 16 - std::min<std::int64_t>(bits_of(templates_[id].count), 16);
        if ((row.marks & kError) != 0) value += before < kKeptHead ? 16 : 2;
        if ((row.marks & kTrouble) != 0) value += before < kKeptHead ? 4 : 1;
        if ((row.marks & kFailure) != 0) value += before < kKeptHead ? 8 : 4;
        if (row.finding >= 0 && findings_[static_cast<std::size_t>(row.finding)] <= kKeptHead) value += 12;
        for (std::uint64_t bits = row.asked; bits != 0; bits &= bits - 1) {
            const std::int64_t lines = asked_lines_[static_cast<std::size_t>(std::countr_zero(bits))];
            value += 4 + 2 * (24 - std::min<std::int64_t>(bits_of(lines), 24));
        }
        if ((row.asked & query_.ids()) != 0) value += 60;
        if ((row.marks & kOverwritten) != 0) value -= 30;
        worth[i] = value;
    }
    std::fill(met.begin(), met.end(), 0);
    for (std::size_t i = n; i-- > 0;) {
        if (goes_on(i)) continue;
        const std::int64_t after = met[static_cast<std::size_t>(rows_[i].template_id)]++;
        if (after < kKeptTail) worth[i] += 8;
    }
    std::vector<std::int64_t> near = worth;  // a row beside one that matters matters a little
    for (std::size_t i = 1; i < n; ++i) {
        if (rows_[i].document != rows_[i - 1].document || rows_[i].line - rows_[i - 1].line > 1) continue;
        near[i] = std::max(near[i], worth[i - 1] / 2);
        near[i - 1] = std::max(near[i - 1], worth[i] / 2);
    }
    for (std::size_t i = 0, head = 0; i < n; ++i) {  // no piece stays without the head of its line
        if (goes_on(i)) {
            near[head] = std::max(near[head], near[i]);
        } else {
            head = i;
        }
    }
    if (head_ != kNone) near[head_] = kWorths;
    // The better half, of equal ones the first: counted by worth, as these are small numbers.
    const auto place = [&](std::size_t i) {
        return static_cast<std::size_t>(std::clamp<std::int64_t>(near[i] + kLeastWorth, 0, kWorths - 1));
    };
    std::vector<std::size_t> alike(kWorths);
    for (std::size_t i = 0; i < n; ++i) ++alike[place(i)];
    const std::size_t half = most_rows_ / 2;
    std::size_t least = kWorths - 1, better = 0;
    while (better + alike[least] < half) better += alike[least--];
    std::size_t equal = half - better, kept = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t here = place(i);
        if (here < least || (here == least && equal == 0)) continue;
        if (here == least) --equal;
        if (i == head_) head_ = kept;
        rows_[kept++] = rows_[i];
    }
    rows_.resize(kept);
}

}  // namespace tersely::content
