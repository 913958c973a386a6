// Words that decide whether a full stop ends a sentence. All lists are without the final stop.
#pragma once

#include <optional>
#include <string_view>

namespace tersely::text {

enum class Abbreviation {
    kNone,
    kNever,   // no sentence ends here: Dr. e.g. z.B. Sra.
    kNumber,  // not before a number: No. p. Fig. art.
    kEnds,    // ends a sentence only before a capital: itd. т.д. enz.
    kOften    // ends a sentence only before a word that likes to start one: Inc. p.m. etc. Jan.
};

// In any case, with accents or without. `capitalised`: the word is written with a capital. Titles, months, days and
// states are abbreviations only then ("Sun." but not "the sun."); a small-letter title ends a sentence like one of
// kOften.
Abbreviation abbreviation(std::string_view word, bool capitalised);

// Words that begin sentences far more often than they continue one after an abbreviation
// (pronouns, articles, conjunctions; English, German, Spanish, French). Case is ignored.
bool is_sentence_starter(std::string_view lower);

// The name of a month, or its start, in a language that writes "3. Juni". Lower case.
bool is_month(std::string_view lower);

// How many more function words the first 4 KB of a text have of languages that write ordinals with a stop (German,
// Danish, Norwegian, Czech, Slovak, Croatian, Polish, Finnish, Estonian, Hungarian, Turkish) than of English.
int ordinal_balance(std::string_view text);

// Whether numbers with a stop are ordinals in a text, found out when it is asked for first: most have none.
class OrdinalStops {
  public:
    explicit OrdinalStops(std::string_view text) : text_(text) {}
    // Before a word in small letters: a month where nothing speaks for English, else any that starts no sentence.
    bool before(std::string_view follower) const {
        if (!balance_) balance_ = ordinal_balance(text_);
        return is_month(follower) ? *balance_ >= 0 : *balance_ > 0 && !is_sentence_starter(follower);
    }

  private:
    std::string_view text_;
    mutable std::optional<int> balance_;
};

}  // namespace tersely::text
