#include "kernels/text/term_class.hpp"

#include <algorithm>
#include <array>

#include "kernels/text/unicode.hpp"
#include "kernels/text/word_set.hpp"

namespace tersely::text {
namespace {

// Folded and stemmed, as terms are. "may" is left out: it is more often the verb.
constexpr std::array<std::string_view, 22> kMonths = {
    "apr",  "april", "aug", "august", "dec", "december", "feb", "februari", "jan", "januari", "jul",
    "juli", "jun",   "mar", "march",  "nov", "november", "oct", "october",  "sep", "sept",    "september"};
constexpr std::array<std::string_view, 44> kNumbers = {
    "billion",  "doubl",   "dozen",    "eight",   "eighteen", "eighti",  "eleven", "fifteen",  "fifti",
    "first",    "fiv",     "forti",    "four",    "fourteen", "half",    "hundr",  "million",  "nin",
    "nineteen", "nineti",  "once",     "one",     "percent",  "quarter", "second", "seven",    "seventeen",
    "seventi",  "several", "six",      "sixteen", "sixti",    "ten",     "third",  "thirteen", "thirti",
    "thousand", "thre",    "trillion", "tripl",   "twelv",    "twenti",  "twic",   "two"};
// What people write whatever they write about: courtesies, filler, calls to the reader, notices at the edges of pages.
constexpr std::array<std::string_view, 293> kCommon = {
    "abl",        "across",      "actual",     "add",        "afternoon", "agre",       "ahead",
    "allow",      "almost",      "alreadi",    "alright",    "alway",     "amaz",       "answer",
    "anybodi",    "anyon",       "anyth",      "anyway",     "appreciat", "around",     "ask",
    "availabl",   "away",        "awesom",     "back",       "bad",       "basical",    "beautiful",
    "begin",      "believ",      "best",       "better",     "big",       "bit",        "bring",
    "brows",      "browser",     "bye",        "call",       "certain",   "chanc",      "check",
    "cheer",      "clear",       "click",      "clos",       "com",       "comment",    "congratulation",
    "contact",    "continu",     "cooki",      "cool",       "copyright", "cours",      "day",
    "dear",       "dearest",     "delight",    "disclaimer", "discuss",   "easi",       "els",
    "email",      "end",         "enjoy",      "enough",     "especial",  "etc",        "even",
    "ever",       "everi",       "everybodi",  "everyon",    "everyth",   "exact",      "exampl",
    "excit",      "expect",      "experienc",  "explain",    "fact",      "far",        "feedback",
    "feel",       "fin",         "find",       "first",      "follow",    "forward",    "fre",
    "friend",     "full",        "fun",        "get",        "giv",       "glad",       "go",
    "going",      "gon",         "good",       "goodby",     "goodnight", "got",        "grateful",
    "great",      "greet",       "guess",      "guy",        "happen",    "happi",      "hard",
    "hear",       "hello",       "help",       "hesitat",    "hey",       "hi",         "hmm",
    "honest",     "hop",         "idea",       "important",  "includ",    "interest",   "keep",
    "kind",       "know",        "known",      "last",       "later",     "latest",     "learn",
    "leav",       "let",         "licenc",     "licens",     "lif",       "lik",        "literal",
    "littl",      "login",       "long",       "look",       "lot",       "lov",        "mak",
    "mayb",       "mean",        "meet",       "menu",       "might",     "mind",       "moment",
    "morn",       "must",        "nam",        "navigation", "near",      "necessari",  "need",
    "never",      "new",         "newsletter", "next",       "nic",       "nobodi",     "nop",
    "noth",       "notic",       "obvious",    "oh",         "ok",        "okay",       "old",
    "open",       "opportuniti", "part",       "past",       "peopl",     "perfect",    "perhap",
    "person",     "plac",        "pleas",      "pleasur",    "point",     "possibl",    "pretti",
    "privaci",    "problem",     "proud",      "put",        "question",  "quick",      "quit",
    "read",       "readi",       "real",       "reason",     "receiv",    "regard",     "repli",
    "reserv",     "respect",     "right",      "said",       "say",       "see",        "seem",
    "send",       "sens",        "set",        "several",    "shar",      "show",       "signatur",
    "simpl",      "sinc",        "sincer",     "small",      "someon",    "someth",     "soon",
    "sorri",      "sort",        "sound",      "start",      "stay",      "step",       "still",
    "stop",       "subscrib",    "sur",        "tak",        "talk",      "tell",       "thank",
    "thing",      "think",       "though",     "thought",    "thrill",    "tim",        "today",
    "together",   "tomorrow",    "tonight",    "took",       "touch",     "tri",        "tru",
    "trust",      "try",         "turn",       "uh",         "um",        "understand", "unfortunat",
    "unsubscrib", "us",          "use",        "useful",     "usual",     "various",    "visit",
    "wait",       "want",        "warm",       "way",        "week",      "weekend",    "welcom",
    "well",       "whatever",    "whol",       "wish",       "within",    "without",    "wonder",
    "wonderful",  "word",        "work",       "world",      "worri",     "writ",       "wrong",
    "yeah",       "year",        "yep",        "yes",        "yesterday", "yet"};

WordSet classes() {
    WordSet words(kMonths.size() + kNumbers.size() + kCommon.size());
    words.add(kMonths, kTime);
    words.add(kNumbers, kQuantity);
    words.add(kCommon, kCommonWord);
    return words;
}

bool is_year(std::string_view term) {
    if (term.size() == 5 && term.back() == 's') term.remove_suffix(1);
    if (term.size() != 4 || !std::all_of(term.begin(), term.end(), ascii_digit)) return false;
    return term[0] == '1' || (term[0] == '2' && term[1] == '0');
}

// 2024-01-31, 31/1/2024, 10:30: digits in groups with a date's or a clock's separators. A decimal point is neither.
bool is_date(std::string_view term) {
    return std::all_of(term.begin(), term.end(),
                       [](char c) { return ascii_digit(c) || c == '-' || c == '/' || c == ':'; }) &&
           std::any_of(term.begin(), term.end(), [](char c) { return !ascii_digit(c); });
}

}  // namespace

std::uint8_t term_class(std::string_view term) {
    if (term.empty()) return 0;
    if (ascii_digit(term[0])) {
        return static_cast<std::uint8_t>(kQuantity | (is_year(term) || is_date(term) ? kTime : 0));
    }
    static const WordSet words = classes();
    return words.find(term);
}

}  // namespace tersely::text
