#include "kernels/text/statements.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>

#include "kernels/text/lines.hpp"
#include "kernels/text/mail.hpp"
#include "kernels/text/unicode.hpp"

namespace tersely::text {
namespace {

// Words that permit and words that deny forbid together, as words of a version and of what will be explain.
enum class Role : std::uint8_t {
    kForbids,
    kPermits,
    kDenies,
    kOrders,
    kExplains,
    kVersion,
    kWill,
    kSets,
    kGreets,
    kRefers,
    kBy
};
using enum Role;

struct Signs {
    Role role;
    std::string_view words;  // in small letters, each ends at a "|"
};

constexpr Signs kSigns[] = {
    {kForbids,
     "must not |must never |mustn't |shall not |may not be |not allowed|not permitted|forbidden|"
     "prohibited|no circumstances|verboten|untersagt|keinen Umst|keinesfalls|mag niet |mogen niet |"
     "verboden|ne doit pas |ne doivent pas |ne devez pas |interdit|en aucun cas|no debe |no deben |"
     "no se permite|prohibid|non deve |non devono |vietat|não deve|proibid|nie wolno |zabroni|"
     "нельзя|запрещ|禁止|不得|严禁|てはならない|てはいけません|금지|allerg|alerg|contraindic|contre-indi|controindic|"
     "not before |no earlier than|not earlier than|frühestens|nicht vor |pas avant|no antes de|non prima d|não antes d|"
     "nie wcześniej|не ранее|不早于|kontraindi|przeciwwskaz|uczulen|аллерг|противопоказ|过敏|禁忌|アレルギー|알레르기"},
    {kOrders, "never |do not |don't |DO NOT |NEVER "},
    {kExplains,
     "the cause|root cause|caused by|the reason |the culprit|is due to |was due to |turned out |"
     "turns out |workaround|the fix |the fix:|fixed in |fixed by |be fixed|resolved by |solved by |"
     "the solution|the remedy|we conclude|in conclusion|conclusion:|decision:|it was decided|we decided|"
     "ursache |ursache:|der Grund |grund dafür|liegt daran|lag daran|verursacht|zurückzuführen|"
     "stellte sich heraus|abhilfe|behoben|die Lösung|lösung:|maßnahme|fazit|oorzaak|veroorzaakt|"
     "te wijten aan|de oplossing|opgelost|la cause |est dû |est due |était dû|causé par|causée par|"
     "provoqué par|provoquée par|s'explique par|la solution|solution :|contournement|corrigé|la causa |"
     "causado por|causada por|se debe a |se debió a|se debía a|el motivo |la solución|solución:|"
     "medidas:|corregid|se corrig|se decidió|se acordó|causato da|causata da|dovuto a|dovuta a|"
     "il motivo |la soluzione|soluzione:|rimedio|risolto|è stato deciso|a causa |causado pel|causada pel|"
     "deve-se a|deveu-se a|o motivo |a solução|solução:|corrigid|foi decidido|przyczyn|spowodowan|"
     "rozwiązani|naprawion|причин|вызван|исправлен|решение:|原因|解决方|"
     "解决办法|修复|対策|解決|回避策|원인|해결|"
     "please |TODO|todo:|to do:|ACTION|action:|action item|next step|deadline|agreed to |agreed that |agreed on |"
     "resolved that |AP:|beschluss|beschlossen|vereinbart|bitte |diese Woche|nächste Woche|zuständig:|veuillez |"
     "pourriez-vous |merci de |décision :|il a été décidé|à faire :|por favor|se ruega|acuerdo:|tarea:|per favore|"
     "si prega di |azione:|da fare:|decisione:|ação:|decisão:|actie:|actiepunt|besluit|gelieve |proszę |prosimy |"
     "zadanie:|ustalono|uzgodniono|zdecydowano|пожалуйста|решили|решено|просьба|поручить|Решили|Решено|Просьба|"
     "Поручить|待办|决定|截止|决议|お願いします|ください|決定|期限|부탁드|결정|기한"},
    {kBy,
     "by |before |until |no later than |bis |spätestens |vor |avant |d'ici |antes de|hasta |para |entro |prima di|"
     "fino a |até |voor |tegen |uiterlijk |do |przed |до |к "},
    {kVersion, "version |release "},
    {kWill, "will "},
    {kSets, "set "},
    {kGreets,
     "thank you|thanks|many thanks|hello|good morning|good afternoon|best regards|kind regards|"
     "you are welcome|you're welcome|sorry for |i am glad to hear|danke|vielen Dank|herzlichen Dank|"
     "wir danken|guten Tag|guten Morgen|hallo|mit freundlichen Grüßen|bedankt|"
     "dank u|dank je|met vriendelijke groet|merci|bonjour|cordialement|nous remercions|gracias|"
     "muchas gracias|agradecemos|hola|buenos días|saludos|grazie|buongiorno|cordiali saluti|ringraziamo|"
     "obrigad|muito obrigad|agradecemos|bom dia|olá|dziękuj|dzień dobry|спасибо|Спасибо|"
     "Здравствуйте|谢谢|您好|ありがとうございま|"
     "お世話になっております|감사합니다|안녕하세요"},
    {kRefers, "it |they |he |she "},
    {kPermits, "darf |dürfen "},
    {kDenies, "nicht|kein"},
};

constexpr std::size_t kMark = 2;       // bytes, at most, before the first word: the mark of an item
constexpr std::size_t kGreeting = 90;  // bytes of a sentence that greets
constexpr std::size_t kBrief = 40;     // bytes of a sentence that says little without the one before

constexpr std::string_view kExceptions =
    "however|unless|except|exception|but only|only if|provided that|allerdings|jedoch|ausnahme|"
    "es sei denn|außer|nur wenn|ausgenommen|tenzij|behalve|echter|uitzondering|sauf|toutefois|cependant|"
    "à moins que|excepté|salvo|excepto|sin embargo|no obstante|a menos que|solo si|tuttavia|eccetto|"
    "a meno che|no entanto|exceto|porém|a não ser|chyba że|jednak|z wyjątkiem|Однако|"
    "Кроме случаев|За исключением|但|除非|ただし|다만|단, ";

// What may stand between a word of kBy and a day, and days.
constexpr std::string_view kArticles = "the |den |dem |zum |am |le |la |l |el |il |al |o |a |de |à |";
constexpr std::string_view kDays =
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|tonight|noon|end of|next |montag|dienstag|"
    "mittwoch|donnerstag|freitag|samstag|sonntag|morgen|mittag|ende |lundi|mardi|mercredi|jeudi|vendredi|samedi|"
    "dimanche|demain|midi|fin |la fin|lunes|martes|miércoles|jueves|viernes|sábado|domingo|mañana|lunedì|martedì|"
    "mercoledì|giovedì|venerdì|sabato|domenica|domani|fine |segunda|terça|quarta|quinta|sexta|amanhã|maandag|dinsdag|"
    "woensdag|donderdag|vrijdag|zaterdag|zondag|eind|poniedział|wtor|środ|czwart|piąt|sobot|niedziel|jutr|końc|"
    "понедельн|вторник|сред|четверг|пятниц|суббот|воскресен|завтра|конца|";

// What opens a turn that takes back what was said before; each ends at a "|".
constexpr std::string_view kCorrections =
    "no wait|no, |wait|actually|instead|sorry, |correction|scratch that|change of plan|nein, |halt|stopp|moment|doch |"
    "non, |attends|attendez|plutôt|finalement|no espera|espera|mejor |al final |no aspett|aspett|anzi|invece|não, |"
    "melhor |afinal |nee, |wacht|toch |nie, |czekaj|jednak|нет, |Нет, "
    "|подожди|стоп|不对|不是|等等|还是|待って|やっぱり|"
    "아니|잠깐|";

constexpr bool letter(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || static_cast<unsigned char>(byte) >= 0x80;
}
constexpr char small(char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte; }

constexpr std::size_t pair_at(std::string_view text, std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(small(text[at]))) << 8U |
           static_cast<unsigned char>(small(text[at + 1]));
}

struct Sign {
    std::string_view words;
    Role role;
};

// Signs by the byte that they begin with, and the two bytes with which any begins.
struct Index {
    std::array<std::vector<Sign>, 256> by_byte;
    std::bitset<65536> openings;

    Index() {
        for (const auto& [role, words] : kSigns) {
            for (std::size_t at = 0, end = 0; at < words.size(); at = end + 1) {
                end = std::min(words.find('|', at), words.size());
                const Sign sign{words.substr(at, end - at), role};
                by_byte[static_cast<unsigned char>(small(sign.words[0]))].push_back(sign);
                openings.set(pair_at(sign.words, 0));
            }
        }
    }
};

// Whether words begin there; but for their first letter, as they are written.
bool begins(std::string_view said, std::size_t at, std::string_view words) {
    return (said[at] == words[0] || small(said[at]) == words[0]) && said.substr(at + 1).starts_with(words.substr(1));
}

// Whether "set " behind `before` orders to give a name the value in `rest`: "print.wait to 20".
bool orders_value(std::string_view before, std::string_view rest) {
    if (before.ends_with("not ") || before.ends_with("ave ") || before.ends_with("has ")) return false;
    const std::size_t end = rest.find(' ');
    const std::string_view name = rest.substr(0, end);
    return name.find('=') != std::string_view::npos ||
           (name.find_first_of("._`-") != std::string_view::npos && rest.substr(name.size()).starts_with(" to "));
}

// How many bytes of a text one of some words is that it begins with; 0: with none.
std::size_t opening(std::string_view text, std::string_view words) {
    for (std::size_t at = 0, end = 0; at < words.size(); at = end + 1) {
        end = words.find('|', at);
        if (text.size() >= end - at && begins(text, 0, words.substr(at, end - at))) return end - at;
    }
    return 0;
}

// Whether a day begins there: "Friday", "the 14th", "9 October", "20.06.", "June 30".
bool is_day(std::string_view rest) {
    rest.remove_prefix(opening(rest, kArticles));
    if (opening(rest, kDays) > 0 || one_of_threes(rest.substr(0, 3), kMonthsOfThree)) return true;
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits == 0 || digits > 2 || digits + 1 >= rest.size()) return false;
    const std::string_view behind = rest.substr(digits, 2);
    if (behind == "th" || behind == "st" || behind == "nd" || behind == "rd") return true;
    const bool dated = behind[0] == '.' || behind[0] == '/';
    return dated ? ascii_digit(behind[1]) || behind[1] == ' ' : behind[0] == ' ' && ascii_upper(behind[1]);
}

// Whether an order opens with a denial and an infinitive: "No tomar ...", "Non aprire ...", "Ne pas ouvrir ...".
bool denies_infinitive(std::string_view said) {
    constexpr std::size_t kEnglish = 3;  // bytes of "no "
    constexpr std::string_view kNo = "no |non |não |ne pas |nie |Не |не |";
    // English has "No longer", "No other": of Spanish one of its words is near.
    constexpr std::string_view kSpanish =
        "el |la |los |las |de |del |en |con |sin |que |por |para |ni |y |un |una |se |";
    const std::size_t mark = std::min(said.find_first_not_of("-*+ "), said.size()),
                      no = opening(said.substr(mark), kNo);
    if (mark > kMark || no == 0) return false;
    std::string_view verb = said.substr(mark + no);
    verb = verb.substr(0, verb.find(' '));
    if (no == kEnglish) {
        bool spanish = false;
        for (std::size_t at = said.find(' '); at != std::string_view::npos && !spanish; at = said.find(' ', at + 1))
            spanish = opening(said.substr(at + 1), kSpanish) > 0;
        if (!spanish) return false;
    }
    for (const std::string_view end : {"ar", "er", "ir", "re", "arse", "ć", "ть"}) {
        if (verb.size() > end.size() + 2 && verb.ends_with(end)) return true;
    }
    return false;
}

// Whether a sentence speaks to somebody by a name: "@ann - look at it".
bool addresses(std::string_view said) {
    const std::size_t at = said.find_first_not_of("-*+ ");
    return at <= kMark && said[at] == '@' && at + 1 < said.size() && letter(said[at + 1]) &&
           said.find(' ', at) != std::string_view::npos;
}

Statement statement(std::string_view said) {
    static const Index signs;
    if (denies_infinitive(said)) return Statement::kForbids;
    bool permits = false, versioned = false, explains = false, greets = false, refers = false;
    for (std::size_t at = 0; at + 1 < said.size(); ++at) {
        if (!signs.openings[pair_at(said, at)]) continue;
        const char first = small(said[at]);
        if (static_cast<unsigned char>(first) < 0x80 && at > 0 && letter(said[at - 1])) continue;
        for (const Sign& sign : signs.by_byte[static_cast<unsigned char>(first)]) {
            if (!begins(said, at, sign.words)) continue;
            const Role role = sign.role;
            if (role == kForbids || (role == kDenies && permits) || (role == kOrders && at <= kMark))
                return Statement::kForbids;
            permits = permits || role == kPermits;
            versioned = versioned || role == kVersion;
            explains = explains || role == kExplains || (role == kWill && versioned) ||
                       (role == kSets && orders_value(said.substr(0, at), said.substr(at + sign.words.size()))) ||
                       (role == kBy && is_day(said.substr(at + sign.words.size())));
            greets = greets || (role == kGreets && at == 0);
            refers = refers || (role == kRefers && at == 0);
        }
    }
    if (explains || addresses(said)) return Statement::kExplains;
    if (greets && said.size() <= kGreeting && said.find_first_of("0123456789") == std::string_view::npos)
        return Statement::kGreets;
    return refers && said.size() <= kBrief ? Statement::kRefers : Statement::kTells;
}

}  // namespace

bool takes_back(std::string_view turn) {
    constexpr std::size_t kLeast = 24;  // bytes: "No." changes nothing
    turn.remove_prefix(behind_time(turn));
    const std::size_t name = turn.substr(0, kGreeting).find(": ");
    if (name != std::string_view::npos) turn.remove_prefix(name + 2);
    return turn.size() >= kLeast && opening(turn, kCorrections) > 0;
}

bool opens_exception(std::string_view sentence) {
    for (std::size_t at = 0, end = 0; at < kExceptions.size(); at = end + 1) {
        end = std::min(kExceptions.find('|', at), kExceptions.size());
        const std::string_view words = kExceptions.substr(at, end - at);
        if (sentence.size() <= words.size() || !begins(sentence, 0, words)) continue;
        if (static_cast<unsigned char>(words.back()) >= 0x80 || !letter(sentence[words.size()])) return true;
    }
    return false;
}

std::vector<Statement> statements(std::string_view text, const Segments& rows) {
    std::vector<Statement> found(rows.size(), Statement::kTells);
    const std::vector<MailRange> parts = mail_parts(text);
    for (std::size_t i = 0, part = 0; i < rows.size(); ++i) {
        const auto begin = static_cast<std::size_t>(rows.start[i]);
        while (part + 1 < parts.size() && parts[part + 1].begin <= begin) ++part;
        if (!parts.empty() && parts[part].part != MailPart::kNew) {
            found[i] = parts[part].part == MailPart::kOlder ? Statement::kOlder : Statement::kAround;
            continue;
        }
        if (rows.kind[i] != Kind::kProse && rows.kind[i] != Kind::kListItem && rows.kind[i] != Kind::kChatTurn)
            continue;
        found[i] = statement(text.substr(begin, static_cast<std::size_t>(rows.end[i]) - begin));
    }
    return found;
}

}  // namespace tersely::text
