"""A compression's result as a stored text with its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tersely.types import Compressed, Document

__all__ = ["DOCUMENTS", "facts_of", "joined", "part"]

DOCUMENTS = "tersely.documents"  # where each document is, in the metadata of an original
_SEPARATOR = "\n\n"


def joined(documents: Sequence[Document]) -> tuple[str, list[dict[str, Any]]]:
    """(the documents' texts with a blank line between them, where each is: id, title, start, end)."""
    places: list[dict[str, Any]] = []
    start = 0
    for document in documents:
        end = start + len(document.text)
        places.append({"id": document.id, "title": document.title, "start": start, "end": end})
        start = end + len(_SEPARATOR)
    return _SEPARATOR.join(document.text for document in documents), places


def part(text: str, metadata: Mapping[str, Any], document: int) -> str:
    """One of the documents that were joined. Raises IndexError, which says how many there are."""
    places = metadata.get(DOCUMENTS, [{"start": 0, "end": len(text)}])
    if isinstance(document, bool) or not isinstance(document, int):
        raise TypeError(f"document must be a whole number, not {document!r}")
    if not 0 <= document < len(places):
        raise IndexError(f"document {document} of {len(places)}: they are numbered from 0")
    return text[places[document]["start"] : places[document]["end"]]


def facts_of(compressed: Compressed) -> dict[str, Any]:
    """What the receipt says, in numbers."""
    receipt = compressed.receipt
    return {
        "tokens": receipt.tokens,
        "original_tokens": receipt.original_tokens,
        "budget": receipt.budget,
        "counter": receipt.counter,
        "used_llm": receipt.used_llm,
        "warnings": list(receipt.warnings),
    }
