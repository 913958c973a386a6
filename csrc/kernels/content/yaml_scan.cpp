#include "kernels/content/yaml_scan.hpp"

#include <algorithm>
#include <vector>

#include "kernels/content/hash_table.hpp"
#include "kernels/content/json_scan.hpp"  // kDeepest
#include "kernels/parallel.hpp"

namespace tersely::content {
namespace {

using View = std::string_view;

constexpr std::size_t kLongestKey = 80;
constexpr View kDocument = "---";

View trimmed(View text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first == View::npos ? View() : text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

// The bytes of a key before its colon; 0 where the line has none.
std::size_t key_of(View line) {
    if (line.empty() || View("{[#&*!|>%@`").find(line[0]) != View::npos) return 0;
    std::size_t at = 0;
    if (line[0] == '"' || line[0] == '\'') {
        at = line.substr(0, kLongestKey).find(line[0], 1);
        if (at == View::npos) return 0;
        ++at;
    } else {
        at = line.substr(0, kLongestKey).find(": ");
        if (at == View::npos) at = line.back() == ':' && line.size() <= kLongestKey ? line.size() - 1 : 0;
    }
    const bool ends = at < line.size() && line[at] == ':' && (at + 1 == line.size() || line[at + 1] == ' ');
    return ends ? at : 0;
}

bool opens_item(View line) { return line.starts_with("- ") || line == "-"; }
bool opens(TreeKind kind) { return kind == TreeKind::kObject; }

// Whether a value is a block of text: "|", ">-", "&name |2" ...
bool opens_block(View value) {
    while (!value.empty() && (value[0] == '&' || value[0] == '!')) {  // names and types
        const std::size_t end = std::min(value.find(' '), value.size());
        value = trimmed(value.substr(end));
    }
    return !value.empty() && (value[0] == '|' || value[0] == '>');
}

bool opens_document(View line) { return line.starts_with(kDocument) && (line.size() == 3 || line[3] == ' '); }

class Scanner {
  public:
    explicit Scanner(View text) : text_(text) { units_.markup = units_.nested = true; }

    TreeUnits run() {
        std::size_t lines = 0;
        for (std::size_t at = 0; at < text_.size() && units_.fault == TreeFault::kNone;) {
            check_cancelled();
            const std::size_t end = std::min(text_.find('\n', at), text_.size());
            const View line = text_.substr(at, end - at);
            const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
            const View said = trimmed(line);
            if (!said.empty()) {
                ++lines;
                add_line(at, indent, said);
            }
            at = end + 1;
        }
        close(0, false);
        if (open_ != 0) units_.fault = TreeFault::kInvalid;
        if (odd_ * 16 > lines || units_.size() == 0) units_.fault = TreeFault::kInvalid;
        if (units_.fault == TreeFault::kNone) return std::move(units_);
        TreeUnits nothing;
        nothing.fault = units_.fault;
        return nothing;
    }

  private:
    struct Frame {
        std::size_t row, indent;
        bool item;
    };

    static constexpr std::size_t kNone = ~std::size_t{0};

    // What has nothing in it is a value.
    void pop() {
        const std::size_t row = frames_.back().row;
        if (units_.count[row] == 0) units_.kind[row] = TreeKind::kScalar;
        frames_.pop_back();
    }

    // Ends what a line at `indent` does not stand in; an item may stand below a key as far to the left.
    void close(std::size_t indent, bool item) {
        while (!frames_.empty() && frames_.back().row != document_) {
            const Frame& last = frames_.back();
            if (last.indent < indent || (last.indent == indent && item && !last.item)) break;
            pop();
        }
    }

    std::size_t push(std::size_t start, std::size_t end, TreeKind kind, std::uint64_t key) {
        const std::int32_t above = frames_.empty() ? -1 : static_cast<std::int32_t>(frames_.back().row);
        const std::int32_t place = above < 0 ? roots_++ : units_.count[static_cast<std::size_t>(above)]++;
        return units_.add(start, start, end, kind, above, place, key, 0);
    }

    void open(std::size_t row, std::size_t indent, bool item) {
        if (frames_.size() >= kDeepest) units_.fault = TreeFault::kTooDeep;
        frames_.push_back({row, indent, item});
    }

    void add_cell(std::size_t row, View name, View value, bool attribute) {
        const auto place = [&](View view) { return static_cast<std::int64_t>(begin_of(view)); };
        const auto size = [](View view) { return static_cast<std::int64_t>(view.size()); };
        units_.cells.push_back({static_cast<std::int32_t>(row), place(name), place(name) + size(name), place(value),
                                place(value) + size(value), attribute});
    }

    // A line that goes on the value of `value_`; an item that opens with its key stays a container.
    void add_piece(std::size_t start, std::size_t end) {
        if (!opens(units_.kind[value_])) units_.kind[value_] = TreeKind::kHead;
        const std::int32_t place = units_.count[value_]++;
        units_.add(start, start, end, TreeKind::kPiece, static_cast<std::int32_t>(value_), place, 0, 0);
    }

    void add_line(std::size_t begin, std::size_t indent, View said) {
        const auto end = static_cast<std::size_t>(said.data() - text_.data()) + said.size();
        if (open_ != 0) {  // of a value in quotes or brackets no line can be left out
            read_open(said);
            units_.end.back() = static_cast<std::int64_t>(end);
            return;
        }
        if (value_ != kNone && indent > value_indent_ &&
            (block_ || (key_of(said) == 0 && !opens_item(said) && said[0] != '#'))) {
            add_piece(begin, end);
            if (!begun_) open_value(said);
            return;
        }
        value_ = kNone;
        block_ = false;
        if (text_[begin + indent] == '\t') {
            units_.fault = TreeFault::kInvalid;
            return;
        }
        if (indent == 0 && opens_document(said)) {
            while (!frames_.empty()) pop();
            document_ = push(begin, end, TreeKind::kObject, hash_name(kDocument));
            return open(document_, 0, false);
        }
        if (said[0] == '#' || said == "...") {
            push(begin, end, TreeKind::kScalar, 0);
            return;
        }
        const bool item = opens_item(said);
        close(indent, item);
        View content = said;
        while (opens_item(content)) content = trimmed(content.substr(1));  // items in items
        const std::size_t key = key_of(content);
        const View value = key == 0 ? content : trimmed(content.substr(key + 1));
        if (!item && key == 0) {
            ++odd_;
            push(begin, end, TreeKind::kScalar, 0);
            return;
        }
        const View name = key == 0 ? said.substr(0, 1) : content.substr(0, key);
        const bool container = item || value.empty();
        const std::size_t row = push(begin, end, container ? TreeKind::kObject : TreeKind::kScalar,
                                     item ? hash_name("-") : hash_name(name));
        if (!value.empty()) add_cell(row, name, value, item);
        if (container) open(row, indent, item);
        value_ = row;
        value_indent_ = item && key > 0 ? begin_of(content) - begin : indent;
        block_ = opens_block(value);
        begun_ = !value.empty();
        if (begun_) open_value(value);
    }

    // The first line of a value.
    void open_value(View line) {
        begun_ = true;
        if (View("\"'[{").find(line[0]) != View::npos) read_open(line);
    }

    std::size_t begin_of(View view) const { return static_cast<std::size_t>(view.data() - text_.data()); }

    // Reads on in a value in quotes or brackets: `open_` is 0 where it has ended, as a comment behind it has.
    void read_open(View line) {
        for (std::size_t at = 0; at < line.size(); ++at) {
            const char byte = line[at];
            if (quote_ != 0) {
                if (byte == '\\' && quote_ == '"') ++at;
                if (byte != quote_) continue;
                quote_ = 0;
                --open_;
            } else if (byte == '#' && (at == 0 || line[at - 1] == ' ')) {
                return;
            } else if ((byte == '"' || byte == '\'') && (at == 0 || View(" [{,:").find(line[at - 1]) != View::npos)) {
                quote_ = byte;
                ++open_;
            } else if (byte == '[' || byte == '{') {
                ++open_;
            } else if (byte == ']' || byte == '}') {
                --open_;
            }
            if (open_ == 0) return;
        }
    }

    View text_;
    TreeUnits units_;
    std::vector<Frame> frames_;
    std::int32_t roots_ = 0;
    std::size_t odd_ = 0;
    std::size_t document_ = kNone;  // the row of the last "---"
    std::size_t value_ = kNone;     // the row whose value the next line may go on
    std::size_t value_indent_ = 0;
    bool begun_ = false;    // the value has a line
    bool block_ = false;    // the value is a block of text
    std::size_t open_ = 0;  // quotes and brackets of the value that have not ended
    char quote_ = 0;        // the quote that has not, 0: none
};

}  // namespace

TreeUnits scan_yaml(View text) { return Scanner(text).run(); }

}  // namespace tersely::content
