#include "kernels/text/mail.hpp"

#include <algorithm>
#include <cstddef>

#include "kernels/text/lines.hpp"
#include "kernels/text/unicode.hpp"

namespace tersely::text {
namespace {

// Each name or word ends at a "|"; letters of ASCII are small.
constexpr std::string_view kFrom = "from|von|de|da|van|od|От|发件人|差出人|보낸 사람|";
constexpr std::string_view kSent =
    "sent|gesendet|envoyé|enviado|inviato|verzonden|wysłano|Отправлено|发送时间|送信日時|보낸 날짜|";
constexpr std::string_view kSubject =
    "subject|betreff|objet|asunto|oggetto|assunto|onderwerp|temat|Тема|主题|件名|제목|";
constexpr std::string_view kOthers =
    "to|cc|bcc|date|reply-to|message-id|an|datum|À|para|fecha|a|data|aan|do|dw|Кому|Копия|Дата|收件人|抄送|日期|宛先|"
    "日付|받는 사람|날짜|";
constexpr std::string_view kWrote =
    "wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|geschreven|napisał|napisał(a)|pisze|написал|написала|"
    "пишет|写道|書きました|작성|";
constexpr std::string_view kOriginal =
    "original message|ursprüngliche nachricht|originalnachricht|message d'origine|mensaje original|messaggio originale|"
    "mensagem original|oorspronkelijk bericht|wiadomość oryginalna|Исходное сообщение|原始邮件|元のメッセージ|원본 "
    "메시지|";
constexpr std::string_view kCloses =
    "regards|best regards|kind regards|warm regards|best|best wishes|all the best|sincerely|yours sincerely|cheers|"
    "thanks|many thanks|thank you|mit freundlichen grüßen|mit freundlichem gruß|freundliche grüße|viele grüße|"
    "beste grüße|liebe grüße|mfg|met vriendelijke groet|met vriendelijke groeten|groeten|cordialement|"
    "bien cordialement|bien à vous|saludos|un saludo|atentamente|cordiali saluti|distinti saluti|saluti|"
    "atenciosamente|abraços|z poważaniem|pozdrawiam|С уважением|此致|よろしくお願いします|以上|감사합니다|";
constexpr std::size_t kName = 24, kHeadLines = 5;  // bytes of a name; lines of a head

// Whether a line begins with one of some words.
bool opens_with(std::string_view line, std::string_view words) {
    for (std::size_t at = 0, end = 0; at < words.size(); at = end + 1) {
        end = words.find('|', at);
        const std::string_view word = words.substr(at, end - at);
        if (line.size() < word.size() || (line.size() > word.size() && ascii_alpha(line[word.size()]))) continue;
        if (std::equal(word.begin(), word.end(), line.begin(), [](char a, char b) { return a == ascii_small(b); }))
            return true;
    }
    return false;
}

bool holds(std::string_view line, std::string_view words) {
    for (std::size_t at = 0; at < line.size(); ++at) {
        const bool starts = at == 0 || !ascii_alpha(line[at - 1]);
        if (starts && opens_with(line.substr(at), words)) return true;
    }
    return false;
}

// The name of a field of a head, "From"; empty for a line that is none.
std::string_view field(std::string_view line) {
    std::size_t colon = std::min(line.find(':'), line.find("\xEF\xBC\x9A"));  // a wide one, too
    if (colon > kName || colon + 1 >= line.size()) return {};
    while (colon > 0 && line[colon - 1] == ' ') --colon;
    return line.substr(0, colon);
}

// Whether all of a name is one of the words.
bool is_one(std::string_view name, std::string_view words) {
    for (std::size_t at = 0, end = 0; at < words.size(); at = end + 1) {
        end = words.find('|', at);
        if (end - at == name.size() && opens_with(name, words.substr(at, end - at + 1))) return true;
    }
    return false;
}

struct Lines {
    std::vector<Line> all;
    std::string_view text;

    explicit Lines(std::string_view of) : text(of) {
        for (std::size_t at = 0; at < of.size(); at = all.back().next) all.push_back(read_line(of, at));
    }
    std::string_view operator[](std::size_t i) const { return text.substr(all[i].first, all[i].last - all[i].first); }
    std::size_t size() const { return all.size(); }
};

// Whether a head begins in a line: who wrote it, and on what in one of the next lines; and whether it says when it was
// sent, as that of a mail below another does.
struct Head {
    bool is = false, sent = false;

    Head(const Lines& lines, std::size_t at) {
        if (!is_one(field(lines[at]), kFrom)) return;
        for (std::size_t i = at + 1; i < std::min(at + 1 + kHeadLines, lines.size()) && !lines.all[i].blank(); ++i) {
            const std::string_view name = field(lines[i]);
            is = is || is_one(name, kSubject);
            sent = sent || is_one(name, kSent);
        }
    }
};

// "On 3 Feb 2026, Ann <ann@site> wrote:", with its first line where it is wrapped.
bool introduces(std::string_view line) {
    return !line.empty() && (line.back() == ':' || line.ends_with("\xEF\xBC\x9A")) &&
           line.find_first_of("0123456789@") != std::string_view::npos && holds(line, kWrote);
}

bool closes(std::string_view line) { return is_one(line.substr(0, line.find_last_not_of(",.!") + 1), kCloses); }

bool is_original(std::string_view line) {
    return line.size() > kName / 2 && (line.starts_with("---") || line.starts_with("___")) && holds(line, kOriginal);
}

}  // namespace

std::vector<MailRange> mail_parts(std::string_view text) {
    if (text.find(':') == std::string_view::npos) return {};
    const Lines lines(text);
    std::vector<MailRange> parts;
    const auto put = [&](std::size_t line, MailPart part) {
        if (parts.empty() || parts.back().part != part) parts.push_back({lines.all[line].begin, part});
    };
    bool mail = false, said = false;      // it is one; something new stands above
    bool older = false, quotes = false;   // all further is older; what is behind ">" is
    bool below = false, in_head = false;  // below the closing; in a head
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string_view line = lines[i];
        const bool quoted = line.starts_with('>');
        if (!older && !quoted && !line.empty()) {
            const Head head(lines, i);
            if (head.is || is_original(line)) {
                older = said && (head.sent || !head.is);
                mail = mail || !said || older;
                in_head = head.is;
                below = said = false;
            } else if (introduces(line)) {
                std::size_t next = i + 1;
                while (next < lines.size() && lines.all[next].blank()) ++next;
                quotes = mail = true;
                older = next < lines.size() && !lines[next].starts_with('>');
                put(i, MailPart::kOlder);
                continue;
            } else if (in_head && field(line).empty()) {
                in_head = false;
            }
            if (!in_head) {
                below = below || line == "--" || (said && closes(line));
                said = true;
            }
        }
        const bool to = in_head && is_one(field(line), kOthers);
        if (line.empty()) continue;
        put(i, older || (quoted && quotes)                              ? MailPart::kOlder
               : below || to || (in_head && is_one(field(line), kSent)) ? MailPart::kAround
                                                                        : MailPart::kNew);
    }
    if (!mail) parts.clear();
    return parts;
}

}  // namespace tersely::text
