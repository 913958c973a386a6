#include "kernels/text/fact_runs.hpp"

#include <algorithm>

#include "kernels/text/abbreviations.hpp"
#include "kernels/text/fact_paths.hpp"
#include "kernels/text/fact_words.hpp"
#include "kernels/text/guard_runs.hpp"
#include "kernels/text/guard_words.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {
namespace {

bool small_or_digit(char byte) { return ascii_lower(byte) || ascii_digit(byte); }
bool name_byte(char byte) { return ascii_alpha(byte) || ascii_digit(byte) || byte == '_'; }

std::size_t digits_end(std::string_view text, std::size_t at) {
    while (at < text.size() && ascii_digit(text[at])) ++at;
    return at;
}

// A URL goes on to a space, a quotation mark, an angle bracket or East Asian punctuation; what closes the sentence is
// not in it.
std::size_t url_end(std::string_view text, std::size_t at) {
    const std::size_t begin = at;
    std::size_t open = 0;
    for (; at < text.size(); at += decode(text, at).length) {
        const char32_t code = decode(text, at).code;
        if (code <= 0x20 || (code < 0x80 && among(static_cast<char>(code), "<>\"`{}|^\\"))) break;
        if (code >= 0x80 && (is_space(code) || (code >= 0x2010 && code < 0x2030) || (code >= 0x3000 && code < 0x3003) ||
                             code >= 0xFF00)) {
            break;
        }
        open += code == '(' ? 1 : 0;
    }
    for (; at > begin; --at) {
        const char last = text[at - 1];
        if (last == ')' && open > 0) break;
        if (!among(last, ".,;:!?'*_~)]")) break;
    }
    return at;
}

bool is_mail(std::string_view run) {
    const std::size_t sign = run.find('@');
    if (sign == std::string_view::npos || sign == 0 || run.find('@', sign + 1) != std::string_view::npos) return false;
    const std::string_view host = run.substr(sign + 1);
    const std::size_t stop = host.find('.');
    const auto mail_byte = [](char byte) { return name_byte(byte) || among(byte, ".-+%"); };
    return stop != std::string_view::npos && stop > 0 && stop + 1 < host.size() &&
           std::all_of(run.begin(), run.begin() + static_cast<std::ptrdiff_t>(sign), mail_byte) &&
           std::all_of(host.begin(), host.end(), mail_byte);
}

// Names with full stops or "::" between them: each begins with a letter or an underscore.
bool is_dotted(std::string_view run) {
    std::size_t parts = 0;
    std::size_t longest = 0;
    bool lower_behind = false;
    for (std::size_t at = 0; at < run.size();) {
        std::size_t end = at;
        while (end < run.size() && name_byte(run[end])) ++end;
        if (end == at || ascii_digit(run[at])) return false;
        longest = std::max(longest, end - at);
        if (parts++ == 1) lower_behind = ascii_lower(run[at]) || run[at] == '_';
        if (end == run.size()) break;
        at = end + (run.substr(end).starts_with("::") ? 2 : 1);
        if (run[end] != '.' && at != end + 2) return false;
        if (at == run.size()) return false;
    }
    if (parts < 2 || longest < 2) return false;
    return (lower_behind || ascii_upper(run[0])) && abbreviation(folded(run), true) == Abbreviation::kNone;
}

bool has_digit_and_small_letters(std::string_view run) {
    bool digit = false;
    for (const char byte : run) {
        if (!small_or_digit(byte) && byte != '-') return false;
        digit |= ascii_digit(byte);
    }
    return digit && run.size() >= 3 && run.find('-') != 1;
}

bool is_identifier(std::string_view run) {
    const char first = run[0];
    if (first == '-') {
        if (run.size() == 2) return ascii_alpha(run[1]);
        return run.size() > 3 && run[1] == '-' && ascii_alpha(run[2]);
    }
    if (first == '#') return run.size() > 1 && digits_end(run, 1) == run.size();
    if (first == '@')
        return run.size() > 2 && ascii_alpha(run[1]) &&
               std::all_of(run.begin() + 1, run.end(), [](char byte) { return name_byte(byte) || among(byte, "-./"); });
    const bool names = std::all_of(run.begin(), run.end(), name_byte);
    if (names) {
        const std::size_t inner = run.find_first_not_of('_');
        const bool letters = std::any_of(run.begin(), run.end(), ascii_alpha);
        if (inner != std::string_view::npos && letters && run.find('_', inner) != std::string_view::npos) {
            return run.find('_', inner) + 1 < run.size() || inner > 1;
        }
        if (inner == 1 || (inner > 0 && inner != std::string_view::npos)) return inner > 1;
    }
    if (ascii_lower(first) && (has_digit_and_small_letters(run) || (names && inner_capital(run)))) return true;
    return run.find_first_of(".:") != std::string_view::npos && is_dotted(run);
}

// "E1234", as tools number their errors.
bool is_error_code(std::string_view run) {
    return run.size() >= 4 && run.size() <= 6 && run[0] == 'E' && digits_end(run, 1) == run.size();
}

std::string_view last_name(std::string_view run) {
    const std::size_t mark = run.find_last_of(".:");
    return mark == std::string_view::npos ? run : run.substr(mark + 1);
}

}  // namespace

FoundFact read_code(std::string_view text, Span run) {
    const std::string_view whole = text.substr(run.begin, run.end - run.begin);
    const std::size_t scheme = whole.find("://");
    if ((scheme != std::string_view::npos && scheme > 1) || whole.starts_with("www.")) {
        const std::size_t equals = whole.substr(0, scheme == std::string_view::npos ? 0 : scheme).rfind('=');
        const std::size_t begin = run.begin + (equals == std::string_view::npos ? 0 : equals + 1);
        const std::size_t end = url_end(text, begin);
        if (end > begin + 4) return {FactKind::kUrl, {begin, end}};
    }
    if (is_mail(whole)) return {FactKind::kUrl, run};
    const std::size_t slash = whole.find('/');
    if (is_host(whole.substr(0, std::min(slash, whole.find(':'))))) {
        return {FactKind::kUrl, {run.begin, slash == std::string_view::npos ? run.end : url_end(text, run.begin)}};
    }
    const bool flag = whole[0] == '-';
    if (!flag) {
        const std::size_t equals = whole.find('=');
        if (equals != std::string_view::npos)
            return equals > 0 ? read_code(text, {run.begin, run.begin + equals}) : FoundFact{};
        if (FoundFact path = path_at(text, run)) return path;
    }
    if (is_marked_version(whole)) return {FactKind::kVersion, run};
    if (is_error_code(whole) || is_error_type(last_name(whole))) return {FactKind::kError, run};
    const std::size_t value = flag ? whole.find('=') : std::string_view::npos;
    if (!is_identifier(whole.substr(0, value))) return {};
    const bool call = text.substr(run.end).starts_with("()");
    return {FactKind::kIdentifier, {run.begin, run.end + (call ? 2 : 0)}};
}

}  // namespace tersely::text
