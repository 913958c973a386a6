#include "kernels/content/json_scan.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/content/json_string.hpp"
#include "kernels/content/opaque.hpp"
#include "kernels/parallel.hpp"

namespace tersely::content {
namespace {

constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t more) {
    const std::uint64_t sum = (hash ^ more) * kOdd;
    return sum ^ (sum >> 29U);
}

// FNV would go byte by byte; this takes eight. Equal bytes, equal hash; never 0.
std::uint64_t hash_of(std::string_view bytes) {
    std::uint64_t hash = bytes.size() + 1;
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, 8);
        hash = mixed(hash, word);
    }
    std::uint64_t rest = 0;
    if (at < bytes.size()) std::memcpy(&rest, bytes.data() + at, bytes.size() - at);
    return mixed(hash, rest) | 1U;
}

constexpr std::string_view kMark = "\xEF\xBB\xBF";  // of byte order

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
bool is_white(char byte) { return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r'; }

class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {}

    TreeUnits run() {
        if (!read_roots() || units_.size() == 0) {
            TreeUnits nothing;
            nothing.fault = fault_;
            nothing.fault_at = std::min(at_, text_.size());
            return nothing;
        }
        return std::move(units_);
    }

  private:
    struct Frame {
        std::int32_t row;
        std::int32_t values;  // read so far
        std::uint64_t keys;
        bool object;
        bool flat;  // holds scalars only
    };

    bool fail(TreeFault fault = TreeFault::kInvalid) {
        fault_ = fault;
        return false;
    }
    bool at_end() const { return at_ >= text_.size(); }
    char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    // Passes over white space and comments; `behind`: of a value, which those belong to. True where a line ended.
    bool skip_gap(bool behind = false) {
        bool line = false;
        while (!at_end()) {
            if (is_white(text_[at_])) {
                line |= text_[at_++] == '\n';
                continue;
            }
            const std::size_t end = comment_end(text_, at_);
            if (end == at_) break;
            line |= text_[end - 1] == '\n';
            at_ = end;
            if (behind) units_.end.back() = static_cast<std::int64_t>(at_);
        }
        return line;
    }

    bool read_roots() {
        if (text_.starts_with(kMark)) at_ = kMark.size();
        skip_gap();
        for (std::int32_t root = 0;; ++root) {
            if (!read_value(root)) return false;
            const std::size_t after = at_;
            const bool line = skip_gap();
            if (at_end()) return true;
            if (!line) {
                at_ = after;
                return fail();
            }
        }
    }

    std::int32_t rows() const { return static_cast<std::int32_t>(units_.size()); }

    void push(std::size_t start, std::size_t value, std::size_t end, TreeKind kind, std::int32_t parent,
              std::int32_t place, std::uint64_t key, std::uint64_t hash) {
        units_.add(start, value, end, kind, parent, place, key, hash);
    }

    void shrink(std::size_t size) {
        units_.start.resize(size);
        units_.value_start.resize(size);
        units_.end.resize(size);
        units_.kind.resize(size);
        units_.parent.resize(size);
        units_.place.resize(size);
        units_.count.resize(size);
        units_.key.resize(size);
        units_.value.resize(size);
    }

    // A value with all that is in it, from its first byte to behind its last.
    bool read_value(std::int32_t root) {
        const std::size_t depth = frames_.size();
        if (!begin_value(at_, 0, -1, root)) return false;
        while (frames_.size() > depth) {
            check_cancelled();
            Frame& frame = frames_.back();
            skip_gap(frame.values > 0);
            const char close = frame.object ? '}' : ']';
            if (here() == close) {
                end_container();
                continue;
            }
            if (frame.values > 0) {
                if (here() != ',') return fail();
                ++at_;
                skip_gap();
                if (here() == close) continue;
            }
            const std::size_t start = at_;
            std::uint64_t key = 0;
            if (frame.object) {
                if (here() != '"' || !read_string()) return fail();
                key = hash_of(text_.substr(start, at_ - start));
                skip_gap();
                if (here() != ':') return fail();
                ++at_;
                skip_gap();
            }
            frame.keys = mixed(frame.keys, key);
            const std::int32_t place = frame.values++;
            if (!begin_value(start, key, frame.row, place)) return false;
        }
        return true;
    }

    // Reads a scalar, or what opens a container. `start`: of its key, or of itself.
    bool begin_value(std::size_t start, std::uint64_t key, std::int32_t parent, std::int32_t place) {
        const std::size_t value = at_;
        const char first = here();
        if (first == '{' || first == '[') {
            if (frames_.size() >= kDeepest) return fail(TreeFault::kTooDeep);
            ++at_;
            push(start, value, at_, first == '{' ? TreeKind::kObject : TreeKind::kArray, parent, place, key, 0);
            frames_.push_back({rows() - 1, 0, 1, first == '{', true});
            return true;
        }
        const bool read = first == '"' ? read_string() : first == '-' || is_digit(first) ? read_number() : read_word();
        if (!read) return fail();
        const std::size_t size = at_ - value;
        if (first == '"' && (size > kWholeString || (size > kWholeOpaque && is_opaque(text_.substr(value, size))))) {
            push_string(start, value, key, parent, place);
        } else {
            const std::uint64_t hash = hash_of(text_.substr(value, at_ - value));
            push(start, value, at_, TreeKind::kScalar, parent, place, key, hash);
        }
        return true;
    }

    void end_container() {
        const Frame frame = frames_.back();
        frames_.pop_back();
        const std::size_t close = at_++;
        const auto row = static_cast<std::size_t>(frame.row);
        const std::int32_t parent = units_.parent[row];
        const bool element = parent >= 0 && units_.kind[static_cast<std::size_t>(parent)] == TreeKind::kArray;
        const bool record = frame.object && (element || parent < 0);
        const std::size_t size = at_ - static_cast<std::size_t>(units_.value_start[row]);
        if (frame.values == 0 || (frame.flat && !record && parent >= 0 && size <= kWholeContainer)) {
            shrink(row + 1);
            units_.kind[row] = TreeKind::kScalar;
            units_.end[row] = static_cast<std::int64_t>(at_);
            units_.value[row] = hash_of(text_.substr(at_ - size, size));
        } else {
            units_.count[row] = frame.values;
            units_.value[row] = frame.object ? frame.keys : 0;
            push(close, close, at_, TreeKind::kClose, frame.row, frame.values, 0, 0);
        }
        if (!frames_.empty()) frames_.back().flat = false;
    }

    bool read_word() {
        for (const std::string_view word : {"true", "false", "null", "NaN", "Infinity"}) {
            if (text_.substr(at_, word.size()) == word) {
                at_ += word.size();
                return true;
            }
        }
        return false;
    }

    bool read_digits() {
        const std::size_t first = at_;
        while (is_digit(here())) ++at_;
        return at_ > first;
    }

    bool read_number() {
        if (here() == '-') ++at_;
        if (here() == 'I') return read_word();
        if (here() == '0') {
            ++at_;
        } else if (!read_digits()) {
            return false;
        }
        if (here() == '.') {
            ++at_;
            if (!read_digits()) return false;
        }
        if (here() == 'e' || here() == 'E') {
            ++at_;
            if (here() == '+' || here() == '-') ++at_;
            if (!read_digits()) return false;
        }
        return true;
    }

    bool read_string() {
        const std::size_t end = string_end(text_, at_);
        at_ = std::max(at_, end);
        return end != 0;
    }

    void push_string(std::size_t start, std::size_t value, std::uint64_t key, std::int32_t parent, std::int32_t place) {
        const std::size_t last = at_ - 1;  // the closing quote
        std::size_t from = piece_end(text_, value + 1, last, kStringHead);
        push(start, value, from, TreeKind::kHead, parent, place, key, hash_of(text_.substr(value, from - value)));
        const std::int32_t head = rows() - 1;
        std::int32_t piece = 0;
        for (; from < last; ++piece) {
            const std::size_t end = piece_end(text_, from, last, kStringPiece);
            push(from, from, end, TreeKind::kPiece, head, piece, 0, 0);
            from = end;
        }
        units_.count[static_cast<std::size_t>(head)] = piece;
        push(last, last, at_, TreeKind::kClose, head, piece, 0, 0);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    TreeFault fault_ = TreeFault::kInvalid;
    std::vector<Frame> frames_;
    TreeUnits units_;
};

}  // namespace

TreeUnits scan_json(std::string_view text) { return Scanner(text).run(); }

}  // namespace tersely::content
