#include "kernels/content/xml_scan.hpp"

#include <algorithm>

#include "kernels/content/hash_table.hpp"
#include "kernels/content/json_scan.hpp"  // kDeepest
#include "kernels/content/json_scan.hpp"
#include "kernels/parallel.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::content {
namespace {

using View = std::string_view;

constexpr View kSection = "<![CDATA[";
constexpr View kSectionEnd = "]]>";
constexpr std::int64_t kStartsOfEnd = 4;  // start tags to an end tag from which a name counts as not closed

bool blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'; }
bool in_name(char byte) { return !blank(byte) && byte != '>' && byte != '/' && byte != '=' && byte != '<'; }

bool in_words(char byte) { return byte != '>' && byte != '=' && byte != '<' && byte != '/' && byte != '\n'; }

class Scanner {
  public:
    explicit Scanner(View text) : text_(text) { units_.markup = true; }

    TreeUnits run() {
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
        find_closed();
        while (at_ < text_.size() && !deep_) {
            check_cancelled();
            read_next();
        }
        std::stable_sort(units_.cells.begin(), units_.cells.end(),
                         [](const TreeCell& a, const TreeCell& b) { return a.row < b.row; });
        if (!deep_ && elements_ > 0) return std::move(units_);
        TreeUnits nothing;
        nothing.fault = deep_ ? TreeFault::kTooDeep : TreeFault::kInvalid;
        return nothing;
    }

  private:
    // How many more start tags a name has than it has if each end tag stands for so many.
    void find_closed() {
        for (std::size_t at = text_.find('<'); at != View::npos; at = text_.find('<', at)) {
            check_cancelled();
            const bool end = text_.substr(at, 2) == "</";
            const std::size_t from = at + (end ? 2 : 1);
            for (at = from; at < text_.size() && in_name(text_[at]);) ++at;
            Tags& tags = tags_[hash_name(text_.substr(from, at - from))];
            tags.open += end ? -kStartsOfEnd : 1;
            tags.ended = tags.ended || end;
        }
    }

    // Whether "<" opens words, as in "<line number>", and no tag: no end tag has its name, and it has no "=".
    bool opens_words(std::size_t at) {
        std::size_t behind = at + 1;
        while (behind < text_.size() && in_name(text_[behind])) ++behind;
        if (behind == at + 1 || behind >= text_.size() || text_[behind] != ' ' || text_[at + 1] == '!' ||
            text_[at + 1] == '?')
            return false;
        std::size_t end = behind;
        while (end < text_.size() && in_words(text_[end])) ++end;
        return end < text_.size() && text_[end] == '>' && text_[end - 1] != ' ' &&
               !tags_[hash_name(text_.substr(at + 1, behind - at - 1))].ended;
    }

    // Where a text ends that goes on from here.
    std::size_t text_end(std::size_t from) {
        std::size_t end = find("<", from);
        while (end < text_.size() && opens_words(end)) end = find("<", end + 1);
        return end;
    }

    // An element whose name is hardly ever closed, as in what an earlier compression left of a document, holds no
    // other of its name: it ends where the next one begins.
    void end_unclosed(View name) {
        if (frames_.empty() || tags_[hash_name(name)].open <= 0) return;
        for (std::size_t depth = frames_.size(); depth-- > 0;) {
            if (frames_[depth].name != name) continue;
            frames_.resize(depth);
            return;
        }
    }

    struct Tags {
        std::int64_t open = 0;  // how many more start tags there are than if each end tag stood for so many
        bool ended = false;     // whether there is an end tag
    };

    struct Frame {
        std::size_t row;
        View name;
        bool leaf;  // no element in it so far
    };

    std::size_t find(View what, std::size_t from) const {
        const std::size_t found = text_.find(what, from);
        return found == View::npos ? text_.size() : found;
    }

    std::int32_t parent() const { return frames_.empty() ? -1 : static_cast<std::int32_t>(frames_.back().row); }

    std::size_t push(std::size_t start, std::size_t end, TreeKind kind, std::uint64_t key) {
        const std::int32_t above = parent();
        const std::int32_t place = above < 0 ? roots_++ : units_.count[static_cast<std::size_t>(above)]++;
        return add(start, end, kind, above, place, key);
    }

    std::size_t add(std::size_t start, std::size_t end, TreeKind kind, std::int32_t above, std::int32_t place,
                    std::uint64_t key) {
        return units_.add(start, start, end, kind, above, place, key, 0);
    }

    void add_cell(std::size_t row, View name, std::size_t start, std::size_t end, bool attribute) {
        const auto from = static_cast<std::int64_t>(name.data() - text_.data());
        units_.cells.push_back({static_cast<std::int32_t>(row), from, from + static_cast<std::int64_t>(name.size()),
                                static_cast<std::int64_t>(start), static_cast<std::int64_t>(end), attribute});
    }

    void read_next() {
        if (text_[at_] != '<' || opens_words(at_)) return read_text(at_, text_end(at_ + 1), 0, 0);
        const View rest = text_.substr(at_, kSection.size());
        if (rest.starts_with(kSection)) {
            const std::size_t end = find(kSectionEnd, at_ + kSection.size());
            return read_text(at_, std::min(end + kSectionEnd.size(), text_.size()), kSection.size(),
                             end < text_.size() ? kSectionEnd.size() : 0);
        }
        if (rest.starts_with("<!--")) return skip(find("-->", at_ + 4) + 3);
        if (rest.starts_with("<?")) return skip(find("?>", at_ + 2) + 2);
        if (rest.starts_with("<!")) return skip(declaration_end());
        if (rest.starts_with("</")) return end_element();
        if (rest.size() < 2 || blank(rest[1]) || rest[1] == '<' || rest[1] == '>') {
            return read_text(at_, text_end(at_ + 1), 0, 0);  // a "<" that opens nothing
        }
        start_element();
    }

    void skip(std::size_t end) {
        end = std::min(end, text_.size());
        push(at_, end, TreeKind::kScalar, 0);
        at_ = end;
    }

    std::size_t declaration_end() const {
        std::size_t depth = 0;
        for (std::size_t i = at_ + 2; i < text_.size(); ++i) {
            if (text_[i] == '[') ++depth;
            if (text_[i] == ']' && depth > 0) --depth;
            if (text_[i] == '>' && depth == 0) return i + 1;
        }
        return text_.size();
    }

    // A text, in a section of `before` and `after` bytes or in none.
    void read_text(std::size_t start, std::size_t end, std::size_t before, std::size_t after) {
        at_ = end;
        if (before == 0) {
            while (start < end && blank(text_[start])) ++start;
            while (end > start && blank(text_[end - 1])) --end;
            if (start == end) return;
        }
        const std::size_t last = end - after;
        if (end - start <= kWholeText) {
            const std::size_t row = push(start, end, TreeKind::kScalar, 0);
            add_cell(row, name_around(), start + before, last, false);
            return;
        }
        const std::size_t from = cut(start + before, last, head_of(start + before, last));
        const std::size_t head = push(start, from, TreeKind::kHead, 0);
        add_cell(head, name_around(), start + before, last, false);
        add_pieces(head, from, last);
        if (after > 0) add(last, end, TreeKind::kClose, static_cast<std::int32_t>(head), units_.count[head], 0);
    }

    void add_pieces(std::size_t head, std::size_t from, std::size_t last) {
        while (from < last) {
            const std::size_t stop = cut(from, last, kTextPiece);
            const std::int32_t place = units_.count[head]++;
            add(from, stop, TreeKind::kPiece, static_cast<std::int32_t>(head), place, 0);
            from = stop;
        }
    }

    std::size_t head_of(std::size_t start, std::size_t end) const {
        return is_opaque(text_.substr(start, end - start)) ? kOpaqueHead : kTextHead;
    }

    View name_around() const { return frames_.empty() ? text_.substr(0, 0) : frames_.back().name; }

    // Where a piece of about `size` bytes ends: behind white space in its second half where there is some.
    std::size_t cut(std::size_t from, std::size_t last, std::size_t size) const {
        if (last - from <= size + size / 2) return last;
        std::size_t end = from + size;
        for (std::size_t i = end; i > from + size / 2; --i) {
            if (blank(text_[i - 1])) return i;
        }
        while (end > from + 1 && text::is_continuation(text_[end])) --end;
        for (std::size_t i = end; i > from + size / 2; --i) {  // not within a reference
            if (text_[i - 1] == ';') break;
            if (text_[i - 1] == '&') return i - 1;
        }
        return end;
    }

    void start_element() {
        const std::size_t start = at_;
        std::size_t i = start + 1;
        while (i < text_.size() && in_name(text_[i])) ++i;
        const View name = text_.substr(start + 1, i - start - 1);
        end_unclosed(name);
        if (!frames_.empty()) frames_.back().leaf = false;
        const std::size_t row = push(start, i, TreeKind::kObject, hash_name(name));
        ++elements_;
        bool empty = false;
        std::int32_t attributes = 0;
        std::size_t first = 0;  // where the last attribute begins
        while (i < text_.size() && text_[i] != '>') {
            if (text_[i] == '<') break;  // the tag does not end
            if (blank(text_[i]) || text_[i] == '/') {
                empty = text_[i] == '/';
                ++i;
                continue;
            }
            check_cancelled();
            if (attributes == 0) {
                units_.end[row] = static_cast<std::int64_t>(last_behind(i));
            } else {
                add_attribute(row, first, last_behind(i), attributes - 1);
            }
            first = i;
            ++attributes;
            while (i < text_.size() && in_name(text_[i])) ++i;
            const View attribute = text_.substr(first, i - first);
            if (i == first) ++i;
            if (i < text_.size() && text_[i] == '=') {
                ++i;
                if (i < text_.size() && (text_[i] == '"' || text_[i] == '\'')) {
                    const std::size_t stop = find(View(&text_[i], 1), i + 1);
                    add_cell(units_.size(), attribute, i + 1, stop, true);
                    i = std::min(stop + 1, text_.size());
                }
            }
            empty = false;
        }
        at_ = std::min(i + 1, text_.size());
        if (i < text_.size() && text_[i] == '<') at_ = last_behind(i);
        if (attributes > 0) add_attribute(row, first, at_, attributes - 1);
        if (attributes == 0 || at_ - start <= (empty || attributes == 1 ? kWholeElement : kWholeTag)) join(row, at_);
        if (empty) {
            units_.kind[row] = TreeKind::kScalar;
            return;
        }
        if (frames_.size() >= kDeepest) deep_ = true;
        frames_.push_back({row, name, true});
    }

    // The end of what stands before `end`, without white space.
    std::size_t last_behind(std::size_t end) const {
        while (blank(text_[end - 1])) --end;
        return end;
    }

    void add_attribute(std::size_t element, std::size_t start, std::size_t end, std::int32_t place) {
        const std::size_t from = end - start <= kWholeText ? end : cut(start, end, head_of(start, end));
        const std::size_t row = add(start, from, TreeKind::kAttribute, static_cast<std::int32_t>(element), place, 0);
        add_pieces(row, from, end);
    }

    void end_element() {
        std::size_t i = at_ + 2;
        while (i < text_.size() && in_name(text_[i])) ++i;
        const View name = text_.substr(at_ + 2, i - at_ - 2);
        const std::size_t end = std::min(find(">", i) + 1, text_.size());
        std::size_t depth = frames_.size();
        while (depth > 0 && frames_[depth - 1].name != name) --depth;
        if (depth == 0) return skip(end);
        frames_.resize(depth);
        const Frame frame = frames_.back();
        frames_.pop_back();
        const auto start = static_cast<std::size_t>(units_.start[frame.row]);
        if (frame.leaf && end - start <= kWholeElement) {
            close_leaf(frame, end);
        } else {
            add(at_, end, TreeKind::kClose, static_cast<std::int32_t>(frame.row), units_.count[frame.row], 0);
        }
        at_ = end;
    }

    // An element without others in it becomes one unit.
    void close_leaf(const Frame& frame, std::size_t end) {
        join(frame.row, end);
        units_.kind[frame.row] = TreeKind::kScalar;
        units_.count[frame.row] = 0;
    }

    // A unit and all that came after it become one.
    void join(std::size_t row, std::size_t end) {
        for (std::size_t i = units_.cells.size(); i-- > 0 && units_.cells[i].row >= static_cast<std::int32_t>(row);)
            units_.cells[i].row = static_cast<std::int32_t>(row);
        units_.shrink(row + 1);
        units_.end[row] = static_cast<std::int64_t>(end);
    }

    View text_;
    std::size_t at_ = 0;
    std::size_t elements_ = 0;
    std::int32_t roots_ = 0;
    bool deep_ = false;
    std::vector<Frame> frames_;
    HashTable<Tags> tags_;  // by the hash of a name
    TreeUnits units_;
};

}  // namespace

TreeUnits scan_xml(View text) { return Scanner(text).run(); }

}  // namespace tersely::content
