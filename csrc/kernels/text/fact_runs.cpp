#include "kernels/text/fact_runs.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>

#include "kernels/text/abbreviations.hpp"
#include "kernels/text/guards.hpp"
#include "kernels/text/key_words.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {

namespace {

constexpr std::size_t kMostGroups = 8;
constexpr std::size_t kLongestTime = 64;  // bytes of one that are read

// Digits in groups with single marks between them: "2024-01-31T10:30".
struct Groups {
    std::array<std::size_t, kMostGroups> size{};
    std::array<int, kMostGroups> value{};  // of up to five digits
    std::array<char, kMostGroups> mark{};  // behind each group but the last
    std::size_t count = 0;
    std::size_t end = 0;

    bool sized(std::size_t first, std::size_t a, std::size_t b) const { return size[first] >= a && size[first] <= b; }
};

Groups read_groups(std::string_view text, std::size_t at) {
    Groups groups;
    while (groups.count < kMostGroups) {
        std::size_t end = at;
        int value = 0;
        for (; end < text.size() && ascii_digit(text[end]); ++end) {
            if (end - at < 5) value = value * 10 + (text[end] - '0');
        }
        groups.size[groups.count] = end - at;
        groups.value[groups.count++] = value;
        groups.end = end;
        if (end + 1 >= text.size() || !among(text[end], "-/.:T,") || !ascii_digit(text[end + 1])) break;
        groups.mark[groups.count - 1] = text[end];
        at = end + 1;
    }
    return groups;
}

bool month_and_day(int month, int day) { return month >= 1 && month <= 12 && day >= 1 && day <= 31; }

bool is_iso_date(const Groups& g) {
    return g.count >= 3 && g.size[0] == 4 && g.sized(1, 1, 2) && g.sized(2, 1, 2) && g.mark[0] == g.mark[1] &&
           among(g.mark[0], "-/.") && month_and_day(g.value[1], g.value[2]);
}

bool is_day_first(const Groups& g) {
    if (g.count < 3 || !g.sized(0, 1, 2) || !g.sized(1, 1, 2) || g.mark[0] != g.mark[1]) return false;
    const bool year = g.size[2] == 4 || (g.size[2] == 2 && g.mark[0] == '/');
    return year && among(g.mark[0], "-/.") &&
           (month_and_day(g.value[0], g.value[1]) || month_and_day(g.value[1], g.value[0]));
}

// The end of a time of day whose groups begin at `first`, 0 where there is none; past its fraction and zone.
std::size_t time_end(std::string_view text, std::size_t at) {
    const Groups g = read_groups(text.substr(0, std::min(at + kLongestTime, text.size())), at);
    if (g.count < 2 || !g.sized(0, 1, 2) || g.size[1] != 2 || g.mark[0] != ':' || g.value[0] > 24 || g.value[1] > 59) {
        return 0;
    }
    std::size_t end = at + g.size[0] + 3;
    if (g.count > 2 && g.mark[1] == ':' && g.size[2] == 2) {
        end += 3;
        if (g.count > 3 && among(g.mark[2], ".,")) end += 1 + g.size[3];
    }
    if (end < text.size() && text[end] == 'Z') return end + 1;
    if (end + 2 < text.size() && among(text[end], "+-") && ascii_digit(text[end + 1])) {
        std::size_t zone = end + 1;
        while (zone < text.size() && zone < end + 6 && (ascii_digit(text[zone]) || text[zone] == ':')) ++zone;
        if (zone - end >= 5) return zone;
    }
    return end;
}

std::string_view word_behind(std::string_view text, std::size_t at) {
    return text.substr(at, word_end(text, at, std::min(at + 16, text.size())) - at);
}

// Past " am", " p.m.", " UTC" behind a time.
std::size_t past_half_day(std::string_view text, std::size_t end) {
    const std::size_t at = end < text.size() && text[end] == ' ' ? end + 1 : end;
    static constexpr std::array<std::string_view, 12> kMarks = {"a.m.", "p.m.", "am",  "pm",  "AM",  "PM",
                                                                "UTC",  "GMT",  "CET", "EST", "PST", "EDT"};
    for (const std::string_view mark : kMarks) {
        if (!text.substr(std::min(at, text.size())).starts_with(mark)) continue;
        const std::size_t next = at + mark.size();
        if (next == text.size() || !in_word(decode(text, next).code)) return next;
    }
    return end;
}

// Past the time of day behind a date: " 10:30", ", 10:30", "T10:30:00Z".
std::size_t past_time(std::string_view text, std::size_t end) {
    std::size_t at = end;
    if (at < text.size() && text[at] == ',') ++at;
    if (at < text.size() && among(text[at], " T")) ++at;
    if (at == end || at >= text.size() || !ascii_digit(text[at])) return end;
    const std::size_t time = time_end(text, at);
    return time > 0 ? past_half_day(text, time) : end;
}

std::size_t past_ordinal(std::string_view text, std::size_t end) {
    const std::string_view word = word_behind(text, end);
    return word == "st" || word == "nd" || word == "rd" || word == "th" ? end + 2 : end;
}

// Past " 2024" or ", 2024".
std::size_t past_year(std::string_view text, std::size_t end) {
    std::size_t at = end;
    if (at < text.size() && among(text[at], ".,")) ++at;
    if (at < text.size() && text[at] == ' ') ++at;
    if (at == end || at + 4 > text.size()) return end;
    if (!std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at), text.begin() + static_cast<std::ptrdiff_t>(at + 4),
                     ascii_digit)) {
        return end;
    }
    return at + 4 == text.size() || !in_word(decode(text, at + 4).code) ? at + 4 : end;
}

// Behind a day ("12", "3rd"): past " of March 2024".
std::size_t past_month(std::string_view text, std::size_t end) {
    std::size_t at = past_ordinal(text, end);
    if (text.substr(at).starts_with(" of ")) at += 3;
    if (at >= text.size() || text[at] != ' ') return end;
    const std::string_view month = word_behind(text, at + 1);
    if (month.size() < 3 || (word_use(month) & kMonth) == 0) return end;
    at += 1 + month.size();
    return past_time(text, past_year(text, at));
}

bool is_address(const Groups& g) {
    for (std::size_t i = 0; i < 4; ++i) {
        if (g.size[i] > 3 || g.value[i] > 255 || (i < 3 && g.mark[i] != '.')) return false;
    }
    return g.count == 4 || (g.count == 5 && among(g.mark[3], ":/"));
}

// "-rc1", "b2", ".dev0", "-beta.2": what makes two numbers a version.
bool is_pre_release(std::string_view rest) {
    if (!rest.empty() && among(rest[0], "-_.")) rest.remove_prefix(1);
    static constexpr std::array<std::string_view, 12> kStages = {
        "rc", "alpha", "beta", "dev", "post", "preview", "pre", "final", "snapshot", "SNAPSHOT", "a", "b"};
    for (const std::string_view stage : kStages) {
        if (!rest.starts_with(stage)) continue;
        const std::string_view number =
            rest.substr(stage.size() + (rest.substr(stage.size()).starts_with(".") ? 1 : 0));
        if (stage.size() == 1 && number.empty()) return false;
        return std::all_of(number.begin(), number.end(), ascii_digit);
    }
    return false;
}

bool is_version(const Groups& g, std::string_view rest) {
    if (g.count < 2 || g.mark[0] != '.') return false;
    for (std::size_t i = 0; i + 1 < g.count; ++i) {
        if (g.mark[i] != '.') return i >= 2 && g.mark[i] == '-';
    }
    if (g.count == 2) return is_pre_release(rest);
    return rest.empty() || among(rest[0], "-+_.") || is_pre_release(rest);
}

// Seven and more hexadecimal digits with letters and digits among them, or a UUID.
bool is_hexadecimal_id(std::string_view run) {
    std::size_t letters = 0;
    std::size_t digits = 0;
    for (std::size_t at = 0; at < run.size(); ++at) {
        const bool dash = run.size() == 36 && (at == 8 || at == 13 || at == 18 || at == 23);
        if (dash != (run[at] == '-')) return false;
        letters += (run[at] >= 'a' && run[at] <= 'f') || (run[at] >= 'A' && run[at] <= 'F');
        digits += ascii_digit(run[at]);
    }
    const std::size_t dashes = run.size() == 36 ? 4 : 0;
    return letters + digits + dashes == run.size() && run.size() >= 7 && letters > 1 && digits > 1;
}

bool is_spaced_unit(std::string_view word) {
    static constexpr std::string_view kAmbiguous = " a in t d am pm as as h c f m ";
    const bool ambiguous = word.size() < 3 && kAmbiguous.find(' ' + std::string(word) + ' ') != std::string_view::npos;
    return is_unit(word) && (!ambiguous || word == "m" || word == "h" || word == "C");
}

// Past the units behind a number: " ms", " million dollars", "%", "万元".
std::size_t past_units(std::string_view text, std::size_t end) {
    if (const std::size_t length = east_asian_unit(text.substr(end)); length > 0) {
        const std::size_t more = east_asian_unit(text.substr(end + length));
        return end + length + more;
    }
    for (int units = 0; units < 2; ++units) {
        if (end >= text.size() || text[end - 1] == '%') break;
        const Decoded gap = decode(text, end);
        const std::size_t at = is_space(gap.code) && gap.code != '\n' ? end + gap.length : end;
        if (at < text.size() && text[at] == '%') return at + 1;
        if (text.substr(at).starts_with("\xC2\xB0")) {  // degrees
            return at + 2 + (at + 2 < text.size() && among(text[at + 2], "CFK") ? 1 : 0);
        }
        if (at == end || at >= text.size()) break;
        const std::string_view word = word_behind(text, at);
        if (!is_spaced_unit(word)) break;
        const std::string_view behind = text.substr(at + word.size());
        if (!behind.empty() && among(behind[0], "_\\@:") && behind.size() > 1 && !ascii_space(behind[1])) break;
        end = at + word.size();
        if (behind.starts_with("/")) {  // "5 km/h"
            const std::string_view per = word_behind(text, end + 1);
            if (is_unit(per)) end += 1 + per.size();
        }
    }
    return end;
}

// A number ends before what belongs to something else: "5:foo", "1=2", "3.Next".
std::size_t number_end(std::string_view run, std::size_t digit) {
    for (std::size_t at = digit + 1; at < run.size(); ++at) {
        if (among(run[at], "=@#\\<>&~^")) return at;
        const bool digit_behind = at + 1 < run.size() && ascii_digit(run[at + 1]);
        if (run[at] == ':' && !digit_behind) return at;
        if (run[at] == '.' && !digit_behind && at + 1 < run.size() && run[at + 1] != 'x') return at;
    }
    return run.size();
}

}  // namespace

FoundFact read_number(std::string_view text, Span run, std::size_t digit) {
    const std::string_view whole = text.substr(run.begin, run.end - run.begin);
    const Groups g = read_groups(text.substr(0, run.end), digit);
    const std::string_view rest = text.substr(g.end, run.end - g.end);
    if (is_iso_date(g) || is_day_first(g)) {
        std::size_t end = digit + g.size[0] + g.size[1] + g.size[2] + 2;
        end = past_time(text, end);
        return {FactKind::kDate, {digit, std::max(end, digit + 1)}};
    }
    if (digit == run.begin) {
        if (const std::size_t time = time_end(text, digit); time > 0) {
            return {FactKind::kDate, {digit, past_half_day(text, time)}};
        }
        if (g.count == 1 && g.size[0] <= 2) {
            if (const std::size_t hour = past_half_day(text, g.end); hour > g.end) {
                return {FactKind::kDate, {digit, hour}};
            }
            if (const std::size_t month = past_month(text, g.end); month > g.end) {
                return {FactKind::kDate, {digit, month}};
            }
        }
        if (is_address(g) && rest.empty()) return {FactKind::kIdentifier, run};
        if (is_version(g, rest)) return {FactKind::kVersion, run};
        if (is_hexadecimal_id(whole)) return {FactKind::kIdentifier, run};
    }
    if (east_asian_date_unit(text.substr(run.end)) > 0 && run.end == g.end) {
        std::size_t end = g.end;
        bool date = g.size[0] == 4 && g.count == 1;
        for (std::size_t unit = 0; (unit = east_asian_date_unit(text.substr(end))) > 0;) {
            end += unit;
            std::size_t next = end;
            while (next < text.size() && next < end + 4 && ascii_digit(text[next])) ++next;
            if (next == end || next >= text.size() || east_asian_date_unit(text.substr(next)) == 0) break;
            date = true;
            end = next;
        }
        if (date) return {FactKind::kDate, {digit, end}};
    }
    const std::size_t end = run.begin + number_end(whole, digit - run.begin);
    return {FactKind::kNumber, {run.begin, end == run.end ? past_units(text, end) : end}};
}

FoundFact read_month_first(std::string_view text, Span word) {
    std::size_t at = word.end;
    if (at < text.size() && text[at] == '.') ++at;
    std::size_t end = word.end;
    if (at + 1 < text.size() && text[at] == ' ' && ascii_digit(text[at + 1])) {
        std::size_t day = at + 1;
        while (day < text.size() && day < at + 4 && ascii_digit(text[day])) ++day;
        if (day - at <= 3 && (day == text.size() || !among(text[day], ":/-.") || day + 1 == text.size() ||
                              !ascii_digit(text[day + 1]))) {
            end = past_ordinal(text, day);
            end = past_time(text, past_year(text, end));
        }
    }
    if (end == word.end) end = past_year(text, at);
    if (end == at) end = word.end;
    return {FactKind::kDate, end > word.end ? Span{word.begin, end} : Span{word.begin, word.begin}};
}

bool is_marked_version(std::string_view run) {
    if (run.size() < 2 || (run[0] != 'v' && run[0] != 'V') || !ascii_digit(run[1])) return false;
    const Groups g = read_groups(run, 1);
    for (std::size_t i = 0; i + 1 < g.count; ++i) {
        if (g.mark[i] != '.' && !(i > 0 && g.mark[i] == '-')) return false;
    }
    const std::string_view rest = run.substr(g.end);
    return rest.empty() || among(rest[0], "-+.") || is_pre_release(rest);
}

namespace {

constexpr std::string_view kSeparators = "/\\";
constexpr std::size_t kLongestPath = 256;  // bytes that are looked at before a run, or within quotation marks
constexpr std::size_t kLongestPart = 64;   // ... within brackets
constexpr int kMostWords = 4;              // of a part of a path

constexpr std::string_view kFileEndings =
    " py pyi ipynb c h cc cpp hpp cxx cs java kt kts scala go rs rb php pl pm lua r jl js jsx mjs cjs ts tsx vue css "
    "scss less html htm xml xsl svg json jsonl yaml yml toml ini cfg conf env lock md rst txt tex pdf doc docx xls "
    "xlsx ppt pptx csv tsv sql db sqlite log out err sh bash zsh fish bat ps1 cmd exe dll so a o lib jar war class "
    "whl egg gz tgz tar zip bz2 xz zst 7z rar png jpg jpeg gif webp ico mp3 mp4 wav mov avi bin dat npy npz pkl pt "
    "onnx parquet proto thrift cmake gradle mk make dockerfile patch diff spec swift m mm ex exs erl hs ml clj el "
    "vim tf hcl rpm deb iso img apk pem crt key pub tfvars bazel bzl graphql gql prisma svelte astro properties plist "
    "adoc mdx geojson ndjson sarif groovy dart nim zig rmd qmd avro orc feather h5 hdf5 ckpt pyc pyx pxd woff woff2 "
    "ttf otf tiff tif bmp heic avif webm flac ogg srt vtt eml ics sln csproj fsproj vbproj resx xaml razor cshtml asm "
    "f90 cu cuh glsl hlsl wgsl vhd vhdl tcl awk nix jsonnet rego hrl heex leex erb haml ejs hbs mustache jinja twig "
    "pug sass coffee xsd xslt rss dtd wsdl bib sty rtf epub odt ods vcf cljs edn scm rkt lisp mli purs elm sol move ";
// Files that need no ending.
constexpr std::string_view kFiles =
    " Berksfile Brewfile CODEOWNERS Caddyfile Capfile Cargo.lock Containerfile Dockerfile Earthfile Fastfile "
    "GNUmakefile "
    "Gemfile Guardfile Jenkinsfile Justfile Makefile Pipfile Podfile Procfile Rakefile SConscript SConstruct Snakefile "
    "Tiltfile Vagrantfile justfile makefile dockerfile AUTHORS CHANGELOG CONTRIBUTING LICENSE README go.mod go.sum "
    "go.work .clang-format .clang-tidy .env .python-version .ruby-version .node-version .tool-versions .nvmrc ";
// ... in a folder.
constexpr std::string_view kFilesInFolders = " BUILD WORKSPACE COPYING NOTICE VERSION ";
// Of copies and templates: the ending before says what the file is.
constexpr std::string_view kCopyEndings =
    " in tmpl tpl template j2 jinja2 dist sample example orig rej bak backup old tmp swp save ";

bool small_or_digit(char byte) { return ascii_lower(byte) || ascii_digit(byte); }
bool is_letter_byte(char byte) { return ascii_alpha(byte) || static_cast<unsigned char>(byte) > 127; }
bool is_ngram(char32_t code) { return (char_class(code) & kNgram) != 0; }

// A stem, a full stop and an ending that files have ("a.py", "a.test.ts", "a.log.1"), or a file that is known.
bool is_file_name(std::string_view name) {
    static const auto endings = words_of(kFileEndings);
    static const auto copies = words_of(kCopyEndings);
    if (is_named_file(name)) return true;
    const std::size_t stop = name.rfind('.');
    if (stop == std::string_view::npos || stop + 1 == name.size()) return false;
    const std::string_view stem = name.substr(0, stop);
    std::string ending(name.substr(stop + 1));
    if (stop == 0) return ending.size() > 2 && std::all_of(ending.begin(), ending.end(), ascii_lower);
    if (!std::any_of(stem.begin(), stem.end(), is_letter_byte)) return false;
    const bool number = std::all_of(ending.begin(), ending.end(), ascii_digit);
    for (char& byte : ending) byte = ascii_upper(byte) ? static_cast<char>(byte + 32) : byte;
    if (number || copies.contains(ending)) return stem.find('.') != std::string_view::npos && is_file_name(stem);
    return endings.contains(ending) || (is_named_file(stem) && is_letter_byte(ending[0]));
}

bool is_drive(std::string_view run) {
    return run.size() > 3 && ascii_alpha(run[0]) && run[1] == ':' && among(run[2], kSeparators);
}

bool is_rooted(std::string_view run) {
    static constexpr std::array<std::string_view, 7> kRoots = {"./", "../", "~/", ".\\", "..\\", "/", "\\\\"};
    return is_drive(run) ||
           std::any_of(kRoots.begin(), kRoots.end(), [run](std::string_view root) { return run.starts_with(root); });
}

// Whether separators make a path of the run: it is rooted, or ends in a file, or a part is no word of prose.
bool is_path(std::string_view run) {
    if (run.find_first_of(kSeparators) == std::string_view::npos) return is_file_name(run);
    std::size_t letters = 0;
    std::size_t parts = 0;
    bool marked = false;  // a part has an underscore or begins with a full stop
    bool plain = true;    // every part is small letters, digits and dashes
    bool empty = false;
    std::string_view last;
    for (std::size_t at = 0; at <= run.size();) {
        const std::size_t end = std::min(run.find_first_of(kSeparators, at), run.size());
        last = run.substr(at, end - at);
        empty |= last.empty() && at > 0 && end < run.size();
        if (!last.empty()) ++parts;
        marked |= last.find('_') != std::string_view::npos || (last.size() > 1 && last[0] == '.');
        plain &= std::all_of(last.begin(), last.end(), [](char byte) { return small_or_digit(byte) || byte == '-'; });
        letters += static_cast<std::size_t>(std::count_if(last.begin(), last.end(), is_letter_byte));
        at = end + 1;
    }
    if (letters < 2 || empty || among(run[0], "<&")) return is_rooted(run) && letters >= 2 && run.starts_with("\\\\");
    if (is_rooted(run)) return parts > 1 || run.size() > 3;
    if (ascii_digit(run[0])) return is_file_name(last);
    static const auto in_folders = words_of(kFilesInFolders);
    return marked || is_file_name(last) || in_folders.contains(last) || (parts > 3 && plain);
}

// Whether the run is but an ending: the ".csv" of "リスト.csv" and "f(x).csv".
bool only_extension(std::string_view text, Span run) {
    if (run.begin == 0 || run.end - run.begin < 2 || text[run.begin] != '.' || !is_letter_byte(text[run.begin + 1]))
        return false;
    return is_word(decode_before(text, run.begin).code) || among(text[run.begin - 1], ")]}");
}

// Where the bracket opens that closes before `end`, in a part of a path ("[slug]", "(auth)", "{id}"); `end` where none
// does. Behind a name it is an index or a call.
std::size_t bracket_begin(std::string_view text, std::size_t begin, std::size_t end) {
    const char open = text[end - 1] == ')' ? '(' : text[end - 1] == ']' ? '[' : '{';
    std::size_t at = end - 1;
    while (at > begin && end - at < kLongestPart && text[at - 1] != open &&
           (is_letter_byte(text[at - 1]) || ascii_digit(text[at - 1]) || among(text[at - 1], "._-@&*:[]"))) {
        --at;
    }
    if (at == begin || text[at - 1] != open) return end;
    --at;
    const bool leads = open != '(' && (at == begin || among(text[at - 1], " \t\n\"'`"));
    return leads || (at > begin && among(text[at - 1], "/\\)]}[")) ? at : end;
}

// Particles of Japanese: behind them, before something else than its small letters, another word begins.
bool is_particle(char32_t code) {
    return std::u32string_view(U"をはがにでとのへも").find(code) != std::u32string_view::npos;
}
bool is_hiragana(char32_t code) { return code >= 0x3041 && code <= 0x309F; }

// Where the path begins that goes on at `at`: back over brackets and letters of every script.
std::size_t path_begin(std::string_view text, std::size_t begin, std::size_t at) {
    begin = std::max(begin, floor_char(text, at > kLongestPath ? at - kLongestPath : 0));
    while (at > begin) {
        const Decoded before = decode_before(text, at);
        if (before.code < 0x80 && among(static_cast<char>(before.code), ")]}")) {
            const std::size_t open = bracket_begin(text, begin, at);
            if (open == at) break;
            at = open;
            continue;
        }
        const bool mark = before.code < 0x80 && among(static_cast<char>(before.code), "/\\._-@+$");
        const bool drive = before.code == ':' && at < text.size() && among(text[at], kSeparators);
        if (!in_word(before.code) && !is_ngram(before.code) && !mark && !drive) break;
        const char32_t behind = at < text.size() ? decode(text, at).code : ' ';
        if (is_particle(before.code) && is_ngram(behind) && !is_hiragana(behind)) break;
        at -= before.length;
    }
    return at;
}

// Whether the words of a part of a path, between spaces, may be of one name: "My Files", "read me.md".
bool is_spaced_part(std::string_view part) {
    int words = 1;
    for (std::size_t at = part.find(' '); at != std::string_view::npos; at = part.find(' ', at + 1)) {
        const std::size_t word = part.rfind(' ', at - 1) + 1;  // 0 where there is none
        if (at == 0 || at + 1 == part.size() || among(part[at + 1], " -<>|&=") ||
            is_file_name(part.substr(word, at - word)) || ++words > kMostWords) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::size_t place_end(std::string_view text, std::size_t at) {
    const auto number = [&](std::size_t from) {
        std::size_t end = from;
        while (end < text.size() && ascii_digit(text[end])) ++end;
        return end > from ? end : 0;
    };
    const auto starts = [&](std::string_view mark) { return text.substr(std::min(at, text.size())).starts_with(mark); };
    static constexpr std::array<std::string_view, 3> kLines = {"\", line ", ", line ", ":line "};
    for (const std::string_view mark : kLines) {
        if (starts(mark)) return number(at + mark.size());
    }
    const bool square = starts(":[");
    if (square || starts("(")) {
        std::size_t end = number(at + (square ? 2 : 1));
        if (end > 0 && end < text.size() && text[end] == ',')
            end = number(end + (text.substr(end).starts_with(", ") ? 2 : 1));
        return end > 0 && end < text.size() && text[end] == (square ? ']' : ')') ? end + 1 : 0;
    }
    if (!starts(":")) return 0;
    const std::size_t end = number(at + 1);
    if (end == 0 || end >= text.size() || text[end] != ':') return end;
    const std::size_t column = number(end + 1);
    return column > 0 ? column : end;
}

FoundFact path_at(std::string_view text, Span run) {
    if (only_extension(text, run)) return {};
    std::string_view whole = text.substr(run.begin, run.end - run.begin);
    const std::size_t drive = is_rooted(whole) && whole.size() > 1 && whole[1] == ':' ? 2 : 0;
    const std::size_t colon = whole.find(':', drive);
    if (colon != std::string_view::npos) {
        whole = whole.substr(0, colon);
        run.end = run.begin + colon;
    }
    if (whole.empty() || !is_path(whole)) return {};
    if (const std::size_t end = place_end(text, run.end); end > 0) return {FactKind::kPathLine, {run.begin, end}};
    if (run.end < text.size() && among(text[run.end], kSeparators) &&
        (run.end + 1 == text.size() || !in_word(decode(text, run.end + 1).code))) {
        ++run.end;  // "src/"
    }
    return {FactKind::kPath, run};
}

FoundFact wider_path(std::string_view text, std::size_t begin, Span run) {
    const std::string_view whole = text.substr(run.begin, run.end - run.begin);
    if (run.begin == begin || whole.find_first_of("./\\") == std::string_view::npos) return {};
    const char32_t before = decode_before(text, run.begin).code;
    if (!is_ngram(before) && !(before < 0x80 && among(static_cast<char>(before), ")]}"))) return {};
    if (!only_extension(text, run) && !among(text[run.begin], "./\\") && path_at(text, run)) return {};
    if (whole.starts_with("./") || whole.starts_with("../")) return {};
    run.begin = path_begin(text, begin, run.begin);
    return run.begin == text.size() ? FoundFact{} : path_at(text, run);
}

FoundFact spaced_path(std::string_view text, Span run) {
    if (!is_drive(text.substr(run.begin, run.end - run.begin))) return {};
    const std::size_t limit = std::min(text.size(), run.begin + kLongestPath);
    std::size_t end = run.end;
    while (end < limit && text[end] == ' ') {  // " Files\\x": words up to the next separator
        const std::size_t next = text.substr(0, limit).find_first_of("\\/\n\":*?<>|", end);
        if (next == std::string_view::npos || text[next] != '\\' ||
            !is_spaced_part(text.substr(end + 1, next - end - 1)))
            break;
        end = run_end(text.substr(0, limit), next);
    }
    return end > run.end ? path_at(text, trimmed(text, {run.begin, end})) : FoundFact{};
}

FoundFact quoted_path(std::string_view text, std::size_t at) {
    const char mark = text[at];
    const Span inside{at + 1, text.substr(0, std::min(text.size(), at + kLongestPath)).find(mark, at + 1)};
    if (inside.end == std::string_view::npos || inside.end == inside.begin) return {};
    const std::string_view path = text.substr(inside.begin, inside.end - inside.begin);
    const std::size_t drive = is_drive(path) ? 2 : 0;
    if (path.find(' ') == std::string_view::npos ||
        path.find_first_of("\n\"`:*?<>|,;()=", drive) != std::string_view::npos)
        return {};
    if (mark == '`' && drive == 0) return {};  // a command, rather
    const bool rooted = is_rooted(path);
    std::string_view last;
    for (std::size_t part = 0; part <= path.size();) {
        const std::size_t end = std::min(path.find_first_of(kSeparators, part), path.size());
        last = path.substr(part, end - part);
        const bool first = part == 0;
        if ((first && (end == path.size() || last.find(' ') != std::string_view::npos)) || !is_spaced_part(last))
            return {};
        for (std::size_t word = last.find(' '); !rooted && word != std::string_view::npos;
             word = last.find(' ', word + 1)) {
            if (!ascii_upper(last[word + 1]) && !ascii_digit(last[word + 1])) return {};
        }
        part = end + 1;
    }
    if (!is_file_name(last)) return {};
    if (const std::size_t end = place_end(text, inside.end); end > 0) return {FactKind::kPathLine, {inside.begin, end}};
    return {FactKind::kPath, inside};
}

bool is_named_file(std::string_view name) {
    static const auto files = words_of(kFiles);
    return files.contains(name);
}

namespace {

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
