"""Search results of any library as chunks, `Retriever`, and pieces of a text by document."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable
from uuid import UUID

from tersely import checks
from tersely.checks import brief
from tersely.documents import IDS, SCORES, first, inner_of, read_document, to_documents
from tersely.engine.api import compress
from tersely.retrieval.scoring import to_uuid
from tersely.text import well_formed
from tersely.types import Compressed, Document, span_columns


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
    """Divide a result into parts, one for each document that something is kept of, in their order.

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


def compress_sources(
    settings: Any,
    sources: Iterable[tuple[str | None, str | None, float | None, Mapping[str, Any]]],
    query: str | None,
    budget: int | None = None,
) -> Iterator[tuple[Part, dict[str, Any]]]:
    """Compress documents of another library together, and yield each part with its `provenance`.

    Args:
        settings: an adapter, whose fields are options of `tersely.compress`, and `keep_original`.
        sources: text, id, score and metadata of each; a "title" of the metadata counts for all of it.
        query: what is asked.
        budget: goes before that of the settings.
    """
    documents = []
    for text, identity, score, metadata in sources:
        title = metadata.get("title")
        title = title if isinstance(title, str) else None
        documents.append(Document(text or "", identity, title, score, metadata))
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
        yield part, provenance(result, part, keep_original=settings.keep_original)


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

    What stood there stays; where it named sources too, the text that these spans index was compressed before:
    then all of it is under "earlier".
    """
    earlier = metadata.get("tersely")
    if not isinstance(earlier, Mapping):
        return {**metadata, "tersely": dict(note)}
    again = {"earlier": earlier} if "sources" in earlier and "sources" in note else {}
    return {**metadata, "tersely": {**earlier, **note, **again}}


_TEXT = ("content", "text", "page_content")


@brief
@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkResult:
    """A chunk that a search found.

    Attributes:
        chunk_id: its id in the index.
        doc_id: id of the document that it is part of.
        score: relevance in [0, 1], the best result of a search being 1.0.
        header_path: the headings above it, joined with " > "; "" where there are none.
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
        """The content, by the name that all functions of the package read."""
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
        """The `top_n` best chunks, best first; fewer where there are fewer."""
        ...

    def chunk(self, chunk_id: str) -> ChunkResult:
        """The chunk of an id, its score 1.0. Raises KeyError where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result of any kind, with the text, score and id read from it.

    Attributes:
        index: its place in what was given.
        item: as it was given.
        text: its content.
        score: its relevance; 1.0 where no result has one.
        id: its id; "" where it has none.
        scored: whether it came with a score.
    """

    index: int
    item: Any
    text: str
    score: float
    id: str
    scored: bool = True


def read_results(results: Any) -> list[Hit]:
    """Read text, score and id of each search result.

    A result is a mapping or an object with `content`, `text` or `page_content`; one that wraps it as
    `document`, `node` or `chunk`; or a pair of such a thing and its score. The score is `score` or
    `relevance_score`, of the result, of what it wraps, or of its `metadata`.

    Lone surrogates of texts are replaced. Raises TypeError for anything else, and ValueError where only some
    have a score, and for one that is no finite number.
    """
    if isinstance(results, (str, bytes, Mapping)) or not isinstance(results, Iterable):
        raise TypeError(f"results must be a list of search results, not {type(results).__name__}")
    read = [_read(item, index) for index, item in enumerate(results)]
    without = [index for index, (_, score, _, _) in enumerate(read) if score is None]
    if without and len(without) < len(read):
        raise ValueError(f"result {without[0]} has no score, others have: give each one or none")
    return [
        Hit(index, item, text, 1.0 if score is None else score, name, score is not None)
        for index, (text, score, name, item) in enumerate(read)
    ]


def _read(item: Any, index: int) -> tuple[str, float | None, str, Any]:
    if isinstance(item, ChunkResult) and type(item.content) is str:
        text = checks.text(item.content, f"the text of result {index}")
        return text, _number(item.score, index), item.chunk_id, item
    whole, score = item, None
    if isinstance(item, tuple) and len(item) == 2 and not hasattr(item, "_fields"):
        item, score = item
    if isinstance(item, str):
        text, inner = item, item
    else:
        inner = inner_of(item)
        text = first((inner, item), _TEXT)
    if text is None:
        raise TypeError(
            f"result {index} must have a text as {', '.join(_TEXT)}, not be {type(whole).__name__}"
        )
    text = checks.text(text, f"the text of result {index}")
    metadata = first((inner,), ("metadata",))
    if score is None:
        score = first((item, inner, metadata), SCORES)
    name = first((item, inner, metadata), IDS)
    return text, _number(score, index), "" if name is None else str(name), whole


def _number(score: Any, index: int) -> float | None:
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
    elif type(documents) is not list and (
        isinstance(documents, (str, Document, Mapping)) or not isinstance(documents, Iterable)
    ):
        documents = to_documents(documents)
    chunks, read = list[DocumentChunk](), list[Document]()
    for index, item in enumerate(documents):
        chunk, document = _read_chunk(item, index)
        chunks.append(chunk)
        read.append(document)
    return tuple(chunks), tuple(read)


def _read_chunk(item: Any, index: int) -> tuple[DocumentChunk, Document]:
    if type(item) is str:
        document = read_document(Document(item), f"the text of document {index}")
        return DocumentChunk(id=to_uuid(document.text), content=item), document
    if isinstance(item, SearchResult):
        item = item.document
    if isinstance(item, ChunkResult):
        known = {"doc_id": item.doc_id, "title": item.header_path, "file_path": item.file_path}
        item = DocumentChunk(id=item.chunk_id, content=item.content, metadata=known)
    if not isinstance(item, DocumentChunk):
        item = _from_document(item if isinstance(item, Document) else to_documents([item])[0])
    title = (item.metadata or {}).get("title") or None
    document = Document(item.content, str(item.id), title)
    return item, read_document(document, f"the content of document {index}", f"the title of {item.id!r}")


def _from_document(document: Document) -> DocumentChunk:
    known = {**document.metadata, **({"title": document.title} if document.title else {})}
    return DocumentChunk(
        id=to_uuid(document.text) if document.id is None else document.id,
        content=document.original,
        metadata=known or None,
    )
