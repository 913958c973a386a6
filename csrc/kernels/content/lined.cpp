#include <algorithm>
#include <string_view>
#include <utility>

#include "kernels/content/line_reader.hpp"

namespace tersely::content {
namespace {

constexpr std::size_t kPiece = 2048, kPieces = 7;
constexpr std::size_t kFewestWords = 7;
constexpr std::size_t kHeadAlike = 4, kTailAlike = 6, kLeastAlike = 24;
constexpr std::size_t kLong = 200;
constexpr std::size_t kParagraph = 400;  // bytes of a line that is one, and none of what a tool writes
constexpr std::size_t kWrapped = 50;     // bytes that a line has where the next one goes on with it

bool letter(char byte) { return text::ascii_alpha(byte) || static_cast<unsigned char>(byte) >= 0x80U; }
// Characters of Chinese, Japanese and Thai, which write no spaces between words.
std::size_t unspaced(std::string_view word) {
    std::size_t count = 0;
    for (std::size_t at = 0; at + 2 < word.size(); ++at) {
        const auto lead = static_cast<unsigned char>(word[at]), next = static_cast<unsigned char>(word[at + 1]);
        count += (lead >= 0xE3U && lead <= 0xE9U) || (lead == 0xE0U && (next == 0xB8U || next == 0xB9U));
    }
    return count;
}
bool around(char byte) { return std::string_view(".,;:!?'\"()-*_").find(byte) != std::string_view::npos; }

// Whether a line is mostly words.
bool is_wordy(std::string_view line) {
    std::size_t words = 0, plain = 0;
    for (std::size_t at = 0; at < line.size();) {
        if (line[at] == ' ') {
            ++at;
            continue;
        }
        std::size_t end = std::min(line.find(' ', at), line.size()), last = end;
        const std::size_t more = unspaced(line.substr(at, end - at)) / 2;  // words of two characters
        words += 1 + more;
        plain += more;
        while (at < last && around(line[at])) ++at;
        while (last > at && around(line[last - 1])) --last;
        const std::string_view word = line.substr(at, last - at);
        plain += !word.empty() && std::all_of(word.begin(), word.end(),
                                              [](char byte) { return letter(byte) || byte == '\'' || byte == '-'; });
        at = end;
    }
    return words >= kFewestWords && plain * 5 >= words * 4;
}

// Whether two different lines begin and end with the same bytes.
bool are_alike(std::string_view one, std::string_view other) {
    return one != other && one.size() >= kLeastAlike && other.size() >= kLeastAlike &&
           one.substr(0, kHeadAlike) == other.substr(0, kHeadAlike) &&
           one.substr(one.size() - kTailAlike) == other.substr(other.size() - kTailAlike);
}

struct Share {
    std::size_t prose = 0, paragraphs = 0, bytes = 0;  // bytes: of prose, of that in paragraphs, of all lines
    std::size_t lines = 0;
};

void read(std::string_view piece, bool whole_first_line, Share& share) {
    std::string_view before;  // a wordy line whose end says nothing
    std::string_view last;    // the last wordy one
    std::size_t at = 0;
    if (!whole_first_line) at = std::min(piece.find('\n'), piece.size() - 1) + 1;
    if (at >= piece.size()) at = 0;  // one long line
    while (at < piece.size()) {
        const std::size_t end = std::min(piece.find('\n', at), piece.size());
        std::string_view line = piece.substr(at, end - at);
        at = end + 1;
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first == std::string_view::npos) {
            before = {};
            continue;
        }
        line = line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
        if (line[0] == '>') line.remove_prefix(std::min(line.find_first_not_of("> "), line.size() - 1));  // of mail
        ++share.lines;
        share.bytes += line.size();
        const bool goes_on = line[0] >= 'a' && line[0] <= 'z' && !before.empty();
        if (goes_on) share.prose += before.size();
        before = {};
        if (!is_wordy(line)) {
            share.prose += goes_on ? line.size() : 0;  // the rest of a sentence
            continue;
        }
        const bool moulded = are_alike(std::exchange(last, line), line);  // a tool says the same of many things
        const bool ends = std::string_view(".!?\"").find(line.back()) != std::string_view::npos;
        if (ends || line.size() >= kLong || static_cast<unsigned char>(line.back()) >= 0x80U) {
            share.prose += moulded ? 0 : line.size();
            share.paragraphs += moulded || line.size() < kParagraph ? 0 : line.size();
        } else if (line.size() >= kWrapped) {
            before = line;
        }
    }
}

}  // namespace

bool is_lined(std::string_view text) {
    Share share;
    if (text.size() <= kPieces * kPiece) {
        read(text, true, share);
    } else {  // the ends of a document are the least like the rest of it
        for (std::size_t i = 0; i < kPieces; ++i)
            read(text.substr((text.size() - kPiece) / (kPieces - 1) * i, kPiece), i == 0, share);
    }
    return share.lines >= 3 && 2 * share.prose < share.bytes && 4 * share.paragraphs < share.bytes;
}

}  // namespace tersely::content
