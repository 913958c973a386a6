"""A result of several documents, taken apart again: which piece of the text comes from which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from tersely.types import Compressed

__all__ = ["Part", "noted", "parts_of", "provenance"]


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


@dataclass(slots=True)
class _Run:
    """`documents[document].text[start:end]` stands in the result's text at `at`."""

    document: int
    start: int
    end: int
    at: int

    @property
    def after(self) -> int:
        return self.at + self.end - self.start


def parts_of(result: Compressed, separator: str = "\n\n") -> list[Part]:
    """One part a document of which something is kept, in their order.

    Where a model wrote one text from several documents, or a strategy joined them in a way of its own, there
    is one part that names them all.

    Args:
        result: of `tersely.compress`.
        separator: the one that it was made with.

    O(characters + spans).
    """
    texts = [document.text for document in result.documents]
    if result.text == separator.join(texts):
        return [Part(text, (index,), ((index, 0, len(text)),)) for index, text in enumerate(texts)]
    if not result.text:
        return []
    runs = _runs(result, texts)
    places = [(index, list(some)) for index, some in groupby(runs or (), key=lambda run: run.document)]
    cuts = _cuts(result, separator, places)
    if cuts is None or (result.receipt.used_llm and len(texts) > 1):
        spans = tuple((span.document, span.start, span.end) for span in result.kept)
        return [Part(result.text, tuple(range(len(texts))), spans)]
    starts = [0, *(cut + len(separator) for cut in cuts)]
    return [
        Part(result.text[start:end], (index,), tuple((index, run.start, run.end) for run in some))
        for start, end, (index, some) in zip(starts, [*cuts, len(result.text)], places, strict=True)
    ]


def provenance(result: Compressed, part: Part, *, keep_original: bool = True) -> dict[str, Any]:
    """Where a part comes from, as plain JSON types, for the metadata of other libraries' documents.

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
    stay = {span.document for span in result.kept}
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


def noted(metadata: Mapping[str, Any], note: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata with the note under "tersely".

    What stood there stays; where it named sources too, the text that these spans index was compressed before:
    then all of it is under "earlier".
    """
    earlier = metadata.get("tersely")
    if not isinstance(earlier, Mapping):
        return {**metadata, "tersely": dict(note)}
    again = {"earlier": earlier} if "sources" in earlier and "sources" in note else {}
    return {**metadata, "tersely": {**earlier, **note, **again}}


def _runs(result: Compressed, texts: Sequence[str]) -> list[_Run] | None:
    """Where the kept spans stand in the text, those with the source's own gap between them as one; None where
    one does not stand there in order."""
    runs: list[_Run] = []
    at = 0
    for span in result.kept:
        piece = texts[span.document][span.start : span.end]
        at = _find(result, piece, at, len(result.text))
        if at < 0:
            return None
        last = runs[-1] if runs else None
        if (
            last is not None
            and last.document == span.document
            and result.text[last.after : at] == texts[span.document][last.end : span.start]
        ):
            last.end = span.end
        else:
            runs.append(_Run(span.document, span.start, span.end, at))
        at += len(piece)
    return runs


def _cuts(
    result: Compressed, separator: str, places: Sequence[tuple[int, Sequence[_Run]]]
) -> list[int] | None:
    """Where the separators between the documents begin; None where one is missing."""
    cuts = []
    for (_, before), (_, behind) in pairwise(places):
        cut = _find(result, separator, before[-1].after, behind[0].at)
        if cut < 0:
            return None
        cuts.append(cut)
    return cuts if places else None


def _find(result: Compressed, piece: str, start: int, end: int) -> int:
    """Where `piece` first stands in text[start:end] outside of what was generated; -1: nowhere."""
    at = result.text.find(piece, start, end)
    while at >= 0:
        over = [stop for begin, stop in result.generated if begin < at + len(piece) and at < stop]
        if not over:
            break
        at = result.text.find(piece, max(over), end)
    return at
