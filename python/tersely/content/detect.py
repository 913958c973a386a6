"""Detect what a text is: by the name of its file where that settles it, else by its look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tersely import _native
from tersely.content.code_languages import language_of_file
from tersely.content.commands import kind_of_output
from tersely.core import checks
from tersely.core.detection import KINDS, LANGUAGES, Detection

__all__ = ["detect", "detect_each", "hinted_detection", "in_pairs", "named_detection"]

# Suffix -> what such a file is, and what else its text may show it to be.
_SUFFIXES: dict[str, tuple[str, tuple[str, ...]]] = {
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

_MAY_BE_TABLES = ("prose", "markdown", "code", "tool_output")
_SURE = 0.6  # confidence of another look
_MOSTLY, _IN_COLUMNS = (
    0.5,
    0.9,
)  # shares of lines in columns that make a table, where nothing else is sure, or is
_IN_PAIRS = 0.8  # share of lines with three key=value or more
# Suffixes that several languages have: the text is asked.
_SHARED = {"h": ("c", "cpp", "objectivec"), "inc": ("php", "pascal", "assembly")}

# What a text may look like though the command that wrote it writes something else.
_UNSURE = frozenset({"prose", "markdown", "conversation", "code", "mixed", "tool_output", "table"})
_DIALECTS = {"tsx": "typescript"}  # languages of files -> as `Detection` calls them

_HEAD, _MIDDLE, _TAIL = 6144, 3072, 3072  # characters that are read of a long text
_NEAR = 65_536  # how far the middle part may move to start where a line ends


def detect(text: str, name: str | None = None, command: str | None = None) -> Detection:
    """What a text is, by the look of its first, middle and last lines (csrc/kernels/detect/detect.hpp).

    `name`: a path or file name; a suffix that settles what the text is ("app.py", "rows.csv") goes first,
    with a confidence of 1. `command`: the command line that wrote the text ("pytest -q", "git diff"); what
    it writes goes before a look that says nothing certain. Raises TypeError for another type and ValueError
    for a lone surrogate in the part that is read. O(1) for a long text: 12,288 characters are read, in at
    most 0.1 ms per 10 KB.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be str, not {type(text).__name__}")
    for piece in _sample(text):
        checks.text(piece, "text")
    found = detect_each([text])[0]
    for hint, what in ((name, "name"), (command, "command")):
        if hint is not None:
            checks.text(hint, what)
    return hinted_detection(found, name or "", command or "")


def hinted_detection(found: Detection, name: str, command: str) -> Detection:
    """What a text is that looks like `found`: by its file's name, else the command behind it; "": none."""
    kind, file = kind_of_output(command) if command else ("", "")
    if name or file:
        return named_detection(name or file, found)
    if not kind or found.kind == kind or found.kind not in _UNSURE:
        return found
    return Detection(kind, None, 1.0)


def named_detection(name: str, found: Detection) -> Detection:
    """What a text is whose file is called so, and which looks like `found`."""
    file = name.lower().replace("\\", "/").rpartition("/")[2]
    suffix = file.rpartition(".")[2] if "." in file else ""
    kind, alike = _SUFFIXES.get(suffix, ("", ()))
    language = language_of_file(name)
    if not kind and language:
        kind = "code"
    if not kind or found.kind in alike:
        return found
    language = _DIALECTS.get(language, language)
    if kind == "code" and found.kind == "code" and found.language in _SHARED.get(suffix, ()):
        language = found.language or language
    if kind == found.kind and kind != "code":
        return replace(found, confidence=1.0)
    return Detection(kind, language if language in LANGUAGES else None, 1.0)


def detect_each(texts: Sequence[str]) -> list[Detection]:
    """`detect` for many texts without lone surrogates."""
    found = _native.detect([_sample(text) for text in texts])
    looks = [Detection(KINDS[kind], LANGUAGES[language], confidence) for kind, language, confidence in found]
    return [_table_or(look, text) for look, text in zip(looks, texts, strict=True)]


def in_pairs(text: str) -> bool:
    """Whether lines of a log are key=value. O(1) for a long text."""
    return _native.look_for_pairs(text[:_HEAD]) >= _IN_PAIRS


def _table_or(look: Detection, text: str) -> Detection:
    """A table where lines stand in columns or are ruled, and nothing else is sure of what they are."""
    if look.kind not in _MAY_BE_TABLES or "\n```" in text or "\n~~~" in text:
        return look
    sure = look.confidence >= _SURE and look.kind != "prose"
    columns = _native.look_for_columns(text[: _TAIL if sure else _HEAD + _MIDDLE + _TAIL])
    if columns < (_IN_COLUMNS if sure else _MOSTLY):
        return look
    return Detection("table", None, max(columns, _SURE))


def _sample(text: str) -> list[str]:
    """The whole text, or three parts of it; the middle one starts with the last character of a line."""
    if len(text) <= _HEAD + _MIDDLE + _TAIL:
        return [text]
    half = len(text) // 2
    start = max(text.find("\n", half, half + _NEAR) - 1, half)
    start = min(start, len(text) - _TAIL - _MIDDLE)
    return [text[:_HEAD], text[start : start + _MIDDLE], text[-_TAIL:]]
