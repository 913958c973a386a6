"""Which content type is compressed how: one table."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tersely.protocols import Strategy
from tersely.strategies.options import Profile, profile

__all__ = ["CONTENT_TYPES", "ContentType", "named_type"]


@dataclass(frozen=True, slots=True)
class ContentType:
    """How texts of a kind are compressed.

    Attributes:
        content: the row of `tersely.strategies.profile` that says how far, and what is to be preserved.
        strategy: makes what compresses them; None: they are compressed as text, segment by segment.
    """

    content: str
    strategy: Callable[[], Strategy] | None = None

    @property
    def profile(self) -> Profile:
        """Method, ratio and what to preserve."""
        return profile(self.content)


def _late(module: str, name: str) -> Callable[[], Strategy]:
    """A strategy of this package, whose module loads when it is made."""

    def make() -> Strategy:
        strategy: Strategy = getattr(importlib.import_module(f"tersely.content.{module}"), name)()
        return strategy

    return make


_json = _late("json", "Json")

CONTENT_TYPES: dict[str, ContentType] = {
    "prose": ContentType("documentation"),
    "markdown": ContentType("documentation"),
    "conversation": ContentType("conversation", _late("conversation", "Conversation")),
    "code": ContentType("source_code", _late("code", "Code")),
    "log": ContentType("error_logs", _late("logs", "Logs")),
    "tool_output": ContentType("tool_output", _late("tool_output", "ToolOutput")),
    "stack_trace": ContentType("error_logs", _late("stack_trace", "StackTrace")),
    "json": ContentType("tool_output", _json),
    "jsonl": ContentType("tool_output", _json),
    "table": ContentType("tool_output", _late("tables", "Table")),
    "diff": ContentType("source_code", _late("diff", "Diff")),
    "html": ContentType("documentation", _late("html", "Html")),
    "mixed": ContentType("tool_output", _late("mixed", "Mixed")),
}

# What loaders and web servers write into metadata["content_type"].
_MEDIA_TYPES = {
    "application/json": "json",
    "application/jsonl": "jsonl",
    "application/x-ndjson": "jsonl",
    "application/xhtml+xml": "html",
    "application/xml": "html",
    "text/csv": "table",
    "text/html": "html",
    "text/markdown": "markdown",
    "text/tab-separated-values": "table",
    "text/x-diff": "diff",
    "text/x-log": "log",
    "text/x-patch": "diff",
    "text/x-python": "code",
    "text/xml": "html",
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
