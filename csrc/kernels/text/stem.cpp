#include "kernels/text/stem.hpp"

#include <string_view>

#include "kernels/text/unicode.hpp"

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

}  // namespace tersely::text
