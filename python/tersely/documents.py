"""Turn the documents that callers pass in into checked tuples of the package's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from functools import partial
from typing import Any

from tersely import checks
from tersely.text import CHARACTERS_REPLACED, well_formed
from tersely.types import Document, Level

_TEXTS = ("text", "page_content", "content")  # ours, LangChain's, Haystack's
_INNER = ("document", "node", "chunk", "payload", "properties", "entity")  # what a result of a search wraps
IDS = ("chunk_id", "id", "id_", "node_id")
SCORES = ("score", "relevance_score", "overall_score")
_FIELDS = ("text", "id", "title", "score", "metadata", "name", "command")
_HINTS = (  # (what only such an object has, what to give instead)
    ("read_text", "give what it holds: .read_text(encoding='utf-8')"),
    ("decode", "give text: .decode('utf-8')"),
    ("columns", "give one column, such as table['text'], or its rows as mappings"),
)


def to_documents(documents: Any) -> tuple[Document, ...]:
    """Return the documents of a str, a Document, a mapping or object with a text, or a list of these.

    A text is `text`, `page_content` or `content`, of the thing itself or of the `document`, `node`, `chunk`,
    `payload`, `properties` or `entity` that it wraps; of a pair of a document and its score, of the first.

    Lone surrogates are replaced; then `Document.given` is the text as it came. Raises TypeError for anything
    else.
    """
    if type(documents) is str:  # most calls: what follows asks more questions than all else here
        text = documents if documents.isascii() else well_formed(documents)
        return (Document(text, given=None if text is documents else documents),)
    if type(documents) is not list and type(documents) is not tuple:
        if isinstance(documents, (str, Document, Mapping)) or _has_text(documents):
            documents = [documents]
        # A set has no order, and a table gives the names of its columns.
        refused = isinstance(documents, (bytes, bytearray, Set)) or _is_table(documents)
        if refused or not isinstance(documents, Iterable):
            raise TypeError(
                f"documents must be str, a document or a list of them, not {_describe(documents)}"
            )
    read = []
    for index, item in enumerate(documents):
        if type(item) is str and item.isascii():
            read.append(Document(item))
        elif (  # what `_to_document` would make of it: this costs less
            type(item) is Document
            and item.title is None
            and type(item.metadata) is dict
            and type(item.text) is str
            and item.text.isascii()
        ):
            read.append(item)
        else:
            read.append(_to_document(item, index))
    return tuple(read)


def _to_document(item: Any, index: int) -> Document:
    if isinstance(item, str):
        return read_document(Document(item), f"the text of document {index}")
    if isinstance(item, Document):
        document = item
    elif "text" in item if isinstance(item, Mapping) else hasattr(item, "text") and not _is_table(item):
        take = item.get if isinstance(item, Mapping) else partial(value_of, item)
        known = dict(zip(_FIELDS, map(take, _FIELDS), strict=True))
        if known["id"] is None:
            known["id"] = first((item,), IDS)
        document = _from_fields(known)
    else:
        document = _from_result(item, index)
    if not isinstance(document.metadata, Mapping):
        kind = type(document.metadata).__name__
        raise TypeError(f"the metadata of document {index} must be a mapping, not {kind}")
    return read_document(document, f"the text of document {index}", f"the title of document {index}")


def read_document(document: Document, name: str, title_name: str = "title") -> Document:
    """Return the document with a text and a title that have a UTF-8 form; names are for errors.

    O(characters); the same object where both have one.
    """
    text, title = checks.text(document.text, name), document.title
    if title is not None:
        title = checks.text(title, title_name)
    if text is not document.text:
        return replace(document, text=text, title=title, given=document.text)
    return document if title is document.title else replace(document, title=title)


def warnings_about(documents: Iterable[Document]) -> tuple[str, ...]:
    """Return the warnings of a receipt about how documents were read. O(documents)."""
    for document in documents:
        if document.given is not None:
            return (CHARACTERS_REPLACED,)
    return ()


def _has_text(thing: Any) -> bool:
    """Say whether an object has or wraps a text, and is no table."""
    return any(map(partial(hasattr, thing), (*_TEXTS, *_INNER))) and not _is_table(thing)


def _from_result(item: Any, index: int) -> Document:
    """Read a document in the shape of a retrieval library. Raises TypeError for anything else."""
    if isinstance(item, Mapping) and "role" in item:
        raise TypeError(
            f"document {index} is a message of a chat: tersely.memory.compact_messages reads those"
        )
    whole, score = item, None
    if isinstance(item, tuple) and len(item) == 2 and not isinstance(item[1], (str, bool)):
        item, score = item
    inner = inner_of(item)
    text = item if isinstance(item, str) else first((inner, item), _TEXTS)
    if text is None or _is_table(inner):
        has = "'text', 'page_content' or 'content'"
        if isinstance(whole, Mapping):
            keys = sorted(map(str, whole))
            raise TypeError(f"document {index} is a mapping without {has}; its keys are {keys}")
        raise TypeError(f"document {index} must be str or have {has}, not {_describe(whole)}")
    known: dict[str, Any] = {name: first((item, inner), (name,)) for name in _FIELDS}
    known["metadata"] = first((inner, item), ("metadata", "meta"))
    known["id"] = first((item, inner), IDS)
    known["score"] = score if score is not None else first((item, inner), SCORES)
    return _from_fields(known | {"text": text})


def inner_of(thing: Any) -> Any:
    """Return the document that a search result wraps (`_INNER`), or the result itself."""
    return next((inner for name in _INNER if (inner := value_of(thing, name)) is not None), thing)


def first(things: tuple[Any, ...], names: tuple[str, ...]) -> Any:
    """Return the first of some keys or attributes that one of the things has, not None; else None."""
    return next(
        (value for thing in things for name in names if (value := value_of(thing, name)) is not None), None
    )


def value_of(thing: Any, name: Any) -> Any:
    """Return a key of a mapping or an attribute of an object; None where there is none."""
    if isinstance(thing, Mapping):
        return thing.get(name)
    return None if thing is None or isinstance(thing, str) else getattr(thing, name, None)


def _is_table(thing: Any) -> bool:
    """Say whether an object is a table, as of pandas, polars or pyarrow."""
    return hasattr(thing, "columns") and hasattr(thing, "shape")


def _describe(thing: Any) -> str:
    """Describe a refused object, and suggest what to pass instead."""
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


def to_level(level: Level | int | str) -> Level:
    """Return a level given by itself, its number, or its name in any case. Raises ValueError."""
    return checks.member(level, "level", Level)
