"""The vocabulary: documents in, spans and receipts out. Nothing here computes anything big."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tersely.core import checks
from tersely.core.facts import FactReport
from tersely.core.late import LateSequence
from tersely.core.ratios import Ratios
from tersely.core.tables import Float32s, Int32s, Int64s, Kind, SegmentTable, UInt8s

if TYPE_CHECKING:
    from tersely.core.protocols import BatchTokenCounter

__all__ = [
    "Compressed",
    "Deduplicated",
    "Document",
    "Receipt",
    "Request",
    "Span",
    "Spans",
    "count_reasons",
    "span_columns",
]

_FILE_NAME = re.compile(
    r"(?:^|[\\/])[^\\/\s]*\.\w{1,12}$|^[\w.-]*\.\w{1,12}$|(?:^|/)(?:Makefile|Dockerfile)$"
)
_TOGETHER = 4096  # spans that are made at once
_KINDS = tuple(Kind)  # quicker than calling the enum
_NAMING = ("source", "filename", "file_name", "path", "file_path", "url")  # metadata that may name a file


MODEL_NOT_USED = "model_not_used"  # the warning beside a fallback_reason


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
        given: the text as it came, where characters of it were replaced (lone surrogates, bytes that are no
            UTF-8); None: `text` is as it came.
    """

    text: str
    id: str | None = None
    title: str | None = None
    score: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None
    command: str | None = None
    given: str | None = None

    @property
    def original(self) -> str:
        """The text as it came."""
        return self.text if self.given is None else self.given

    @property
    def file_name(self) -> str:
        """The document's path or file name, from its name, metadata or id; "" if unknown."""
        if self.name is None and self.id is None and not self.metadata:
            return ""
        given = (self.name, *(self.metadata.get(key) for key in _NAMING), self.id)
        named = (
            value.partition("?")[0] if "://" in value else value for value in given if isinstance(value, str)
        )
        return next((value for value in named if value is self.name or _FILE_NAME.search(value)), "")

    @property
    def command_line(self) -> str:
        """The command that printed the document, from `command` or metadata; "" if unknown."""
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
        documents: the texts; no lone surrogates in `text`.
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


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Spans(LateSequence[Span]):
    """A sequence of spans that makes each `Span` when it is asked for."""

    table: SegmentTable
    rows: Int64s
    reasons: tuple[str, ...]  # names of the codes
    codes: UInt8s  # a code per table row
    scores: Float32s
    _called: ClassVar[str] = "spans"

    def __len__(self) -> int:
        """Number of spans."""
        return len(self.rows)

    def _make(self, index: int) -> Span:
        return next(self._some(range(index, index + 1)))

    def _some(self, indices: range) -> Iterator[Span]:
        """Make spans together: rows of arrays cost more one by one."""
        reasons, table = self.reasons, self.table
        columns = (table.document, table.start, table.end, table.kind, self.codes, self.scores)
        for first in range(0, len(indices), _TOGETHER):
            rows = self.rows[np.asarray(indices[first : first + _TOGETHER], dtype=np.int64)]
            made = zip(*(column[rows].tolist() for column in columns), strict=True)
            for document, start, end, kind, code, score in made:
                yield Span(document, start, end, _KINDS[kind], reasons[code], score)


def span_columns(spans: Sequence[Span]) -> Int64s:
    """int64[4, n]: document, start, end and kind of each span; of `Spans` without making them."""
    if isinstance(spans, Spans):
        table = spans.table
        columns = (table.document, table.start, table.end, table.kind)
        return np.stack([column[spans.rows].astype(np.int64) for column in columns])
    places = [(span.document, span.start, span.end, int(span.kind)) for span in spans]
    return np.array(places, dtype=np.int64).reshape(-1, 4).T


@dataclass(frozen=True, slots=True)
class Receipt:
    """Accounts for a compression, in numbers and reason codes.

    Attributes:
        budget: tokens allowed.
        tokens: tokens of the final text, counted on the final text.
        original_tokens: tokens of the documents joined by the separator.
        counter: name of the token counter.
        segments: number of segments of the input; one that was cut counts as two, its start and its rest.
        reasons: how many segments were kept or dropped for each reason ("kept:selected", ...).
        recounts: how often a candidate text was counted.
        warnings: reason codes of everything the caller may want to know: "query_without_matches" (the query's
            terms occur nowhere: scored as without a query), "empty_query", "segment_cut" (nothing whole
            fitted), "counter_not_additive" (the parts' counts were off by more than 10%), "nothing_to_keep"
            (white space only, over the budget), "markers_left_out" (no room even for an "…" where something
            was left out), "markers_shortened" (no room to say how much in each place), "no_unit_fits" (not
            one whole line, record, ... fitted: compressed as text), "json_invalid", "json_too_deep", the same
            of yaml and xml (all of these: compressed as text), "markup_kept" (tags stand in the text: a page
            without other text, or a pin or group that touches them), "content_types_not_used" (a group spans
            documents of several types: all were), "embedder_failed", "reranker_failed" (scored without it),
            "facts_lost" (of what was to be preserved, some is lost: see `facts`), "characters_replaced"
            (U+FFFD stands for lone surrogates, or what was no UTF-8 was read in another encoding; `expand`
            gives the documents as they came), "model_not_used" (a model should have written it, see
            `fallback_reason`).
        facts: the facts that were to be preserved, kept and lost; None where nobody asked.
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

    def without_model(self, reason: str) -> Receipt:
        """Say that a model should have written the text and did not, and why."""
        warnings = tuple(dict.fromkeys([*self.warnings, MODEL_NOT_USED]))
        return replace(self, fallback_reason=reason, warnings=warnings)


def count_reasons(kept: Iterable[Span], dropped: Iterable[Span]) -> dict[str, int]:
    """Count spans by reason, as `Receipt.reasons` has them."""
    reasons = Counter(f"kept:{span.reason}" for span in kept)
    reasons.update(f"dropped:{span.reason}" for span in dropped)
    return dict(reasons)


@dataclass(frozen=True, eq=False, slots=True)
class Compressed(Ratios):
    """The result of a compression.

    Attributes:
        text: what to send; never over the budget.
        documents: the originals, U+FFFD for what is no text in them.
        kept, dropped: spans of the originals, in source order, without overlap; together all segments.
        receipt: counts, reasons and warnings.
        generated: (start, end) characters of `text` that are not the source's: written by a model, or saying
            what was left out; the rest is verbatim.
        parts: what is left of each document, as it stands in `text`; "" where nothing is.
        judge: gives `relevance` when that is asked for; None: nothing is known of it.
    """

    text: str
    documents: tuple[Document, ...]
    kept: Sequence[Span]
    dropped: Sequence[Span]
    receipt: Receipt
    generated: tuple[tuple[int, int], ...] = ()
    parts: tuple[str, ...] = ()
    judge: Callable[[], tuple[float, ...]] | None = field(default=None, repr=False)

    def __str__(self) -> str:
        """The text: what a prompt holds where the result is put into one."""
        return self.text

    def __repr__(self) -> str:
        """Numbers and the beginning of the text; the originals may be long."""
        return (
            f"<Compressed: {self.tokens} of {self.original_tokens} tokens, {len(self.kept)} of "
            f"{len(self.kept) + len(self.dropped)} segments kept: {checks.shown(self.text)}>"
        )

    @property
    def relevance(self) -> tuple[float, ...]:
        """The probability that each document is on the topic of the query, whatever the others are.

        On topic, not that it answers. () without a query, and where a model or the caller's own compressor
        made the text. Worked out when it is asked for: O(terms).
        """
        return () if self.judge is None else self.judge()

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

        Lone surrogates are as they came. Raises IndexError where there is no such document.
        """
        context = checks.whole_number(context, "context")
        number = which.document if isinstance(which, Span) else which
        if isinstance(number, bool) or not hasattr(number, "__index__"):
            raise TypeError(f"which must be a document's index or a Span, not {which!r}")
        if not -len(self.documents) <= number < len(self.documents):
            raise IndexError(f"there is no document {number}; there are {len(self.documents)}")
        text = self.documents[number].original
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
            "relevance": [round(chance, 6) for chance in self.relevance],
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
