#include "kernels/text/terms.hpp"

#include <cstring>
#include <numeric>

#include "kernels/text/eight_bytes.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"
#include "kernels/text/word_set.hpp"

namespace tersely::text {

namespace {

constexpr std::size_t kKeyed = 7;  // bytes that fit into a key beside their number
constexpr std::uint64_t kHashed = 1ULL << 63U;

// Short strings: their bytes and length, so equal keys are equal strings. Longer ones: a hash.
std::uint64_t key_of(std::string_view term) {
    if (term.size() <= kKeyed)
        return load_short(term.data(), term.size()) | static_cast<std::uint64_t>(term.size()) << 56U;
    std::uint64_t value = term.size();
    std::size_t at = 0;
    for (; at + 8 < term.size(); at += 8) value = mix(value ^ load<std::uint64_t>(term.data() + at));
    return mix(value ^ load<std::uint64_t>(term.data() + term.size() - 8)) | kHashed;
}

std::size_t slot_of(std::uint64_t key) { return static_cast<std::size_t>(mix(key) >> 7U); }

}  // namespace

std::int32_t Vocabulary::intern(std::string_view term) {
    const std::uint64_t key = key_of(term);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = slot_of(key) & mask;
    for (; slots_[at].key != 0; at = (at + 1) & mask) {
        if (slots_[at].key != key) continue;
        if ((key & kHashed) == 0 || (*this)[static_cast<std::size_t>(slots_[at].id)] == term) return slots_[at].id;
    }
    const auto id = static_cast<std::int32_t>(size());
    slots_[at] = {key, id};
    arena_.append(term);
    offsets_.push_back(arena_.size());
    if (size() * 8 > slots_.size() * 5) grow();
    return id;
}

void Vocabulary::grow() {
    std::vector<Slot> larger(slots_.size() * 2);
    const std::size_t mask = larger.size() - 1;
    for (const Slot& slot : slots_) {
        if (slot.key == 0) continue;
        std::size_t at = slot_of(slot.key) & mask;
        while (larger[at].key != 0) at = (at + 1) & mask;
        larger[at] = slot;
    }
    slots_ = std::move(larger);
}

namespace {

enum class ByteKind : std::uint8_t { kOther, kDigit, kWord, kWide };

constexpr std::array<ByteKind, 256> byte_kinds() {
    std::array<ByteKind, 256> kinds{};
    for (std::size_t byte = 0; byte < 256; ++byte) {
        const auto letter = static_cast<char>(byte);
        kinds[byte] = ascii_digit(letter)  ? ByteKind::kDigit
                      : ascii_word(letter) ? ByteKind::kWord
                      : byte >= 0x80       ? ByteKind::kWide
                                           : ByteKind::kOther;
    }
    return kinds;
}
constexpr std::array<ByteKind, 256> kByteKinds = byte_kinds();

ByteKind kind_of(char byte) { return kByteKinds[static_cast<unsigned char>(byte)]; }

bool is_joiner(char32_t code) { return code == 0x200C || code == 0x200D; }

// A character of words that are separated by spaces.
bool in_word(char32_t code) {
    const std::uint8_t flags = char_class(code);
    return is_joiner(code) || ((flags & (kLetter | kDigit | kMark)) != 0 && (flags & kNgram) == 0);
}

// Whether a part of an identifier starts at `at`: after a lower-case letter, or the last capital of a run.
bool starts_part(std::string_view raw, std::size_t at) {
    if (!ascii_upper(raw[at])) return false;
    return ascii_lower(raw[at - 1]) || (at + 1 < raw.size() && ascii_lower(raw[at + 1]) && ascii_alpha(raw[at - 1]));
}

}  // namespace

namespace {

// Endings of Turkish: A is a or e, I is ı, i, u or ü by the vowel before, D is t behind a voiceless consonant, else d.
constexpr std::u32string_view kTurkishEndings[] = {U"lArDAn", U"lArDA", U"lArIn", U"DIr", U"yDI", U"lAr",
                                                   U"nDAn",   U"nDA",   U"DAn",   U"nIn", U"ylA", U"DA"};
constexpr std::u32string_view kCopula = U"DIr";
constexpr std::size_t kFewestRest = 4;  // letters that an ending leaves

bool has_any(std::u32string_view word, std::u32string_view letters) {
    return word.find_first_of(letters) != std::u32string_view::npos;
}

// Whether a word without its ending ends as the vowels and consonants of the ending ask for.
bool harmonizes(std::u32string_view rest, std::u32string_view ending, std::u32string_view pattern) {
    constexpr std::u32string_view kVowels = U"aıoueiöü";
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const std::size_t at = rest.find_last_of(kVowels);
        if (at == std::u32string_view::npos) return false;
        const bool back = kVowels.find(rest[at]) < 4;
        const bool round = has_any(rest.substr(at, 1), U"ouöü");
        const bool voiceless = has_any(rest.substr(rest.size() - 1), U"çfhkpsşt");
        const char32_t asked = pattern[i] == U'A'   ? (back ? U'a' : U'e')
                               : pattern[i] == U'I' ? (back ? (round ? U'u' : U'ı') : (round ? U'ü' : U'i'))
                               : pattern[i] == U'D' ? (voiceless ? U't' : U'd')
                                                    : pattern[i];
        if (ending[i] != asked) return false;
        if (pattern[i] == U'A' || pattern[i] == U'I') rest = ending.substr(0, i + 1);
    }
    return true;
}

// Letters that the endings of a word leave of it: "kapalıdır" has those of "kapalı". A word without a letter of Turkish
// loses the copula alone.
std::size_t stem_length(std::u32string_view word) {
    const bool turkish = has_any(word, U"çğıöşü");
    const auto cut = [&](std::u32string_view ending) {
        const std::size_t rest = word.size() - std::min(word.size(), ending.size());
        const bool fits =
            rest >= kFewestRest + (turkish ? 0 : 1) && harmonizes(word.substr(0, rest), word.substr(rest), ending);
        if (fits) word = word.substr(0, rest);
        return fits;
    };
    if (!turkish) cut(kCopula);
    while (turkish && std::any_of(std::begin(kTurkishEndings), std::end(kTurkishEndings), cut)) {
    }
    return word.size();
}

// The beginning of a word in small letters, but for the first, that its endings leave; others stay as they are.
std::string_view without_endings(std::string_view raw) {
    if (raw.size() < kFewestRest + 2) return raw;
    const std::string_view end3 = raw.substr(raw.size() - 3);  // most words are of plain letters and end otherwise
    const bool copula = among(end3[0], "dt") && among(end3[1], "iu") && end3[2] == 'r';
    if (!copula && std::none_of(raw.begin(), raw.end(), [](char byte) { return kind_of(byte) == ByteKind::kWide; }))
        return raw;
    std::u32string word;
    for (std::size_t at = 0; at < raw.size(); at += decode(raw, at).length) {
        char32_t code = decode(raw, at).code;
        if (code >= 0x180 || !is_letter(code)) return raw;
        if (is_upper(code)) {
            if (at > 0) return raw;
            code = code < 0x80 ? code + 32 : code == U'İ' ? U'i' : code < 0x100 ? code + 32 : code + 1;
        }
        word.push_back(code);
    }
    const std::size_t left = stem_length(word);
    if (left == word.size()) return raw;
    std::size_t end = 0;
    for (std::size_t letter = 0; letter < left; ++letter) end += decode(raw, end).length;
    return raw.substr(0, end);
}

}  // namespace

void TermReader::append(std::string_view text, Span span, std::vector<std::int32_t>& ids) {
    text = text.substr(0, span.end);
    for (std::size_t at = span.begin; at < text.size();) {
        std::size_t end = at;
        switch (kind_of(text[at])) {
            case ByteKind::kOther:
                ++at;
                continue;
            case ByteKind::kDigit:
                end = number_end(text, at);
                break;
            case ByteKind::kWord:
                end = word_end(text, at);
                break;
            case ByteKind::kWide: {
                const Decoded here = decode(text, at);
                const std::uint8_t flags = char_class(here.code);
                if ((flags & kNgram) != 0) {
                    at = append_bigrams(text, at, ids);
                    continue;
                }
                if ((flags & (kLetter | kDigit | kMark)) == 0) {
                    at += here.length;
                    continue;
                }
                end = word_end(text, at);
                break;
            }
        }
        rounds_.check_cancelled();
        append_spelling(text.substr(at, end - at), ids);
        at = end;
    }
}

// Digits with inner separators ("1,000", "2024-01-31"), or with letters attached ("5kg", "1a7b").
std::size_t TermReader::number_end(std::string_view text, std::size_t at) const {
    bool plain = true;
    for (; at < text.size(); ++at) {
        const ByteKind kind = kind_of(text[at]);
        if (kind == ByteKind::kDigit) continue;
        if (kind == ByteKind::kWide) {
            if (!in_word(decode(text, at).code)) break;
            at += decode(text, at).length - 1;
            plain = false;
            continue;
        }
        if (kind == ByteKind::kWord) {
            plain = false;
            continue;
        }
        const bool between = plain && kind == ByteKind::kOther && among(text[at], ".,:/-") &&
                             ascii_digit(text[at - 1]) && at + 1 < text.size() && ascii_digit(text[at + 1]);
        if (!between) break;
    }
    return at;
}

std::size_t TermReader::word_end(std::string_view text, std::size_t at) const {
    const std::size_t begin = at;
    while (at < text.size()) {
        if (text.size() - at >= 8) {
            const std::uint64_t eight = load8(text.data() + at);
            const std::size_t plain = leading(ascii_letters(eight) | ascii_digits(eight) | between(eight, '_', '_'));
            at += plain;
            if (plain == 8) continue;
        }
        const ByteKind kind = kind_of(text[at]);
        if (kind == ByteKind::kWord || kind == ByteKind::kDigit) {
            ++at;
        } else if (kind == ByteKind::kWide) {
            const Decoded here = decode(text, at);
            if (!in_word(here.code)) break;
            at += here.length;
        } else {  // "v1.2.3" goes on behind a stop between digits
            const bool version = text[at] == '.' && at > begin + 1 && ascii_small(text[begin]) == 'v' &&
                                 ascii_digit(text[begin + 1]) && ascii_digit(text[at - 1]) && at + 1 < text.size() &&
                                 ascii_digit(text[at + 1]);
            if (!version) break;
            ++at;
        }
    }
    return at;
}

std::size_t TermReader::append_bigrams(std::string_view text, std::size_t at, std::vector<std::int32_t>& ids) {
    std::string previous;
    bool single = true;
    while (at < text.size()) {
        const Decoded here = decode(text, at);
        if ((char_class(here.code) & kNgram) == 0) break;
        term_.clear();
        append_utf8(term_, fold(here.code));
        at += here.length;
        if (!previous.empty()) {
            emit(previous + term_, ids);
            single = false;
        }
        previous = term_;
    }
    if (single) emit(previous, ids);
    return at;
}

void TermReader::append_spelling(std::string_view raw, std::vector<std::int32_t>& ids) {
    if (raw.size() > kLongestTerm) raw = raw.substr(0, floor_char(raw, kLongestTerm));
    const auto spelling = static_cast<std::size_t>(spellings_.intern(raw));
    if (spelling == given_end_.size()) {
        read_spelling(raw, given_);
        given_end_.push_back(given_.size());
    }
    const std::size_t begin = spelling == 0 ? 0 : given_end_[spelling - 1];
    for (std::size_t i = begin; i < given_end_[spelling]; ++i) ids.push_back(given_[i]);
}

void TermReader::read_spelling(std::string_view raw, std::vector<std::int32_t>& ids) {
    raw = without_endings(raw);
    term_.clear();
    bool ascii = true;
    bool joined = false;  // has an underscore, a digit or an inner capital
    for (std::size_t at = 0; at < raw.size(); ++at) {
        if (kind_of(raw[at]) != ByteKind::kWide) {
            joined |= !ascii_alpha(raw[at]) || (at > 0 && starts_part(raw, at));
            term_.push_back(ascii_small(raw[at]));
            continue;
        }
        ascii = false;
        const Decoded here = decode(raw, at);
        const bool accent = here.code >= 0x300 && here.code <= 0x36F;
        if (!accent && !is_joiner(here.code)) append_utf8(term_, fold(here.code));
        at += here.length - 1;
    }
    if (ascii_digit(raw[0])) {
        emit(term_, ids);
    } else if (!ascii) {
        emit_word(term_, ids);
    } else if (joined) {
        const std::string folded = term_;
        read_identifier(raw, folded, ids);
    } else {
        emit_word(term_, ids);
    }
}

void TermReader::read_identifier(std::string_view raw, std::string_view folded, std::vector<std::int32_t>& ids) {
    const std::size_t first = folded.find_first_not_of('_');
    if (first == std::string_view::npos) return;
    const std::string_view whole = folded.substr(first, folded.find_last_not_of('_') + 1 - first);
    emit(whole, ids);
    if (whole.find('.') != std::string_view::npos) return;  // a version is one term
    for (std::size_t begin = 0; begin < raw.size();) {
        std::size_t end = begin + 1;
        while (end < raw.size() && raw[end] != '_' && !starts_part(raw, end)) ++end;
        term_.clear();
        for (std::size_t i = begin; i < end; ++i) {
            if (raw[i] != '_') term_.push_back(ascii_small(raw[i]));
        }
        if (!term_.empty() && term_ != whole) emit_word(term_, ids);
        begin = end;
    }
}

// A folded word: not a single ASCII letter, not a stop word, stemmed.
void TermReader::emit_word(std::string& term, std::vector<std::int32_t>& ids) {
    if (term.size() < 2 || is_stop_word(term)) return;
    if (std::all_of(term.begin(), term.end(), ascii_lower)) {
        stem(term);
    } else if (kind_of(term[0]) == ByteKind::kWide && !stem_script(term)) {
        return;
    }
    emit(term, ids);
}

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

// Words of other scripts that join sentences or ask, in the form that stem_script looks them up in: folded, Arabic
// letters in one form, Devanagari without nukta. Sorted. Arabic, Persian, Urdu; Hindi, Marathi; Russian, Ukrainian,
// Bulgarian, Serbian; Greek; Hebrew.
constexpr std::array<std::u32string_view, 621> kScriptWords = {
    U"αν",      U"απο",     U"αυτα",    U"αυτη",    U"αυτο",     U"αυτοσ",    U"για",      U"γιατι",   U"δεν",
    U"ειναι",   U"ειχε",    U"ενα",     U"ενασ",    U"εχει",     U"εχουν",    U"η",        U"ηταν",    U"θα",
    U"και",     U"κατα",    U"με",      U"μετα",    U"μια",      U"να",       U"ο",        U"οι",      U"οπωσ",
    U"οτι",     U"ποια",    U"ποιεσ",   U"ποιο",    U"ποιοι",    U"ποιοσ",    U"ποσα",     U"ποσεσ",   U"ποσο",
    U"ποσοι",   U"ποτε",    U"που",     U"πωσ",     U"σε",       U"στα",      U"στη",      U"στην",    U"στισ",
    U"στο",     U"στον",    U"στουσ",   U"τα",      U"την",      U"τησ",      U"τι",       U"τισ",     U"το",
    U"τον",     U"του",     U"τουσ",    U"των",     U"ωσ",       U"а",        U"або",      U"без",     U"беше",
    U"будет",   U"була",    U"були",    U"було",    U"бы",       U"был",      U"была",     U"были",    U"было",
    U"быть",    U"в",       U"вам",     U"вас",     U"ведь",     U"во",       U"вот",      U"все",     U"всех",
    U"вы",      U"від",     U"где",     U"да",      U"даже",     U"де",       U"для",      U"до",      U"е",
    U"его",     U"ее",      U"еи",      U"ему",     U"если",     U"есть",     U"еще",      U"же",      U"з",
    U"за",      U"зачем",   U"защо",    U"здесь",   U"зі",       U"и",        U"из",       U"или",     U"им",
    U"их",      U"к",       U"када",    U"как",     U"какая",    U"какво",    U"какие",    U"каким",   U"каких",
    U"какого",  U"какое",   U"какои",   U"каком",   U"какую",    U"като",     U"кога",     U"когда",   U"кое",
    U"кои",     U"коли",    U"колко",   U"которая", U"которого", U"которое",  U"которои",  U"котором", U"которую",
    U"которые", U"которыи", U"которым", U"которых", U"коя",      U"која",     U"које",     U"који",    U"кто",
    U"куда",    U"къде",    U"ли",      U"меня",    U"мне",      U"может",    U"мы",       U"на",      U"над",
    U"нас",     U"не",      U"него",    U"нее",     U"нет",      U"ни",       U"ним",      U"них",     U"но",
    U"о",       U"об",      U"он",      U"она",     U"они",      U"от",       U"перед",    U"по",      U"под",
    U"после",   U"потому",  U"почему",  U"при",     U"про",      U"с",        U"са",       U"своего",  U"свою",
    U"се",      U"себе",    U"себя",    U"сколько", U"скільки",  U"со",       U"су",       U"та",      U"тази",
    U"так",     U"также",   U"там",     U"тебя",    U"тези",     U"тем",      U"то",       U"това",    U"тогда",
    U"того",    U"тоже",    U"този",    U"только",  U"том",      U"тот",      U"тут",      U"ты",      U"у",
    U"уже",     U"хто",     U"це",      U"чего",    U"чеи",      U"чем",      U"через",    U"чому",    U"что",
    U"чтобы",   U"чья",     U"шта",     U"ще",      U"що",       U"эта",      U"эти",      U"это",     U"этого",
    U"этои",    U"этом",    U"этот",    U"эту",     U"я",        U"является", U"являются", U"як",      U"яка",
    U"яке",     U"якии",    U"якого",   U"які",     U"якіи",     U"є",        U"і",        U"із",      U"је",
    U"או",      U"איזה",    U"איזו",    U"איך",     U"אילו",     U"אין",      U"איפה",     U"אם",      U"אשר",
    U"את",      U"גם",      U"הוא",     U"היא",     U"היה",      U"היו",      U"הייתה",    U"היכן",    U"היתה",
    U"הם",      U"הן",      U"זאת",     U"זה",      U"זו",       U"יש",       U"כי",       U"כיצד",    U"כמה",
    U"לא",      U"למה",     U"מדוע",    U"מה",      U"מי",       U"מתי",      U"על",       U"עם",      U"של",
    U"اذ",      U"اذا",     U"از",      U"اس",      U"است",      U"الا",      U"التي",     U"الذي",    U"الذين",
    U"اللاتي",  U"اللتان",  U"اللذان",  U"اللواتي", U"الي",      U"اليه",     U"اليها",    U"ام",      U"اما",
    U"امام",    U"ان",      U"انه",     U"انها",    U"انهم",     U"او",       U"اور",      U"اولئك",   U"اي",
    U"ايضا",    U"ايك",     U"اين",     U"ايه",     U"با",       U"بان",      U"براي",     U"بعد",     U"بعض",
    U"بل",      U"بما",     U"بماذا",   U"به",      U"بها",      U"بهم",      U"بود",      U"بين",     U"بينما",
    U"بھي",     U"تا",      U"تحت",     U"تكون",    U"تلك",      U"تم",       U"تمت",      U"تھا",     U"تھي",
    U"تھے",     U"ثم",      U"حتي",     U"حول",     U"حيث",      U"خلال",     U"در",       U"دون",     U"ذات",
    U"ذلك",     U"ذو",      U"را",      U"سوف",     U"سوي",      U"سے",       U"ضد",       U"علي",     U"عليه",
    U"عليها",   U"عليهم",   U"عما",     U"عن",      U"عند",      U"عندما",    U"عنه",      U"عنها",    U"غير",
    U"فوق",     U"في",      U"فيما",    U"فيه",     U"فيها",     U"فيهم",     U"قبل",      U"قد",      U"كا",
    U"كان",     U"كانت",    U"كانوا",   U"كب",      U"كتني",     U"كتنے",     U"كذلك",     U"كل",      U"كم",
    U"كما",     U"كه",      U"كو",      U"كي",      U"كيا",      U"كيف",      U"كيوں",     U"كہ",      U"كہاں",
    U"كے",      U"لا",      U"لان",     U"لانه",    U"لانها",    U"لدي",      U"لديه",     U"لديها",   U"لقد",
    U"لكن",     U"لم",      U"لما",     U"لماذا",   U"لن",       U"له",       U"لها",      U"لهم",     U"لو",
    U"ليس",     U"ليست",    U"ما",      U"ماذا",    U"متي",      U"مثل",      U"مع",       U"معه",     U"معها",
    U"مما",     U"من",      U"منذ",     U"منه",     U"منها",     U"منهم",     U"مي",       U"ميں",     U"نحو",
    U"نے",      U"هؤلاء",   U"هذا",     U"هذه",     U"هل",       U"هم",       U"هما",      U"هن",      U"هنا",
    U"هناك",    U"هو",      U"هي",      U"وہ",      U"يتم",      U"يك",       U"يكون",     U"يمكن",    U"يہ",
    U"پر",      U"ہيں",     U"ہے",      U"अथवा",    U"अपना",     U"अपनी",     U"अपने",      U"अब",      U"आणि",
    U"आप",      U"आपका",    U"आपके",     U"आहे",      U"आहेत",      U"इन",       U"इनका",     U"इनकी",    U"इनके",
    U"इनमें",     U"इन्हें",     U"इन्होंने",   U"इस",      U"इसका",     U"इसकी",     U"इसके",      U"इसमें",     U"इसलिए",
    U"इससे",     U"इसे",      U"उन",      U"उनका",    U"उनकी",     U"उनके",      U"उनमें",      U"उन्हें",     U"उन्होंने",
    U"उस",      U"उसका",    U"उसकी",    U"उसके",     U"उसमें",      U"उससे",      U"उसे",       U"एक",      U"एवं",
    U"ऐसा",     U"ऐसी",     U"ऐसे",      U"और",      U"कब",       U"कर",       U"करता",     U"करती",    U"करते",
    U"करना",    U"करने",     U"कहां",     U"का",      U"कि",       U"किए",      U"कितना",    U"कितनी",   U"कितने",
    U"किन",     U"किनके",    U"किया",    U"किये",     U"किस",      U"किसका",    U"किसकी",    U"किसके",    U"किसने",
    U"किसी",    U"किसे",     U"की",      U"कुछ",      U"के",        U"कैसा",      U"कैसी",      U"कैसे",      U"को",
    U"कोई",     U"कौन",     U"कौनसा",   U"कौनसी",   U"क्या",      U"क्यों",      U"क्योंकि",    U"गई",      U"गए",
    U"गया",     U"गयी",     U"गये",      U"चाहिए",   U"जब",       U"जहां",      U"जा",       U"जाता",    U"जाती",
    U"जाते",     U"जाना",    U"जिन",     U"जिनका",   U"जिनकी",    U"जिनके",     U"जिस",      U"जिसका",   U"जिसकी",
    U"जिसके",    U"जिसमें",    U"जिससे",    U"जिसे",     U"जैसे",       U"जो",       U"तक",       U"तथा",     U"तब",
    U"तुम",      U"तो",      U"था",      U"थी",      U"थीं",       U"थे",        U"दिए",      U"दिया",    U"द्वारा",
    U"न",       U"नहीं",     U"ना",      U"ने",       U"पर",       U"फिर",      U"भी",       U"मुझे",      U"में",
    U"मेरा",     U"मेरे",      U"मैं",       U"यह",      U"यहां",      U"या",       U"ये",        U"रहा",     U"रही",
    U"रहे",      U"लिए",     U"लिये",     U"लेकिन",    U"वह",       U"वहां",      U"वाला",     U"वाली",    U"वाले",
    U"वे",       U"सकता",    U"सकती",    U"सकते",     U"सा",       U"साथ",      U"सी",       U"से",       U"हम",
    U"हमारा",   U"हमारे",    U"ही",      U"हुआ",      U"हुई",       U"हुए",       U"हूं",        U"है",       U"हैं",
    U"हो",      U"होंगे",     U"होगा",    U"होगी",    U"होता",     U"होती",     U"होते",      U"होना",    U"होने"};

static_assert(std::is_sorted(kScriptWords.begin(), kScriptWords.end()));

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

bool is_stop_word(std::u32string_view normal) {
    return std::binary_search(kScriptWords.begin(), kScriptWords.end(), normal);
}

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

namespace {

constexpr std::uint32_t kRounds = 1U << 16U;  // bytes between looks for Ctrl-C

bool is_letter_or_digit(char32_t code) { return (char_class(code) & (kLetter | kDigit)) != 0; }

// Whether a string is a path or the name of a file: a slash, or a dot between a letter or digit and a small letter.
bool is_path(std::string_view string) {
    if (string.find_first_of("/\\") != std::string_view::npos) return true;
    for (std::size_t dot = string.find('.', 1); dot != std::string_view::npos; dot = string.find('.', dot + 1)) {
        const bool small = dot + 1 < string.size() && string[dot + 1] >= 'a' && string[dot + 1] <= 'z';
        if (small && is_letter_or_digit(decode_before(string, dot).code)) return true;
    }
    return false;
}

// Whether a path that ends before `end` goes on there.
bool path_goes_on(std::string_view text, std::size_t end) {
    if (end == text.size()) return false;
    if (text[end] == '~') return true;
    const bool joins = text[end] == '.' || text[end] == '/' || text[end] == '\\' || text[end] == '-';
    return joins && end + 1 < text.size() && is_letter_or_digit(decode(text, end + 1).code);
}

}  // namespace

StringFinder::StringFinder(std::span<const std::string_view> strings, Report report) : report_(report) {
    std::vector<std::int32_t> order(strings.size());
    std::iota(order.begin(), order.end(), 0);
    const auto string = [&](std::size_t place) { return strings[static_cast<std::size_t>(order[place])]; };
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return strings[static_cast<std::size_t>(a)] < strings[static_cast<std::size_t>(b)];
    });
    struct Shared {  // what begins as a node does, in order
        std::size_t first, end, length;
    };
    std::vector<Shared> shared = {{0, strings.size(), 0}};
    std::vector<std::int32_t> parents = {0};
    nodes_.push_back({kNone, 0, kNone, kNone, 0, false});
    Rounds<kRounds> rounds;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        nodes_[node].children = static_cast<std::int32_t>(nodes_.size());
        auto [at, end, length] = shared[node];
        if (at < end && string(at).size() == length) nodes_[node].string = order[at++];
        while (at < end) {
            const auto byte = static_cast<unsigned char>(string(at)[length]);
            const std::size_t first = at;
            while (at < end && static_cast<unsigned char>(string(at)[length]) == byte) {
                rounds.check_cancelled();
                ++at;
            }
            shared.push_back({first, at, length + 1});
            parents.push_back(static_cast<std::int32_t>(node));
            nodes_.push_back({kNone, 0, kNone, kNone, byte, false});
        }
    }
    const std::size_t nodes = nodes_.size();
    for (std::size_t node = 1; node < nodes && parents[node] == 0; ++node) {
        first_[nodes_[node].byte] = static_cast<std::int32_t>(node);
    }
    nodes_.push_back(
        {static_cast<std::int32_t>(nodes), 0, kNone, kNone, 0, false});  // where the last one's children end
    for (std::size_t node = 1; node < nodes; ++node) {
        Node& here = nodes_[node];
        const std::int32_t above = parents[node];
        if (above != 0) here.longest = next(nodes_[static_cast<std::size_t>(above)].longest, here.byte);
        here.ended = here.string == kNone ? nodes_[static_cast<std::size_t>(here.longest)].ended
                                          : static_cast<std::int32_t>(node);
    }
    for (const std::string_view one : strings) {
        lengths_.push_back(std::count_if(one.begin(), one.end(), [](char byte) { return !is_continuation(byte); }));
        sizes_.push_back(one.size());
        paths_.push_back(report == Report::kAlone && is_path(one));
    }
}

std::int32_t StringFinder::child(std::int32_t node, unsigned char byte) const {
    const auto at = nodes_.begin() + nodes_[static_cast<std::size_t>(node)].children;
    const auto end = nodes_.begin() + nodes_[static_cast<std::size_t>(node) + 1].children;
    const auto found =
        std::lower_bound(at, end, byte, [](const Node& one, unsigned char last) { return one.byte < last; });
    return found != end && found->byte == byte ? static_cast<std::int32_t>(found - nodes_.begin()) : kNone;
}

std::int32_t StringFinder::next(std::int32_t node, unsigned char byte) const {
    for (;; node = nodes_[static_cast<std::size_t>(node)].longest) {
        if (node == 0) return first_[byte];
        const std::int32_t to = child(node, byte);
        if (to != kNone) return to;
    }
}

namespace {

// Whether a word or number that ends before `end` > 0 does not go on there.
bool ends_alone(std::string_view text, std::size_t end) {
    if (end == text.size()) return true;
    const char32_t last = decode_before(text, end).code;
    const Decoded after = decode(text, end);
    if (is_letter_or_digit(last)) {
        if (is_letter_or_digit(after.code)) return false;
        if (after.code == '_' && end + 1 < text.size() && is_letter_or_digit(decode(text, end + 1).code)) return false;
    }
    if (!is_digit(last)) return true;
    const bool goes_on = end + 1 < text.size() && is_digit(decode(text, end + 1).code);
    return after.code != '%' && !(goes_on && (after.code == '.' || after.code == ','));
}

// The same of one that begins at `start`, before the end.
bool begins_alone(std::string_view text, std::size_t start) {
    if (start == 0) return true;
    const char32_t first = decode(text, start).code;
    const char32_t before = decode_before(text, start).code;
    if (is_letter_or_digit(first)) {
        if (is_letter_or_digit(before)) return false;
        if (before == '_' && start > 1 && is_letter_or_digit(decode_before(text, start - 1).code)) return false;
    }
    const bool goes_on = (before == '.' || before == ',') && start > 1 && is_digit(decode_before(text, start - 1).code);
    return !(is_digit(first) && goes_on);
}

}  // namespace

void StringFinder::add_alone(std::string_view text, std::size_t end, std::int64_t characters, std::int32_t at,
                             std::vector<Found>& found) {
    if (!ends_alone(text, end)) return;
    for (int tried = 0; at != kNone && tried < kMostTried; ++tried) {
        Node& one = nodes_[static_cast<std::size_t>(at)];
        const auto string = static_cast<std::size_t>(one.string);
        const bool goes_on = paths_[string] && path_goes_on(text, end);
        if (!one.reported && !goes_on && begins_alone(text, end - sizes_[string])) {
            one.reported = true;
            found.push_back({one.string, characters - lengths_[string], characters});
        }
        at = nodes_[static_cast<std::size_t>(one.longest)].ended;
    }
}

void StringFinder::find(std::string_view text, std::vector<Found>& found) {
    Rounds<kRounds> rounds;
    std::int64_t characters = 0;
    std::int32_t node = 0;
    for (std::size_t place = 0; place < text.size(); ++place) {
        rounds.check_cancelled();
        characters += is_continuation(text[place]) ? 0 : 1;
        node = next(node, static_cast<unsigned char>(text[place]));
        std::int32_t at = nodes_[static_cast<std::size_t>(node)].ended;
        if (report_ == Report::kAlone) {
            if (at != kNone) add_alone(text, place + 1, characters, at, found);
            continue;
        }
        while (at != kNone) {
            Node& one = nodes_[static_cast<std::size_t>(at)];
            found.push_back({one.string, characters - lengths_[static_cast<std::size_t>(one.string)], characters});
            if (one.reported && report_ == Report::kOnce) break;
            one.reported = true;
            at = nodes_[static_cast<std::size_t>(one.longest)].ended;
        }
    }
}

}  // namespace tersely::text
