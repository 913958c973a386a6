#include "kernels/detect/detect.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numeric>

#include "kernels/detect/evidence.hpp"
#include "kernels/detect/line_marks.hpp"
#include "kernels/detect/looks.hpp"
#include "kernels/text/lines.hpp"
#include "kernels/text/unicode.hpp"

namespace tersely::detect {
namespace {

float share(std::uint32_t part, std::uint32_t whole) {
    return whole == 0 ? 0 : static_cast<float>(part) / static_cast<float>(whole);
}

constexpr float kTagged = 0.3F;              // share of lines with a tag that makes a text markup
constexpr std::uint32_t kFewSentences = 5;   // a line in so many makes a text written
constexpr float kReportShare = 0.3F;         // of the evidence of columns, where sections of a report stand above
constexpr float kWritten = 0.6F;             // evidence that such a text is prose, at least
constexpr std::size_t kGlance = 2048;        // bytes after which it is asked whether a text is plain code
constexpr std::uint32_t kFewestShaped = 12;  // lines of code that have a shape
constexpr std::uint32_t kFewLines = 8;       // of which one with words of a language makes code of them

// A language that has the words of an older one too: what speaks for the older one speaks for it where it has evidence
// of its own, `least` and a share of that of the older one.
struct Dialect {
    Language language, older;
    std::uint32_t least, share;  // own * share >= the older one's
};
constexpr auto kDialects = [] {
    using enum Language;
    return std::to_array<Dialect>({
        {objectivec, c, 8, 24},
        {cpp, c, 6, 10},
        {typescript, javascript, 5, 10},
        {zig, rust, 8, 4},
        {starlark, python, 8, 6},
        {nim, python, 8, 5},
        {crystal, ruby, 5, 6},
        {coffeescript, javascript, 8, 3},
        {fsharp, ocaml, 6, 6},
        {sml, ocaml, 6, 4},
        {groovy, java, 8, 8},
        {d, c, 6, 8},
        {d, cpp, 6, 6},
        {vala, csharp, 8, 8},
        {haxe, java, 8, 5},
        {actionscript, java, 8, 6},
        {solidity, javascript, 12, 4},
        {shader, c, 8, 8},
        {gdscript, python, 10, 5},
        {cython, python, 8, 10},
        {elm, haskell, 8, 8},
        {lean, haskell, 8, 4},
        {odin, go, 8, 8},
        {vlang, rust, 8, 6},
        {bicep, hcl, 6, 4},
        {mql, cpp, 8, 8},
        {fish, shell, 8, 5},
        {m4, shell, 10, 10},
        {bitbake, shell, 10, 6},
        {cypher, sql, 10, 6},
        {lispkin, clojure, 6, 4},
        {qml, javascript, 12, 4},
        {swig, cpp, 8, 8},
        {ada, pascal, 10, 3},
        {carbon, rust, 8, 8},
    });
}();

bool is_dialect(Language language, Language older) {
    return std::any_of(kDialects.begin(), kDialects.end(),
                       [&](const Dialect& dialect) { return dialect.language == language && dialect.older == older; });
}

// How comments of each language open, bits of `Opener`.
constexpr std::array<std::uint8_t, kAllLanguages> kOpenersOf = [] {
    using enum Language;
    std::array<std::uint8_t, kAllLanguages> openers{};
    openers.fill(kSlash);
    const auto set = [&openers](int bits, std::initializer_list<Language> languages) {
        for (const Language one : languages) openers[static_cast<std::size_t>(one)] = static_cast<std::uint8_t>(bits);
    };
    set(0, {none, batch});
    set(kHash, {python, ruby,     perl,    shell,  yaml, toml,  cmake,    makefile, dockerfile,   powershell,
                r,      elixir,   graphql, tcl,    nim,  julia, starlark, crystal,  coffeescript, nix,
                nginx,  gdscript, cython,  puppet, fish, awk,   bitbake,  m4});
    set(kHash | kPercent, {matlab});
    set(kHash | kSlash, {php, hcl});
    set(kDash | kSlash | kHash, {sql});
    set(kDash, {lua, vhdl, haskell, elm, ada, lean});
    set(kHash | kSemicolon, {ini});
    set(kHash | kSemicolon | kSlash, {assembly});
    set(kSemicolon, {clojure, commonlisp, elisp, scheme, lispkin, llvm});
    set(kPercent, {latex, erlang, prolog, postscript});
    set(kParenthesis, {ocaml, sml, coq});
    set(kParenthesis | kSlash, {fsharp, pascal});
    set(kQuoted, {vim, basic});
    set(kBang, {fortran});
    return openers;
}();

// Lines that open as the comments of a language do.
std::uint32_t own_comments(const Counts& counts, Language language) {
    const std::uint32_t openers = kOpenersOf[static_cast<std::size_t>(language)];
    std::uint32_t own = 0;
    for (std::size_t bit = 0; bit < kOpeners; ++bit) own += (openers >> bit & 1U) * counts.comments[bit];
    return own;
}

// The language with the most evidence, its score, and that of the next one which it is no dialect of.
struct Ranked {
    Language language = Language::none;
    std::uint32_t score = 0, next = 0;
};

Ranked ranked(const Counts& counts, LanguageScores scores) {
    using enum Language;
    const auto score = [&](Language language) -> std::uint32_t& { return scores[static_cast<std::size_t>(language)]; };
    score(none) = 0;
    if (std::all_of(scores.begin(), scores.end(), [](std::uint32_t one) { return one == 0; })) return {};  // most prose
    // Lines that open as comments of other languages do speak against a language.
    const std::uint32_t all = std::accumulate(counts.comments.begin(), counts.comments.end(), 0U);
    for (std::size_t i = 1; i < kAllLanguages && all > 0; ++i)
        scores[i] = scores[i] * (own_comments(counts, static_cast<Language>(i)) + 2) / (all + 2);
    if (4 * std::max(score(javascript), score(typescript)) > score(css)) score(css) = 0;  // a guest of a script
    const LanguageScores own = scores;
    for (const Dialect& dialect : kDialects) {
        const std::uint32_t self = own[static_cast<std::size_t>(dialect.language)];
        const std::uint32_t older = own[static_cast<std::size_t>(dialect.older)];
        if (self >= dialect.least && self * dialect.share >= older) score(dialect.language) += older;
    }
    const auto best = std::max_element(scores.begin(), scores.end());
    Ranked found{static_cast<Language>(best - scores.begin()), *best, 0};
    for (std::size_t i = 0; i < kAllLanguages; ++i) {
        const auto other = static_cast<Language>(i);
        if (other != found.language && !is_dialect(found.language, other)) found.next = std::max(found.next, scores[i]);
    }
    return found;
}

// Log odds, above those of a quarter, that the best language is right; else it is one that nobody knows. A logistic
// model, fitted on 950 public files of known languages, half of the development texts among them, and 550 of others.
// Its signs: many different things that speak for the language, much for a line, little for the next one, comments as
// the language has them.
double odds(const Counts& counts, const Ranked& best, std::uint32_t distinct) {
    const double all = std::accumulate(counts.comments.begin(), counts.comments.end(), 0U);
    const double lines = std::max(counts.lines, 1U);
    const double code = std::max(counts.lines - std::min(counts.lines, counts[kComment]), 4U);
    const double foreign = all - own_comments(counts, best.language);
    return 1.13 * std::log2(1.0 + distinct) + 0.51 * std::min(std::log2((best.score + 1.0) / (best.next + 1.0)), 4.0) +
           0.59 * std::log2(1 + 8 * best.score / code) - 9.7 * foreign / lines - 3.85;
}

// The language of the lines, and whether it is so likely that the words alone make them code.
struct Told {
    Language language = Language::none;
    bool sure = false;
    bool plain = false;          // so likely that no more lines need be read
    std::uint32_t distinct = 0;  // different things that speak for the likeliest one
};

Told language_of(const Counts& counts, const LanguageReader& read) {
    static constexpr double kSure = 1.0, kPlain = 3.0;
    if (counts.shebang != Language::none) return {counts.shebang, true, true};
    const Ranked best = ranked(counts, read.scores());
    const std::uint32_t distinct = best.score == 0 ? 0 : read.distinct()[static_cast<std::size_t>(best.language)];
    const bool claimed = best.score > 0 && static_cast<std::size_t>(best.language) < kLanguages;
    const double likely = claimed ? odds(counts, best, distinct) : 0;
    return {likely > 0 ? best.language : Language::none, likely > kSure, likely > kPlain, distinct};
}

struct Markup {
    bool starts = false;   // with a tag
    bool certain = false;  // <!doctype html>, <html>, <?xml
    bool within = false;   // a piece of XML whose beginning lies elsewhere
    Language language = Language::html;
};

struct Best {
    Detection found;
    bool reports = false;  // what stands in sections with outcomes is no code, whatever it quotes
    // Of equal evidence the first counts.
    void offer(ContentKind kind, float evidence, Language language = Language::none) {
        evidence = std::min(evidence, 1.0F);
        if (reports && kind == ContentKind::code) return;
        if (evidence > found.confidence) found = {kind, language, evidence};
    }
};

// Whether a line ends with a value of JSON and the next one starts with one: JSONL with long lines.
bool starts_with_value(std::string_view piece) {
    return piece.size() > 2 && (piece[0] == '}' || piece[0] == ']') && piece[1] == '\n' &&
           (piece[2] == '{' || piece[2] == '[');
}

Detection decide(const Counts& counts, const Told& told_language, const TableLook& table, std::size_t columns,
                 const Markup& markup, bool begins_with_event) {
    const std::uint32_t n = counts.lines;
    const Language language = told_language.language;
    const std::uint32_t code_like = n - std::min(n, counts[kComment]);
    Best best;
    // A fifth of sentences, and little that only a language has: a text about code, which is blocks of it.
    const bool written = counts.sentences * kFewSentences >= n && counts.strong * 5 <= counts.sentences * 6;
    if (counts.shebang != Language::none) best.found = {ContentKind::code, counts.shebang, 1.0F, true};
    const bool repeats = 2 * counts.again >= n;  // what is said again and again is no prose
    const float words = share(counts.words - (repeats ? counts.words_again : 0), n);
    best.offer(ContentKind::prose, 0.3F + 0.5F * words);
    const bool numbered = table.cells == 2 && counts.quoted * 4 >= n;  // lines of code behind their numbers
    const bool listed = share(counts.hung, n) >= 0.4F;
    const bool itemised = 2 * counts[kList] >= n;        // as clauses are, and references
    const bool uniform = repeats || listed || itemised;  // whatever stands in such lines stands in columns
    if (table.delimiter != 0 && table.agreement >= 0.85F && !numbered && !listed && !itemised &&
        !(uniform && table.cells == 2)) {
        best.offer(ContentKind::table, 0.1F + table.agreement * (table.cells > 2 ? 1.0F : 0.6F));
    }
    if (counts.borders >= 2) best.offer(ContentKind::table, 0.3F + share(counts.borders + counts[kPipe], n));
    if (counts[kHunk] > 0 || counts[kDiffHead] >= 2) {
        best.offer(ContentKind::diff,
                   counts[kHunk] > 0 ? 0.3F + share(counts.plus_minus, n) : 0.35F + 0.5F * share(counts[kDiffHead], n));
    }
    const float tags = share(counts[kTag], n);
    if (markup.starts || tags > kTagged) {
        const float shown = markup.certain ? 1.0F : markup.within ? 0.6F : markup.starts ? 0.4F : 0.0F;
        best.offer(ContentKind::html, tags + shown, markup.language);
    }
    const float stamps = share(counts[kStamp], n);
    const float frames = share(counts[kFrame] + counts[kTraceHead] + counts.below_frames, n);
    const std::uint32_t in_trace = counts[kFrame] == 0 ? counts.tool_in_trace : 0;  // a head alone makes no trace
    // Events within sentences are told, not reported.
    const bool retold = written && counts.events_at_margin * 5 < counts.at_margin;
    const float tool = retold ? 0 : share(counts.tool + in_trace + counts.escapes, n);
    const float told = share(counts.code + counts[kComment], n);
    if (columns >= 3 && counts[kFence] == 0 && (told < 0.3F || (columns >= 6 && told < 0.6F)) && words < 0.4F &&
        stamps < 0.3F && !uniform && !written) {
        const float many = static_cast<float>(std::min<std::size_t>(columns, 8));
        const float beside = counts[kBanner] > 0 && counts.tool > 0 ? kReportShare : 0;  // columns below a report
        best.offer(ContentKind::table, 0.55F + 0.1F * (many - 2) - 0.5F * share(counts.tool, n) - beside);
    }
    const float stamped = share(counts.stamped_at_margin, counts.at_margin);  // what is indented goes on
    if (counts.at_margin >= 5 && stamped >= 0.8F) best.offer(ContentKind::log, 1.0F);
    if (stamps >= 0.15F) best.offer(ContentKind::log, 0.4F + stamps);
    if (frames >= 0.2F && (counts[kFrame] >= 3 || (counts[kFrame] > 0 && counts[kTraceHead] > 0))) {
        best.offer(ContentKind::stack_trace, 0.4F + frames - 1.5F * tool);  // tests that failed have both
    }
    if (tool >= 0.12F) best.offer(ContentKind::tool_output, 0.45F + 1.5F * tool);
    best.reports = counts[kBanner] > 0 && counts.tool > 0;
    if (best.reports) best.offer(ContentKind::tool_output, 0.75F + tool);
    // What each line says first says who writes, as valgrind and servers of builds do.
    if (counts.prefixed >= 4 && share(counts.prefixed, n) >= 0.6F && stamps < 0.15F)
        best.offer(ContentKind::tool_output, 0.4F + share(counts.prefixed, n));
    // Lines that go on below events belong to them, whatever they are.
    const float events = share(counts.events_at_margin, counts.at_margin);
    if (counts.at_margin >= 8 && events >= 0.6F && stamps < 0.15F) best.offer(ContentKind::tool_output, 0.4F + events);
    const float fields = share(counts[kField], code_like);
    const float strong = share(counts.strong, code_like);
    if (counts[kField] >= 3 && counts.sections > 0 && fields > (strong >= 0.3F ? 0.6F : words < 0.1F ? 0.35F : 0.45F)) {
        const bool loose = counts.loose * 6 > counts[kField];
        best.offer(ContentKind::code, 0.5F + fields, loose ? Language::ini : Language::toml);
    }
    Language data_language = Language::none;  // of what is code in no other language
    if (counts[kField] >= 3 && counts.sections > 0 && fields > (counts.sections > 1 ? 0.15F : 0.25F))
        data_language = counts.loose * 6 > counts[kField] ? Language::ini : Language::toml;
    if (counts[kField] >= 5 && fields > 0.85F && counts.loose * 3 > counts[kField])  // properties
        best.offer(ContentKind::code, 0.5F + fields, Language::ini);
    const bool words_alone = n <= kSentences && counts.plain == counts.code;  // a word of a language is no more
    // One word on every line is one sign: code has others, or lines that end and run like code.
    const bool one_sign = told_language.distinct <= 1 && kFewestShaped * counts[kCode] < counts.code;
    // Lines behind numbers that jump are quoted: reports of coverage, of linters and compilers.
    const bool quotes = counts.jumbled >= 3 && counts.jumbled * 8 >= counts.quoted && counts.quoted * 10 >= n;
    if (quotes) best.offer(ContentKind::tool_output, 0.6F + share(counts.quoted, n));
    const bool may_be_code = !one_sign && !quotes && !written;
    const std::uint32_t least = code_like < kFewLines ? 1 : 2;
    if (strong >= 0.07F && counts.strong >= least && !words_alone && may_be_code) {
        best.offer(ContentKind::code, 0.2F + share(counts.code, code_like) + 0.5F * strong, language);
    }
    // Code whose words say nothing: what ends and runs like code, and is no prose.
    const float coded = share(counts.code, code_like);
    if (code_like >= 4 && coded > 0.4F && words < 0.35F && may_be_code)
        best.offer(ContentKind::code, 0.65F * coded, language);
    // Lines of braces, and such as end in them: members of an enum, values of an array.
    const std::uint32_t ended = counts.opens + counts.statements + counts.listed;
    if (counts.opens >= 2 && code_like >= 4 && ended * 10 >= code_like * 9 && may_be_code)
        best.offer(ContentKind::code, 0.6F, language);
    if (counts.remarks >= 3 && words < 0.2F) {
        best.offer(ContentKind::code, 0.4F + 0.5F * share(counts.remarks, n), language);
    }
    if (counts.comments[0] > 0 && n >= 3 && counts[kComment] * 10 >= n * 9)
        best.offer(ContentKind::code, 0.6F, language);
    const bool apart = counts[kRule] > 0;  // documents behind each other may have the same keys
    const std::uint32_t talked = counts.turns + (counts.back > 0 && !apart ? counts.said : 0);
    const float turns = share(talked, n - counts.wrapped);  // each is one, however long
    // Of a subtitle's three lines or more, one is its time.
    if (counts.cues >= 3) best.offer(ContentKind::conversation, 0.4F + 3 * share(counts.cues, n));
    if (talked >= 2 && counts.replies + counts.back > 0 && turns >= 0.3F)
        best.offer(ContentKind::conversation, 0.4F + turns);
    const std::uint32_t marked =
        counts.headings + counts[kFence] + counts[kPipe] + counts.titles + counts[kDirective] + counts[kLink] / 2;
    if (marked > 0 && counts.borders < 2) {
        const bool rst = counts[kDirective] + counts.titles > 2 * (counts.headings + counts[kFence]);
        // What stands in no fence and runs like code or names places is no Markdown.
        const float plain = 1 - share(std::min(n, counts.code + counts.tool), n);
        const float evidence =
            2 * plain * share(marked, n) + 0.5F * share(counts.items + counts.in_fence, n) + 0.4F * words;
        best.offer(ContentKind::markdown, 0.35F + evidence, rst ? Language::rst : Language::none);
    }
    const std::uint32_t borders = std::min(counts[kRule], counts.data / 2);               // "---" between documents
    const std::uint32_t items = counts.items - std::min(counts.items, counts[kComment]);  // "* x" is none of YAML
    const float data = share(counts.data + items + borders + (apart ? counts.back : 0), code_like);
    const bool settings = 2 * counts.told < counts.data;  // whose values are no sentences
    if (counts.data >= 2 && data > 0.6F && turns < 0.2F && settings)
        best.offer(ContentKind::code, 0.3F + data, Language::yaml);
    // Few words of prose and much that only one language has: a lock file, a list of literals.
    if (told_language.sure && words < 0.1F && may_be_code) best.offer(ContentKind::code, 0.45F, language);
    if (best.found.kind == ContentKind::code && best.found.language == Language::none)
        best.found.language = data_language;
    // What nearly every line says of a place in a file, or of how something went, stands in columns, too.
    const bool events_only = begins_with_event && share(counts.tool, n) >= 0.9F;
    if (best.found.kind == ContentKind::tool_output && (events_only || share(counts[kAnchor], n) >= 0.8F))
        best.found.certain = true;
    if (best.found.kind == ContentKind::prose && listed) best.found.certain = true;
    if (best.found.kind == ContentKind::prose && written)
        best.found.confidence = std::max(best.found.confidence, kWritten);
    const float members = share(counts[kMember], n);
    const float other = std::max({stamps, frames, tool, members});
    if (members > 0.5F || (words >= 0.3F && other >= 0.25F && other < 0.6F)) {
        if (best.found.confidence < 0.95F || members > 0.5F)
            best.found = {ContentKind::mixed, Language::none, 0.5F + 0.5F * members};
    }
    return best.found;
}

// The language of lines that are code and nothing else: what follows them need not be read.
Language plain_code(const Reader& reader) {
    const Counts& counts = reader.counts();
    const std::uint32_t code = counts.lines - std::min(counts.lines, counts[kComment]);
    if (code < kFewestShaped || counts.strong * 3 < code || counts.code * 2 < code) return Language::none;
    const std::uint32_t other = counts[kStamp] + counts[kFrame] + counts[kTraceHead] + counts.tool + counts.escapes +
                                counts[kTag] + counts[kHunk] + counts[kDiffHead] + counts[kFence] + counts[kPipe] +
                                counts.borders + counts.turns + counts.titles + counts[kDirective] + counts.jumbled;
    if (counts[kBanner] > 0) return Language::none;
    if (other * 20 > code || counts[kMember] * 2 > code || counts.words * 8 > counts.lines) return Language::none;
    const Told told = language_of(counts, reader.languages());
    return told.plain ? told.language : Language::none;
}

// Whether long blocks of JSON among other lines are half of a text and more. `open`: the text goes on.
bool mostly_json(std::string_view text, bool open) {
    std::size_t size = 0;
    for (const JsonBlock& block : json_blocks(text, open)) size += block.end - block.begin;
    return size > 0 && 2 * size >= text.size();
}

// Whether the first line that is not blank is one of a log or a tool: no header of a table.
bool starts_with_event(std::string_view text) {
    const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    const text::Line line = text::read_line(text, first);
    const std::string_view head = text.substr(line.first, std::min(line.last - line.first, kMostBytes));
    const LineBytes bytes(head, text.size() - line.first);
    return !head.empty() && (event_marks(head, bytes, false) & (kStamp | kLevel | kAnchor | kBuild | kFrame)) != 0;
}

// Whether what a tag says, its "<" aside, is an element of HTML; `certain`: one that nothing else has.
bool is_html(std::string_view tag, bool& certain) {
    static constexpr std::array<std::string_view, 34> kTags = {
        "!doctype html", "html",   "head",  "body", "div",  "p",    "span",    "a",       "ul",     "ol",     "li",
        "table",         "tr",     "td",    "h1",   "h2",   "h3",   "section", "article", "header", "footer", "nav",
        "main",          "script", "style", "link", "meta", "form", "img",     "br",      "pre",    "title",  "dl",
        "template"};
    for (const std::string_view name : kTags) {
        const char after = tag.size() > name.size() ? tag[name.size()] : '>';
        if (!text::starts_with_name(tag, name) ||
            (after != '>' && after != ' ' && after != '\n' && after != '\r' && after != '/'))
            continue;
        certain = name == "html" || name[0] == '!';
        return true;
    }
    return false;
}

// What a text is that begins within an element: XML where its first tag is none of HTML, and none has code as a value.
Markup read_fragment(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const text::Line line = text::read_line(text, at);
        at = line.next;
        const std::string_view head = text.substr(line.first, std::min<std::size_t>(line.last - line.first, 200));
        if (head.size() < 3 || head[0] != '<' || !is_tag(head)) continue;
        bool certain = false;
        const bool xml = !is_html(head.substr(head[1] == '/' ? 2 : 1), certain) &&
                         text.find("={") == std::string_view::npos && text.find("</") != std::string_view::npos;
        return {false, false, xml, xml ? Language::xml : Language::html};
    }
    return {};
}

// What a text with tags is; `many`: whether it has so many that one which does not start with a tag may be markup.
Markup read_markup(std::string_view text, bool many) {
    const text::Line line = text::read_line(text, 0);
    std::string_view start = text.substr(line.first, 200);
    if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
    if (start.empty() || start[0] != '<' || !is_tag(start)) return many ? read_fragment(text) : Markup{};
    if (start.starts_with("<?xml")) {
        const bool page = text.substr(0, 600).find("<html") != std::string_view::npos;
        return {true, true, false, page ? Language::html : Language::xml};
    }
    if (start.starts_with("<!--")) return {true, false, false, Language::html};
    bool certain = false;
    if (is_html(start.substr(1), certain)) return {true, certain, false, Language::html};
    return {true, false, false, Language::xml};
}

// Whether texts whose first lines are surely so go on like that.
bool is_uniform(ContentKind kind) {
    return kind == ContentKind::log || kind == ContentKind::diff || kind == ContentKind::markdown ||
           kind == ContentKind::stack_trace || kind == ContentKind::html;
}

}  // namespace

Detection detect(std::span<const std::string_view> pieces) {
    if (pieces.empty()) return {};
    const JsonLook json = look_for_json(pieces[0]);
    if (json.possible) {
        const bool rows = (json.values >= 2 && json.own_lines) || (pieces.size() > 1 && starts_with_value(pieces[1]));
        const bool whole = pieces.size() > 1 || json.closed;
        if (json.values < 2 || rows)
            return {rows ? ContentKind::jsonl : ContentKind::json, Language::none, whole ? 1.0F : 0.7F};
    }
    Reader reader;
    reader.open(pieces[0], true);
    for (std::size_t most = kGlance; !json.possible; most += kGlance) {
        reader.read(most);
        const Language language = plain_code(reader);
        if (language != Language::none) return {ContentKind::code, language, 1.0F, true};
        if (most >= pieces[0].size()) break;
    }
    if (!json.possible && mostly_json(pieces[0], pieces.size() > 1)) return {ContentKind::mixed, Language::none, 1.0F};
    reader.read();
    const bool event = starts_with_event(pieces[0]);
    const bool rows = reader.counts().lines >= 3 && !event;
    const TableLook table = rows ? look_for_table(pieces[0]) : TableLook{};
    const std::size_t columns = look_for_columns(pieces[0]);
    const auto judge = [&] {
        const Counts& counts = reader.counts();
        if (counts.lines == 0) return Detection{};
        const bool tagged = share(counts[kTag], counts.lines) > kTagged;
        const Markup markup = read_markup(pieces[0], tagged);
        return decide(counts, language_of(counts, reader.languages()), table, columns, markup, event);
    };
    const Detection found = judge();
    if (pieces.size() == 1 || (found.confidence >= 1 && is_uniform(found.kind))) return found;
    for (const std::string_view piece : pieces.subspan(1)) {
        reader.open(piece, false);
        reader.read();
    }
    return judge();
}

bool may_be_data(std::span<const std::string_view> pieces) {
    if (pieces.empty()) return false;
    if (look_for_json(pieces[0]).possible) return true;
    for (const std::string_view piece : pieces) {  // XML begins with a tag, or some of its lines do
        if (piece.find('\x1b') != std::string_view::npos) return true;  // escapes may stand before one
        for (std::size_t tag = piece.find('<'); tag != std::string_view::npos; tag = piece.find('<', tag + 1)) {
            std::size_t begin = tag;
            while (begin > 0 && (piece[begin - 1] == ' ' || piece[begin - 1] == '\t')) --begin;
            if (begin == 0 || piece[begin - 1] <= ' ' || piece[begin - 1] > '~') return true;
        }
    }
    return false;
}

float calibrated(float evidence) {
    struct Point {
        float evidence, right;
    };
    static constexpr std::array<Point, 8> kPoints = {{{0.0F, 0.0F},
                                                      {0.4F, 0.12F},
                                                      {0.5F, 0.4F},
                                                      {0.6F, 0.72F},
                                                      {0.7F, 0.88F},
                                                      {0.8F, 0.93F},
                                                      {0.9F, 0.95F},
                                                      {0.97F, 0.98F}}};
    for (std::size_t i = 1; i < kPoints.size(); ++i) {
        const Point &low = kPoints[i - 1], &high = kPoints[i];
        if (evidence < high.evidence)
            return low.right + (high.right - low.right) * (evidence - low.evidence) / (high.evidence - low.evidence);
    }
    return kPoints.back().right;
}

}  // namespace tersely::detect
