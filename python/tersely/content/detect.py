"""Detect what a text is: by the name of its file where that settles it, else by its look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tersely import _native
from tersely.content.code_languages import language_of_file, plain_file
from tersely.content.commands import kind_of_output
from tersely.content.outcomes import is_lined
from tersely.core import checks
from tersely.core.detection import KINDS, LANGUAGES, Detection
from tersely.core.names import DetectedName
from tersely.core.text import well_formed

__all__ = ["detect", "detect_each", "hinted_detection", "in_pairs", "language_detection", "named_detection"]

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
_CERTAIN = 0.975  # confidence of what begins as nothing else does
_JSON = frozenset({"json", "jsonl"})
_LINES = frozenset({"log", "tool_output", "stack_trace", "html"})  # that no JSON looks like
_IN_PAIRS = 0.8  # share of lines with three key=value or more
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

_HEAD, _MIDDLE, _TAIL = 6144, 3072, 3072  # characters that are read of a long text
_PYTHON = (":\n", ":\r\n", "\nfrom ")  # of Python that is told by its reading, some stands in it
_NEAR = 65_536  # how far the middle part may move to start where a line ends


def detect(text: str, name: str | None = None, command: str | None = None) -> Detection:
    """What a text is, by the look of its first, middle and last lines (csrc/kernels/detect/detect.hpp).

    `name`: a path or file name; a suffix that settles what the text is ("app.py", "rows.csv") goes first,
    with a confidence of 1. `command`: the command line that wrote the text ("pytest -q", "git diff"); what
    it writes ("-o yaml" too) goes before an unsure look. Lines that look like nothing are a tool's output.
    Raises TypeError for another type. O(1) for a long text: 12,288 characters are read.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be str, not {type(text).__name__}")
    sample = [well_formed(piece) for piece in _sample(text)]
    found = _detections([text], [sample])[0]
    if found.kind == "prose" and found.confidence <= _NOTHING and is_lined(text):
        found = Detection("tool_output", None, _NOTHING)
    return hinted_detection(found, checks.text(name or "", "name"), checks.text(command or "", "command"))


def hinted_detection(found: Detection, name: str, command: str) -> Detection:
    """What a text is that looks like `found`: by its file's name, else the command behind it; "": none."""
    kind, file = kind_of_output(command) if command else (None, "")
    if name or file:
        return named_detection(name or file, found)
    if not command or found.confidence > (_CERTAIN if found.kind in _GENERAL else _SURE):
        return found
    return found if kind is None or found.kind == kind.kind else kind


def named_detection(name: str, found: Detection) -> Detection:
    """What a text is whose file is called so, and which looks like `found`."""
    file = plain_file(name)
    suffix = file.rpartition(".")[2] if "." in file else ""
    settled = _SUFFIXES.get(suffix)
    kind, alike = settled if settled is not None else (None, ())
    language = language_of_file(name)
    if kind is None and language:
        kind = "code"
    if kind is None or found.kind in alike:
        return found
    certain = found.confidence > _CERTAIN
    if certain and found.language == "xml" and kind == "code":  # translations, descriptions
        return found
    if certain and found.kind in _JSON:  # a page that is one JSON value
        return found
    if certain and kind in _JSON and (found.kind in _LINES or found.language == "yaml"):
        return found
    language = _DIALECTS.get(language, language)
    if kind == "code" and found.kind == "code":
        language = _SHARED.get(suffix, {}).get(found.language or "", language)
    if kind == found.kind and kind != "code":
        return replace(found, confidence=1.0)
    return Detection(kind, language if language in LANGUAGES else None, 1.0)


def language_detection(language: str, found: Detection) -> Detection:
    """What a block is whose fence names a language ("python", "yml"), and which looks like `found`.

    A shell's name stands above what was typed and what came of it, too, so it settles nothing.
    """
    language = language.lower()
    if found.confidence > _SURE or not language.isalnum() or language_of_file(f"it.{language}") == "shell":
        return found
    if language in LANGUAGES:
        return found if language == "shell" else Detection("code", language, 1.0)
    return named_detection(f"it.{language}", found)


def detect_each(texts: Sequence[str]) -> list[Detection]:
    """`detect` for many texts without lone surrogates."""
    return _detections(texts, [_sample(text) for text in texts])


def _detections(texts: Sequence[str], samples: list[list[str]]) -> list[Detection]:
    found = _native.detect(samples)
    return [
        _settled(Detection(KINDS[kind], LANGUAGES[language], confidence), text)
        for (kind, language, confidence), text in zip(found, texts, strict=True)
    ]


def _settled(found: Detection, text: str) -> Detection:
    """What a text is where its look leaves doubt: Python, where all of it reads as such. O(characters)."""
    unknown = found.kind == "code" and found.language in (None, "yaml")
    if (unknown or found.confidence <= _CERTAIN) and any(sign in text for sign in _PYTHON):
        return Detection("code", "python", 1.0) if _native.is_python(text) else found
    return found


def in_pairs(text: str) -> bool:
    """Whether lines of a log are key=value. O(1) for a long text."""
    return _native.look_for_pairs(text[:_HEAD]) >= _IN_PAIRS


def _sample(text: str) -> list[str]:
    """The whole text, or three parts of it; the middle one starts with the last character of a line."""
    if len(text) <= _HEAD + _MIDDLE + _TAIL:
        return [text]
    half = len(text) // 2
    start = max(text.find("\n", half, half + _NEAR) - 1, half)
    start = min(start, len(text) - _TAIL - _MIDDLE)
    return [text[:_HEAD], text[start : start + _MIDDLE], text[-_TAIL:]]
