#include "kernels/content/json_scan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "kernels/content/hash_table.hpp"
#include "kernels/parallel.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::content {
namespace {

enum Class : std::uint8_t { kSign, kLetter, kDigit, kBeyond };

constexpr std::array<Class, 256> classes() {
    std::array<Class, 256> table{};
    for (std::size_t byte = 0; byte < table.size(); ++byte) {
        const std::size_t small = byte | 0x20U;
        if (small >= 'a' && small <= 'z') table[byte] = kLetter;
        if (byte >= '0' && byte <= '9') table[byte] = kDigit;
        if (byte >= 0x80U) table[byte] = kBeyond;
    }
    return table;
}
constexpr std::array<Class, 256> kClasses = classes();

}  // namespace

bool is_opaque(std::string_view value) {
    constexpr std::size_t kFewLetters = 4, kShortest = 3, kLongest = 40, kShare = 8, kLong = 4 * kOpaque;
    if (value.size() < kOpaque) return false;
    std::size_t words = 0, letters = 0;
    for (std::size_t at = 0; at < value.size();) {
        std::array<std::size_t, 4> of{};  // bytes of a run of letters and digits, by class
        for (Class what = kSign; at < value.size(); ++at) {
            what = kClasses[static_cast<unsigned char>(value[at])];
            if (what != kLetter && what != kDigit) break;
            ++of[what];
        }
        letters += of[kLetter];
        if (of[kDigit] == 0 && of[kLetter] >= kShortest && of[kLetter] <= kLongest) words += of[kLetter];
        if (at < value.size()) {  // what ends the run
            const bool escape = value[at] == '\\', escaped = escape && value.substr(at + 1, 1) == "u";
            words += escaped ? 6 : static_cast<unsigned char>(value[at]) >= 0x80U ? 1 : 0;
            at += escaped ? 6 : escape ? 2 : 1;
        }
        if (kShare * words >= value.size()) return false;
    }
    return letters >= kFewLetters || value.size() >= kLong;
}

namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
constexpr std::uint64_t kHighs = 0x8080808080808080ULL;

// Non-zero where a byte is a quote, a backslash or a control character.
std::uint64_t special(std::uint64_t word) {
    const auto zero = [](std::uint64_t x) { return (x - kOnes) & ~x & kHighs; };
    const std::uint64_t control = (word - kOnes * 0x20) & ~word & kHighs;
    return zero(word ^ (kOnes * '"')) | zero(word ^ (kOnes * '\\')) | control;
}

bool is_hex(char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

// Bytes of the escape at a backslash; 0 where it is none.
std::size_t escape_length(std::string_view text, std::size_t at) {
    if (at + 1 >= text.size()) return 0;
    if (text[at + 1] != 'u') return std::string_view("\"\\/bfnrt").find(text[at + 1]) < 8 ? 2 : 0;
    if (at + 6 > text.size()) return 0;
    const std::string_view digits = text.substr(at + 2, 4);
    return std::all_of(digits.begin(), digits.end(), is_hex) ? 6 : 0;
}

// At an escape: is it \uD8.. to \uDB.. (third: 89ab) or \uDC.. to \uDF.. (cdef)?
bool is_surrogate(std::string_view text, std::size_t at, std::string_view third) {
    return text[at] == '\\' && text[at + 1] == 'u' && (text[at + 2] | 0x20) == 'd' &&
           third.find(static_cast<char>(text[at + 3] | 0x20)) != std::string_view::npos;
}

// Where what begins at `at` inside a string ends: a character, an escape or a pair of surrogate escapes.
std::size_t letter_end(std::string_view text, std::size_t at) {
    if (text[at] != '\\') return at + text::decode(text, at).length;
    const std::size_t end = at + escape_length(text, at);
    return is_surrogate(text, at, "89ab") && is_surrogate(text, end, "cdef") ? end + 6 : end;
}

}  // namespace

std::size_t string_end(std::string_view text, std::size_t at) {
    for (++at; at < text.size();) {
        while (at + 8 <= text.size()) {
            std::uint64_t word = 0;
            std::memcpy(&word, text.data() + at, 8);
            if (special(word) != 0) break;
            at += 8;
        }
        if (at == text.size()) break;
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte == '"') return at + 1;
        if (byte < 0x20) return 0;
        const std::size_t length = byte == '\\' ? escape_length(text, at) : 1;
        if (length == 0) return 0;
        at += length;
    }
    return 0;
}

std::size_t comment_end(std::string_view text, std::size_t at) {
    const std::string_view mark = text.substr(std::min(at, text.size()), 2);
    if (mark != "//" && mark != "/*") return at;
    const std::string_view close = mark == "//" ? "\n" : "*/";
    const std::size_t end = text.find(close, at + 2);
    if (end != std::string_view::npos) return end + close.size();
    return mark == "//" ? text.size() : at;
}

std::size_t piece_end(std::string_view text, std::size_t from, std::size_t last, std::size_t size) {
    if (last - from <= size + size / 2) return last;
    std::size_t best = 0;
    std::size_t at = from;
    while (at < from + size) {
        const bool space = text[at] == ' ' || (text[at] == '\\' && text[at + 1] == 'n');
        at = letter_end(text, at);
        if (space && at >= from + size / 2) best = at;
    }
    return best != 0 ? best : std::min(at, last);
}

namespace {

using text::ascii_digit;

constexpr std::string_view kMark = "\xEF\xBB\xBF";  // of byte order

bool is_white(char byte) { return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r'; }

class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) { units_.reserve(text.size() / kUnit); }

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
    static constexpr std::size_t kUnit = 12;  // bytes of one, about

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
                key = hash_bytes(text_.substr(start, at_ - start));
                skip_gap();
                if (here() != ':') return fail();
                ++at_;
                skip_gap();
            }
            frame.keys = mix(frame.keys, key);
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
        const bool read = first == '"'                         ? read_string()
                          : first == '-' || ascii_digit(first) ? read_number()
                                                               : read_word();
        if (!read) return fail();
        const std::size_t size = at_ - value;
        if (first == '"' && (size > kWholeString || (size > kWholeOpaque && is_opaque(text_.substr(value, size))))) {
            push_string(start, value, key, parent, place);
        } else {
            const std::uint64_t hash = hash_bytes(text_.substr(value, at_ - value));
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
            units_.shrink(row + 1);
            units_.kind[row] = TreeKind::kScalar;
            units_.end[row] = static_cast<std::int64_t>(at_);
            units_.value[row] = hash_bytes(text_.substr(at_ - size, size));
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
        while (ascii_digit(here())) ++at_;
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
        push(start, value, from, TreeKind::kHead, parent, place, key, hash_bytes(text_.substr(value, from - value)));
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
