"""Convert results of every kind to documents, spans and a receipt for the page.

Histories are documents too, one a message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tersely.memory.compaction import CompactedMessages
from tersely.memory.messages import Entry, read_message, read_messages
from tersely.retrieval.settings import CompressionResult
from tersely.types import Compressed, Document, Kind, Receipt, Span, count_reasons

Showable = Compressed | CompressionResult | CompactedMessages


@dataclass(frozen=True, slots=True)
class View:
    """A result as the page shows it.

    Attributes:
        result: documents, spans, text and receipt.
        noun: what the documents are: "documents" or "messages".
    """

    result: Compressed
    noun: str = "documents"


def view_of(result: Showable) -> View:
    """Return the view of a result. Raises TypeError for what is no result. O(characters)."""
    if isinstance(result, Compressed):
        return View(result)
    if isinstance(result, CompressionResult):
        return View(_contextual(result))
    if isinstance(result, CompactedMessages):
        return View(_messages(result), "messages")
    kinds = "Compressed, CompressionResult or CompactedMessages"
    raise TypeError(f"result must be a {kinds}, not {type(result).__name__}")


def _contextual(result: CompressionResult) -> Compressed:
    documents = tuple(
        Document(chunk.content, str(chunk.id), _title(chunk.metadata or {}), metadata=chunk.metadata or {})
        for chunk in result.original_documents
    )
    kept: list[Span] = []
    dropped: list[Span] = []
    generated: list[tuple[int, int]] = []
    at = 0
    for one in sorted(result.compressed_documents, key=lambda one: one.index):
        kept += sorted(one.preserved_segments, key=lambda span: span.start)
        dropped += one.dropped_segments
    for one in result.compressed_documents:
        generated += [(at + start, at + end) for start, end in one.generated]
        at += len(one.content) + len(result.separator)
    for gone in result.dropped_documents:
        if documents[gone.index].text:
            dropped.append(_whole(gone.index, documents[gone.index].text, gone.reason))
    receipt = make_receipt(
        kept,
        dropped,
        budget=result.usage.available,
        tokens=result.usage.used,
        original=result.original_token_count,
        warnings=result.warnings,
        used_llm=result.used_llm,
        fallback_reason=result.fallback_reason,
    )
    scores = tuple(score.overall_score for score in result.relevance_scores)
    judge = (lambda: scores) if len(scores) == len(documents) else None
    return Compressed(result.text, documents, kept, dropped, receipt, tuple(generated), judge=judge)


def _title(metadata: Any) -> str | None:
    title = metadata.get("title")
    return title if isinstance(title, str) and title else None


def _messages(result: CompactedMessages) -> Compressed:
    """One document a message; of one that became shorter, the lines that are still there."""
    entries = read_messages(result.originals)
    documents = tuple(
        Document(_text(entry), title=f"{number} {_speaker(entry)}") for number, entry in enumerate(entries)
    )
    shorter = _changed_texts(result)
    kept: list[Span] = []
    dropped: list[Span] = []
    for account, entry, document in zip(result.accounts, entries, documents, strict=True):
        text, index = document.text, account.index
        if not text:
            continue
        if account.outcome == "verbatim":
            kept.append(_whole(index, text, account.reason))
            continue
        places: list[tuple[int, int]] = []
        if account.outcome == "compressed":
            places = list(_lines_in(text, next(shorter, "")))
        elif account.outcome == "folded":
            starts = _starts(entry)
            places = sorted(
                (starts[piece] + start, starts[piece] + end) for piece, start, end in account.kept
            )
        quoted = "selected" if account.outcome == "compressed" else "excerpt"
        kept += [Span(index, start, end, Kind.PROSE, quoted, 0.0) for start, end in places]
        dropped += [
            Span(index, start, end, Kind.PROSE, account.reason, 0.0)
            for start, end in rest_of(places, len(text))
        ]
    text = "\n\n".join(f"{_speaker(entry)}:\n{_text(entry)}" for entry in read_messages(result.messages))
    receipt = make_receipt(
        kept,
        dropped,
        budget=result.budget,
        tokens=result.tokens,
        original=result.original_tokens,
        warnings=result.warnings,
    )
    return Compressed(text, documents, kept, dropped, receipt)


def make_receipt(kept: Sequence[Span], dropped: Sequence[Span], *, original: int, **known: Any) -> Receipt:
    """Make a receipt for a result that was not fitted here."""
    return Receipt(
        original_tokens=original,
        counter="",
        segments=len(kept) + len(dropped),
        reasons=count_reasons(kept, dropped),
        recounts=0,
        **known,
    )


def _whole(document: int, text: str, reason: str) -> Span:
    return Span(document, 0, len(text), Kind.PROSE, reason, 0.0)


def rest_of(places: Sequence[tuple[int, int]], size: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges between ordered places."""
    at = 0
    for start, end in places:
        if at < start:
            yield at, start
        at = max(at, end)
    if at < size:
        yield at, size


def _text(entry: Entry) -> str:
    return "\n".join(piece.text for piece in entry.pieces)


def _starts(entry: Entry) -> list[int]:
    """Return where each piece of a message starts in its text."""
    starts, at = [], 0
    for piece in entry.pieces:
        starts.append(at)
        at += len(piece.text) + 1
    return starts


def _speaker(entry: Entry) -> str:
    return f"{entry.role} {entry.name}".strip()


def _changed_texts(result: CompactedMessages) -> Iterator[str]:
    """Yield the texts of shortened messages in order, without the message of excerpts."""
    known = {id(message) for message in result.originals}
    for message in result.messages:
        if id(message) not in known:
            entry = read_message(message)
            if not any(piece.kind == "excerpts" for piece in entry.pieces):
                yield _text(entry)


def _lines_in(text: str, shorter: str) -> Iterator[tuple[int, int]]:
    """Yield the runs of lines that a text shares with a shorter one, in order. O(characters)."""
    lines = text.splitlines(keepends=True)
    bare: Callable[[str], str] = str.rstrip
    known = {bare(line) for line in lines}
    left = [line for line in map(bare, shorter.splitlines()) if line in known][::-1]
    at, start = 0, -1
    for line in lines:
        if left and bare(line) == left[-1]:
            left.pop()
            start = at if start < 0 else start
        elif start >= 0:
            yield start, at
            start = -1
        at += len(line)
    if start >= 0:
        yield start, at
