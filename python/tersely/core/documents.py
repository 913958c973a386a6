"""Turn the documents, spans and groups that callers pass in into checked tuples of the package's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from tersely.core import checks
from tersely.core.tables import Level
from tersely.core.types import Document, Span

__all__ = ["to_documents", "to_groups", "to_level", "to_spans"]

_FIELDS = ("text", "id", "title", "score", "metadata", "name", "command")
_HINTS = (  # (what only such an object has, what to give instead)
    ("read_text", "give what it holds: .read_text(encoding='utf-8')"),
    ("decode", "give text: .decode('utf-8')"),
    ("columns", "give one column, such as table['text'], or its rows as mappings"),
)


def to_documents(documents: Any) -> tuple[Document, ...]:
    """Return the documents of a str, a Document, a mapping or object with `text`, or a list of these.

    Raises TypeError for anything else and ValueError for a text with a lone surrogate.
    """
    if type(documents) is str:  # most calls: what follows asks more questions than all else here
        return (_to_document(documents, 0),)
    if isinstance(documents, (str, Document, Mapping)) or _has_text(documents):
        documents = [documents]
    # A set has no order, and a table gives the names of its columns.
    refused = isinstance(documents, (bytes, bytearray, Set)) or _is_table(documents)
    if refused or not isinstance(documents, Iterable):
        raise TypeError(f"documents must be str, a document or a list of them, not {_describe(documents)}")
    return tuple(_to_document(item, index) for index, item in enumerate(documents))


def _to_document(item: Any, index: int) -> Document:
    if isinstance(item, str):
        return Document(checks.text(item, f"the text of document {index}"))
    if isinstance(item, Document):
        document = item
    elif isinstance(item, Mapping):
        if "text" not in item:
            raise TypeError(
                f"document {index} is a mapping without 'text'; its keys are {sorted(map(str, item))}"
            )
        document = _from_fields({name: item.get(name) for name in _FIELDS})
    elif _has_text(item):
        document = _from_fields({name: getattr(item, name, None) for name in _FIELDS})
    else:
        raise TypeError(f"document {index} must be str or have 'text', not {_describe(item)}")
    checks.text(document.text, f"the text of document {index}")
    if document.title is not None:
        checks.text(document.title, f"the title of document {index}")
    if not isinstance(document.metadata, Mapping):
        kind = type(document.metadata).__name__
        raise TypeError(f"the metadata of document {index} must be a mapping, not {kind}")
    return document


def _has_text(thing: Any) -> bool:
    """Say whether an object has a `text` that is no column of a table."""
    return hasattr(thing, "text") and not _is_table(thing)


def _is_table(thing: Any) -> bool:
    """Say whether an object is a table, as of pandas, polars or pyarrow."""
    return hasattr(thing, "columns") and hasattr(thing, "shape")


def _describe(thing: Any) -> str:
    """Describe a refused object, and what to give instead where that is known."""
    hint = next((f": {hint}" for has, hint in _HINTS if hasattr(thing, has)), "")
    return f"{type(thing).__name__}{hint}"


def _from_fields(fields: dict[str, Any]) -> Document:
    identity = fields["id"]
    return Document(
        fields["text"],
        None if identity is None else str(identity),
        fields["title"],
        fields["score"],
        fields["metadata"] or {},
        fields["name"] if isinstance(fields["name"], str) else None,
        fields["command"] if isinstance(fields["command"], str) else None,
    )


def to_spans(
    spans: Any, documents: Sequence[Document], name: str = "pinned"
) -> tuple[tuple[int, int, int], ...]:
    """Return (document, start, end) of each place that a caller names.

    A place is a Span, a (start, end) of the only document, a (document, start, end), or a str, which stands
    for each of its occurrences. Raises TypeError for anything else and ValueError for a place that is not in
    the documents.
    """
    if isinstance(spans, (tuple, list)) and not spans:
        return ()
    if isinstance(spans, (str, Span)):
        spans = [spans]
    if not isinstance(spans, Iterable):
        raise TypeError(f"{name} must be a list of spans or strings, not {type(spans).__name__}")
    found: list[tuple[int, int, int]] = []
    for item in spans:
        found.extend(
            _occurrences(item, documents, name)
            if isinstance(item, str)
            else [_to_span(item, documents, name)]
        )
    return tuple(found)


def to_groups(groups: Any, documents: Sequence[Document]) -> tuple[tuple[tuple[int, int, int], ...], ...]:
    """Return groups of (document, start, end); each group is a list of what `to_spans` takes."""
    if isinstance(groups, (tuple, list)) and not groups:
        return ()
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise TypeError(f"groups must be a list of lists of spans, not {type(groups).__name__}")
    result = tuple(to_spans(group, documents, "groups") for group in groups)
    if not all(result):
        raise ValueError("a group must have at least one span")
    return result


def _occurrences(text: str, documents: Sequence[Document], name: str) -> list[tuple[int, int, int]]:
    if not text:
        raise ValueError(f"{name}: a string must not be empty")
    found: list[tuple[int, int, int]] = []
    for index, document in enumerate(documents):
        at = document.text.find(text)
        while at >= 0:
            found.append((index, at, at + len(text)))
            at = document.text.find(text, at + len(text))
    if not found:
        raise ValueError(f"{name}: {text[:60]!r} occurs in no document")
    return found


def _to_span(item: Any, documents: Sequence[Document], name: str) -> tuple[int, int, int]:
    if isinstance(item, Span):
        item = (item.document, item.start, item.end)
    if (
        not isinstance(item, Sequence)
        or not all(isinstance(part, int) for part in item)
        or len(item) not in (2, 3)
    ):
        raise TypeError(
            f"{name}: a span must be (start, end), (document, start, end), a Span or a str, not {item!r}"
        )
    if len(item) == 2:
        if len(documents) != 1:
            raise ValueError(
                f"{name}: (start, end) needs exactly one document; there are {len(documents)}: name it"
            )
        item = (0, *item)
    document, start, end = item
    if not 0 <= document < len(documents):
        raise ValueError(f"{name}: there is no document {document}; there are {len(documents)}")
    if not 0 <= start < end <= len(documents[document].text):
        size = len(documents[document].text)
        raise ValueError(
            f"{name}: span ({start}, {end}) does not lie in document {document} of {size} characters"
        )
    return document, start, end


def to_level(level: Level | int | str) -> Level:
    """Return a level given by itself, its number, or its name in any case. Raises ValueError."""
    return checks.member(level, "level", Level)
