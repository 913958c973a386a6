#include "kernels/text/key_words.hpp"

#include <array>
#include <iterator>
#include <span>
#include <unordered_map>
#include <utility>

#include "kernels/text/abbreviations.hpp"
#include "kernels/text/fact_runs.hpp"
#include "kernels/text/guards.hpp"
#include "kernels/text/terms.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {

namespace {

struct Group {
    std::string_view name;   // empty: each word is a class of its own
    std::string_view words;  // of one meaning; folded: lower case, without accents
};

constexpr Group kGroups[] = {
    // Negations of some thirty languages; those that are common words of other languages are classes of their own.
    {"not",
     "not no never none nor neither nobody nothing nowhere without cannot dont doesnt didnt isnt arent wasnt werent "
     "wont cant couldnt shouldnt wouldnt mustnt mightnt neednt hasnt havent hadnt aint unable lack hardly barely"},
    {"not", "nicht kein keine keinen keinem keiner keines nie niemals ohne nichts niemand weder nirgends"},
    {"not", "niet geen zonder nooit niets inte ingen inget utan aldrig ikke ej"},
    {"not", "pas jamais rien aucun aucune sans ni non guere nunca jamas sin ningun ninguna ninguno nada nadie"},
    {"not", "tampoco nao sem nenhum nenhuma senza nessun nessuno nessuna niente nem"},
    {"not", "не нет ни без никогда ничего никто нельзя ні немає bez nigdy nic"},
    {"not", "δεν μην χωρισ οχι degil yok tidak bukan tanpa khong"},
    {"not", "नहीं नही न मत बिना ना نه نیست بدون"},
    {"not", "لا لم لن ليس ليست ليسوا غير بدون دون ولا ولم לא אין בלי"},
    {"not", "nikt nikdo nikto nigdzie nikde nikdy zaden zadna zadne zadny ziadny ziadna ziadne brak ani"},
    {"not", "nincs nincsenek nelkul soha semmi senki tilos nici fara niciodata nimic nimeni niciun nicio interzis"},
    {"not", "eivat eika emme ilman koskaan kukaan hverken uden uten aldri intet inga icke ingenting nergens"},
    {"not", "mai neanche nemmeno vietato ninguem proibido никакои нету нигде никого запрещено нема ніколи нічого"},
    {"not", "ніхто"},
    {"not", "жоден заборонено няма никои нищо μη ποτε κανεισ κανενασ τιποτα ουτε απαγορευεται hayır hic hicbir"},
    {"not", "asla yasak"},
    {"not", "jangan belum dilarang chua đung نمی نباید ندارد هرگز ممنوع نہیں بغیر ללא אסור אינו אינה না নয়"},
    {"not", "নেই"},
    {"", "ne nu ei"},
    {"not",
     "neni nejsou nejsem nema nemam nemate nemame nemaji nelze nesmi nesmite nesmie nemuze nemohou nemoze nebyl"},
    {"not", "nebyla nebylo nebyli nebude nebudou nebol nebola nebolo nechce nemozno"},
    // Numbers; "one" and "first" are more often not meant as a number, nor are words that are common in another
    // language ("due", "sex", "on").
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
    {"2", "dwa dwie dwoch dva dve dvije dvaja ketto ket doua dois duas twee tva kaksi δυο два две двух дві"},
    {"2", "двох iki hai dua اثنان اثنين שניים שתיים שני שתי दो دو"},
    {"3", "trzy trzech harom trei tre drie kolme τρια τρεισ три трех трьох uc ba tiga ثلاثة ثلاث שלוש שלושה"},
    {"3", "तीन سه تین"},
    {"4", "cztery czterech ctyri styri cetiri negy patru quatro quattro fyra nelja τεσσερα τεσσερισ четыре"},
    {"4", "четырех чотири четири dort empat أربعة أربع ארבע ארבעה चार چهار چار"},
    {"5", "pieciu ot cinci cinque vijf fem viisi πεντε пять пяти ять пʼять bes lima خمسة خمس חמש"},
    {"5", "חמישה पांच पाँच پنج پانچ"},
    {"6", "szesc szesciu sest sase zes seks kuusi εξι шесть шести шість шест altı enam ستة ست שש שישה छह شش چھ"},
    {"7", "siedem siedmiu sedm sedem sedam sapte zeven sju syv seitseman επτα εφτα семь семи сім"},
    {"7", "седем yedi tujuh سبعة سبع שבע שבעה सात هفت سات"},
    {"8", "osiem osmiu osm osem osam nyolc oito otto otte kahdeksan οκτω οχτω восемь восьми вісім"},
    {"8", "осем sekiz delapan ثمانية ثماني שמונה आठ هشت آٹھ"},
    {"9", "dziewiec dziewieciu devet devat kilenc negen nio yhdeksan εννεα εννια девять девяти дев"},
    {"9", "девʼять девет dokuz sembilan تسعة تسع תשע תשעה नौ نو"},
    {"10", "dziesiec dziesieciu deset desat tiz zece dez dieci tien tio kymmenen δεκα десять десяти десет muoi"},
    {"10", "sepuluh عشرة عشر עשר עשרה दस ده دس"},
    {"11", "undici elva elleve"},
    {"12", "dodici twaalf tolv двенадцать дванадцять"},
    {"11",
     "jedenascie jedenact jedenast jedanaest tizenegy unsprezece yksitoista εντεκα одиннадцать одинадцять единадесет"},
    {"12", "dwanascie dvanact dvanast dvanaest tizenketto doisprezece kaksitoista δωδεκα дванадесет"},
    {"13", "dreizehn treize trece tredici dertien tretton tretten trzynascie trinact trinast trinaest tizenharom"},
    {"13", "treisprezece treze kolmetoista δεκατρια тринадцать тринадцять тринадесет"},
    {"14", "vierzehn quatorze catorce quattordici veertien fjorton fjorten czternascie ctrnact strnast"},
    {"14", "cetrnaest tizennegy paisprezece catorze neljatoista δεκατεσσερα четырнадцать чотирнадцять четиринадесет"},
    {"15", "funfzehn quinze quince quindici vijftien femton femten pietnascie patnact patnast petnaest tizenot"},
    {"15", "cincisprezece viisitoista δεκαπεντε пятнадцать ятнадцять пʼятнадцять петнадесет"},
    {"16", "sechzehn dieciseis sedici zestien seksten szesnascie sestnact sestnast sesnaest tizenhat dezesseis"},
    {"16", "saisprezece kuusitoista δεκαεξι шестнадцать шістнадцять шестнадесет"},
    {"17", "siebzehn diecisiete diciassette zeventien sjutton sytten siedemnascie sedmnact sedemnast sedamnaest"},
    {"17", "tizenhet saptesprezece dezessete seitsemantoista δεκαεπτα семнадцать сімнадцять седемнадесет"},
    {"18", "achtzehn dieciocho diciotto achttien arton atten osiemnascie osmnact osemnast osamnaest tizennyolc"},
    {"18", "optsprezece dezoito kahdeksantoista δεκαοκτω восемнадцать вісімнадцять осемнадесет"},
    {"19", "neunzehn diecinueve diciannove negentien nitton nitten dziewietnascie devatenact devatnast devetnaest"},
    {"19", "tizenkilenc nouasprezece dezenove yhdeksantoista δεκαεννεα девятнадцать девятнадцять деветнадесет"},
    {"30", "trzydziesci tricet tridsat trideset harminc treizeci trenta trinta dertig trettio kolmekymmenta"},
    {"30", "τριαντα тридцать тридцять otuz"},
    {"40", "czterdziesci ctyricet styridsat cetrdeset negyven patruzeci quaranta quarenta veertig fyrtio"},
    {"40", "neljakymmenta σαραντα сорок"},
    {"50", "piecdziesiat padesat patdesiat pedeset otven cincizeci cinquanta cinquenta vijftig femtio"},
    {"50", "viisikymmenta πενηντα пятьдесят ятдесят пʼятдесят"},
    {"60", "sechzig soixante sesenta szescdziesiat sedesat sestdesiat sezdeset hatvan saizeci sessanta sessenta"},
    {"60", "zestig sextio kuusikymmenta εξηντα шестьдесят шістдесят altmis"},
    {"70", "siebzig setenta siedemdziesiat sedmdesat sedemdesiat sedamdeset hetven saptezeci settanta zeventig"},
    {"70", "sjuttio seitsemankymmenta εβδομηντα семьдесят сімдесят yetmis"},
    {"80", "achtzig ochenta osiemdziesiat osmdesat osemdesiat osamdeset nyolcvan optzeci ottanta oitenta tachtig"},
    {"80", "kahdeksankymmenta ογδοντα восемьдесят вісімдесят seksen"},
    {"90", "neunzig noventa dziewiecdziesiat devadesat devatdesiat devedeset kilencven nouazeci novanta negentig"},
    {"90", "nittio yhdeksankymmenta ενενηντα девяносто doksan"},
    {"20", "dwadziescia dvacet dvadsat dvadeset husz douazeci vinte venti twintig tjugo tyve tjue εικοσι"},
    {"20", "двадцать yirmi बीस بیست"},
    {"100", "sto szaz suta cento honderd hundra hundrede hundre sata εκατο сто yuz ratus مائة مئة מאה सौ صد"},
    {"1000", "tysiac tisic tisoc ezer duizend tusen tusind tuhat χιλια тысяча тысячи тысяч тисяча тисячі nghin"},
    {"1000", "ribu ألف אלף हजार हज़ार هزار ہزار"},
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
constexpr std::string_view kNegativeStrings[] = {
    "ない", "なかった", "なし", "なく", "ません", "ずに", "안 ", "아니", "말아", "마세요", "마십시오", "금지",
    "ไม่",   "ห้าม",      "อย่า",  "ไร้",   "ບໍ່",      "ຫ້າມ",  "ຢ່າ",  "មិន",   "គ្មាន", "ហាម",    "ဘူး"};
// Numbers from two up as they are spelled in Thai, Lao and Korean.
constexpr std::pair<std::string_view, std::string_view> kNumberStrings[] = {
    {"ยี่สิบ", "20"},      {"สอง", "2"}, {"สาม", "3"}, {"สี่", "4"},     {"ห้า", "5"},    {"หก", "6"},      {"เจ็ด", "7"},
    {"แปด", "8"},       {"เก้า", "9"}, {"สิบ", "10"}, {"ร้อย", "100"}, {"พัน", "1000"}, {"หมื่น", "10000"}, {"แสน", "100000"},
    {"ล้าน", "1000000"}, {"ສອງ", "2"}, {"ສາມ", "3"}, {"ສີ່", "4"},     {"ຫ້າ", "5"},    {"ຫົກ", "6"},      {"ເຈັດ", "7"},
    {"ແປດ", "8"},       {"ເກົ້າ", "9"}, {"ສິບ", "10"}, {"ຮ້ອຍ", "100"}, {"ພັນ", "1000"}, {"두 ", "2"},     {"둘", "2"},
    {"세 ", "3"},       {"셋", "3"},  {"네 ", "4"}, {"넷", "4"},    {"다섯", "5"},  {"여섯", "6"},    {"일곱", "7"},
    {"여덟", "8"},      {"아홉", "9"}};

// What verbs of Turkish have in them that denies.
constexpr std::string_view kNegativeParts[] = {"mıyor", "miyor", "muyor",   "müyor",   "madı",   "medi",
                                               "maz",   "mez",   "mayacak", "meyecek", "mamalı", "memeli",
                                               "mamış", "memiş", "mayın",   "meyin"};
constexpr std::pair<std::u32string_view, std::uint8_t> kLanguageLetters[] = {
    {U"ěščřžůďťňľĚŠČŘŽŮĎŤŇĽ", kCzechLetters}, {U"łąężźćńśŁĄĘŻŹĆŃŚ", kPolishLetters}, {U"ığşİĞŞ", kTurkishLetters}};

bool is_han(char32_t code) { return code >= 0x3400 && code <= 0x9FFF; }

// Words separated by spaces, by the form in which terms are looked up.
std::unordered_map<std::string, std::string_view> read_groups() {
    std::unordered_map<std::string, std::string_view> classes;
    for (const Group& group : kGroups) {
        each_word(group.words, [&](std::string_view written) {
            std::string word(written);
            if (std::all_of(word.begin(), word.end(), ascii_lower)) stem(word);
            classes.try_emplace(std::move(word), group.name.empty() ? written : group.name);
        });
    }
    return classes;
}

}  // namespace

std::unordered_set<std::string_view> words_of(std::string_view list) {
    std::unordered_set<std::string_view> words;
    each_word(list, [&](std::string_view word) { words.insert(word); });
    return words;
}

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
    const char32_t code = decode(text, at).code;
    if (kNegativeLetters.find(code) != std::u32string_view::npos) return true;
    const std::string_view rest = text.substr(at);
    return !is_han(code) && std::any_of(std::begin(kNegativeStrings), std::end(kNegativeStrings),
                                        [rest](std::string_view negation) { return rest.starts_with(negation); });
}

std::string_view number_at(std::string_view text, std::size_t at) {
    const std::string_view rest = text.substr(at);
    if (is_han(decode(text, at).code)) return {};
    for (const auto& [spelled, number] : kNumberStrings) {
        if (rest.starts_with(spelled)) return number;
    }
    return {};
}

std::uint8_t denial_within(std::string_view word) {
    if (word.starts_with("не") || word.starts_with("Не")) return word.size() >= 10 ? kAnyLetters : 0;
    const std::string_view rest = word.substr(1);
    if (among(word[0], "nN") && rest.starts_with("ie") && word.size() >= 6) return kPolishLetters;
    if (among(word[0], "nN") && rest.starts_with("e") && word.size() >= 4) {
        const bool another = rest.starts_with("eb") || rest.starts_with("ež") ||
                             (rest.starts_with("ej") && !rest.starts_with("ejs") && !rest.starts_with("ejd"));
        if (!another) return kCzechLetters;
    }
    const bool turkish =
        std::any_of(std::begin(kNegativeParts), std::end(kNegativeParts),
                    [word](std::string_view part) { return word.find(part, 1) != std::string_view::npos; });
    return turkish ? kTurkishLetters : 0;
}

std::uint8_t letters_of(std::string_view line) {
    unsigned found = kAnyLetters;
    for (std::size_t at = 0; at < line.size(); at += decode(line, at).length) {
        const char32_t code = decode(line, at).code;
        if (code < 0xF3 || code > 0x17E) continue;
        for (const auto& [letters, language] : kLanguageLetters) {
            if (letters.find(code) != std::u32string_view::npos) found |= language;
        }
    }
    return static_cast<std::uint8_t>(found);
}

std::string_view guard_class(const std::string& word) {
    static const std::unordered_map<std::string, std::string_view> classes = read_groups();
    const auto found = classes.find(word);
    return found == classes.end() ? std::string_view() : found->second;
}

const std::unordered_set<std::string_view>& negations() {
    static const auto words = [] {
        std::unordered_set<std::string_view> set;
        for (const Group& group : kGroups) {
            if (group.name == "not") each_word(group.words, [&](std::string_view word) { set.insert(word); });
        }
        return set;
    }();
    return words;
}

bool is_unit(std::string_view word) {
    static const auto words = words_of(kUnits);
    if (word.size() > 16) return false;
    std::string lower(word);
    for (char& byte : lower) byte = ascii_small(byte);
    return words.contains(lower);
}

bool is_function_word(std::string_view folded) {
    static const auto words = words_of(kFunctionWords);
    return words.contains(folded);
}

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
    {kTitle, "mr mrs ms mx dr prof sir lord lady st sen rep gov gen col capt lt sgt rev hon"},
    {kCommon,
     "however therefore moreover furthermore although yes please thank thanks hello hi ok okay well maybe perhaps "
     "today tomorrow yesterday note see figure table section chapter appendix page item step part example okay yeah oh "
     "mm hmm uh um right sure actually figures tables sections equation algorithm"},
    {kFileName, "makefile justfile dockerfile"},
    {kLinks, "of de la le van von der den del di da du and & y e el al bin ibn"},
};
constexpr Use kWrittenUses[] = {
    // by words as they are written
    {kMonth,
     "January February March April May June July August September October November December Jan Feb Mar Apr Jun Jul "
     "Aug "
     "Sep Sept Oct Nov Dec"},
    {kWeekday, "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"},
    {kCurrency, "USD EUR GBP JPY CNY INR CHF AUD CAD SEK NOK DKK RMB Rs"},
    {kLogLevel, "ERROR FATAL CRITICAL SEVERE PANIC ALERT EMERG"},
};
constexpr std::string_view kDomains =
    " com org net io dev gov edu mil int info app ai co uk de fr eu us ca au jp cn in nl ch at it es se no pl ru br ";
constexpr std::u32string_view kEastAsianUnits =
    U"万萬億亿兆千百元円圆圓个個名人次倍度米克吨噸年月日天周週歳岁才件本台位回点點页頁章条條%％分秒時时円원개명";
constexpr std::u32string_view kDateUnits = U"年月日号號時时分秒년월일시분초";

using Uses = std::unordered_map<std::string_view, std::uint32_t>;

Uses made_of(std::span<const Use> lists) {
    Uses uses;
    for (const Use& use : lists) each_word(use.words, [&](std::string_view word) { uses[word] |= use.bits; });
    return uses;
}

// By the folded word; and the lengths of those that begin with two given bytes: most words are not among them.
struct FoldedUses {
    Uses uses = made_of(kUses);
    std::array<std::uint32_t, 1024> lengths{};

    FoldedUses() {
        for (const std::string_view word : negations()) uses[word] |= kNegates;
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
    static const Uses by_spelling = made_of(kWrittenUses);
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
    static const auto domains = words_of(kDomains);
    return stops > 0 && label > 2 && domains.contains(run.substr(label));
}

std::size_t east_asian_unit(std::string_view rest) { return length_of_any(rest, kEastAsianUnits); }
std::size_t east_asian_date_unit(std::string_view rest) { return length_of_any(rest, kDateUnits); }

}  // namespace tersely::text
