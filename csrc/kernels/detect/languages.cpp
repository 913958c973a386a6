#include "kernels/detect/languages.hpp"

#include <algorithm>
#include <utility>

#include "kernels/detect/bytes.hpp"
#include "kernels/detect/language_signs.hpp"

namespace tersely::detect {

namespace {

// The first eight bytes of a text, as a number that is in order as they are; 0 for those that it has not.
std::uint64_t key_of(std::string_view text) {
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < 8; ++i)
        key = key << 8U | (i < text.size() ? static_cast<unsigned char>(text[i]) : std::uint64_t{0});
    return key;
}

constexpr std::string_view kWords =
#include "kernels/detect/language_words.inc"
    ;
constexpr std::string_view kStarts =
#include "kernels/detect/language_starts.inc"
    ;

// The languages in their order.
constexpr std::string_view kNames =
    " none python javascript typescript go rust java c cpp csharp kotlin swift php ruby perl lua shell sql css yaml "
    "toml rst html xml cmake makefile dockerfile fortran hcl ini powershell batch scala r dart elixir haskell "
    "objectivec protobuf graphql pascal verilog vhdl assembly tcl nim ocaml zig julia erlang clojure commonlisp elisp "
    "latex starlark crystal coffeescript fsharp groovy d vala haxe actionscript solidity shader matlab vim nix elm "
    "nginx prisma gdscript cython sml ada basic m4 coq lean odin vlang bicep mql llvm puppet fish cypher scheme "
    "lispkin prolog qml awk swig postscript bitbake carbon ";
static_assert(std::count(kNames.begin(), kNames.end(), ' ') == kAllLanguages + 1);

constexpr Language language_named(std::string_view name) {
    for (std::size_t at = 1, number = 0; at < kNames.size(); ++number) {
        const std::size_t end = kNames.find(' ', at);
        if (kNames.substr(at, end - at) == name) return static_cast<Language>(number);
        at = end + 1;
    }
    return Language::none;
}

// Calls see(entry, language, weight) for the entries of lists: a line begins with its language, or goes on behind
// blanks, and a number is the weight of what follows.
template <typename See>
constexpr void each_entry(std::string_view lists, See see) {
    Language language = Language::none;
    std::uint8_t weight = 0;
    for (std::size_t at = 0, end = 0; at < lists.size(); at = end + 1) {
        bool number = true;  // by plain loops: compilers limit the steps of a constant
        for (end = at; end < lists.size() && lists[end] != ' ' && lists[end] != '\n'; ++end)
            number = number && '0' <= lists[end] && lists[end] <= '9';
        const std::string_view entry = lists.substr(at, end - at);
        if (at > 0 && lists[at - 1] == '\n' && !entry.empty()) {
            language = language_named(entry);
        } else if (number) {
            for (std::size_t i = 0; i < entry.size(); ++i)
                weight = static_cast<std::uint8_t>(10 * (i == 0 ? 0 : weight) + (entry[i] - '0'));
        } else {
            see(entry, language, weight);
        }
    }
}

constexpr std::size_t count(std::string_view lists) {
    std::size_t entries = 0;
    each_entry(lists, [&](std::string_view, Language language, std::uint8_t) {
        entries += language == Language::none ? kMostStarts : 1;  // of no language that is known
    });
    return entries;
}

Word word_of(std::string_view entry, Language language, std::uint8_t weight) {
    Word word{entry, Where::kFirst, 0, language, weight};
    const std::size_t end = entry.find('~');
    if (end != std::string_view::npos) {
        word.last = entry[end + 1];
        word.text = entry.substr(0, end);
    }
    if (word.text[0] == '.' || word.text[0] == ':') {
        word.where = word.text[0] == '.' ? Where::kMember : Where::kTyped;
        word.text.remove_prefix(1);
        return word;
    }
    static constexpr std::pair<char, Where> kPlaces[] = {
        {'*', Where::kAnywhere}, {'(', Where::kCalled}, {':', Where::kKeyed}, {'$', Where::kEnding}};
    for (const auto& [mark, where] : kPlaces) {
        if (word.text.back() != mark) continue;
        word.where = where;
        word.text.remove_suffix(1);
        break;
    }
    return word;
}

static_assert(count(kWords) <= kMostWords && 2 * kMostWords <= LanguageTables::kSlots);
static_assert(count(kStarts) <= kMostStarts);

}  // namespace

LanguageTables::LanguageTables() : slots_(kSlots) {
    each_entry(kWords, [&](std::string_view entry, Language language, std::uint8_t weight) {
        words_.push_back(word_of(entry, language, weight));
    });
    std::stable_sort(words_.begin(), words_.end(), [](const Word& a, const Word& b) {
        return a.text != b.text ? a.text < b.text : a.last != 0 && b.last == 0;
    });
    for (std::size_t row = 0; row < words_.size(); ++row) {
        if (row > 0 && words_[row].text == words_[row - 1].text) continue;
        std::size_t slot = slot_of(words_[row].text);
        while (slots_[slot].row != kNone) slot = (slot + 1) & (kSlots - 1);
        slots_[slot] = {static_cast<std::uint16_t>(row), print_of(words_[row].text)};
    }
    blanks_.reserve(kStarts.size());  // which starts are views of
    each_entry(kStarts, [&](std::string_view entry, Language language, std::uint8_t weight) {
        const std::size_t begin = blanks_.size();
        for (std::size_t at = 0; at < entry.size();) {
            const bool blank = entry.substr(at).starts_with("\u2423");
            blanks_.push_back(blank ? ' ' : entry[at]);
            at += blank ? 3 : 1;
        }
        starts_.push_back({std::string_view(blanks_).substr(begin), language, weight});
    });
    std::stable_sort(starts_.begin(), starts_.end(), [](const Start& a, const Start& b) { return a.text < b.text; });
    for (std::size_t row = 0; row < starts_.size(); ++row) {
        const std::string_view text = starts_[row].text;
        keys_.push_back(key_of(text));
        ++by_byte_[static_cast<unsigned char>(text[0]) + 1U];
        std::uint16_t above = row == 0 ? kNone : static_cast<std::uint16_t>(row - 1);
        if (row > 0 && text == starts_[row - 1].text) above = shorter_[row - 1];
        while (above != kNone && !text.starts_with(starts_[above].text)) above = shorter_[above];
        shorter_.push_back(above);
    }
    for (std::size_t byte = 1; byte < by_byte_.size(); ++byte)
        by_byte_[byte] = static_cast<std::uint16_t>(by_byte_[byte] + by_byte_[byte - 1]);
}

// The last start that is not behind the line in order, or one of those that begin that one, whose own beginnings then
// are starts of the line, too.
std::size_t LanguageTables::last_start(std::string_view line) const {
    const auto byte = static_cast<unsigned char>(line[0]);
    const std::size_t first = by_byte_[byte];
    const std::uint64_t key = key_of(line);
    auto behind = static_cast<std::size_t>(
        std::upper_bound(keys_.begin() + static_cast<std::ptrdiff_t>(first), keys_.begin() + by_byte_[byte + 1U], key) -
        keys_.begin());
    while (behind > first && keys_[behind - 1] == key && starts_[behind - 1].text > line) --behind;
    if (behind == first) return kNone;
    auto row = static_cast<std::uint16_t>(behind - 1);
    while (row != kNone && !line.starts_with(starts_[row].text)) row = shorter_[row];
    return row;
}

const LanguageTables& language_tables() {
    static const LanguageTables kTables;
    return kTables;
}

namespace {

using enum Language;

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

// Places of what was said: others, signs, starts, words.
enum Other : std::size_t {
    kHeader,
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
constexpr std::size_t kSignsFrom = kEnd;
constexpr std::size_t kStartsFrom = kSignsFrom + kSigns.size();
constexpr std::size_t kWordsFrom = kStartsFrom + kMostStarts;
static_assert(kWordsFrom + kMostWords <= kSaid);

// What commands of PowerShell begin with.
constexpr std::array<std::string_view, 40> kVerbs = {
    "Add",     "Clear",   "Compare", "Convert", "ConvertFrom", "ConvertTo", "Copy",     "Disable", "Enable",  "Enter",
    "Exit",    "Export",  "Find",    "ForEach", "Format",      "Get",       "Group",    "Import",  "Install", "Invoke",
    "Join",    "Measure", "Move",    "New",     "Out",         "Read",      "Register", "Remove",  "Rename",  "Resolve",
    "Restart", "Select",  "Set",     "Sort",    "Split",       "Start",     "Stop",     "Test",    "Where",   "Write"};

// Whether "Get-Item", "ConvertTo-Json" starts at line[begin], whose letters go on to `end`.
bool opens_command(std::string_view line, std::size_t begin, std::size_t end) {
    if (!ascii_upper(line[begin])) return false;
    const std::size_t dash = line.find('-', begin);
    if (dash == std::string_view::npos || dash > end || dash + 2 >= line.size() || !ascii_upper(line[dash + 1]))
        return false;
    std::size_t noun = dash + 1;
    while (noun < line.size() && text::ascii_word(line[noun])) ++noun;
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
        case Where::kFirst:
            return first;
        case Where::kAnywhere:
            return before != '.' && before != '$';
        case Where::kCalled:
            return first && goes_on_with(line.substr(end), '(');
        case Where::kKeyed:
            return first && goes_on_with(line.substr(end), ':');
        case Where::kEnding:
            return end == line.size();
        case Where::kMember:
            return before == '.';
        case Where::kTyped:
            if (before != ' ') return before == ':';
            return begin >= 3 && (line[begin - 2] == ':' || (line[begin - 2] == '>' && line[begin - 3] == '-'));
    }
    return false;
}

}  // namespace

// What is said for the so manieth time.
void LanguageReader::count(Language language, std::uint32_t weight, std::uint32_t times) {
    if (times == 1) ++distinct_[static_cast<std::size_t>(language)];
    if (times <= 3 || (times & (times - 1)) == 0) scores_[static_cast<std::size_t>(language)] += weight;
}

// The word of line[begin, end). Returns the most that it weighs.
std::uint32_t LanguageReader::add_word(std::string_view line, std::size_t begin, std::size_t end, bool first) {
    const char last = line.back();
    std::uint32_t found = 0;
    bool ended = false;  // a row that asks for the line's end was met: rows that do not are for other ends
    for (const Word& rule : tables_.find(line.substr(begin, end - begin))) {
        if ((rule.last != 0 && rule.last != last) || (rule.last == 0 && ended)) continue;
        if (!stands(rule.where, line, begin, end, first)) continue;
        ended = ended || rule.last != 0;
        say(rule.language, rule.weight, kWordsFrom + tables_.row(rule));
        // Words that no claimed language has are those of sentences, too: "Function: main", "then it is".
        const bool claimed = static_cast<std::size_t>(rule.language) < kLanguages;
        const std::uint32_t least = rule.where == Where::kAnywhere ? 0 : 1;
        found = std::max<std::uint32_t>(found, claimed ? rule.weight : least);
    }
    return found;
}

// Whether signs that belong together start here. `own`: whether few languages have them.
bool LanguageReader::add_signs(char one, char two, char three, bool& own) {
    const SignRows rows = kSignRows[static_cast<unsigned char>(one)];
    for (std::size_t row = rows.first; row < rows.last; ++row) {
        const Sign& sign = kSigns[row];
        if (!(sign.two == kWord ? text::ascii_word(two) : sign.two == two)) continue;
        if (sign.three != kAny && sign.three != three && !(sign.three == kCapital && three >= 'A' && three <= 'Z'))
            continue;
        const std::uint32_t times = ++said_[kSignsFrom + row];
        for (const Vote& vote : sign.votes) {
            if (vote.weight == 0) break;
            count(vote.language, vote.weight, times);
        }
        own = own || sign.own;
        return true;
    }
    return false;
}

// All starts of the line, and the most that one weighs.
std::uint32_t LanguageReader::add_start(std::string_view line) {
    std::uint32_t found = 0;
    tables_.each_start(line, [&](const Start& start, std::size_t row) {
        say(start.language, start.weight, kStartsFrom + row);
        found = std::max<std::uint32_t>(found, start.weight);
    });
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
    if (std::all_of(name.begin(), name.end(), text::ascii_word)) {
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
        if (!text::ascii_word(line[at])) {
            const char two = at + 1 < line.size() ? line[at + 1] : '\0';
            const char three = at + 2 < line.size() ? line[at + 2] : '\0';
            const bool member =
                at > 0 && text::ascii_word(line[at - 1]) && line[at] == '.' && two == '{';  // Scala's imports
            if (at < start || member || !add_signs(line[at], two, three, found)) return std::max(at + 1, start);
            std::size_t next = at + 2;
            while (next < line.size() && text::ascii_word(line[next - 1]) && text::ascii_word(line[next]))
                ++next;  // a name
            return next;
        }
        std::size_t end = bytes.word_end(at);
        while (first && end < line.size() && (text::ascii_word(line[end]) || line[end] == '-')) ++end;
        const std::size_t begin = first ? 0 : at;
        weight = std::max(weight, add_word(line, begin, end, first));
        if (end - begin > 3 && line[begin] == 'N' && line[begin + 1] == 'S' && ascii_upper(line[begin + 2]) &&
            ascii_lower(line[begin + 3])) {
            say(objectivec, 2, kCocoa);
        }
        if (opens_command(line, begin, end)) {
            say(powershell, 5, kCommand);
            found = found || first;
        }
        if (first && !indented && end + 1 < line.size() && line[end] == '=' && text::ascii_word(line[end - 1]) &&
            line[end + 1] != '=' && last != ',' && last != '(' && last != ';') {
            say(shell, 2, kNamed);  // NAME=value
            found = true;
        }
        return end;
    });
    if (exports(line)) say(shell, 5, kExport), found = true;
    if (line[0] == '\\' && line.size() > 1 && ascii_alpha(line[1])) say(latex, 2, kMacro);
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
    constexpr std::array<std::pair<std::string_view, Language>, 22> kInterpreters = {
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
        const auto known = std::find_if(kInterpreters.begin(), kInterpreters.end(),
                                        [&](const auto& one) { return one.first == name; });
        return known == kInterpreters.end() ? none : known->second;
    }
    return none;
}

}  // namespace tersely::detect
