#include "kernels/text/stem.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "kernels/text/terms.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {
namespace {

bool vowel(char letter) { return among(letter, "aeiouy"); }

bool has_vowel(std::string_view word) {
    for (const char letter : word) {
        if (vowel(letter)) return true;
    }
    return false;
}

// "hopping" -> "hop", "falling" -> "fall"; and "hoping" -> "hope" loses its e like "hope" does.
void undouble(std::string& word) {
    const std::size_t size = word.size();
    if (size > 3 && word[size - 1] == word[size - 2] && !among(word[size - 1], "lsz") && !vowel(word[size - 1])) {
        word.pop_back();
    }
}

bool cut(std::string& word, std::string_view suffix, std::size_t least) {
    if (!word.ends_with(suffix) || word.size() - suffix.size() < least) return false;
    if (!has_vowel(std::string_view(word).substr(0, word.size() - suffix.size()))) return false;
    word.resize(word.size() - suffix.size());
    return true;
}

bool within(char32_t code, char32_t first, char32_t last) { return code >= first && code <= last; }

template <std::size_t N>
bool cut_one_of(std::u32string& word, const std::array<std::u32string_view, N>& endings, std::size_t least) {
    for (const std::u32string_view ending : endings) {
        if (word.size() < ending.size() + least || !word.ends_with(ending)) continue;
        word.resize(word.size() - ending.size());
        return true;
    }
    return false;
}

char32_t one_form(char32_t code) {
    switch (code) {
        case U'\u0622':
        case U'\u0623':
        case U'\u0625':
        case U'\u0671':
            return U'\u0627';  // alef
        case U'\u0649':
        case U'\u06CC':
            return U'\u064A';  // ya
        case U'\u06A9':
            return U'\u0643';  // kaf
        case U'\u0629':
            return U'\u0647';  // ta marbuta, as ha
        default:
            return code;
    }
}

void normalize_arabic(std::u32string& word) {
    std::erase_if(word, [](char32_t code) { return within(code, 0x64B, 0x652) || code == 0x640 || code == 0x670; });
    std::transform(word.begin(), word.end(), word.begin(), one_form);
}

// "and" or "so" may be written onto a stop word.
bool arabic_stop_word(std::u32string_view word) {
    if (is_stop_word(word)) return true;
    return word.size() > 2 && (word.front() == U'\u0648' || word.front() == U'\u0641') && is_stop_word(word.substr(1));
}

void stem_arabic(std::u32string& word) {
    static constexpr std::array<std::u32string_view, 6> kArticles = {U"وال", U"بال", U"كال", U"فال", U"ال", U"لل"};
    static constexpr std::array<std::u32string_view, 6> kLong = {U"ها", U"ان", U"ات", U"ون", U"ين", U"يه"};
    static constexpr std::array<std::u32string_view, 2> kShort = {U"ه", U"ي"};
    bool article = false;
    for (const std::u32string_view prefix : kArticles) {
        if (article || word.size() < prefix.size() + 2 || !word.starts_with(prefix)) continue;
        word.erase(0, prefix.size());
        article = true;
    }
    if (!article && word.size() > 3 && word.front() == U'\u0648') word.erase(0, 1);
    cut_one_of(word, kLong, 2);
    cut_one_of(word, kShort, 2);
}

bool devanagari_letter(char32_t code) { return within(code, 0x904, 0x939) || within(code, 0x958, 0x961); }

char32_t without_nukta(char32_t code) {
    static constexpr std::u32string_view kPlain = U"\u0915\u0916\u0917\u091C\u0921\u0922\u092B\u092F";
    return within(code, 0x958, 0x95F) ? kPlain[code - 0x958] : code;
}

void normalize_devanagari(std::u32string& word) {
    std::erase(word, U'\u093C');
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char32_t code) { return code == 0x901 ? char32_t{0x902} : without_nukta(code); });
}

void stem_devanagari(std::u32string& word) {
    if (std::count_if(word.begin(), word.end(), devanagari_letter) < 2) return;
    const auto sign = [](char32_t code) { return within(code, 0x93E, 0x94C) || within(code, 0x900, 0x903); };
    while (sign(word.back())) word.pop_back();
    if (std::count_if(word.begin(), word.end(), devanagari_letter) < 3) return;
    if (word.ends_with(U"\u093F\u092F")) word.resize(word.size() - 2);
}

void stem_cyrillic(std::u32string& word) {
    static constexpr std::array<std::u32string_view, 42> kEndings = {
        U"иями", U"ями", U"ами", U"его", U"ему", U"ими", U"ого", U"ому", U"ыми", U"иях", U"иям", U"ая", U"яя", U"ах",
        U"ях",   U"ею",  U"их",  U"ия",  U"ию",  U"ие",  U"ыи",  U"им",  U"ое",  U"ом",  U"ов",  U"ые", U"ои", U"ым",
        U"ых",   U"ую",  U"юю",  U"ям",  U"ам",  U"ем",  U"еи",  U"ев",  U"ою",  U"ьи",  U"ья",  U"ье", U"ью", U"ии"};
    if (cut_one_of(word, kEndings, 3)) return;
    if (word.size() > 3 && std::u32string_view(U"аеиоуыэюяь").find(word.back()) != std::u32string_view::npos) {
        word.pop_back();
    }
}

}  // namespace

void stem(std::string& word) {
    if (word.size() < 4) return;
    if (word.ends_with("ies") && word.size() > 4) {
        word.resize(word.size() - 2);
    } else if (word.ends_with("sses") || word.ends_with("shes") || word.ends_with("ches") || word.ends_with("xes")) {
        word.resize(word.size() - 2);
    } else if (word.back() == 's' && word[word.size() - 2] != 's' && word[word.size() - 2] != 'u' &&
               word[word.size() - 2] != 'i') {
        word.pop_back();
    }
    if (cut(word, "ing", 3) || cut(word, "ed", 3)) {
        undouble(word);
    } else {
        cut(word, "ly", 4);
    }
    if (word.size() > 3 && word.back() == 'y' && !vowel(word[word.size() - 2])) word.back() = 'i';
    if (word.size() > 3 && word.back() == 'e') word.pop_back();
}

bool stem_script(std::string& word) {
    std::u32string codes;
    for (std::size_t at = 0; at < word.size();) {
        const Decoded here = decode(word, at);
        codes.push_back(here.code);
        at += here.length;
    }
    const auto all = [&](char32_t first, char32_t last) {
        return std::all_of(codes.begin(), codes.end(), [&](char32_t code) { return within(code, first, last); });
    };
    const bool arabic = all(0x600, 0x6FF);
    const bool devanagari = all(0x900, 0x97F);
    if (arabic) normalize_arabic(codes);
    if (devanagari) normalize_devanagari(codes);
    if (codes.empty()) return true;  // of marks alone
    if (arabic ? arabic_stop_word(codes) : is_stop_word(std::u32string_view(codes))) return false;
    if (codes.size() > 2) {
        if (arabic) stem_arabic(codes);
        if (devanagari) stem_devanagari(codes);
        if (all(0x400, 0x4FF)) stem_cyrillic(codes);
    }
    if (codes.empty()) return true;
    word.clear();
    for (const char32_t code : codes) append_utf8(word, code);
    return true;
}

}  // namespace tersely::text
