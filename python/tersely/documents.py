"""What callers hand over as documents and spans, checked and made into ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from tersely.tables import Level
from tersely.types import Document, Span

__all__ = ["check_text", "to_documents", "to_groups", "to_level", "to_spans"]


def to_documents(documents: Any) -> tuple[Document, ...]:
    """A str, a Document, a mapping or object with `text`, or an iterable of these.

    Raises TypeError for anything else and ValueError for a text with a lone surrogate.
    """
    if isinstance(documents, (str, Document, Mapping)) or hasattr(documents, "text"):
        documents = [documents]
    if isinstance(documents, (bytes, bytearray, Set)) or not isinstance(
        documents, Iterable
    ):  # a set has no order
        raise TypeError(
            f"documents must be str, a document or a list of them, not {type(documents).__name__}"
        )
    return tuple(_to_document(item, index) for index, item in enumerate(documents))


def _to_document(item: Any, index: int) -> Document:
    if isinstance(item, str):
        document = Document(item)
    elif isinstance(item, Document):
        document = item
    elif isinstance(item, Mapping):
        if "text" not in item:
            raise TypeError(
                f"document {index} is a mapping without 'text'; its keys are {sorted(map(str, item))}"
            )
        document = _from_fields(
            {name: item.get(name) for name in ("text", "id", "title", "score", "metadata")}
        )
    elif hasattr(item, "text"):
        document = _from_fields(
            {name: getattr(item, name, None) for name in ("text", "id", "title", "score", "metadata")}
        )
    else:
        raise TypeError(f"document {index} must be str or have 'text', not {type(item).__name__}")
    if not isinstance(document.text, str):
        raise TypeError(f"the text of document {index} must be str, not {type(document.text).__name__}")
    if document.title is not None and not isinstance(document.title, str):
        raise TypeError(f"the title of document {index} must be str, not {type(document.title).__name__}")
    for name, text in (("text", document.text), ("title", document.title or "")):
        check_text(text, f"the {name} of document {index}")
    return document


def _from_fields(fields: dict[str, Any]) -> Document:
    identity = fields["id"]
    return Document(
        fields["text"],
        None if identity is None else str(identity),
        fields["title"],
        fields["score"],
        fields["metadata"] or {},
    )


def check_text(text: str, name: str) -> None:
    """Raise TypeError for what is no str, ValueError for a lone surrogate: that has no UTF-8 form."""
    if not isinstance(text, str):
        raise TypeError(f"{name} must be str, not {type(text).__name__}")
    if text.isascii():
        return
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{name} has a lone surrogate {text[error.start]!r} at character {error.start}"
        ) from None


def to_spans(
    spans: Any, documents: Sequence[Document], name: str = "pinned"
) -> tuple[tuple[int, int, int], ...]:
    """(document, start, end) of each item: a Span, a (start, end) of the only document, a (document,
    start, end), or a str that occurs in a document (every occurrence).
    """
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
    """Groups of spans; each group is a list of what `to_spans` takes."""
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
    """The level, by value or by name in any case. Raises ValueError for anything else."""
    if isinstance(level, str) and level.upper() in Level.__members__:
        return Level[level.upper()]
    if isinstance(level, int) and not isinstance(level, bool) and level in list(Level):
        return Level(level)
    raise ValueError(
        f"level must be one of {', '.join(name.lower() for name in Level.__members__)}, not {level!r}"
    )
