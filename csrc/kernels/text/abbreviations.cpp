#include "kernels/text/abbreviations.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"
#include "kernels/text/word_set.hpp"

namespace tersely::text {
namespace {

constexpr auto kStarters = std::to_array<std::string_view>(
    {// English
     "a", "about", "according", "after", "again", "all", "also", "although", "an", "and", "another", "any", "are", "as",
     "at", "because", "before", "both", "but", "by", "can", "could", "did", "do", "does", "during", "each", "even",
     "every", "finally", "first", "for", "from", "have", "he", "her", "here", "his", "how", "however", "i", "i'm", "if",
     "in", "is", "it", "it's", "its", "later", "let", "like", "many", "maybe", "most", "my", "no", "not", "now", "of",
     "on", "once", "one", "only", "or", "other", "our", "over", "please", "several", "she", "should", "since", "so",
     "some", "such", "thanks", "that", "the", "their", "then", "there", "these", "they", "this", "those", "though",
     "through", "thus", "to", "today", "two", "under", "until", "was", "we", "well", "were", "what", "when", "where",
     "which", "while", "who", "why", "will", "with", "would", "yes", "yet", "you", "your", "mr", "mrs", "ms", "dr",
     // German
     "aber", "als", "am", "auch", "auf", "bei", "da", "das", "dass", "dem", "den", "der", "die", "dies", "diese",
     "doch", "ein", "eine", "er", "es", "für", "ich", "ihr", "im", "man", "mit", "nach", "sie", "und", "von", "was",
     "wenn", "wie", "wir", "zu", "zudem",
     // Spanish, French
     "el", "la", "los", "las", "un", "una", "en", "se", "su", "es", "y", "pero", "que", "con", "por", "para", "le",
     "les", "une", "il", "elle", "nous", "vous", "ce", "cette", "dans", "et", "mais", "pour"});

// Months as languages spell them whose ordinals have a stop: before these "3." is a date.
constexpr auto kMonths = std::to_array<std::string_view>(
    {"januar", "jänner", "februar",   "februari", "märz",     "marts",    "mars",     "april",    "mai", "maj", "juni",
     "juli",   "august", "september", "oktober",  "november", "dezember", "desember", "december", "jan", "feb", "mär",
     "apr",    "jun",    "jul",       "aug",      "sep",      "sept",     "okt",      "nov",      "dez"});

enum class List : std::uint8_t { kNoList, kNeverList, kTitleList, kNumberList, kCapitalList, kOftenList, kEndList };

constexpr std::pair<List, std::string_view> kAbbreviations[] = {
#include "kernels/text/abbreviation_words.inc"
};

// A word without case and accents.
std::string plain(std::string_view word) {
    std::string folded;
    for (std::size_t at = 0; at < word.size(); at += decode(word, at).length) {
        const char32_t code = decode(word, at).code;
        if ((char_class(code) & kMark) == 0) append_utf8(folded, fold(code));
    }
    return folded;
}

WordSet abbreviations() {
    WordSet words(1024);
    for (const auto& [list, row] : kAbbreviations) {
        each_word(row,
                  [&, of = list](std::string_view word) { words.add(plain(word), static_cast<std::uint8_t>(of)); });
    }
    return words;
}

// Frequent words of up to five bytes: of languages that write ordinals with a stop, and of English.
constexpr std::size_t kLongestFunctionWord = 5;

enum Speaks : std::uint8_t { kForNothing, kForOrdinals, kForEnglish };

constexpr auto kOfOrdinals = std::to_array<std::string_view>(
    {// German
     "und", "der", "die", "das", "ist", "nicht", "mit", "für", "von", "den", "ein", "eine", "sich", "auf", "im", "wir",
     "ich", "zu", "dem", "des",
     // Danish, Norwegian
     "og", "af", "av", "det", "ikke", "som", "til", "på", "er", "har", "blev", "ble", "efter",
     // Czech, Slovak, Croatian, Slovene, Polish
     "že", "jsou", "jako", "však", "nebo", "byl", "byla", "bylo", "podle", "který", "alebo", "koji", "nije", "nie",
     "jest", "oraz", "przez",
     // Finnish, Estonian, Hungarian, Turkish
     "ja", "oli", "ovat", "että", "ning", "és", "hogy", "egy", "nem", "volt", "az", "ve", "bir", "bu", "için", "ile",
     "olan"});
constexpr auto kOfEnglish = std::to_array<std::string_view>(
    {"the", "of", "and", "to", "is", "that", "for", "it", "with", "was", "this", "are"});

WordSet set_of(std::span<const std::string_view> list) {
    WordSet words(list.size());
    words.add(list, 1);
    return words;
}

}  // namespace

Abbreviation abbreviation(std::string_view word, bool capitalised) {
    static const WordSet words = abbreviations();
    switch (static_cast<List>(words.find(plain(word)))) {
        case List::kNeverList:
            return Abbreviation::kNever;
        case List::kTitleList:
            return capitalised ? Abbreviation::kNever : Abbreviation::kOften;
        case List::kNumberList:
            return Abbreviation::kNumber;
        case List::kCapitalList:
            return capitalised ? Abbreviation::kOften : Abbreviation::kNone;
        case List::kOftenList:
            return Abbreviation::kOften;
        case List::kEndList:
            return Abbreviation::kEnds;
        case List::kNoList:
            break;
    }
    return Abbreviation::kNone;
}

bool is_sentence_starter(std::string_view lower) {
    static const WordSet words = set_of(kStarters);
    return words.find(lower) != 0;
}

bool is_month(std::string_view lower) {
    static const WordSet words = set_of(kMonths);
    return words.find(lower) != 0;
}

int ordinal_balance(std::string_view text) {
    static const WordSet words = [] {
        WordSet made(kOfOrdinals.size() + kOfEnglish.size());
        made.add(kOfOrdinals, kForOrdinals);
        made.add(kOfEnglish, kForEnglish);
        return made;
    }();
    int balance = 0;
    std::array<char, kLongestFunctionWord> word{};
    std::size_t size = 0;
    for (const char byte : text.substr(0, 4096)) {
        if (ascii_alpha(byte) || static_cast<unsigned char>(byte) >= 0x80U) {
            if (size < word.size()) word[size] = ascii_small(byte);
            ++size;
            continue;
        }
        if (size >= 2 && size <= word.size()) {
            const std::uint8_t speaks = words.find({word.data(), size});
            balance += (speaks == kForOrdinals ? 1 : 0) - (speaks == kForEnglish ? 1 : 0);
        }
        size = 0;
    }
    return balance;
}

}  // namespace tersely::text
