"""Which content type is read how: one table."""

from __future__ import annotations

import importlib
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tersely import _native
from tersely.content.code import defines_something
from tersely.content.detect import (
    CERTAIN,
    detect_each,
    hinted_detection,
    kind_of_output,
    language_detection,
    named_code,
)
from tersely.content.lines import read_lines
from tersely.content.units import ContentReader
from tersely.content.xml import is_data
from tersely.content.yaml import is_laid_out
from tersely.options import Profile, profile
from tersely.types import KINDS, LANGUAGES, Detection, Document

__all__ = ["CONTENT_TYPES", "ContentType", "named_type", "reader_of", "trusted_kind"]

_GROUP = "tersely.content"  # of entry points
_INDENTED = 10  # of so many lines one is indented in what has blocks
_ALIKE, _OF_ONE_FORM = 12, 0.9  # blocks that are alike, and the share of their lines that have their like
_MOST_LINES = 1024  # that are looked at one by one
_HELD = re.compile(r"\n(?:[ \t]+[^ \t\n\d]|\[\[|-)")  # lines within others; indented numbers are a column
_HEAD = re.compile(r"^\[[^\n]*\]", re.MULTILINE)  # of sections, whose names differ


@dataclass(frozen=True, slots=True)
class ContentType:
    """A content type: its parser, and its default method and ratio."""

    content: str  #: the row of `tersely.strategies.profile` that says how far, and what is to be preserved
    #: makes what reads them, with options of its own; None: they are read as text, segment by segment
    reader: Callable[..., ContentReader] | None = None
    suffixes: tuple[str, ...] = ()  #: of files that are read as this, such as ".recipe"
    #: says of a text whether it is of this type; None: only names do
    fits: Callable[[str], bool] | None = None

    @property
    def profile(self) -> Profile:
        """Method, ratio and what to preserve."""
        return profile(self.content)


def _late(module: str, name: str) -> Callable[..., ContentReader]:
    """A reader whose module loads when it is made."""

    def make(**options: Any) -> ContentReader:
        made: ContentReader = getattr(importlib.import_module(f"tersely.content.{module}"), name)(**options)
        return made

    return make


class _ContentTypes(dict[str, ContentType]):
    """The types that come with tersely, and those that installed packages register, once they are asked for.

    A package registers a reader as an entry point of the group `tersely.content`; its class may say
    `suffixes`, `fits` and `profile` (`ContentType`; "tool_output"). One that fails to load is warned of, and
    left out.
    """

    @cached_property
    def own(self) -> dict[str, ContentType]:
        """Those of installed packages."""
        found: dict[str, ContentType] = {}
        if not _somebody_registers():
            return found
        from importlib.metadata import entry_points

        for point in entry_points(group=_GROUP):
            try:
                if dict.__contains__(self, point.name):
                    raise ValueError("tersely has a content type of this name")
                made = point.load()
                content, suffixes = getattr(made, "profile", "tool_output"), getattr(made, "suffixes", ())
                profile(content)
                found[point.name] = ContentType(content, made, tuple(suffixes), getattr(made, "fits", None))
            except Exception as error:
                problem = f"content type {point.name!r} ({point.value}) is left out: {error!r}"
                warnings.warn(problem, RuntimeWarning, stacklevel=2)
        return found

    def kind_of(self, text: str, file: str, command: str = "") -> str | None:
        """Find the first registered content type that claims a text by its file name or its lines."""
        file = file or (kind_of_output(command)[1] if command and self.own else "")
        for name, one in self.own.items():
            if file.lower().endswith(one.suffixes) or (one.fits is not None and one.fits(text)):
                return name
        return None

    def __missing__(self, name: str) -> ContentType:
        return self.own[name]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self.own

    def __iter__(self) -> Iterator[str]:
        yield from super().__iter__()
        yield from self.own


def _somebody_registers() -> bool:
    """Whether an installed package may register something; importlib.metadata takes 30 ms to say so."""
    try:
        files = (one for folder in sys.path for one in Path(folder).glob("*-info/entry_points.txt"))
        return any(_GROUP.encode() in one.read_bytes() for one in files)
    except OSError:
        return True


CONTENT_TYPES = _ContentTypes(
    {
        "prose": ContentType("documentation"),
        "markdown": ContentType("documentation"),
        "conversation": ContentType("conversation", _late("conversation", "Conversation")),
        "code": ContentType("source_code", _late("code", "Code")),
        "log": ContentType("error_logs", _late("logs", "Logs")),
        "tool_output": ContentType("tool_output", _late("tool_output", "ToolOutput")),
        "stack_trace": ContentType("error_logs", _late("stack_trace", "StackTrace")),
        "json": ContentType("tool_output", _late("json", "Json")),
        "jsonl": ContentType("tool_output", _late("json", "Json")),
        "table": ContentType("tool_output", _late("tables", "Table")),
        "diff": ContentType("source_code", _late("diff", "Diff")),
        "html": ContentType("documentation", _late("html", "Html")),
        "mixed": ContentType("tool_output", _late("blocks", "Mixed")),
        "xml": ContentType("tool_output", _late("xml", "Xml")),
        "yaml": ContentType("tool_output", _late("yaml", "Yaml")),
    }
)

# What loaders and web servers write into metadata["content_type"].
_MEDIA_TYPES = {
    "application/json": "json",
    "application/jsonl": "jsonl",
    "application/x-ndjson": "jsonl",
    "application/xhtml+xml": "html",
    "application/xml": "xml",
    "text/csv": "table",
    "text/html": "html",
    "text/markdown": "markdown",
    "text/tab-separated-values": "table",
    "text/x-diff": "diff",
    "text/x-log": "log",
    "text/x-patch": "diff",
    "text/x-python": "code",
    "text/xml": "xml",
}


def named_type(metadata: Mapping[str, Any]) -> str | None:
    """Return the content type in a document's metadata: a name of CONTENT_TYPES, or a media type.

    None where there is none, or one that says nothing ("text/plain") or is not known.
    """
    value = metadata.get("content_type")
    if not isinstance(value, str):
        return None
    name = value.partition(";")[0].strip().lower()
    return name if name in CONTENT_TYPES else _MEDIA_TYPES.get(name)


def reader_of(block: str, language: str) -> ContentReader | None:
    """Return the parser of a fenced or pasted block; None: it is text.

    As what it looks like, else as what its fence says that it is ("yaml"), else as lines, if it stands in
    lines.
    """
    found = language_detection(language, detect_each([block])[0])
    own = language if language in CONTENT_TYPES.own else CONTENT_TYPES.kind_of(block, "")
    kind = own or trusted_kind(found, block)
    make = CONTENT_TYPES["tool_output" if kind == "html" else kind].reader  # tags are what was pasted
    return None if make is None or kind == "mixed" else make()


def _is_dump(text: str, found: Detection) -> bool:
    """Whether settings are lines of a dump, as a tool prints them, or blocks of one form. O(characters).

    Of a dump no line holds others, and nobody said what it is. Blocks of one form are many, nearly all their
    lines have their like in others, and hardly any calls something; those of YAML have a reader. Lines of
    which each counts on from the one before are definitions, one as good as another.
    """
    heads = _HEAD.findall(text)
    lined = text.count("\n")
    holds = sum(1 for _ in _HELD.finditer(text)) * _INDENTED >= lined
    lines = read_lines([text], None, _MOST_LINES)
    if 2 * int(lines.in_series.max(initial=0)) >= lines.total:
        return False
    if found.confidence == 1 or holds or (heads and len(set(heads)) == len(heads)):
        like = lines.counts[lines.template[~lines.bulk]] >= max(_ALIKE, len(heads) / 2)
        calls = found.language is None and (found.confidence == 1 or text.count("(") * _INDENTED >= lined)
        return found.language != "yaml" and not calls and lined > 0 and float(like.mean()) >= _OF_ONE_FORM
    return True


def trusted_kind(found: Detection, text: str) -> str:
    """Return the content type as which a text is parsed (csrc/kernels/content/whole_text.hpp).

    Settings and calls of which none is inside another are lines. XML data, where it is no document, and YAML
    have readers of their own.
    """
    look = KINDS.index(found.kind), LANGUAGES.index(found.language), found.confidence
    kind: str
    if (settled := _native.settled_kind(text, *look)) >= 0:
        kind = KINDS[settled]
    elif found.kind == "html":
        kind = "xml" if is_data(text) else "html"
    elif _is_dump(text, found):
        kind = "tool_output"
    elif found.language == "yaml":
        kind = "yaml" if is_laid_out(text) else "tool_output"
    else:
        kind = found.kind
    # Weak signs, and no definition: it only looks like code.
    looks = (
        kind == "code" and found.confidence < CERTAIN and not defines_something(found.language or "", text)
    )
    return "tool_output" if looks else kind


def kinds_of(documents: Sequence[Document], texts: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return the content type of each document, and the languages of texts that look like code.

    `texts`: those of the documents. O(characters).
    """
    kinds = [(one.metadata and named_type(one.metadata)) or "" for one in documents]
    languages: dict[str, str] = {}
    known: dict[int, Detection] = {}
    unknown: list[int] = []
    for index, one in enumerate(documents):
        name = one.file_name if one.name or one.id or one.metadata else ""
        if not kinds[index] and name and (code := named_code(name, one.text)):
            known[index] = code
        elif not kinds[index]:
            unknown.append(index)
    looked = texts if len(unknown) == len(texts) else [texts[index] for index in unknown]
    for index, (kind, language, confidence, settled) in zip(unknown, _native.detect(looked), strict=True):
        one = documents[index]
        if KINDS[kind] == "code":
            languages[one.text] = LANGUAGES[language] or ""
        hinted = one.name or one.command or one.id or one.metadata
        if settled >= 0 and not hinted and not (KINDS[settled] == "code" and confidence < CERTAIN):
            kinds[index] = KINDS[settled]
            continue
        found = Detection(KINDS[kind], LANGUAGES[language], confidence)
        known[index] = hinted_detection(found, one.file_name, one.command_line) if hinted else found
    for index, found in known.items():
        kinds[index] = trusted_kind(found, documents[index].text)
    for index in (*unknown, *known) if CONTENT_TYPES.own else ():
        one = documents[index]
        kinds[index] = CONTENT_TYPES.kind_of(one.text, one.file_name, one.command_line) or kinds[index]
    return kinds, languages
