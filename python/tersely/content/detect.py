"""Detect a text's content type: by file name or command if that settles it, else by its lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from tersely import _native, checks
from tersely.content.code_languages import language_of_file, language_of_plain, plain_file
from tersely.content.lines import is_lined
from tersely.types import KINDS, LANGUAGES, DetectedName, Detection

_KINDS: dict[DetectedName, str] = {
    "tool_output": "pytest py.test tox nox unittest mypy pyright ruff flake8 pylint black isort bandit pip "
    "poetry uv "
    "conda npm yarn pnpm bun jest vitest mocha karma playwright cypress tsc eslint stylelint prettier "
    "webpack vite rollup make gmake cmake ctest ninja meson bazel buck scons gcc g++ cc c++ clang "
    "clang++ clang-tidy cppcheck ld cargo rustc clippy-driver gotestsum golangci-lint staticcheck "
    "javac mvn mvnw gradle gradlew ant sbt scalac kotlinc ktlint detekt dotnet msbuild nunit swift "
    "swiftc swiftlint xcodebuild xcpretty rspec rubocop bundle gem rake phpunit phpstan psalm "
    "composer perlcritic prove luacheck busted shellcheck hadolint yamllint ansible ansible-playbook "
    "ansible-lint terraform terragrunt tofu pulumi helm packer vagrant apt apt-get yum dnf apk brew "
    "snap rpm dpkg valgrind trivy grype semgrep codeql infer flutter dart mix stack cabal nix-build "
    "pre-commit",
    "table": "ps df du ls ss netstat lsof free vmstat iostat mpstat sar route arp findmnt lsblk who w "
    "last lsmod systemctl iptables ifstat",
    "log": "journalctl dmesg logread",
    "diff": "diff colordiff interdiff",
}
_KIND_OF: dict[str, DetectedName] = {name: kind for kind, names in _KINDS.items() for name in names.split()}
# Commands whose next word says what they write.
_SECOND: dict[tuple[str, str], DetectedName] = {
    ("git", "diff"): "diff",
    ("git", "show"): "diff",
    ("git", "format-patch"): "diff",
    ("git", "log"): "log",
    ("go", "test"): "tool_output",
    ("go", "build"): "tool_output",
    ("go", "vet"): "tool_output",
    ("docker", "build"): "tool_output",
    ("docker", "ps"): "table",
    ("docker", "images"): "table",
    ("docker", "logs"): "log",
    ("kubectl", "get"): "table",
    ("kubectl", "top"): "table",
    ("kubectl", "logs"): "log",
    ("podman", "ps"): "table",
    ("podman", "logs"): "log",
    ("helm", "list"): "table",
    ("pip", "list"): "table",
}
_XML, _YAML = Detection("html", "xml", 1.0), Detection("code", "yaml", 1.0)
# What an option asks for ("-o yaml", "--format=json", "--json"), or a command that renders settings writes.
_FORMATS: dict[str, Detection] = {
    **{name: Detection("json", None, 1.0) for name in ("json", "sarif", "geojson")},
    **{name: Detection("jsonl", None, 1.0) for name in ("jsonl", "ndjson", "json-lines")},
    **{name: Detection("table", None, 1.0) for name in ("csv", "tsv", "table", "wide")},
    **dict.fromkeys(("xml", "junit", "junitxml", "checkstyle"), _XML),
    **dict.fromkeys(("yaml", "yml"), _YAML),
}
_RENDERS = frozenset({("helm", "template"), ("kubectl", "kustomize"), ("kustomize", "build")})
# What git lists beside a change instead of it.
_LISTS = frozenset({"--stat", "--numstat", "--shortstat", "--name-only", "--name-status", "--raw"})
_READS = frozenset({"cat", "bat", "less", "more", "head", "tail", "type", "nl"})  # write what a file holds
_ASKS = re.compile(r"-[ofr]|--(?=\S*(?:out|format|reporter))\S*")  # options whose value is a format
_BEFORE = frozenset(
    {"sudo", "time", "env", "nice", "nohup", "npx", "bunx", "xvfb-run", "stdbuf", "command", "exec"}
)
_BETWEEN = re.compile(r"&&|\|\||;|\n")  # commands
_PYTHON_COMMAND = re.compile(r"python[\d.]*")
_ASSIGNS = re.compile(r"\w+=")


def kind_of_output(command: str) -> tuple[Detection | None, str]:
    """Return (kind, file): the content type of a command's output, or None; the file that it prints, or "".

    A format that an option asks for goes before what the command writes otherwise. Of several commands the
    last one counts, of a pipe its first part; where what comes after a pipe makes something else of it,
    nothing is told. O(characters).
    """
    parts = _BETWEEN.split(command.strip().removeprefix("$ "))
    line = next((part.strip() for part in reversed(parts) if part.strip()), "")
    first, *after = line.split("|")
    if any(
        part.split()[:1] not in ([name] for name in ("grep", "tee", "head", "tail", "sort", "cat"))
        for part in after
    ):
        return None, ""
    words = first.split()
    while words and (words[0] in _BEFORE or _ASSIGNS.match(words[0])):
        words = words[1:]
    if len(words) > 2 and _PYTHON_COMMAND.fullmatch(words[0]) and words[1] == "-m":
        words = words[2:]
    if not words:
        return None, ""
    name = words[0].lower().replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
    if name in _READS:
        files = [word for word in words[1:] if not word.startswith("-")]
        return None, files[-1] if files else ""
    second = next((word for word in words[1:] if not word.startswith("-")), "")
    if (name, second) == ("git", "show") and (shown := words[-1].partition(":")[2]):
        return None, shown  # a file of a commit
    if (name, second) in _RENDERS:
        return _YAML, ""
    for before, word in pairwise(words):
        asked = _FORMATS.get(word.lstrip("-").rpartition("=")[2].removeprefix("o"))
        if asked is not None and (word[0] == "-" or _ASKS.fullmatch(before)):
            return asked, ""
    kind = _SECOND.get((name, second), _KIND_OF.get(name))
    if kind == "diff" and not _LISTS.isdisjoint(words):
        return None, ""
    return (Detection(kind, None, 1.0) if kind else None), ""


# Suffix -> what such a file is, and what else its text may show it to be.
_SUFFIXES: dict[str, tuple[DetectedName, tuple[DetectedName, ...]]] = {
    "md": ("markdown", ()),
    "markdown": ("markdown", ()),
    "rst": ("markdown", ()),
    "adoc": ("markdown", ()),
    "asciidoc": ("markdown", ()),
    "vue": ("html", ()),
    "svelte": ("html", ()),
    "svg": ("html", ()),
    "xsd": ("html", ()),
    "xsl": ("html", ()),
    "xslt": ("html", ()),
    "plist": ("html", ()),
    "html": ("html", ()),
    "htm": ("html", ()),
    "xhtml": ("html", ()),
    "xml": ("html", ()),
    "json": ("json", ("jsonl",)),
    "jsonl": ("jsonl", ("json",)),
    "ndjson": ("jsonl", ("json",)),
    "csv": ("table", ()),
    "tsv": ("table", ()),
    "vcf": ("table", ()),
    "geojson": ("json", ()),
    "ipynb": ("json", ()),
    "sarif": ("json", ()),
    "har": ("json", ()),
    "tap": ("tool_output", ()),
    "diff": ("diff", ()),
    "patch": ("diff", ()),
    "log": ("log", ("tool_output", "stack_trace", "jsonl", "json", "mixed")),
}

_NOTHING = 0.5  # confidence, at most, of what looks like nothing known
CERTAIN = 0.975  # confidence of what begins as nothing else does
_JSON = frozenset({"json", "jsonl"})
_LINES = frozenset({"log", "tool_output", "stack_trace", "html"})  # that no JSON looks like
# Suffixes that several languages have: what the text looks like, and is.
_SHARED = {
    "h": {"c": "c", "cpp": "cpp", "objectivec": "objectivec"},
    "inc": {"php": "php", "pascal": "pascal", "assembly": "assembly"},
    "m": {"objectivec": "objectivec", "c": "objectivec"},
    "conf": {"ini": "ini", "toml": "toml", "yaml": "yaml", "shell": "shell"},
}

_SURE = 0.9  # confidence from which a text says what it is, whatever is said to have written it
_GENERAL = frozenset({"prose", "tool_output"})  # that say least: to hold, such a look must be certain
_DIALECTS = {"tsx": "typescript"}  # languages of files -> as `Detection` calls them


def detect(text: str, name: str | None = None, command: str | None = None) -> Detection:
    """Detect the content type of a text by its first, middle and last lines.

    `name`: a path or file name; a suffix that settles the type ("app.py", "rows.csv") takes precedence, with
    a confidence of 1. `command`: the command line that wrote the text ("pytest -q", "git diff"); the type
    that it writes (also by options such as "-o yaml") takes precedence if the lines leave doubt. Lines of no
    recognizable type count as a tool's output. Raises TypeError for another type. O(1) for a long text:
    12,288 characters are read.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be str, not {type(text).__name__}")
    found = detect_each([text])[0]
    if found.kind == "prose" and found.confidence <= _NOTHING and is_lined(text):
        found = Detection("tool_output", None, _NOTHING)
    return hinted_detection(found, checks.text(name or "", "name"), checks.text(command or "", "command"))


def hinted_detection(found: Detection, name: str, command: str) -> Detection:
    """Return the type of a text by its file's name, else by its command, else by its look, `found`."""
    kind, file = kind_of_output(command) if command else (None, "")
    if name or file:
        return named_detection(name or file, found)
    if not command or found.confidence > (CERTAIN if found.kind in _GENERAL else _SURE):
        return found
    return found if kind is None or found.kind == kind.kind else kind


def named_detection(name: str, found: Detection) -> Detection:
    """Return the type of a text by its file's name, else by its look, `found`."""
    file = plain_file(name)
    suffix = file.rpartition(".")[2] if "." in file else ""
    settled = _SUFFIXES.get(suffix)
    kind, alike = settled if settled is not None else (None, ())
    language = language_of_plain(file)
    if kind is None and language:
        kind = "code"
    if kind is None or found.kind in alike:
        return found
    certain = found.confidence > CERTAIN
    if certain and found.language == "xml" and kind == "code":  # translations, descriptions
        return found
    if certain and found.kind in _JSON:  # a page that is one JSON value
        return found
    if certain and kind in _JSON and (found.kind in _LINES or found.language == "yaml"):
        return found
    if kind == found.kind and kind != "code":
        return replace(found, confidence=1.0)
    if kind == found.kind and suffix in _SHARED:
        language = _SHARED[suffix].get(found.language or "", language)
    return _named(kind, language)


def named_code(name: str, text: str) -> Detection | None:
    """Return code by its file's name alone; None where `named_detection` needs the look of the text.

    O(1), much cheaper than the look.
    """
    file = plain_file(name)
    if not (language := language_of_plain(file)):
        return None
    suffix = file.rpartition(".")[2]
    if suffix in _SUFFIXES or suffix in _SHARED or _native.may_be_data(text):
        return None
    return _named("code", language)


def _named(kind: DetectedName, language: str) -> Detection:
    """Return the type that a name settles, with the language that files of that name are in."""
    language = _DIALECTS.get(language, language)
    return Detection(kind, language if language in LANGUAGES else None, 1.0)


def language_detection(language: str, found: Detection) -> Detection:
    """Return the type of a block by the language of its fence ("python", "yml"), else by its look, `found`.

    A shell's name stands above what was typed and what came of it, too, so it settles nothing.
    """
    language = language.lower()
    if found.confidence > _SURE or not language.isalnum() or language_of_file(f"it.{language}") == "shell":
        return found
    if language in LANGUAGES:
        return found if language == "shell" else Detection("code", language, 1.0)
    return named_detection(f"it.{language}", found)


def detect_each(texts: Sequence[str]) -> list[Detection]:
    """Detect the type of each text (csrc/kernels/content/whole_text.hpp). O(characters)."""
    looks = _native.detect(texts)
    return [Detection(KINDS[kind], LANGUAGES[code], confidence) for kind, code, confidence, _ in looks]
