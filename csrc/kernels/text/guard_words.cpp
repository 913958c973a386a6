#include "kernels/text/guard_words.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "kernels/text/stem.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {
namespace {

struct Group {
    std::string_view name;   // empty: each word is a class of its own
    std::string_view words;  // of one meaning; folded: lower case, without accents
};

constexpr Group kGroups[] = {
    // Negations: English, German, Dutch and Swedish, Romance, Slavic, Greek, Turkish, Indonesian and Vietnamese, Hindi
    // and Persian, Arabic, Hebrew.
    {"not",
     "not no never none nor neither nobody nothing nowhere without cannot dont doesnt didnt isnt arent wasnt werent "
     "wont cant couldnt shouldnt wouldnt hasnt havent hadnt unable lack hardly barely"},
    {"not", "nicht kein keine keinen keinem keiner keines nie niemals ohne nichts niemand weder nirgends"},
    {"not", "niet geen zonder nooit niets inte ingen inget utan aldrig ikke ej"},
    {"not", "pas jamais rien aucun aucune sans ni non guere nunca jamas sin ningun ninguna ninguno nada nadie"},
    {"not", "tampoco nao sem nenhum nenhuma senza nessun nessuno nessuna niente nem"},
    {"not", "не нет ни без никогда ничего никто нельзя ні немає bez nigdy nic"},
    {"not", "δεν μην χωρισ οχι degil yok tidak bukan tanpa khong"},
    {"not", "नहीं नही न मत बिना ना نه نیست بدون"},
    {"not", "لا لم لن ليس ليست ليسوا غير بدون دون ولا ولم לא אין בלי"},
    // Numbers; "one" and "first" are more often not meant as a number.
    {"2", "two twice double zwei deux dos"},
    {"3", "three triple drei trois tres"},
    {"4", "four vier quatre cuatro"},
    {"5", "five funf cinq cinco"},
    {"6", "six sechs seis"},
    {"7", "seven sieben sept siete"},
    {"8", "eight acht huit ocho"},
    {"9", "nine neun neuf nueve"},
    {"10", "ten zehn dix diez"},
    {"11", "eleven elf onze once"},
    {"12", "twelve zwolf douze doce dozen"},
    {"13", "thirteen"},
    {"14", "fourteen"},
    {"15", "fifteen"},
    {"16", "sixteen"},
    {"17", "seventeen"},
    {"18", "eighteen"},
    {"19", "nineteen"},
    {"20", "twenty zwanzig vingt veinte"},
    {"30", "thirty dreissig trente treinta"},
    {"40", "forty vierzig quarante cuarenta"},
    {"50", "fifty funfzig cinquante cincuenta"},
    {"60", "sixty"},
    {"70", "seventy"},
    {"80", "eighty"},
    {"90", "ninety"},
    {"100", "hundred hundert cent cien"},
    {"1000", "thousand tausend mille"},
    {"1000000", "million millionen millones"},
    {"1000000000", "billion milliarde milliarden"},
    {"1/2", "half halb moitie mitad"},
    {"1/4", "quarter"},
    {"2nd", "second zweite zweiter zweites deuxieme segundo segunda"},
    {"3rd", "third dritte dritter drittes troisieme tercero tercera"},
    {"", "fourth fifth sixth"},
    // Of a pair, the end that is used for little else; the other end has no class.
    {"last", "last letzte letzter letztes dernier derniere ultimo ultima"},
    {"all", "all every alle jeder jede tous toutes"},
    {"few", "few rare seldom rarely wenige selten"},
    {"max", "max maximum maximal most meist"},
    {"less", "less fewer weniger moins menos"},
    {"may", "may might optional optionally"},
    {"down", "down decrease fall fell fallen decline reduce shrink shrank diminish"},
    {"down", "sinken sinkt gesunken senken senkt diminue diminuer baisse baisser disminuye disminuyo bajar baja"},
    {"before", "before prior previous previously precede earlier avant vorher antes"},
    {"below", "below under beneath lower bottom unter sous debajo"},
    {"outside", "outside external outer"},
    {"left", "left links gauche izquierda"},
    {"behind", "behind backward rear hinter derriere detras"},
    {"stop", "stop halt cease"},
    {"close", "close closed closing shut"},
    {"deny", "disable deny denied forbid forbidden reject block prohibit refuse ban"},
    {"false", "false wrong incorrect invalid"},
    {"remove", "remove delete erase drop detach unmount uninstall"},
    {"fail", "fail failure failed error"},
    {"sell", "sell sold sale"},
    {"lose", "lose lost loss"},
    {"receive", "receive received"},
    {"write", "write written wrote"},
    {"asynchronous", "async asynchronous asynchronously"},
    {"bad", "bad worse worst badly"},
    {"old", "old older oldest"},
    {"low", "low lowest"},
    {"small", "small tiny smaller smallest"},
    {"short", "short shorter"},
    {"slow", "slow slower slowly"},
    {"cold", "cold cool colder"},
    {"hard", "hard difficult"},
    {"negative", "negative minus"},
    {"", "only should off weak poor empty dry dark alive depart private remote offline vertical pull download export"},
    {"", "decrypt unlock output destination server follower secondary descending impossible illegal unsafe dangerous"},
    {"", "inactive absent unknown unlike incomplete insecure improper unsigned north south east west"},
    // Who, when, which: members of one kind that exclude each other.
    {"she",
     "she her woman women girl female lady mother wife daughter sister queen sie frau elle femme fille ella mujer"},
    {"night", "night nacht nuit noche"},
    {"morning", "morning matin manana"},
    {"evening", "evening afternoon abend soir tarde"},
    {"tomorrow", "tomorrow demain"},
    {"yesterday", "yesterday gestern hier ayer"},
    {"black", "black schwarz noir noire negro negra"},
    {"white", "white weiss blanc blanche blanco blanca"},
    {"red", "red rot rouge rojo roja"},
    {"blue", "blue blau bleu bleue azul"},
    {"green", "green grun vert verte verde"},
    {"yellow", "yellow gelb jaune amarillo amarilla"},
    {"brown", "brown braun marron"},
    {"orange", "orange"},
    {"pink", "pink rosa"},
    {"purple", "purple"},
    {"grey", "grey gray grau gris"},
    {"january", "january januar janvier enero"},
    {"february", "february februar fevrier febrero"},
    {"march", "march marz mars marzo"},
    {"april", "april avril abril"},
    {"june", "june juni juin junio"},
    {"july", "july juli juillet julio"},
    {"august", "august aout agosto"},
    {"september", "september septembre septiembre"},
    {"october", "october oktober octobre octubre"},
    {"november", "november novembre noviembre"},
    {"december", "december dezember decembre diciembre"},
    {"monday", "monday montag lundi lunes"},
    {"tuesday", "tuesday dienstag mardi martes"},
    {"wednesday", "wednesday mittwoch mercredi miercoles"},
    {"thursday", "thursday donnerstag jeudi jueves"},
    {"friday", "friday freitag vendredi viernes"},
    {"saturday", "saturday samstag sonnabend samedi sabado"},
    {"sunday", "sunday sonntag dimanche domingo"},
};

constexpr std::string_view kUnits =
    " ns us µs ms s sec secs min mins h hr hrs d wk mo yr nm mm cm m km in ft yd mi mph kph kg g mg lb lbs oz t l ml "
    "dl "
    "b kb mb gb tb pb kib mib gib bit bits byte bytes kbps mbps gbps qps rps hz khz mhz ghz v kv mv a ma w kw mw kwh "
    "wh "
    "j kj cal kcal pa kpa psi bar c f k px pt em rem dpi fps rpm am pm usd eur gbp jpy inr chf bn percent pct second "
    "seconds minute minutes hour hours day days week weeks month months year years metre metres meter meters kilometre "
    "kilometres kilometer kilometers mile miles feet foot inch inches yard yards gram grams kilogram kilograms pound "
    "pounds ounce ounces ton tons tonne tonnes litre litres liter liters gallon gallons degrees dollar dollars euro "
    "euros "
    "cent cents yen million billion thousand times ";

// Begin sentences in other languages than English, whose stop words are no terms.
constexpr std::string_view kFunctionWords =
    " der die das dem den des ein eine einer einem einen er es ich wir ihr ist im in am an auf aus bei mit nach von "
    "vor zu "
    "zum zur und oder aber als wie wenn dass auch le la les l un une du de des d il ils elles on nous vous je ce cette "
    "ces "
    "cet c dans en au aux avec pour par sur sous et ou mais que qui selon el los las lo uno una unos unas del al con "
    "por "
    "para segun y o pero ha se su sus este esta estos estas ese esa gli i nel di da per e che um uma os as do dos no "
    "na "
    "het een ook van voor ";

// Letters of scripts without spaces that negate; strings that do.
constexpr std::u32string_view kNegativeLetters = U"不没沒無无未非否别別勿莫않없못";
constexpr std::array<std::string_view, 9> kNegativeStrings = {"ない", "なし", "なく", "ません", "ずに",
                                                              "안 ",  "아니", "ไม่",   "ບໍ່"};

using WordSet = std::unordered_set<std::string_view>;

void add_words(std::string_view list, WordSet& set) {
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t end = std::min(list.find(' ', at), list.size());
        if (end > at) set.insert(list.substr(at, end - at));
        at = end + 1;
    }
}

WordSet words_of(std::string_view list) {
    WordSet set;
    add_words(list, set);
    return set;
}

// Words separated by spaces, by the form in which terms are looked up.
std::unordered_map<std::string, std::string_view> read_groups() {
    std::unordered_map<std::string, std::string_view> classes;
    for (const Group& group : kGroups) {
        for (std::size_t at = 0; at < group.words.size();) {
            const std::size_t end = std::min(group.words.find(' ', at), group.words.size());
            const std::string_view written = group.words.substr(at, end - at);
            std::string word(written);
            if (std::all_of(word.begin(), word.end(), ascii_lower)) stem(word);
            classes.try_emplace(std::move(word), group.name.empty() ? written : group.name);
            at = end + 1;
        }
    }
    return classes;
}

}  // namespace

std::string folded(std::string_view word) {
    std::string plain;
    for (std::size_t at = 0; at < word.size(); at += decode(word, at).length) {
        const char32_t code = decode(word, at).code;
        if (code < 0x300 || code > 0x36F) append_utf8(plain, fold(code));
    }
    return plain;
}

std::string looked_up(std::string_view word) {
    std::string plain = folded(word);
    if (std::all_of(plain.begin(), plain.end(), ascii_lower)) stem(plain);
    return plain;
}

bool negates_at(std::string_view text, std::size_t at) {
    if (kNegativeLetters.find(decode(text, at).code) != std::u32string_view::npos) return true;
    const std::string_view rest = text.substr(at);
    return std::any_of(kNegativeStrings.begin(), kNegativeStrings.end(),
                       [rest](std::string_view negation) { return rest.starts_with(negation); });
}

std::string_view guard_class(const std::string& word) {
    static const std::unordered_map<std::string, std::string_view> classes = read_groups();
    const auto found = classes.find(word);
    return found == classes.end() ? std::string_view() : found->second;
}

const std::unordered_set<std::string_view>& negations() {
    static const WordSet words = [] {
        WordSet set;
        for (const Group& group : kGroups) {
            if (group.name == "not") add_words(group.words, set);
        }
        return set;
    }();
    return words;
}

bool is_unit(std::string_view word) {
    static const WordSet words = words_of(kUnits);
    if (word.size() > 16) return false;
    std::string lower(word);
    for (char& byte : lower) byte = ascii_upper(byte) ? static_cast<char>(byte + 32) : byte;
    return words.contains(lower);
}

bool is_function_word(std::string_view folded) {
    static const WordSet words = words_of(kFunctionWords);
    return words.contains(folded);
}

}  // namespace tersely::text
