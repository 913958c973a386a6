#include "kernels/embed/words.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "kernels/text/word_set.hpp"

namespace tersely::embed {
namespace {

constexpr std::uint32_t kWordRoot = 0, kRestRoot = 1;
constexpr std::string_view kContinues = "##";
constexpr std::string_view kUnknown = "[UNK]";
constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15ULL;
constexpr std::uint64_t kLong = 1ULL << 63U;
constexpr std::size_t kShort = 7;  // bytes of a word that is its own key

std::uint64_t key_of(const WordBytes& word) {
    if (word.size <= kShort) return word.eights[0];
    std::uint64_t value = word.size;
    for (std::size_t i = 0; i * 8 < word.size; ++i) value = text::mix(value ^ word.eights[i]);
    return value | kLong;
}

std::size_t slot_of(std::uint64_t key) { return static_cast<std::size_t>(text::mix(key)); }

WordBytes copied(std::string_view word) {
    WordBytes bytes;
    for (const char byte : word) bytes.push_back(byte);
    bytes.end();
    return bytes;
}

std::uint32_t edge_key(std::uint32_t node, char byte) { return node << 8U | static_cast<unsigned char>(byte); }

}  // namespace

Words::Words(std::string_view lines) {
    if (lines.size() > kMostBytes) {
        throw std::invalid_argument("words take " + std::to_string(lines.size()) + " bytes; at most " +
                                    std::to_string(kMostBytes) + " are allowed");
    }
    lines_ = lines;
    if (!lines.ends_with('\n')) lines_ += '\n';
    const std::size_t end_of_words = lines.empty() ? 0 : lines_.size();
    lines_.append(8, '\0');  // so that eight bytes can be read at any of them
    const auto most = static_cast<std::size_t>(std::count(lines_.begin(), lines_.end(), '\n'));
    edges_.resize(std::bit_ceil(most * 4));
    piece_of_.assign(2, -1);
    std::vector<Slot> whole;
    for (std::size_t at = 0; at < end_of_words; ++count_) {
        const std::size_t end = lines_.find('\n', at);
        const std::string_view word = std::string_view(lines_).substr(at, end - at);
        const auto fail = [this](const char* what) {
            throw std::invalid_argument("line " + std::to_string(count_ + 1) + " of words " + what);
        };
        if (word.empty()) fail("is empty");
        if (word.find('\0') != std::string_view::npos) fail("has a NUL");
        const auto id = static_cast<std::int32_t>(count_);
        const bool rest = word.starts_with(kContinues) && word.size() > kContinues.size();
        if (!add_piece(rest ? word.substr(kContinues.size()) : word, rest ? kRestRoot : kWordRoot, id)) {
            fail("repeats an earlier one");
        }
        if (word == kUnknown) unknown_ = id;
        if (!rest && word.size() <= WordBytes::kMost) {
            whole.push_back({key_of(copied(word)), id, static_cast<std::uint32_t>(at)});
        }
        at = end + 1;
    }
    if (unknown_ < 0) throw std::invalid_argument("words must contain [UNK]");
    whole_.resize(std::bit_ceil(whole.size() * 5 / 4 + 1));
    for (const Slot& word : whole) add_whole(word);
}

void Words::add_whole(const Slot& word) {
    const std::size_t mask = whole_.size() - 1;
    std::size_t at = slot_of(word.key) & mask;
    while (whole_[at].key != 0) at = (at + 1) & mask;
    whole_[at] = word;
}

std::int32_t Words::find(const WordBytes& word) const {
    const std::uint64_t key = key_of(word);
    const std::size_t mask = whole_.size() - 1;
    for (std::size_t at = slot_of(key) & mask; whole_[at].key != 0; at = (at + 1) & mask) {
        if (whole_[at].key == key && (word.size <= kShort || stands_at(word, whole_[at].line))) return whole_[at].id;
    }
    return -1;
}

// Reads no further than eight bytes past the end of the line: `word` holds no line feed, so that is where they differ.
bool Words::stands_at(const WordBytes& word, std::uint32_t line) const {
    const char* there = lines_.data() + line;
    const std::size_t whole = word.size / 8;
    for (std::size_t i = 0; i < whole; ++i) {
        if (text::load<std::uint64_t>(there + i * 8) != word.eights[i]) return false;
    }
    const std::uint64_t left = (std::uint64_t{1} << word.size % 8 * 8) - 1;
    return (text::load<std::uint64_t>(there + whole * 8) & left) == word.eights[whole] && there[word.size] == '\n';
}

Piece Words::longest(std::string_view rest, bool at_start) const {
    std::uint32_t node = at_start ? kWordRoot : kRestRoot, best = 0;
    std::size_t size = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        const std::uint32_t child = edges_[slot(edge_key(node, rest[i]))].child;
        if (child == 0) break;
        node = child & ~kEndsWord;
        if (child == node) continue;
        best = node;
        size = i + 1;
    }
    return {size > 0 ? piece_of_[best] : -1, size};
}

// False where the piece is there already.
bool Words::add_piece(std::string_view piece, std::uint32_t root, std::int32_t id) {
    std::uint32_t node = root;
    for (std::size_t i = 0; i < piece.size(); ++i) {
        if (2 * piece_of_.size() > edges_.size()) grow();
        const std::uint32_t key = edge_key(node, piece[i]);
        Edge& edge = edges_[slot(key)];
        if (edge.child == 0) {
            edge = {key, static_cast<std::uint32_t>(piece_of_.size())};
            piece_of_.push_back(-1);
        }
        node = edge.child & ~kEndsWord;
        if (i + 1 < piece.size()) continue;
        if (edge.child != node) return false;
        edge.child |= kEndsWord;
        piece_of_[node] = id;
    }
    return true;
}

std::size_t Words::slot(std::uint32_t key) const {
    const std::size_t mask = edges_.size() - 1;
    std::size_t at = key * kMultiplier >> 32U & mask;
    while (edges_[at].child != 0 && edges_[at].key != key) at = (at + 1) & mask;
    return at;
}

void Words::grow() {
    LargeTable<Edge> larger(edges_.size() * 2);
    larger.swap(edges_);
    for (const Edge& edge : larger) {
        if (edge.child != 0) edges_[slot(edge.key)] = edge;
    }
}

}  // namespace tersely::embed
