"""The vocabulary: documents in, spans and receipts out. Nothing here computes anything big."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from tersely.core import checks
from tersely.core.facts import FactReport
from tersely.core.tables import Float32s, Int32s, Int64s, Kind, SegmentTable, UInt8s

if TYPE_CHECKING:
    from tersely.core.protocols import BatchTokenCounter

__all__ = ["Compressed", "Deduplicated", "Document", "Receipt", "Request", "Span", "Spans"]

_FILE_NAME = re.compile(
    r"(?:^|[\\/])[^\\/\s]*\.\w{1,12}$|^[\w.-]*\.\w{1,12}$|(?:^|/)(?:Makefile|Dockerfile)$"
)
_NAMING = ("source", "filename", "file_name", "path", "file_path", "url")  # metadata that may name a file


@dataclass(frozen=True, slots=True)
class Document:
    """A text with what the caller knows about it.

    Attributes:
        text: the content; spans index its characters.
        id: the caller's name for it, None if it has none.
        title: counts for every sentence of the document when a query is given.
        score: the caller's own relevance, carried along.
        metadata: anything else, carried along.
        name: a path or file name, a hint to what the text is; None: `id`, or the metadata's "source",
            "filename", "file_name", "path", "file_path" or "url", where that looks like one.
        command: the command line that wrote the text, a hint likewise; None: the metadata's "command" or
            "tool".
    """

    text: str
    id: str | None = None
    title: str | None = None
    score: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None
    command: str | None = None

    @property
    def file_name(self) -> str:
        """The path or file name that is known of it; "" where none is."""
        if self.name is None and self.id is None and not self.metadata:
            return ""
        given = (self.name, *(self.metadata.get(key) for key in _NAMING), self.id)
        named = (
            value.partition("?")[0] if "://" in value else value for value in given if isinstance(value, str)
        )
        return next((value for value in named if value is self.name or _FILE_NAME.search(value)), "")

    @property
    def command_line(self) -> str:
        """The command that is known to have written it; "" where none is."""
        if self.command is None and not self.metadata:
            return ""
        given = (self.command, self.metadata.get("command"), self.metadata.get("tool"))
        return next((value for value in given if isinstance(value, str)), "")


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a document: `documents[document].text[start:end]`, and why it was kept or dropped.

    Attributes:
        document: index of the document.
        start, end: characters, half-open.
        kind: what the segment is.
        reason: kept: "selected", "pinned", "preserved" (it holds facts that were to be preserved), "context",
            "heading", "cut", "fits", "copied" (code that a model copied), "reinserted" (a model lost it);
            dropped: "budget", "redundant", "cut" (the rest of a segment that was cut), "rewritten" (a model
            wrote something in its place), "markup" (tags and the like: no text).
        score: what the scoring gave the segment; 0.0 where nothing was scored.
    """

    document: int
    start: int
    end: int
    kind: Kind
    reason: str
    score: float


@dataclass(frozen=True, slots=True)
class Request:
    """A checked call: what a strategy is given.

    Attributes:
        documents: the texts; no lone surrogates.
        query: what the reader will ask, None for a general summary.
        budget: tokens allowed, >= 0; None: `ratio` of the original tokens, at least 1.
        ratio: in (0, 1].
        counter: the caller's tokenizer.
        pinned: (document, start, end) spans; each segment that touches one is kept.
        groups: lists of such spans; the segments that touch a group's spans are kept or dropped together.
        separator: stands between kept pieces that do not touch, and between documents.
        piece_separator: stands between kept pieces of one document that do not touch; None: `separator`.
    """

    documents: tuple[Document, ...]
    query: str | None
    budget: int | None
    ratio: float
    counter: BatchTokenCounter
    pinned: tuple[tuple[int, int, int], ...] = ()
    groups: tuple[tuple[tuple[int, int, int], ...], ...] = ()
    separator: str = "\n\n"
    piece_separator: str | None = None

    @property
    def within(self) -> str:
        """What stands between kept pieces of one document that do not touch."""
        return self.separator if self.piece_separator is None else self.piece_separator


@dataclass(frozen=True, eq=False, slots=True)
class Spans(Sequence[Span]):
    """A sequence of spans that makes each `Span` when it is asked for."""

    table: SegmentTable
    rows: Int64s
    reasons: tuple[str, ...]  # names of the codes
    codes: UInt8s  # a code per table row
    scores: Float32s

    def __len__(self) -> int:
        """Number of spans."""
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Span: ...
    @overload
    def __getitem__(self, index: slice) -> list[Span]: ...
    def __getitem__(self, index: int | slice) -> Span | list[Span]:
        """The span at `index`, or a list for a slice."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        row = int(self.rows[index])
        table = self.table
        return Span(
            int(table.document[row]),
            int(table.start[row]),
            int(table.end[row]),
            Kind(int(table.kind[row])),
            self.reasons[self.codes[row]],
            float(self.scores[row]),
        )

    def __eq__(self, other: object) -> bool:
        """Equal to any sequence of equal spans."""
        return (
            isinstance(other, Sequence)
            and len(self) == len(other)
            and all(a == b for a, b in zip(self, other, strict=True))
        )

    __hash__ = None  # type: ignore[assignment]  # like a list

    def __repr__(self) -> str:
        """The first spans and the number of all."""
        shown = ", ".join(map(repr, self[:3]))
        return f"<{len(self)} spans: {shown}{', ...' if len(self) > 3 else ''}>"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What happened, in numbers and reason codes.

    Attributes:
        budget: tokens allowed.
        tokens: tokens of the final text, counted on the final text.
        original_tokens: tokens of the documents joined by the separator.
        counter: name of the token counter.
        segments: number of segments of the input; one that was cut counts as two, its start and its rest.
        reasons: how many segments were kept or dropped for each reason ("kept:selected", ...).
        recounts: how often a candidate text was counted.
        warnings: reason codes of everything the caller may want to know: "query_without_matches" (the
            query's terms occur nowhere: scored as without a query), "empty_query", "segment_cut"
            (nothing whole fitted), "counter_not_additive" (the parts' counts were off by more than 10%),
            "nothing_to_keep" (white space only, over the budget), "markers_left_out" (no room to say where
            something was left out), "facts_lost" (of what was to be preserved, some is lost: see `facts`).
        facts: what became of the facts that were to be preserved; None where nobody asked.
        used_llm: whether a model wrote any of the text.
        fallback_reason: reason code where a model should have written it and did not, else None: "no_model",
            "model_failed", "empty_reply", "reply_truncated" (it ended at the model's limit of tokens),
            "reply_too_long", "low_confidence", "facts_lost", "no_room" (what is pinned takes all),
            "prompt_too_long".
        confidence: in [0, 1], of a text that a model wrote (write/checks.py); else None.
        content_types: what each document was taken for (`tersely.detect`); () where nobody looked.
    """

    budget: int
    tokens: int
    original_tokens: int
    counter: str
    segments: int
    reasons: Mapping[str, int]
    recounts: int
    warnings: tuple[str, ...] = ()
    facts: FactReport | None = None
    used_llm: bool = False
    fallback_reason: str | None = None
    confidence: float | None = None
    content_types: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Compressed:
    """The result of a compression.

    Attributes:
        text: what to send; never over the budget.
        documents: the originals.
        kept, dropped: spans of the originals, in source order, without overlap; together all segments.
        receipt: counts, reasons and warnings.
        generated: (start, end) characters of `text` that are not the source's: written by a model, or saying
            what was left out; the rest is verbatim.
        parts: what is left of each document, as it stands in `text`; "" where nothing is.
    """

    text: str
    documents: tuple[Document, ...]
    kept: Sequence[Span]
    dropped: Sequence[Span]
    receipt: Receipt
    generated: tuple[tuple[int, int], ...] = ()
    parts: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """Tokens of `text`, as counted by the caller's counter."""
        return self.receipt.tokens

    @property
    def original_tokens(self) -> int:
        """Tokens of the documents joined by the separator."""
        return self.receipt.original_tokens

    @property
    def ratio(self) -> float:
        """tokens / original_tokens; 1.0 for empty input."""
        return self.tokens / self.original_tokens if self.original_tokens else 1.0

    def expand(self, which: int | Span = 0, *, context: int = 0) -> str:
        """Return the original text of a document, or of a span with some of what stands around it.

        Args:
            which: a document's index (its whole text, exactly as given), or a span from `kept` or `dropped`.
            context: for a span: so many characters more on each side.

        Raises IndexError where there is no such document.
        """
        context = checks.whole_number(context, "context")
        number = which.document if isinstance(which, Span) else which
        if isinstance(number, bool) or not hasattr(number, "__index__"):
            raise TypeError(f"which must be a document's index or a Span, not {which!r}")
        if not -len(self.documents) <= number < len(self.documents):
            raise IndexError(f"there is no document {number}; there are {len(self.documents)}")
        text = self.documents[number].text
        if isinstance(which, Span):
            return text[max(which.start - context, 0) : which.end + context]
        return text

    def to_dict(self) -> dict[str, Any]:
        """Everything but the originals, as plain JSON types."""
        return {
            "text": self.text,
            "tokens": self.tokens,
            "original_tokens": self.original_tokens,
            "ratio": self.ratio,
            "kept": [_span_dict(span) for span in self.kept],
            "dropped": [_span_dict(span) for span in self.dropped],
            "receipt": {
                "budget": self.receipt.budget,
                "counter": self.receipt.counter,
                "segments": self.receipt.segments,
                "reasons": dict(self.receipt.reasons),
                "recounts": self.receipt.recounts,
                "warnings": list(self.receipt.warnings),
                "facts": None if self.receipt.facts is None else self.receipt.facts.to_list(),
                "used_llm": self.receipt.used_llm,
                "fallback_reason": self.receipt.fallback_reason,
                "confidence": self.receipt.confidence,
                "content_types": list(self.receipt.content_types),
            },
            "generated": [list(place) for place in self.generated],
            "parts": list(self.parts),
        }


@dataclass(frozen=True, eq=False, slots=True)
class Deduplicated:
    """n texts or vectors in k clusters; unpacks as `representatives, labels`.

    Attributes:
        representatives: int32[k], the one that stands for each cluster: the one with the best score. Clusters
            are numbered in descending order of it.
        labels: int32[n], the cluster of each.
        sizes: int32[k], how many each cluster holds.
        similarity: float32[n], cosine of each with its representative; 1 for itself and for its copies.
    """

    representatives: Int32s
    labels: Int32s
    sizes: Int32s
    similarity: Float32s

    def __iter__(self) -> Iterator[Int32s]:
        """`representatives`, then `labels`."""
        return iter((self.representatives, self.labels))


def _span_dict(span: Span) -> dict[str, Any]:
    return {
        "document": span.document,
        "start": span.start,
        "end": span.end,
        "kind": span.kind.name.lower(),
        "reason": span.reason,
        "score": round(span.score, 6),
    }
