"""Search results of any library as chunks, `Retriever`, and pieces of a text by document."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar, runtime_checkable
from uuid import UUID

from tersely import checks
from tersely.checks import brief
from tersely.documents import SCORES, first, read_document, to_documents
from tersely.engine.api import compress
from tersely.retrieval.scoring import to_uuid
from tersely.text import well_formed
from tersely.types import Compressed, Document, span_columns

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a result's text."""

    text: str  #: the piece; all pieces joined by the separator are `result.text`
    #: indices of the documents that it comes from: one; or all, if a model wrote one text from several
    documents: tuple[int, ...]
    #: (document, start, end) of the runs of source text in it, in source order
    spans: tuple[tuple[int, int, int], ...]


def parts_of(result: Compressed, separator: str = "\n\n") -> list[Part]:
    """Divide a result into parts, one for each document of which something is kept, in their order.

    If a model wrote one text from several documents, there is one part that names them all.

    Args:
        result: of `tersely.compress`.
        separator: the one that it was made with.

    O(characters + spans).
    """
    if len(result.parts) != len(result.documents):
        every = tuple(range(len(result.documents)))
        return [Part(result.text, every, tuple(kept_places(result)))] if result.text else []
    untouched = result.text == separator.join(result.parts)  # blank documents stand in it too
    runs: list[list[tuple[int, int, int]]] = [[] for _ in result.parts]
    ends = 0  # where the span before ends in the text
    for (index, start, end), place in zip(kept_places(result), result.places, strict=True):
        source, mine = result.documents[index].text, runs[index]
        if result.parts[index] == source:
            runs[index] = [(index, 0, len(source))]
            continue
        gap = source[mine[-1][2] : start] if mine else "."
        if place and not gap.strip() and result.text[ends : place[0]] == gap:
            mine[-1] = (index, mine[-1][1], end)
        else:
            mine.append((index, start, end))
        ends = place[1] if place else 0
    return [
        Part(part, (index,), tuple(runs[index]))
        for index, part in enumerate(result.parts)
        if part or untouched
    ]


def kept_places(result: Compressed) -> list[tuple[int, int, int]]:
    """Return (document, start, end) of the kept spans."""
    return list(zip(*span_columns(result.kept)[:3].tolist(), strict=True))


def provenance(result: Compressed, part: Part, *, keep_original: bool | None = True) -> dict[str, Any]:
    """Describe where a part comes from, as plain JSON types, for the metadata of other libraries' documents.

    Returns:
        "sources": for each document: "id", "spans" ([start, end] in characters), and "original" (its whole
        text) where `keep_original`, or where that is None and it has no id; of the whole result: "tokens",
        "original_tokens", "budget", "dropped" (ids of documents of which nothing is kept, their index where
        they have none), "warnings".
    """
    sources = []
    for index in part.documents:
        document = result.documents[index]
        spans = [[start, end] for of, start, end in part.spans if of == index]
        whole = document.id is None if keep_original is None else keep_original
        original = {"original": document.text} if whole else {}
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


def compress_items(
    settings: Any,
    items: Sequence[Item],
    read: Callable[[Item], tuple[str | None, str | None, float | None, Mapping[str, Any]]],
    write: Callable[[Item | None, str, dict[str, Any]], Item],
    query: str | None,
    budget: int | None = None,
) -> list[Item]:
    """Compress documents of another library together; those without text stay as they are, in their place.

    Args:
        settings: an adapter, whose fields are options of `tersely.compress`, and `keep_original`.
        items: the documents.
        read: text, id, score and metadata of one; a "title" of the metadata counts for all of it.
        write: a copy of a document, or a new one if the text is of several, with a text and its `provenance`.
        query: what is asked.
        budget: overrides the budget of the settings.
    """
    documents, rows, found = [], [], dict[int, Item]()
    for row, (text, identity, score, metadata) in enumerate(map(read, items)):
        if not (text or "").strip():
            found[row] = items[row]
            continue
        title = metadata.get("title")
        title = title if isinstance(title, str) else None
        documents.append(Document(text or "", identity, title, score, metadata))
        rows.append(row)
    result = compress(
        documents,
        query,
        budget=settings.budget if budget is None else budget,
        ratio=settings.ratio if budget is None else None,
        counter=settings.counter,
        strategy=settings.strategy,
        separator=settings.separator,
    )
    for part in parts_of(result, settings.separator):
        row = rows[part.documents[0]]
        source = items[row] if len(part.documents) == 1 else None
        note = provenance(result, part, keep_original=settings.keep_original)
        found[row] = write(source, part.text, note)
    return [found[row] for row in sorted(found)]


def generated_by_document(result: Compressed, separator: str) -> dict[int, tuple[tuple[int, int], ...]]:
    """Return the generated ranges of each document's part, in characters of the part."""
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

    Other keys there stay. If the earlier note names sources, too, the text was compressed before: then the
    whole earlier note is under "earlier".
    """
    earlier = metadata.get("tersely")
    if not isinstance(earlier, Mapping):
        return {**metadata, "tersely": dict(note)}
    again = {"earlier": earlier} if "sources" in earlier and "sources" in note else {}
    return {**metadata, "tersely": {**earlier, **note, **again}}


@brief
@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkResult:
    """A chunk that a search found.

    Attributes:
        chunk_id: its id in the index.
        doc_id: id of the document that it is part of.
        score: relevance in [0, 1], the best result of a search being 1.0.
        header_path: the headings above it, joined with " > "; "" if there are none.
        file_path: the file that it came from, relative to the indexed folder.
        content: its whole text.
    """

    chunk_id: str
    doc_id: str
    score: float
    header_path: str
    file_path: str
    content: str


@brief
@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedResult(ChunkResult):
    """A chunk of an index that knows its files: with `gap`, the white space between the one before and it."""

    gap: str


@brief
@dataclass(frozen=True, slots=True)
class DocumentChunk:
    """A caller's chunk of a document: its id (str or UUID), text and metadata."""

    id: str | UUID
    content: str
    metadata: Mapping[str, Any] | None = None

    @property
    def text(self) -> str:
        """The content; all functions of the package read this attribute."""
        return self.content


@brief
@dataclass(frozen=True, slots=True)
class SearchResult:
    """A chunk with the score that a retriever gave it (any scale; higher is better)."""

    document: DocumentChunk
    score: float


@runtime_checkable
class Retriever(Protocol):
    """Anything that finds chunks."""

    def search(self, query: str, top_n: int = 5) -> Sequence[ChunkResult]:
        """Return at most `top_n` chunks, best first."""
        ...

    def chunk(self, chunk_id: str) -> ChunkResult:
        """Return the chunk with an id, with score 1.0. Raises KeyError if there is none."""
        ...


def read_results(results: Any) -> tuple[list[Any], list[str], list[float] | None]:
    """Read search results: the results themselves, their texts, and their scores; None where none has one.

    A result is a document as for `tersely.compress`; its score may also stand in its `metadata`. Raises
    TypeError for anything else, and ValueError if only some have a score, and for one that is no finite
    number.
    """
    if isinstance(results, (str, bytes, Mapping)) or not isinstance(results, Iterable):
        raise TypeError(f"results must be a list of search results, not {type(results).__name__}")
    items = list(results)
    documents = to_documents(items)
    found = [_score(document, index) for index, document in enumerate(documents)]
    scores = [score for score in found if score is not None]
    if 0 < len(scores) < len(items):
        raise ValueError(f"result {found.index(None)} has no score, others have: give each one or none")
    return items, [document.text for document in documents], scores or None


def _score(document: Document, index: int) -> float | None:
    score: Any = document.score
    if score is None:
        score = first((document.metadata,), SCORES)
    if score is None:
        return None
    try:  # a 0-dimensional array or tensor is a number here
        value = math.nan if isinstance(score, (bool, str)) else float(score)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"the score of result {index} must be a finite number, not {checks.shown(score)}")
    return value


def readable(result: ChunkResult) -> ChunkResult:
    """Return a result whose texts have a UTF-8 form."""
    given = result.content, result.header_path, result.file_path
    content, path, file = map(well_formed, given)
    if (content, path, file) == given:
        return result
    return replace(result, content=content, header_path=path, file_path=file)


def read_chunks(documents: Any) -> tuple[tuple[DocumentChunk, ...], tuple[Document, ...]]:
    """Read callers' documents as chunks and as the Documents of the stages.

    DocumentChunks, SearchResults, ChunkResults, or what `tersely.compress` takes. A text without an id has
    the UUID5 of itself in its chunk.

    Raises TypeError for anything else.
    """
    if isinstance(documents, (DocumentChunk, SearchResult, ChunkResult)):
        documents = [documents]
    elif isinstance(documents, (str, Document, Mapping)) or not isinstance(documents, Iterable):
        documents = to_documents(documents)
    read = [_read_chunk(item, index) for index, item in enumerate(documents)]
    return tuple(chunk for chunk, _ in read), tuple(document for _, document in read)


def _read_chunk(item: Any, index: int) -> tuple[DocumentChunk, Document]:
    if isinstance(item, SearchResult):
        item = item.document
    if isinstance(item, ChunkResult):
        known: Any = {"doc_id": item.doc_id, "title": item.header_path, "file_path": item.file_path}
        item = DocumentChunk(item.chunk_id, item.content, known)
    if not isinstance(item, DocumentChunk):
        (given,) = to_documents([item])
        known = {**given.metadata, **({"title": given.title} if given.title else {})}
        identity = to_uuid(given.text) if given.id is None else given.id
        item = DocumentChunk(identity, given.original, known or None)
    title = (item.metadata or {}).get("title") or None
    document = Document(item.content, str(item.id), title)
    return item, read_document(document, f"the content of document {index}", f"the title of {item.id!r}")
