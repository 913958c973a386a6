#include "kernels/text/fact_paths.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>

#include "kernels/text/guard_runs.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {
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

using Words = std::unordered_set<std::string_view>;

Words listed(std::string_view list) {
    Words words;
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t end = std::min(list.find(' ', at), list.size());
        if (end > at) words.insert(list.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

bool small_or_digit(char byte) { return ascii_lower(byte) || ascii_digit(byte); }
bool is_letter_byte(char byte) { return ascii_alpha(byte) || static_cast<unsigned char>(byte) > 127; }
bool is_ngram(char32_t code) { return (char_class(code) & kNgram) != 0; }

// A stem, a full stop and an ending that files have ("a.py", "a.test.ts", "a.log.1"), or a file that is known.
bool is_file_name(std::string_view name) {
    static const Words endings = listed(kFileEndings);
    static const Words copies = listed(kCopyEndings);
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
    static const Words in_folders = listed(kFilesInFolders);
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
    static const Words files = listed(kFiles);
    return files.contains(name);
}

}  // namespace tersely::text
