// Words that decide whether a full stop ends a sentence. All lists are lower case and without the
// final stop.
#pragma once

#include <optional>
#include <string_view>

namespace tersely::text {

enum class Abbreviation {
    kNone,
    kNever,   // no sentence ends here: Dr. e.g. z.B. Sra.
    kNumber,  // not before a number: No. p. Fig. art.
    kOften    // ends a sentence only before a word that likes to start one: Inc. p.m. etc. Jan.
};

// `capitalised`: the word is written with a capital. Titles, months, days and states are abbreviations only
// then ("Sun." but not "the sun."); a small-letter title ends a sentence like one of kOften.
Abbreviation abbreviation(std::string_view lower, bool capitalised);

// Words that begin sentences far more often than they continue one after an abbreviation
// (pronouns, articles, conjunctions; English, German, Spanish, French). Case is ignored.
bool is_sentence_starter(std::string_view lower);

// Whether a number with a stop is an ordinal in this text ("am 3. Juni"): true when German function
// words outnumber English ones in its first 4 KB.
bool has_ordinal_stops(std::string_view text);

// The same, found out when it is asked for first: most texts have no number before a stop.
class OrdinalStops {
  public:
    explicit OrdinalStops(std::string_view text) : text_(text) {}
    bool operator()() const {
        if (!known_) known_ = has_ordinal_stops(text_);
        return *known_;
    }

  private:
    std::string_view text_;
    mutable std::optional<bool> known_;
};

}  // namespace tersely::text
