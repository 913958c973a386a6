"""Divide the text of a result of several documents: which piece of it comes from which document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tersely.core.types import Compressed, span_columns

__all__ = ["Part", "add_note", "generated_by_document", "kept_places", "parts_of", "provenance"]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a result's text.

    Attributes:
        text: the piece; all pieces joined by the separator are `result.text`.
        documents: indices of what it comes from: one; or all, where a model wrote from several at once.
        spans: (document, start, end) of the runs of sources that stand in it, in source order.
    """

    text: str
    documents: tuple[int, ...]
    spans: tuple[tuple[int, int, int], ...]


def parts_of(result: Compressed, separator: str = "\n\n") -> list[Part]:
    """Divide a result into parts: one a document of which something is kept, in their order.

    Where a model wrote one text from several documents, there is one part that names them all.

    Args:
        result: of `tersely.compress`.
        separator: the one that it was made with.

    O(characters + spans).
    """
    spans = kept_places(result)
    if len(result.parts) != len(result.documents):
        return [Part(result.text, tuple(range(len(result.documents))), tuple(spans))] if result.text else []
    untouched = result.text == separator.join(result.parts)  # blank documents stand in it too
    by_document: list[list[tuple[int, int, int]]] = [[] for _ in result.parts]
    for span in spans:
        by_document[span[0]].append(span)
    return [
        Part(part, (index,), tuple(_join_spans(result.documents[index].text, part, by_document[index])))
        for index, part in enumerate(result.parts)
        if part or untouched
    ]


def kept_places(result: Compressed) -> list[tuple[int, int, int]]:
    """(document, start, end) of the kept spans."""
    return list(zip(*span_columns(result.kept)[:3].tolist(), strict=True))


def _join_spans(source: str, part: str, spans: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Join spans of a document whose gap in the part is the source's own."""
    if not spans:
        return []
    if part == source:
        return [(spans[0][0], 0, len(source))]
    runs = [spans[0]]
    _, start, end = spans[0]
    at = max(part.find(source[start:end]), 0) + end - start  # where the last span ends in the part
    for document, start, end in spans[1:]:
        _, first, before = runs[-1]
        if part.startswith(source[before:end], at) and not source[before:start].strip():
            runs[-1] = (document, first, end)
            at += end - before
        else:
            runs.append((document, start, end))
            at = max(part.find(source[start:end], at), at) + end - start
    return runs


def provenance(result: Compressed, part: Part, *, keep_original: bool = True) -> dict[str, Any]:
    """Describe where a part comes from, as plain JSON types, for the metadata of other libraries' documents.

    Returns:
        "sources": for each document: "id", "spans" ([start, end] in characters), and "original" (its whole
        text) where `keep_original`; of the whole result: "tokens", "original_tokens", "budget", "dropped"
        (ids of documents of which nothing is kept, their index where they have none), "warnings".
    """
    sources = []
    for index in part.documents:
        document = result.documents[index]
        spans = [[start, end] for of, start, end in part.spans if of == index]
        original = {"original": document.text} if keep_original else {}
        sources.append({"id": document.id, "spans": spans, **original})
    stay = {document for document, _, _ in kept_places(result)}
    dropped = [
        index if document.id is None else document.id
        for index, document in enumerate(result.documents)
        if index not in stay and document.text.strip()
    ]
    return {
        "sources": sources,
        "tokens": result.tokens,
        "original_tokens": result.original_tokens,
        "budget": result.receipt.budget,
        "dropped": dropped,
        "warnings": list(result.receipt.warnings),
    }


def generated_by_document(result: Compressed, separator: str) -> dict[int, tuple[tuple[int, int], ...]]:
    """What was generated in each document's part, in characters of the part."""
    found: dict[int, tuple[tuple[int, int], ...]] = {}
    at = 0
    for index, part in enumerate(result.parts):
        if not part:
            continue
        end = at + len(part)
        places = [(start - at, stop - at) for start, stop in result.generated if at <= start and stop <= end]
        if places:
            found[index] = tuple(places)
        at = end + len(separator)
    return found


def add_note(metadata: Mapping[str, Any], note: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata with the note added under "tersely".

    What stood there stays; where it named sources too, the text that these spans index was compressed before:
    then all of it is under "earlier".
    """
    earlier = metadata.get("tersely")
    if not isinstance(earlier, Mapping):
        return {**metadata, "tersely": dict(note)}
    again = {"earlier": earlier} if "sources" in earlier and "sources" in note else {}
    return {**metadata, "tersely": {**earlier, **note, **again}}
