#include "kernels/detect/languages.hpp"

#include <algorithm>
#include <utility>

#include "kernels/detect/bytes.hpp"
#include "kernels/detect/language_starts.hpp"
#include "kernels/detect/language_words.hpp"

namespace tersely::detect {
namespace {

using enum Language;

constexpr std::size_t kWordSlots = 4096;

constexpr std::size_t slot_of(std::string_view word) {
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(word[i])); };
    return (byte(0) * 7 + byte(word.size() - 1) * 31 + byte(word.size() / 2) * 131 + word.size() * 17) &
           (kWordSlots - 1);
}

constexpr std::uint16_t kNoWord = 65535;
static_assert(kWordCount < kNoWord);

// Tells most words of a slot apart without a look at them.
constexpr std::uint16_t print_of(std::string_view word) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(word[i])); };
    return static_cast<std::uint16_t>(byte(0) | (byte(word.size() - 1) ^ static_cast<unsigned>(word.size())) << 8U);
}

struct Slot {
    std::uint16_t row = kNoWord, print = 0;
};

// The first row of each word, at its slot or the next free one.
constexpr std::array<Slot, kWordSlots> word_slots() {
    std::array<Slot, kWordSlots> slots{};
    for (std::size_t row = 0; row < kWordCount; ++row) {
        if (row > 0 && kWords[row].text == kWords[row - 1].text) continue;
        std::size_t slot = slot_of(kWords[row].text);
        while (slots[slot].row != kNoWord) slot = (slot + 1) & (kWordSlots - 1);
        slots[slot] = {static_cast<std::uint16_t>(row), print_of(kWords[row].text)};
    }
    return slots;
}
constexpr std::array<Slot, kWordSlots> kSlots = word_slots();

constexpr bool word_byte(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' || (byte >= '0' && byte <= '9');
}

constexpr char kAny = '\0';
constexpr char kWord = 'w';     // a letter, a digit or "_"
constexpr char kCapital = 'C';  // a capital letter

// Two or three signs that belong together, and a language that they speak for.
struct Sign {
    char one, two, three;
    Language language;
    std::uint8_t weight;
    bool own;  // whether few languages have it: a line with it says something
};

// Sorted by the first; of the rows of a first sign, those that look as the first one that matches count.
constexpr std::array kSigns = {
    Sign{'!', '(', kAny, rust, 2, false},
    Sign{'!', 'i', 'm', css, 5, false},
    Sign{'!', 'v', 'o', zig, 6, false},
    Sign{'!', '=', '=', javascript, 3, false},
    Sign{'!', '=', '=', php, 1, false},
    Sign{'!', '!', kAny, kotlin, 1, false},
    Sign{'"', '"', '"', python, 3, true},
    Sign{'#', '!', '[', rust, 5, true},
    Sign{'#', '[', kAny, rust, 5, true},
    Sign{'#', '{', kAny, ruby, 2, false},
    Sign{'#', '{', kAny, coffeescript, 2, false},
    Sign{'#', '{', kAny, elixir, 1, false},
    Sign{'#', 't', ')', scheme, 3, false},
    Sign{'#', 'f', ')', scheme, 3, false},
    Sign{'#', '\'', kWord, commonlisp, 2, false},
    Sign{'#', '\'', kWord, elisp, 1, false},
    Sign{'#', '(', kAny, clojure, 2, false},
    Sign{'$', '(', kCapital, makefile, 2, false},
    Sign{'$', '(', kAny, shell, 1, false},
    Sign{'$', '(', kAny, javascript, 1, false},
    Sign{'$', '(', kAny, makefile, 1, false},
    Sign{'$', '@', kAny, makefile, 3, true},
    Sign{'$', '<', kAny, makefile, 3, true},
    Sign{'$', '^', kAny, makefile, 3, true},
    Sign{'$', '{', kAny, shell, 2, false},
    Sign{'$', '{', kAny, javascript, 1, false},
    Sign{'$', '{', kAny, cmake, 2, false},
    Sign{'$', '{', kAny, hcl, 1, false},
    Sign{'$', '{', kAny, groovy, 1, false},
    Sign{'$', '{', kAny, perl, 1, false},
    Sign{'$', '_', '.', powershell, 4, false},
    Sign{'$', 't', 'h', php, 2, false},
    Sign{'$', 's', 'e', perl, 2, false},
    Sign{'$', 'e', 'n', powershell, 2, false},
    Sign{'$', 'n', 'u', powershell, 2, false},
    Sign{'$', 't', 'r', powershell, 2, false},
    Sign{'$', 'f', 'a', powershell, 2, false},
    Sign{'$', kWord, kAny, php, 1, false},
    Sign{'$', kWord, kAny, perl, 1, false},
    Sign{'$', kWord, kAny, shell, 1, false},
    Sign{'$', kWord, kAny, powershell, 1, false},
    Sign{'$', kWord, kAny, tcl, 1, false},
    Sign{'%', '>', '%', r, 6, true},
    Sign{'%', 'i', 'n', r, 6, false},
    Sign{'%', '%', '%', erlang, 1, false},
    Sign{'%', '{', kAny, elixir, 3, false},
    Sign{'%', '~', kAny, batch, 6, false},
    Sign{'%', '%', kWord, batch, 2, false},
    Sign{'%', '%', ' ', scala, 2, false},
    Sign{'%', 'e', 'a', assembly, 5, false},
    Sign{'%', 'r', kWord, assembly, 3, false},
    Sign{'%', 'e', 'b', assembly, 4, false},
    Sign{'%', 'e', 's', assembly, 4, false},
    Sign{'%', kCapital, kAny, batch, 2, false},
    Sign{'&', '\'', kAny, rust, 3, true},
    Sign{'&', 'm', 'u', rust, 5, true},
    Sign{'&', 's', 'e', rust, 4, true},
    Sign{'&', 's', 't', rust, 4, true},
    Sign{'&', '[', kAny, rust, 2, false},
    Sign{'\'', 'b', '0', verilog, 6, false},
    Sign{'\'', 'b', '1', verilog, 6, false},
    Sign{'\'', 'h', kWord, verilog, 6, false},
    Sign{'\'', 'd', kWord, verilog, 3, false},
    Sign{'(', 'c', '(', r, 2, false},
    Sign{'(', '$', kWord, php, 1, false},
    Sign{'(', '$', kWord, perl, 1, false},
    Sign{'(', '$', kWord, powershell, 1, false},
    Sign{'-', '>', '{', perl, 3, false},
    Sign{'-', '>', '[', perl, 3, false},
    Sign{'-', '>', kAny, rust, 1, false},
    Sign{'-', '>', kAny, c, 1, false},
    Sign{'-', '>', kAny, php, 1, false},
    Sign{'-', '>', kAny, perl, 1, false},
    Sign{'-', '>', kAny, swift, 1, false},
    Sign{'-', 'e', 'q', powershell, 1, false},
    Sign{'-', 'e', 'q', shell, 1, false},
    Sign{'-', 'n', 'o', powershell, 1, false},
    Sign{'-', 'E', 'r', powershell, 4, false},
    Sign{'.', '{', kAny, zig, 5, false},
    Sign{'.', '.', '<', swift, 6, true},
    Sign{'.', '.', '=', rust, 3, false},
    Sign{'.', '*', '(', matlab, 2, false},
    Sign{'.', '*', ' ', matlab, 2, false},
    Sign{'.', '^', kAny, matlab, 3, false},
    Sign{'.', '^', kAny, julia, 2, false},
    Sign{'.', 'a', 'n', fortran, 1, false},
    Sign{'.', 'e', 'q', fortran, 3, false},
    Sign{'.', '.', ' ', lua, 2, false},
    Sign{':', ':', ' ', haskell, 3, false},
    Sign{':', ':', ' ', odin, 2, false},
    Sign{':', ':', kCapital, julia, 1, false},
    Sign{':', ':', kCapital, cpp, 2, false},
    Sign{':', ':', kCapital, rust, 1, false},
    Sign{':', ':', kCapital, perl, 1, false},
    Sign{':', ':', kCapital, ruby, 1, false},
    Sign{':', ':', '~', cpp, 6, false},
    Sign{':', ':', kAny, rust, 1, false},
    Sign{':', ':', kAny, cpp, 2, false},
    Sign{':', ':', kAny, perl, 1, false},
    Sign{':', '=', kAny, go, 3, true},
    Sign{':', '=', kAny, pascal, 2, true},
    Sign{':', '=', kAny, makefile, 2, true},
    Sign{':', '=', kAny, ada, 2, false},
    Sign{':', '=', kAny, vlang, 2, false},
    Sign{':', '-', ' ', prolog, 6, true},
    Sign{';', ';', kAny, shell, 2, true},
    Sign{';', ';', kAny, ocaml, 1, false},
    Sign{'<', '?', 'p', php, 20, true},
    Sign{'<', '-', ' ', r, 3, false},
    Sign{'<', '-', ' ', haskell, 1, false},
    Sign{'<', '-', ' ', julia, 1, false},
    Sign{'<', '<', '"', erlang, 5, false},
    Sign{'<', '/', '>', javascript, 2, false},
    Sign{'<', '/', '>', typescript, 2, false},
    Sign{'<', '=', ' ', vhdl, 1, false},
    Sign{'<', '=', ' ', verilog, 1, false},
    Sign{'=', '=', '=', javascript, 3, false},
    Sign{'=', '=', '=', php, 1, false},
    Sign{'=', '~', ' ', perl, 4, false},
    Sign{'=', '~', ' ', ruby, 1, false},
    Sign{'=', '>', kAny, javascript, 2, false},
    Sign{'=', '>', kAny, rust, 1, false},
    Sign{'=', '>', kAny, php, 1, false},
    Sign{'=', '>', kAny, perl, 1, false},
    Sign{'=', '>', kAny, scala, 1, false},
    Sign{'=', '>', kAny, csharp, 1, false},
    Sign{'>', '&', '1', shell, 4, false},
    Sign{'>', '&', '2', shell, 6, false},
    Sign{'>', '>', '=', haskell, 2, false},
    Sign{'?', '=', kAny, makefile, 4, true},
    Sign{'?', 'M', 'O', erlang, 8, false},
    Sign{'?', '.', kWord, kotlin, 1, false},
    Sign{'?', '.', kWord, swift, 1, false},
    Sign{'?', '.', kWord, typescript, 1, false},
    Sign{'?', '.', kWord, csharp, 1, false},
    Sign{'?', '.', kWord, dart, 1, false},
    Sign{'?', '?', ' ', csharp, 1, false},
    Sign{'?', '?', ' ', dart, 1, false},
    Sign{'?', '?', ' ', swift, 1, false},
    Sign{'?', ':', ' ', typescript, 4, false},
    Sign{'?', ':', ' ', groovy, 1, false},
    Sign{'@', '"', kAny, objectivec, 4, true},
    Sign{'@', '_', kAny, perl, 3, false},
    Sign{'@', '@', kWord, ruby, 2, false},
    Sign{'@', '@', kWord, sql, 1, false},
    Sign{'@', 'i', 'm', zig, 6, false},
    Sign{'@', 'a', 's', zig, 2, false},
    Sign{'@', 'p', 't', zig, 3, false},
    Sign{'@', 'i', 'n', zig, 2, false},
    Sign{'@', 's', 'i', zig, 1, false},
    Sign{'@', 't', 'r', zig, 2, false},
    Sign{'@', '[', kAny, objectivec, 3, false},
    Sign{'@', '(', kAny, objectivec, 1, false},
    Sign{'@', '(', kAny, powershell, 2, false},
    Sign{'@', '{', kAny, perl, 3, false},
    Sign{'@', '{', kAny, powershell, 3, false},
    Sign{'@', '{', kAny, objectivec, 1, false},
    Sign{'@', kWord, kAny, ruby, 1, false},
    Sign{'@', kWord, kAny, coffeescript, 1, false},
    Sign{'[', '[', kAny, shell, 3, false},
    Sign{'[', '$', kAny, perl, 1, false},
    Sign{'[', '$', kAny, tcl, 2, false},
    Sign{'[', '$', kAny, php, 1, false},
    Sign{'[', 's', 'e', objectivec, 3, false},
    Sign{'[', 'e', 'x', tcl, 5, false},
    Sign{'[', 's', 't', powershell, 1, false},
    Sign{'[', 's', 't', tcl, 2, false},
    Sign{'[', ']', 'c', zig, 6, false},
    Sign{'[', ']', 'u', zig, 4, false},
    Sign{'[', ']', 'b', go, 3, false},
    Sign{'[', ']', 's', go, 3, false},
    Sign{'[', ' ', kAny, shell, 1, false},
    Sign{'\\', '(', kAny, swift, 4, false},
    Sign{'\\', '(', kAny, latex, 1, false},
    Sign{'\\', 'b', 'e', latex, 2, false},
    Sign{'\\', 't', 'e', latex, 3, false},
    Sign{'\\', 'r', 'e', latex, 2, false},
    Sign{']', '$', kAny, powershell, 3, false},
    Sign{']', '!', kAny, graphql, 4, false},
    Sign{'{', '.', kWord, nim, 6, false},
    Sign{'{', 'o', 'k', erlang, 5, false},
    Sign{'{', ':', 'h', elixir, 6, false},
    Sign{'{', '-', '#', haskell, 6, false},
    Sign{'|', '>', kAny, elixir, 3, false},
    Sign{'|', '>', kAny, fsharp, 2, false},
    Sign{'|', '>', kAny, ocaml, 1, false},
    Sign{'~', '=', kAny, lua, 3, false},
    Sign{'~', '=', kAny, matlab, 3, false},
};

// The first row of each first sign, and the one after its last.
struct SignRows {
    std::uint8_t first = 0, last = 0;
};
constexpr std::array<SignRows, 256> sign_rows() {
    std::array<SignRows, 256> table{};
    for (std::size_t row = 0; row < kSigns.size(); ++row) {
        SignRows& rows = table[static_cast<unsigned char>(kSigns[row].one)];
        if (rows.last == 0) rows.first = static_cast<std::uint8_t>(row);
        rows.last = static_cast<std::uint8_t>(row + 1);
    }
    return table;
}
constexpr std::array<SignRows, 256> kSignRows = sign_rows();

// The rows of starts with each first byte, and the row of the longest start that is a proper beginning of each.
constexpr std::uint16_t kNoStart = 65535;
struct StartRows {
    std::uint16_t first = 0, last = 0;
};
constexpr std::array<StartRows, 256> start_rows() {
    std::array<StartRows, 256> table{};
    for (std::size_t row = 0; row < kStarts.size(); ++row) {
        StartRows& rows = table[static_cast<unsigned char>(kStarts[row].text[0])];
        if (rows.last == 0) rows.first = static_cast<std::uint16_t>(row);
        rows.last = static_cast<std::uint16_t>(row + 1);
    }
    return table;
}
constexpr std::array<StartRows, 256> kStartRows = start_rows();

// The first eight bytes of a text, as a number that is in order as they are; 0 for those that it has not.
constexpr std::uint64_t key_of(std::string_view text) {
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < 8; ++i)
        key = key << 8U | (i < text.size() ? static_cast<unsigned char>(text[i]) : std::uint64_t{0});
    return key;
}

constexpr std::array<std::uint64_t, kStarts.size()> start_keys() {
    std::array<std::uint64_t, kStarts.size()> keys{};
    for (std::size_t row = 0; row < kStarts.size(); ++row) keys[row] = key_of(kStarts[row].text);
    return keys;
}
constexpr std::array<std::uint64_t, kStarts.size()> kStartKeys = start_keys();

constexpr std::array<std::uint16_t, kStarts.size()> shorter_starts() {
    std::array<std::uint16_t, kStarts.size()> shorter{};
    for (std::size_t row = 0; row < kStarts.size(); ++row) {
        std::uint16_t above = row == 0 ? kNoStart : static_cast<std::uint16_t>(row - 1);
        if (row > 0 && kStarts[row].text == kStarts[row - 1].text) above = shorter[row - 1];
        while (above != kNoStart && !kStarts[row].text.starts_with(kStarts[above].text)) above = shorter[above];
        shorter[row] = above;
    }
    return shorter;
}
constexpr std::array<std::uint16_t, kStarts.size()> kShorter = shorter_starts();

// Places of what was said: words, signs, starts, then the others.
constexpr std::size_t kSignsFrom = kWordCount;
constexpr std::size_t kStartsFrom = kSignsFrom + kSigns.size();
constexpr std::size_t kOthersFrom = kStartsFrom + kStarts.size();
enum Other : std::size_t {
    kHeader = kOthersFrom,
    kModule,
    kTypes,
    kPackages,
    kLisp,
    kDocumented,
    kNamed,
    kAdorned,
    kClass,
    kMessage,
    kCocoa,
    kExport,
    kMacro,
    kBlock,
    kCommand,
    kRecipe,
    kOpens,
    kEnd
};
static_assert(kEnd <= kSaid);

}  // namespace

namespace {

// What commands of PowerShell begin with.
constexpr std::array<std::string_view, 40> kVerbs = {
    "Add",     "Clear",   "Compare", "Convert", "ConvertFrom", "ConvertTo", "Copy",     "Disable", "Enable",  "Enter",
    "Exit",    "Export",  "Find",    "ForEach", "Format",      "Get",       "Group",    "Import",  "Install", "Invoke",
    "Join",    "Measure", "Move",    "New",     "Out",         "Read",      "Register", "Remove",  "Rename",  "Resolve",
    "Restart", "Select",  "Set",     "Sort",    "Split",       "Start",     "Stop",     "Test",    "Where",   "Write"};

// Whether "Get-Item", "ConvertTo-Json" starts at line[begin], whose letters go on to `end`.
bool opens_command(std::string_view line, std::size_t begin, std::size_t end) {
    if (!upper(line[begin])) return false;
    const std::size_t dash = line.find('-', begin);
    if (dash == std::string_view::npos || dash > end || dash + 2 >= line.size() || !upper(line[dash + 1])) return false;
    std::size_t noun = dash + 1;
    while (noun < line.size() && word_byte(line[noun])) ++noun;
    return (noun == line.size() || (line[noun] != '-' && line[noun] != ':')) &&
           std::find(kVerbs.begin(), kVerbs.end(), line.substr(begin, dash - begin)) != kVerbs.end();
}

// "export NAME=value"
bool exports(std::string_view line) {
    static constexpr std::string_view kExports = "export ";
    if (!line.starts_with(kExports)) return false;
    static constexpr ByteSet kEnds = bytes_of(" =");
    const std::size_t end = find_in(line, kEnds, kExports.size());
    return end < line.size() && line[end] == '=';
}

bool goes_on_with(std::string_view rest, char sign) {
    const std::size_t at = rest.find_first_not_of(' ');
    return at != std::string_view::npos && rest[at] == sign;
}

// Whether the word of line[begin, end) stands so; `first`: no other stands before it.
bool stands(Where where, std::string_view line, std::size_t begin, std::size_t end, bool first) {
    const char before = begin > 0 ? line[begin - 1] : ' ';
    switch (where) {
        case kFirst:
            return first;
        case kAnywhere:
            return before != '.' && before != '$';
        case kCalled:
            return first && goes_on_with(line.substr(end), '(');
        case kKeyed:
            return first && goes_on_with(line.substr(end), ':');
        case kEnding:
            return end == line.size();
        case kMember:
            return before == '.';
        case kTyped:
            if (before != ' ') return before == ':';
            return begin >= 3 && (line[begin - 2] == ':' || (line[begin - 2] == '>' && line[begin - 3] == '-'));
    }
    return false;
}

}  // namespace

void LanguageReader::say(Language language, std::uint32_t weight, std::size_t what) {
    const std::uint32_t times = ++said_[what];
    if (times == 1) ++distinct_[static_cast<std::size_t>(language)];
    if (times <= 3 || (times & (times - 1)) == 0) scores_[static_cast<std::size_t>(language)] += weight;
}

// The word of line[begin, end). Returns the most that it weighs.
std::uint32_t LanguageReader::add_word(std::string_view line, std::size_t begin, std::size_t end, bool first) {
    const std::string_view word = line.substr(begin, end - begin);
    std::size_t slot = slot_of(word);
    const std::uint16_t print = print_of(word);
    while (kSlots[slot].row != kNoWord && (kSlots[slot].print != print || kWords[kSlots[slot].row].text != word))
        slot = (slot + 1) & (kWordSlots - 1);
    if (kSlots[slot].row == kNoWord) return 0;
    const char last = line.back();
    std::uint32_t found = 0;
    bool ended = false;  // a row that asks for the line's end was met: rows that do not are for other ends
    for (std::size_t row = kSlots[slot].row; row < kWordCount && kWords[row].text == word; ++row) {
        const Word& rule = kWords[row];
        if ((rule.last != 0 && rule.last != last) || (rule.last == 0 && ended)) continue;
        if (!stands(rule.where, line, begin, end, first)) continue;
        ended = ended || rule.last != 0;
        say(rule.language, rule.weight, row);
        // Words that no claimed language has are those of sentences, where they may stand anywhere.
        const bool anywhere = rule.where == kAnywhere && static_cast<std::size_t>(rule.language) >= kLanguages;
        if (!anywhere) found = std::max<std::uint32_t>(found, rule.weight);
    }
    return found;
}

// Whether signs that belong together start here. `own`: whether few languages have them.
bool LanguageReader::add_signs(char one, char two, char three, bool& own) {
    const SignRows rows = kSignRows[static_cast<unsigned char>(one)];
    const Sign* like = nullptr;
    for (std::size_t row = rows.first; row < rows.last; ++row) {
        const Sign& sign = kSigns[row];
        if (like != nullptr) {
            if (sign.two != like->two || sign.three != like->three) break;
        } else if ((sign.two == kWord ? word_byte(two) : sign.two == two) &&
                   (sign.three == kAny || sign.three == three ||
                    (sign.three == kCapital && three >= 'A' && three <= 'Z'))) {
            like = &sign;
        } else {
            continue;
        }
        say(sign.language, sign.weight, kSignsFrom + row);
        own = own || sign.own;
    }
    return like != nullptr;
}

// All starts of the line, and the most that one weighs: the last one that is not behind it in order or one of those
// that begin that one, whose own beginnings then are starts of the line, too.
std::uint32_t LanguageReader::add_start(std::string_view line) {
    const StartRows rows = kStartRows[static_cast<unsigned char>(line[0])];
    if (rows.last == 0) return 0;
    const std::uint64_t key = key_of(line);
    const auto* const keys = kStartKeys.data();
    std::size_t behind = static_cast<std::size_t>(std::upper_bound(keys + rows.first, keys + rows.last, key) - keys);
    while (behind > rows.first && kStartKeys[behind - 1] == key && kStarts[behind - 1].text > line) --behind;
    if (behind == rows.first) return 0;
    auto row = static_cast<std::uint16_t>(behind - 1);
    while (row != kNoStart && !line.starts_with(kStarts[row].text)) row = kShorter[row];
    std::uint32_t found = 0;
    for (; row != kNoStart; row = kShorter[row]) {
        const std::string_view text = kStarts[row].text;
        for (std::size_t same = row;; --same) {
            say(kStarts[same].language, kStarts[same].weight, kStartsFrom + same);
            found = std::max<std::uint32_t>(found, kStarts[same].weight);
            if (same == 0 || kStarts[same - 1].text != text) break;
        }
    }
    return found;
}

constexpr std::array<std::string_view, 9> kCppHeaders = {".hh",  ".hpp", ".hxx", "_hh", "_hpp",
                                                         "_hxx", "_HH",  "_HPP", "_HXX"};

// Whether a directive names a header of C++: #include "x.hpp", #ifndef X_HH.
bool names_cpp(std::string_view line) {
    if (!line.starts_with("#include") && !line.starts_with("#ifndef") && !line.starts_with("#define")) return false;
    if (line.back() == '"' || line.back() == '>') line.remove_suffix(1);
    while (line.ends_with('_')) line.remove_suffix(1);
    return std::any_of(kCppHeaders.begin(), kCppHeaders.end(),
                       [&](std::string_view end) { return line.ends_with(end); });
}

// import ... from "x"; is JavaScript, #include <x> without ".h" C++; both have words of other languages.
bool LanguageReader::add_import(std::string_view line) {
    if (line.starts_with("#include <") && line.find(".h") == std::string_view::npos) {
        say(cpp, 6, kHeader);
        return true;
    }
    if (line[0] == '#' && names_cpp(line)) {
        say(cpp, 8, kHeader);
        return false;
    }
    const bool module = line.starts_with("import ") || line.starts_with("} from ");
    if (!module || (line.find(" from '") == std::string_view::npos && line.find(" from \"") == std::string_view::npos))
        return false;
    say(javascript, 5, kModule);
    if (line.starts_with("import type")) say(typescript, 5, kTypes);
    return true;
}

// "package main" alone is Go; with dots and no semicolon, Kotlin or Scala.
bool LanguageReader::add_package(std::string_view line) {
    static constexpr std::string_view kPackage = "package ";
    if (!line.starts_with(kPackage)) return false;
    const std::string_view name = line.substr(kPackage.size());
    if (std::all_of(name.begin(), name.end(), word_byte)) {
        say(go, name == "main" ? 20 : 8, kPackages);
    } else if (name.find(' ') == std::string_view::npos && line.back() != ';' && line.back() != '{') {
        say(kotlin, 8, kPackages);
        say(scala, 8, kPackages);
    } else {
        return false;
    }
    return true;
}

Spoken LanguageReader::add(std::string_view line, const LineBytes& bytes, bool indented) {
    const char last = line.back();
    std::uint32_t weight = add_start(line);
    bool found = false;
    if (!indented && (add_package(line) || add_import(line))) return Spoken::kClearly;
    if (line.starts_with(";")) {
        for (const Language lisp : {commonlisp, elisp, clojure}) say(lisp, 1, kLisp);
        return Spoken::kNot;
    }
    std::size_t start = 0;
    if (line[0] == '#' || line[0] == '@' || line[0] == '=') {
        start = 1;
        static constexpr ByteSet kComments = bytes_of(" #=-*");
        if (line[0] == '#' && line.size() > 1 && in(kComments, line[1])) return Spoken::kNot;
    }
    if (line.starts_with("//") || line.starts_with("* ") || line.starts_with("/*") || line.starts_with("--")) {
        if (line.starts_with("///") || line.starts_with("//!")) say(rust, 1, kDocumented);
        return Spoken::kNot;
    }
    const std::size_t opens = std::min(line.find_first_not_of(' ', start), line.size());
    bytes.each_token([&](std::size_t at) {
        const bool first = at == opens;
        if (!word_byte(line[at])) {
            const char two = at + 1 < line.size() ? line[at + 1] : '\0';
            const char three = at + 2 < line.size() ? line[at + 2] : '\0';
            const bool member = at > 0 && word_byte(line[at - 1]) && line[at] == '.' && two == '{';  // Scala's imports
            if (at < start || member || !add_signs(line[at], two, three, found)) return std::max(at + 1, start);
            std::size_t next = at + 2;
            while (next < line.size() && word_byte(line[next - 1]) && word_byte(line[next])) ++next;  // a name
            return next;
        }
        std::size_t end = bytes.word_end(at);
        while (first && end < line.size() && (word_byte(line[end]) || line[end] == '-')) ++end;
        const std::size_t begin = first ? 0 : at;
        weight = std::max(weight, add_word(line, begin, end, first));
        if (end - begin > 3 && line[begin] == 'N' && line[begin + 1] == 'S' && upper(line[begin + 2]) &&
            lower(line[begin + 3])) {
            say(objectivec, 2, kCocoa);
        }
        if (opens_command(line, begin, end)) {
            say(powershell, 5, kCommand);
            found = found || first;
        }
        if (first && !indented && end + 1 < line.size() && line[end] == '=' && word_byte(line[end - 1]) &&
            line[end + 1] != '=' && last != ',' && last != '(' && last != ';') {
            say(shell, 2, kNamed);  // NAME=value
            found = true;
        }
        return end;
    });
    if (exports(line)) say(shell, 5, kExport), found = true;
    if (line[0] == '\\' && line.size() > 1 && letter(line[1])) say(latex, 2, kMacro);
    if (line[0] == '@' && !indented && last != ';' && last != '{') say(python, 1, kAdorned);
    if (line[0] == '.' && last == '{') say(css, 3, kClass);
    if (line[0] == '[' && last == ';' && line[1] != '[') say(objectivec, 3, kMessage);
    if (last == '|' && line.find(" do |") != std::string_view::npos) say(ruby, 4, kBlock), found = true;
    if (found || weight > 1) return Spoken::kClearly;
    return weight > 0 ? Spoken::kSlightly : Spoken::kNot;
}

void LanguageReader::add_recipe() { say(makefile, 5, kRecipe); }

void LanguageReader::add_docstring() { say(python, 6, kOpens); }

Language interpreter_language(std::string_view command) {
    constexpr std::array<std::pair<std::string_view, Language>, 22> kNames = {
        {{"python", python}, {"pypy", python},  {"node", javascript}, {"nodejs", javascript}, {"perl", perl},
         {"ruby", ruby},     {"php", php},      {"lua", lua},         {"deno", typescript},   {"sh", shell},
         {"bash", shell},    {"dash", shell},   {"ksh", shell},       {"zsh", shell},         {"ash", shell},
         {"tclsh", tcl},     {"wish", tcl},     {"scala", scala},     {"Rscript", r},         {"julia", julia},
         {"elixir", elixir}, {"make", makefile}}};
    while (!command.empty()) {
        const std::size_t first = command.find_first_not_of(' ');
        if (first == std::string_view::npos) return none;
        command.remove_prefix(first);
        std::string_view name = command.substr(0, command.find(' '));
        command.remove_prefix(name.size());
        name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
        if (name == "env" || name.starts_with('-') || name.find('=') != std::string_view::npos) continue;
        while (!name.empty() &&
               ((name.back() >= '0' && name.back() <= '9') || name.back() == '.' || name.back() == '-'))
            name.remove_suffix(1);
        const auto known =
            std::find_if(kNames.begin(), kNames.end(), [&](const auto& one) { return one.first == name; });
        return known == kNames.end() ? none : known->second;
    }
    return none;
}

}  // namespace tersely::detect
