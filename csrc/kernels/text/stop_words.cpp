#include <array>

#include "kernels/text/terms.hpp"
#include "kernels/text/word_set.hpp"

namespace tersely::text {

namespace {

constexpr std::array<std::string_view, 122> kWords = {
    "a",       "about", "above",  "after",   "again",   "all",  "also",   "am",      "an",    "and",     "any",
    "are",     "as",    "at",     "be",      "because", "been", "before", "being",   "below", "between", "both",
    "but",     "by",    "can",    "could",   "did",     "do",   "does",   "doing",   "down",  "during",  "each",
    "few",     "for",   "from",   "further", "had",     "has",  "have",   "having",  "he",    "her",     "here",
    "hers",    "him",   "his",    "how",     "i",       "if",   "in",     "into",    "is",    "it",      "its",
    "itself",  "just",  "ll",     "me",      "more",    "most", "my",     "myself",  "now",   "of",      "off",
    "on",      "once",  "only",   "or",      "other",   "our",  "ours",   "out",     "over",  "own",     "re",
    "same",    "she",   "should", "so",      "some",    "such", "than",   "that",    "the",   "their",   "theirs",
    "them",    "then",  "there",  "these",   "they",    "this", "those",  "through", "to",    "too",     "under",
    "until",   "up",    "ve",     "very",    "was",     "we",   "were",   "what",    "when",  "where",   "which",
    "while",   "who",   "whom",   "whose",   "why",     "will", "with",   "would",   "you",   "your",    "yours",
    "yourself"};

WordSet stop_words() {
    WordSet words(kWords.size());
    words.add(kWords, 1);
    return words;
}

}  // namespace

bool is_stop_word(std::string_view folded) {
    static const WordSet words = stop_words();
    return words.find(folded) != 0;
}

}  // namespace tersely::text
