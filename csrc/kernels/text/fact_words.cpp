#include "kernels/text/fact_words.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "kernels/text/abbreviations.hpp"
#include "kernels/text/fact_paths.hpp"
#include "kernels/text/guard_runs.hpp"
#include "kernels/text/guard_words.hpp"
#include "kernels/text/terms.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {
namespace {

constexpr std::size_t kLongestUse = 24;  // bytes of a word that is looked up, under 32

struct Use {
    std::uint32_t bits;
    std::string_view words;  // folded
};

constexpr Use kUses[] = {
    {kNegates, "except unless neither ausser sauf excepto"},
    {kObliges,
     "must shall should require requires required requirement mandatory obliged obligated obligation compulsory "
     "forbidden prohibited forbid forbids prohibits"},
    {kObliges, "muss mussen musst soll sollen sollte sollten darf durfen verboten verpflichtet erforderlich"},
    {kObliges, "doit doivent devez devons devra devront interdit obligatoire debe deben debera deberan prohibido"},
    {kObliges, "deve devem devono obbligatorio obrigatorio moet moeten должен должны обязан нельзя"},
    {kObligesTo, "have has had need needs needed ought supposed"},
    {kDecides, "decide decided decides agreed chose chosen opted approved ratified concluded settled"},
    {kDecides, "beschlossen entschieden vereinbart decidimos decidio acordo acordaron acordado convenu решили решено"},
    {kDecidesTo, "resolved voted agree decision decisions plan plans planned committed resolution"},
    {kWe, "we"},
    {kWill, "will shall ll"},
    {kTo, "to"},
    {kGoing, "go going went"},
    {kWith, "with"},
    {kErrorLevel, "error fatal panic exception err failure traceback"},
    {kExits, "exit exited exits exitcode"},
    {kLinks, "of de la le van von der den del di da du and & y e el al bin ibn"},
};
constexpr std::string_view kMonths =
    " January February March April May June July August September October November December Jan Feb Mar Apr Jun Jul "
    "Aug Sep Sept Oct Nov Dec ";
constexpr std::string_view kWeekdays = " Monday Tuesday Wednesday Thursday Friday Saturday Sunday ";
constexpr std::string_view kTitles = " mr mrs ms mx dr prof sir lord lady st sen rep gov gen col capt lt sgt rev hon ";
constexpr std::string_view kCurrencies = " USD EUR GBP JPY CNY INR CHF AUD CAD SEK NOK DKK RMB Rs ";
constexpr std::string_view kLogLevels = " ERROR FATAL CRITICAL SEVERE PANIC ALERT EMERG ";
constexpr std::string_view kNoNames =
    " however therefore moreover furthermore although yes please thank thanks hello hi ok okay well maybe perhaps "
    "today "
    "tomorrow yesterday note see figure table section chapter appendix page item step part example okay yeah oh mm "
    "hmm uh um right sure actually figures tables sections equation algorithm ";
constexpr std::string_view kDomains =
    " com org net io dev gov edu mil int info app ai co uk de fr eu us ca au jp cn in nl ch at it es se no pl ru br ";
constexpr std::u32string_view kUnits =
    U"万萬億亿兆千百元円圆圓个個名人次倍度米克吨噸年月日天周週歳岁才件本台位回点點页頁章条條%％分秒時时円원개명";
constexpr std::u32string_view kDateUnits = U"年月日号號時时分秒년월일시분초";

using Uses = std::unordered_map<std::string_view, std::uint32_t>;

void add_words(std::string_view list, std::uint32_t bits, Uses& uses) {
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t end = std::min(list.find(' ', at), list.size());
        if (end > at) uses[list.substr(at, end - at)] |= bits;
        at = end + 1;
    }
}

// By the folded word; and the lengths of those that begin with two given bytes: most words are not among them.
struct FoldedUses {
    Uses uses;
    std::array<std::uint32_t, 1024> lengths{};

    FoldedUses() {
        for (const Use& use : kUses) add_words(use.words, use.bits, uses);
        for (const std::string_view word : negations()) uses[word] |= kNegates;
        add_words(kTitles, kTitle, uses);
        add_words(kNoNames, kCommon, uses);
        for (const std::string_view word : {"makefile", "justfile", "dockerfile"}) uses[word] |= kFileName;
        for (const auto& [word, bits] : uses) lengths[start(word)] |= 1U << word.size();
    }
    static std::size_t start(std::string_view word) {
        return (static_cast<unsigned char>(word[0]) & 31U) << 5U |
               (static_cast<unsigned char>(word[word.size() > 1]) & 31U);
    }
    std::uint32_t look_up(std::string_view word) const {
        if ((lengths[start(word)] >> word.size() & 1U) == 0) return 0;
        const auto found = uses.find(word);
        return found == uses.end() ? 0 : found->second;
    }
};

const FoldedUses& folded_uses() {
    static const FoldedUses uses;
    return uses;
}

// By the word as it is written.
Uses written_uses() {
    Uses uses;
    add_words(kMonths, kMonth, uses);
    add_words(kWeekdays, kWeekday, uses);
    add_words(kCurrencies, kCurrency, uses);
    add_words(kLogLevels, kLogLevel, uses);
    return uses;
}

Uses listed(std::string_view list) {
    Uses uses;
    add_words(list, 1, uses);
    return uses;
}

std::uint32_t look_up(const Uses& uses, std::string_view word) {
    const auto found = uses.find(word);
    return found == uses.end() ? 0 : found->second;
}

std::size_t length_of_any(std::string_view rest, std::u32string_view letters) {
    if (rest.empty()) return 0;
    const Decoded first = decode(rest, 0);
    return first.code >= 0x80 && letters.find(first.code) != std::u32string_view::npos ? first.length : 0;
}

}  // namespace

std::uint32_t small_word_use(std::string_view word) {
    return word.size() > kLongestUse ? 0 : folded_uses().look_up(word);
}

std::uint32_t word_use(std::string_view word) {
    const FoldedUses& by_fold = folded_uses();
    static const Uses by_spelling = written_uses();
    if (word.empty()) return 0;
    if (word.size() > kLongestUse) return is_error_type(word) ? std::uint32_t{kErrorType} : 0;
    if (std::all_of(word.begin(), word.end(), ascii_lower)) return small_word_use(word);
    if (is_error_type(word)) return kErrorType;
    const std::string plain = folded(word);
    if (plain.empty() || plain.size() > kLongestUse) return 0;
    std::uint32_t bits = by_fold.look_up(plain) | look_up(by_spelling, word);
    if (ascii_lower(word[0]) && inner_capital(word)) bits |= kCamel;
    if (is_named_file(word)) bits |= kFileName;
    if (is_stop_word(plain) || is_sentence_starter(plain) || is_function_word(plain)) bits |= kCommon;
    return bits;
}

bool is_error_type(std::string_view name) {
    static constexpr std::array<std::string_view, 6> kEndings = {"Error", "Exception", "Warning",
                                                                 "Fault", "Panic",     "Failure"};
    return std::any_of(kEndings.begin(), kEndings.end(), [name](std::string_view ending) {
        return name.size() > ending.size() + 1 && name.ends_with(ending) &&
               ascii_alpha(name[name.size() - ending.size() - 1]);
    });
}

bool is_host(std::string_view run) {
    std::size_t label = 0;
    std::size_t stops = 0;
    for (std::size_t at = 0; at < run.size(); ++at) {
        if (run[at] == '.') {
            if (at == label) return false;
            label = at + 1;
            ++stops;
        } else if (!ascii_lower(run[at]) && !ascii_digit(run[at]) && run[at] != '-') {
            return false;
        }
    }
    static const Uses domains = listed(kDomains);
    return stops > 0 && label > 2 && domains.contains(run.substr(label));
}

std::size_t east_asian_unit(std::string_view rest) { return length_of_any(rest, kUnits); }
std::size_t east_asian_date_unit(std::string_view rest) { return length_of_any(rest, kDateUnits); }

}  // namespace tersely::text
