#include "kernels/detect/languages.hpp"

#include <utility>

#include "kernels/detect/language_words.hpp"

namespace tersely::detect {
namespace {

using enum Language;

constexpr std::size_t slot_of(std::string_view word) {
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(word[i])); };
    return (byte(0) * 7 + byte(word.size() - 1) * 31 + byte(word.size() / 2) * 131 + word.size() * 17) & 1023U;
}

constexpr std::uint8_t kNoWord = 255;
static_assert(kWordCount < kNoWord);

// The first row of each word, at its slot or the next free one.
constexpr std::array<std::uint8_t, 1024> word_slots() {
    std::array<std::uint8_t, 1024> slots{};
    slots.fill(kNoWord);
    for (std::size_t row = 0; row < kWordCount; ++row) {
        if (row > 0 && kWords[row].text == kWords[row - 1].text) continue;
        std::size_t slot = slot_of(kWords[row].text);
        while (slots[slot] != kNoWord) slot = (slot + 1) & 1023U;
        slots[slot] = static_cast<std::uint8_t>(row);
    }
    return slots;
}
constexpr std::array<std::uint8_t, 1024> kSlots = word_slots();

constexpr bool word_byte(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' || (byte >= '0' && byte <= '9');
}

std::uint32_t& at(LanguageScores& scores, Language language) { return scores[static_cast<std::size_t>(language)]; }

bool add_word(std::string_view word, bool first, char last, LanguageScores& scores) {
    std::size_t slot = slot_of(word);
    while (kSlots[slot] != kNoWord && kWords[kSlots[slot]].text != word) slot = (slot + 1) & 1023U;
    if (kSlots[slot] == kNoWord) return false;
    bool found = false;
    bool ended = false;  // a row that asks for the line's end was met: rows that do not are for other ends
    for (std::size_t row = kSlots[slot]; row < kWordCount && kWords[row].text == word; ++row) {
        const Word& rule = kWords[row];
        if ((rule.where == kFirst && !first) || (rule.last != 0 && rule.last != last)) continue;
        if (rule.last == 0 && ended) continue;
        ended = ended || rule.last != 0;
        at(scores, rule.language) += rule.weight;
        found = found || rule.weight > 0;
    }
    return found;
}

// Two or three signs that belong together; 0 where they do not, 1 where many languages have them, else 2.
int add_signs(char one, char two, char three, LanguageScores& scores) {
    const auto add = [&](Language language, std::uint32_t weight) { at(scores, language) += weight; };
    switch (one) {
        case ':':
            if (two == '=') return add(go, 3), 2;
            if (two == ':') return add(rust, 1), add(cpp, 1), add(perl, 1), 1;
            return 0;
        case '=':
            if (two == '=' && three == '=') return add(javascript, 3), 1;
            if (two == '>') return add(javascript, 1), add(rust, 1), add(php, 1), add(perl, 1), 1;
            return 0;
        case '-':
            if (two == '>') return add(rust, 1), add(c, 1), add(php, 1), add(perl, 1), 1;
            return 0;
        case '&':
            if (two == '\'') return add(rust, 3), 2;
            return two == '&' ? 1 : 0;
        case '#':
            if (two == '[' || (two == '!' && three == '[')) return add(rust, 5), 2;
            return 0;
        case '$':
            if (two == '(') return add(shell, 1), add(javascript, 1), 1;
            if (two == '{') return add(shell, 2), add(javascript, 1), 1;
            if (word_byte(two)) return add(php, 1), add(perl, 1), add(shell, 1), 1;
            return 0;
        case '@':
            if (two == '_' || two == '{') return add(perl, 3), 1;
            return 0;
        case '"':
            if (two == '"' && three == '"') return add(python, 3), 2;
            return 0;
        case ';':
            if (two == ';') return add(shell, 3), 2;
            return 0;
        case '[':
            if (two == '[' || two == ' ') return add(shell, two == '[' ? 3 : 1), 1;
            return 0;
        case '<':
            if (two == '?' && three == 'p') return add(php, 20), 2;
            return 0;
        default:
            return 0;
    }
}

}  // namespace

bool add_language_scores(std::string_view line, bool indented, LanguageScores& scores) {
    const char last = line.back();
    bool found = false;
    std::size_t start = 0;
    if (line[0] == '#' || line[0] == '@' || line[0] == '=') {
        start = 1;
        if (line[0] == '#' && line.size() > 1 && line[1] == ' ') return false;  // a comment
    }
    if (line.starts_with("//") || line.starts_with("* ") || line.starts_with("/*") || line.starts_with("--")) {
        if (line.starts_with("///") || line.starts_with("//!")) at(scores, rust) += 1;
        return false;
    }
    bool first = true;
    for (std::size_t i = start; i < line.size();) {
        const char byte = line[i];
        if (word_byte(byte)) {
            std::size_t end = i + 1;
            while (end < line.size() && (word_byte(line[end]) || (first && line[end] == '-'))) ++end;
            const std::string_view word = line.substr(first ? 0 : i, first ? end : end - i);
            found = add_word(word, first, last, scores) || found;
            if (first && !indented && end + 1 < line.size() && line[end] == '=' && word_byte(line[end - 1]) &&
                line[end + 1] != '=' && last != ',' && last != '(' && last != ';') {
                at(scores, shell) += 2;  // NAME=value
                found = true;
            }
            first = false;
            i = end;
            continue;
        }
        const char two = i + 1 < line.size() ? line[i + 1] : '\0';
        const char three = i + 2 < line.size() ? line[i + 2] : '\0';
        if (const int signs = add_signs(byte, two, three, scores); signs > 0) {
            found = found || signs > 1;
            i += 2;
            first = false;
            continue;
        }
        if (byte != ' ') first = false;
        ++i;
    }
    if (line[0] == '@' && !indented && last != ';' && last != '{') at(scores, python) += 1;
    if (line[0] == '.' && last == '{') at(scores, css) += 3;
    return found;
}

Language shebang_language(std::string_view line) {
    if (!line.starts_with("#!")) return none;
    constexpr std::array<std::pair<std::string_view, Language>, 8> kNames = {{{"python", python},
                                                                              {"node", javascript},
                                                                              {"perl", perl},
                                                                              {"ruby", ruby},
                                                                              {"php", php},
                                                                              {"lua", lua},
                                                                              {"deno", typescript},
                                                                              {"sh", shell}}};
    for (const auto& [name, language] : kNames) {
        if (line.find(name) != std::string_view::npos) return language;
    }
    return none;
}

}  // namespace tersely::detect
