"""Which language a file of source code is in, and how that language writes a comment."""

from __future__ import annotations

import re
from collections import Counter

# What opens and closes a comment -> languages.
_SIGNS: dict[tuple[str, str], str] = {
    ("#", ""): "python ruby shell perl r julia elixir nim crystal tcl awk powershell coffeescript gdscript "
    "starlark yaml toml makefile dockerfile cmake hcl graphql nix conf",
    ("//", ""): "javascript typescript tsx go rust java c cpp csharp kotlin swift scala php dart groovy zig "
    "protobuf objectivec solidity verilog fsharp prisma json5 scss less thrift glsl cuda pascal",
    ("--", ""): "sql lua haskell elm ada vhdl applescript purescript",
    (";", ""): "clojure scheme commonlisp elisp racket assembly ini",
    ("%", ""): "erlang latex prolog matlab",
    ("!", ""): "fortran",
    ("'", ""): "vb",
    ('"', ""): "vim",
    ("REM", ""): "batch",
    ("..", ""): "rst",
    ("/*", " */"): "css",
    ("(*", " *)"): "ocaml",
    ("<!--", " -->"): "html xml vue svelte markdown",
}
_COMMENTS = {name: signs for signs, names in _SIGNS.items() for name in names.split()}

# How else a language is called: ends of file names, whole names of files, what stands after a fence.
_NAMES: dict[str, str] = {
    "python": "py pyi pyw python3 deps sconstruct sconscript wscript snakefile",
    "ruby": "rb rbw ru rake gemspec podspec pluginspec prawn gemfile rakefile vagrantfile podfile fastfile "
    "brewfile deliverfile rabl",
    "tcl": "tk xdc",
    "nim": "nims nimble",
    "sql": "plsql pls pck pkb pks tsql ddl viw prc mysql pgsql udf",
    "shell": "sh bash zsh ksh console shell-session bashrc zshrc profile zprofile .bashrc .zshrc .profile "
    ".zprofile .xsession .bash_profile",
    "perl": "pl pm t makefile.pl build.pl",
    "julia": "jl",
    "elixir": "ex exs mix.lock",
    "crystal": "cr",
    "powershell": "ps1 psm1 psd1",
    "coffeescript": "coffee",
    "gdscript": "gd",
    "starlark": "bzl bazel bzlmod star build workspace",
    "yaml": "yml .clang-format .clang-tidy mir sublime-syntax",
    "makefile": "make gnumakefile mkfile mk mak",
    "dockerfile": "containerfile",
    "cmake": "cmakelists.txt",
    "hcl": "tf tfvars terraform nomad",
    "graphql": "gql graphqls",
    "conf": "env gitignore",
    "ini": "cfg editorconfig gitconfig properties coveragerc service socket timer mount target desktop "
    ".editorconfig .gitconfig .coveragerc .flake8 .pylintrc",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts mts cts",
    "go": "golang",
    "rust": "rs",
    "java": "jsp",
    "c": "h idc",
    "cpp": "cc cp cxx hpp hh hxx c++ h++ ipp inl tpp",
    "csharp": "cs c#",
    "kotlin": "kt kts",
    "scala": "sc sbt",
    "php": "phtml php3 php4 php5",
    "groovy": "gradle jenkinsfile",
    "protobuf": "proto",
    "objectivec": "mm objc objective-c",
    "solidity": "sol",
    "verilog": "v vh sv svh",
    "fsharp": "fs fsx f#",
    "json5": "jsonc",
    "glsl": "hlsl wgsl vert frag",
    "cuda": "cu cuh",
    "pascal": "pas dpr lpr pp",
    "haskell": "hs",
    "ada": "adb ads",
    "vhdl": "vhd vho",
    "purescript": "purs",
    "clojure": "clj cljs edn",
    "scheme": "scm",
    "commonlisp": "lisp lsp cl common-lisp sexp",
    "elisp": "el emacs-lisp .emacs .spacemacs cask ede",
    "racket": "rkt",
    "assembly": "asm nasm s",
    "erlang": "erl hrl app.src rebar.config rebar.lock rebar.config.lock",
    "matlab": "m octave",
    "vim": "vimrc .vimrc vmb",
    "r": "rd rprofile .rprofile",
    "lua": "luacheckrc .luacheckrc",
    "latex": "tex sty cls ltx",
    "fortran": "f f77 f90 f95 f03 f08 for",
    "vb": "vbs bas",
    "batch": "bat cmd",
    "rst": "rest",
    "ocaml": "ml mli eliom mll mly",
    "html": "htm xhtml",
    "xml": "svg xsd xsl xslt",
    "markdown": "md",
}
_CALLED = {other: name for name, others in _NAMES.items() for other in others.split()}

_WHOLE = frozenset({"makefile", "gnumakefile", "dockerfile", "containerfile", "jenkinsfile", "vagrantfile"})

_TERMS = frozenset({"license", "licence", "copying", "notice"})  # what stands behind their dot is no suffix

# Suffixes behind the one that tells what a file is: of templates, samples and copies.
_COPIES = frozenset(
    {"in", "tmpl", "tpl", "template", "j2", "jinja", "jinja2", "pp", "dist", "sample", "example", "default"}
    | {"orig", "rej", "bak", "backup", "old", "new", "save"}
)

# How lines of comments begin, where the language is not known: nothing else in code looks quite like them.
_BRACES = re.compile(r"[{};]\s*$", re.MULTILINE)  # ends of statements
_LINE = re.compile(r"^[ \t]*(?:(#)[ #!]|(//)|(--) |(;)[; ]|(%)[% ]|(/\*)|(<!--)|(\(\*) )", re.MULTILINE)
_CLOSED = {"/*": " */", "<!--": " -->", "(*": " *)"}
_LOOK = 20_000  # characters


def named_language(name: str) -> str:
    """The language that is called so, in any case, by its own name or as files and fences are named.

    One that is not known is called what it is called.
    """
    return known_language(name.lower()) or name.lower()


def plain_file(name: str) -> str:
    """The file name that says what a file is: in lower case, without folders and suffixes such as ".bak".

    "src/Config.py.example" and "src/config.py" are "config.py", "app.log.1" is "app.log".
    """
    file = name.lower().replace("\\", "/").rpartition("/")[2]
    while not known_language(file):
        stem, _, suffix = file.rpartition(".")
        if not stem.strip(".") or not (suffix in _COPIES or suffix.isdecimal()):
            break
        hidden = stem.startswith(".") and known_language(stem)
        if "." not in stem.strip(".") and stem not in _WHOLE and not hidden:
            break  # nothing tells what "main.in" is, and "bash.1" is a page of a manual
        file = stem
    return file


def language_of_file(name: str) -> str:
    """The language that a file's name or suffix tells; "" where it tells none."""
    return language_of_plain(plain_file(name))


def language_of_plain(file: str) -> str:
    """The language that a file name from `plain_file` tells; "" if none."""
    stem, _, suffix = file.rpartition(".")
    if stem in _TERMS:
        return ""
    whole = known_language(stem) if stem in _WHOLE else ""
    return known_language(file) or whole or (known_language(suffix) if suffix != file else "")


def known_language(name: str) -> str:
    """The language that files or fences of this name or suffix are in; "" where it is not known."""
    return name if name in _COMMENTS else _CALLED.get(name, "")


def comment_of(language: str, text: str) -> tuple[str, str]:
    """Return the signs that open and close a comment on its own line, by the language, else by the text.

    Where neither is to be had: "//" for a text with braces or semicolons, else "#". O(1) for a long text.
    """
    if language in _COMMENTS:
        return _COMMENTS[language]
    head = text[:_LOOK]
    signs = Counter(match.group(match.lastindex or 0) for match in _LINE.finditer(head))
    if signs:
        sign = signs.most_common(1)[0][0]
        return ("//", "") if sign == "/*" and signs["//"] else (sign, _CLOSED.get(sign, ""))
    return ("//" if _BRACES.search(head) else "#"), ""
