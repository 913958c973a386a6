#include "kernels/content/html_text.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/parallel.hpp"
#include "kernels/text/unicode.hpp"

namespace tersely::content {
namespace {

using text::ascii_alpha;
using text::ascii_small;

using View = std::string_view;

constexpr bool space(char byte) {
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r' || byte == '\f' || byte == '\v';
}

template <std::size_t n>
bool among(View name, const std::array<View, n>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<View, 32> kInline = {"a",      "abbr",  "b",    "bdi",  "bdo",  "big",  "cite",  "code",
                                          "data",   "del",   "dfn",  "em",   "font", "i",    "img",   "ins",
                                          "kbd",    "label", "mark", "q",    "s",    "samp", "small", "span",
                                          "strong", "sub",   "sup",  "time", "tt",   "u",    "var",   "wbr"};
constexpr std::array<View, 30> kBlocks = {
    "p",          "div",    "h1",         "h2",      "h3",       "h4",     "h5",     "h6",      "ul",      "ol",
    "dl",         "table",  "section",    "article", "main",     "header", "footer", "nav",     "aside",   "pre",
    "blockquote", "figure", "figcaption", "form",    "fieldset", "body",   "title",  "details", "summary", "address"};
constexpr std::array<View, 7> kAside = {"nav", "footer", "aside", "menu", "select", "button", "dialog"};
constexpr std::array<View, 6> kRaw = {"script", "style", "xmp", "iframe", "noembed", "noframes"};
constexpr std::array<View, 4> kSkipped = {"noscript", "template", "svg", "math"};

Glue glue_of(View name) {
    if (among(name, kInline)) return Glue::nothing;
    if (name == "td" || name == "th") return Glue::tab;
    return among(name, kBlocks) ? Glue::paragraph : Glue::line;
}

class Scanner {
  public:
    explicit Scanner(View html) : html_(html) {}

    HtmlTexts run() {
        while (at_ < html_.size()) {
            check_cancelled();
            if (html_[at_] == '<' && markup()) continue;
            const std::size_t next = html_.find('<', at_ + (html_[at_] == '<' ? 1 : 0));
            const std::size_t end = std::min(next, html_.size());
            add_text(at_, end);
            at_ = end;
        }
        return std::move(texts_);
    }

  private:
    // Passes a tag, a comment or the like; false where "<" is text.
    bool markup() {
        const View rest = html_.substr(at_);
        if (rest.size() < 2) return false;
        if (rest.starts_with("<!--")) return pass_to("-->", 4);
        if (rest.starts_with("<![CDATA[")) {
            const std::size_t close = rest.find("]]>");
            const std::size_t end = close == View::npos ? html_.size() : at_ + close;
            add_text(at_ + 9, end);
            at_ = std::min(end + 3, html_.size());
            return true;
        }
        if (rest[1] == '!' || rest[1] == '?') return pass_to(">", 2);
        if (ascii_alpha(rest[1])) return tag(1);
        if (rest[1] == '/' && rest.size() > 2) return ascii_alpha(rest[2]) ? tag(2) : pass_to(">", 2);
        return false;
    }

    bool pass_to(View close, std::size_t skip) {
        const std::size_t found = html_.find(close, std::min(at_ + skip, html_.size()));
        at_ = found == View::npos ? html_.size() : found + close.size();
        return true;
    }

    bool tag(std::size_t skip) {
        std::array<char, 12> name_bytes{};  // no name that matters is longer
        std::size_t size = 0;
        std::size_t at = at_ + skip;
        for (; at < html_.size() && !space(html_[at]) && html_[at] != '>' && html_[at] != '/'; ++at) {
            if (size < name_bytes.size()) name_bytes[size++] = ascii_small(html_[at]);
        }
        const View name(name_bytes.data(), size);
        const bool opens = skip == 1;
        at_ = end_of_tag(at);
        const bool empty = html_[at_ - 1] == '>' && at_ >= 2 && html_[at_ - 2] == '/';
        glue_ = std::max(glue_, glue_of(name));
        if (among(name, kAside)) depth(asides_, opens, empty);
        if (among(name, kSkipped)) depth(skipped_, opens, empty);
        if (name == "pre") depth(preformatted_, opens, empty);
        if (opens && !empty && among(name, kRaw)) pass_raw(name);
        return true;
    }

    static void depth(std::size_t& count, bool opens, bool empty) {
        if (opens && !empty) ++count;
        if (!opens && count > 0) --count;
    }

    // Past the ">" that is in no quoted value. A value follows the first "=" behind a name; quotes elsewhere, as within
    // a name or behind the first byte of a value, are bytes like others.
    std::size_t end_of_tag(std::size_t at) const {
        enum class In { gap, name, after_name, before_value, value } in = In::gap;
        for (; at < html_.size(); ++at) {
            const char byte = html_[at];
            if (byte == '>') return at + 1;
            if (space(byte)) {
                if (in == In::name) in = In::after_name;
                if (in == In::value) in = In::gap;
            } else if (in == In::before_value && (byte == '"' || byte == '\'')) {
                at = html_.find(byte, at + 1);
                if (at == View::npos) break;
                in = In::gap;
            } else if (in == In::before_value) {
                in = In::value;
            } else if (in != In::value) {
                const bool named = in == In::name || in == In::after_name;
                in = byte == '/' ? In::gap : byte == '=' && named ? In::before_value : In::name;
            }
        }
        return html_.size();
    }

    // Past the text of a script or the like; its end tag is read next.
    void pass_raw(View name) {
        while (at_ < html_.size()) {
            const std::size_t found = html_.find("</", at_);
            if (found == View::npos) break;
            at_ = found;
            if (text::starts_with_name(html_.substr(found + 2), name)) return;
            at_ = found + 2;
        }
        at_ = html_.size();
    }

    void add_text(std::size_t start, std::size_t end) {
        std::size_t first = start;
        while (first < end && space(html_[first])) ++first;
        add_space(start, first);
        if (first == end) return;
        std::size_t last = end;
        while (space(html_[last - 1])) --last;
        add_piece(first, last);
        add_space(last, end);
    }

    // White space before, between or after words: in preformatted text its lines count, and the indentation of the
    // last of them is text.
    void add_space(std::size_t start, std::size_t end) {
        if (start == end) return;
        const View blank = html_.substr(start, end - start);
        const std::size_t line = preformatted_ > 0 ? blank.rfind('\n') : View::npos;
        if (line == View::npos) {
            glue_ = std::max(glue_, Glue::space);
            return;
        }
        glue_ = std::max(glue_, blank.find('\n') < line ? Glue::paragraph : Glue::line);
        if (line + 1 < blank.size()) add_piece(start + line + 1, end);
    }

    void add_piece(std::size_t start, std::size_t end) {
        if (skipped_ > 0) return;
        texts_.start.push_back(static_cast<std::int64_t>(start));
        texts_.end.push_back(static_cast<std::int64_t>(end));
        texts_.glue.push_back(static_cast<std::uint8_t>(glue_));
        texts_.aside.push_back(asides_ > 0 ? 1 : 0);
        glue_ = Glue::nothing;
    }

    View html_;
    std::size_t at_ = 0;
    std::size_t asides_ = 0;
    std::size_t skipped_ = 0;
    std::size_t preformatted_ = 0;
    Glue glue_ = Glue::nothing;
    HtmlTexts texts_;
};

}  // namespace

HtmlTexts html_texts(std::string_view html) { return Scanner(html).run(); }

}  // namespace tersely::content
