"""Which content type is read how: one table."""

from __future__ import annotations

import importlib
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tersely.content.detect import detect_each, in_pairs, kind_of_output, language_detection
from tersely.content.lines import ERROR, is_lined, says_alike, tells_failures
from tersely.content.units import ContentReader
from tersely.content.xml import is_data
from tersely.content.yaml import is_laid_out
from tersely.options import Profile, profile
from tersely.types import Detection

__all__ = ["CONTENT_TYPES", "ContentType", "named_type", "reader_of", "trusted_kind"]

_GROUP = "tersely.content"  # of entry points
_CALL = re.compile(r"^[ \t]*[\w.]+\([^\n]*[^\s;][ \t]*$", re.MULTILINE)
_LEAST = 0.72  # confidence: below it a text is read as lines or as sentences, whichever it stands in


@dataclass(frozen=True, slots=True)
class ContentType:
    """How texts of a type are compressed.

    Attributes:
        content: the row of `tersely.strategies.profile` that says how far, and what is to be preserved.
        reader: makes what reads them, with options of its own; None: they are read as text, segment by
            segment.
        suffixes: of files that are read as this, such as ".recipe".
        fits: says of a text whether it is of this type; None: only names do.
    """

    content: str
    reader: Callable[..., ContentReader] | None = None
    suffixes: tuple[str, ...] = ()
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
        "logfmt": ContentType("error_logs", _late("tables", "Table")),
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
    """The content type that a document's metadata name: "content_type" of CONTENT_TYPES, or a media type.

    None where there is none, or one that says nothing ("text/plain") or is not known.
    """
    value = metadata.get("content_type")
    if not isinstance(value, str):
        return None
    name = value.partition(";")[0].strip().lower()
    return name if name in CONTENT_TYPES else _MEDIA_TYPES.get(name)


def reader_of(block: str, language: str) -> ContentReader | None:
    """Return the reader of a fenced or pasted block; None: it is text.

    As what it looks like, else as what its fence says that it is ("yaml"), else as lines, if it stands in
    lines.
    """
    found = language_detection(language, detect_each([block])[0])
    own = language if language in CONTENT_TYPES.own else CONTENT_TYPES.kind_of(block, "")
    kind = own or trusted_kind(found, block)
    make = CONTENT_TYPES["tool_output" if kind == "html" else kind].reader  # tags are what was pasted
    return None if make is None or kind == "mixed" else make()


def _is_mostly_calls(text: str) -> bool:
    """Whether most lines are calls without a ";", as traces of a program write them. O(characters)."""
    return 2 * len(_CALL.findall(text)) > text.count("\n")


def trusted_kind(found: Detection, text: str) -> str:
    """Return the content type that a text is read as.

    That is the detected one, if sure enough, else lines of a tool or prose; XML data, where it is no
    document, YAML, and logs of key=value lines have readers of their own.
    """
    if found.confidence < _LEAST:
        return "tool_output" if is_lined(text) else "prose"
    if found.kind == "prose":  # what says the same of many things is no prose
        return "tool_output" if is_lined(text) and says_alike(text) else "prose"
    if found.kind == "html" and found.language == "xml" and is_data(text):
        return "xml"
    if found.kind == "code" and found.language == "yaml":
        if is_laid_out(text):
            return "yaml"
        # Keys and values that are no YAML.
        return "tool_output" if tells_failures([text], 0, ERROR) else "code"
    if found.kind == "code" and found.language is None and found.confidence < 1 and says_alike(text):
        # Calls of a program, one a line, are no program; definitions are one, as each has a name of its own.
        return "tool_output" if _is_mostly_calls(text) else "code"
    return "logfmt" if found.kind == "log" and in_pairs(text) else found.kind
