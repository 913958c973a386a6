"""The vocabulary: documents in, spans, facts and receipts out, segments as arrays, kinds of content.

tests/codebase/test_names.py holds them against the tables that they are keys of.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias, TypeVar, get_args, overload

from tersely import _native, checks
from tersely.checks import Ratios

if TYPE_CHECKING:  # the command reads its arguments without numpy
    import numpy as np
    import numpy.typing as npt

    from tersely.protocols import BatchTokenCounter

#: What `tersely.detect` says.
DetectedName = Literal[
    "prose", "markdown", "conversation", "code", "log", "tool_output", "stack_trace", "json", "jsonl",
    "table", "diff", "html", "mixed",
]  # fmt: skip

#: What documents can be taken for: keys of `tersely.content.registry.CONTENT_TYPES`.
ContentTypeName = Literal[DetectedName, "xml", "yaml"]

#: Keys of `tersely.engine.strategies.STRATEGIES`.
StrategyName = Literal["extractive", "lead", "abstractive", "hybrid", "hierarchical"]

#: What `strategy=` takes by name: a strategy, or what all documents are taken for.
AnyStrategyName = StrategyName | ContentTypeName | Literal["auto"]

#: How finely text is cut.
LevelName = Literal["character", "word", "clause", "sentence", "paragraph", "section"]


Int32s: TypeAlias = "npt.NDArray[np.int32]"
Int64s: TypeAlias = "npt.NDArray[np.int64]"
UInt8s: TypeAlias = "npt.NDArray[np.uint8]"
Float32s: TypeAlias = "npt.NDArray[np.float32]"
Float64s: TypeAlias = "npt.NDArray[np.float64]"


class Kind(IntEnum):
    """The kind of a segment."""

    PROSE = 0
    HEADING = 1
    LIST_ITEM = 2
    QUOTE = 3
    TABLE = 4
    FENCED_CODE = 5
    CODE = 6  # indented, or lines that look like code or data
    LOG_LINE = 7
    CHAT_TURN = 8


_KINDS = tuple(Kind)  # quicker than calling the enum


class Level(IntEnum):
    """How finely text is cut into segments."""

    CHARACTER = 0  # fixed windows
    WORD = 1
    CLAUSE = 2  # of sentences, where commas, brackets, conjunctions, prepositions part them
    SENTENCE = 3
    PARAGRAPH = 4
    SECTION = 5


@checks.brief
@checks.quick
@dataclass(frozen=True, eq=False, slots=True)
class SegmentTable(checks.Valued):
    """Segments as a structure of arrays, one row a segment, in source order."""

    document: Int32s  #: int32[n], index of the document
    #: with `end`: int64[n], characters of that document, half-open. What lies between segments is white space
    #: only.
    start: Int64s
    end: Int64s
    kind: UInt8s  #: uint8[n], a `Kind`
    block: Int32s  #: int32[n], the paragraph, list item, table, ... it lies in; ascending over all documents.
    #: int32[n], row of the nearest heading above, -1 where there is none; of items of a list, the sentence
    #: that leads into it with a colon; of a heading, the heading it stands under
    heading: Int32s

    def __len__(self) -> int:
        return len(self.start)

    def columns(self) -> tuple[Any, ...]:
        """Return the arrays, in the order of the attributes."""
        return self.document, self.start, self.end, self.kind, self.block, self.heading

    def __iter__(self) -> Iterator[tuple[int, int, int, Kind]]:
        """(document, start, end, kind) of each segment."""
        rows = zip(
            self.document.tolist(), self.start.tolist(), self.end.tolist(), self.kind.tolist(), strict=True
        )
        return ((document, start, end, _KINDS[kind]) for document, start, end, kind in rows)


def pieces(texts: Sequence[str], document: Int32s | Int64s, start: Int64s, end: Int64s) -> list[str]:
    """Return each `texts[document][start:end]`, row by row."""
    return _native.slices(texts, document.astype("int32", copy=False), start, end)


class Analysis(NamedTuple):
    """Segments with their terms."""

    table: SegmentTable  #: the segments
    term_ids: Int32s  #: int32, ids of all rows' terms one after another, in [0, vocabulary)
    #: int64[rows + 1]; row i is `term_ids[term_offsets[i]:term_offsets[i + 1]]`. Rows are the segments, then
    #: the extras.
    term_offsets: Int64s
    #: uint8[vocabulary], what each distinct term is, in bits: 1 a quantity, 2 a time, 4 a word that texts of
    #: all kinds have (csrc/kernels/text/terms.hpp)
    term_class: UInt8s
    #: float32[vocabulary], inverse frequency of each term (csrc/kernels/lexical/corpus.hpp)
    term_weight: Float32s

    @property
    def vocabulary(self) -> int:
        """Number of distinct terms."""
        return len(self.term_class)

    def terms(self, document: Int32s | None = None) -> tuple[Int32s, Int64s, UInt8s, Int32s, Int32s, Int32s]:
        """Return the terms with what native code asks of their segments; `document`: other numbers of it."""
        table, of = self.table, self.table.document if document is None else document
        return self.term_ids, self.term_offsets, self.term_class, of, table.block, table.heading


T = TypeVar("T")

_SHOWN = 3  # items in a repr


class LateSequence(Sequence[T]):
    """A sequence that makes its items when they are read; equal to any sequence of equal items.

    A subclass says how many there are, and makes the one at an index from 0.
    """

    __slots__ = ()
    _called: ClassVar[str] = "items"

    @abstractmethod
    def _make(self, index: int) -> T:
        """The item at an index in [0, len(self))."""

    def _some(self, indices: range) -> Iterator[T]:
        """The items at these indices; a subclass that makes many at once at less cost says how."""
        return map(self._make, indices)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return list(self._some(range(*index.indices(len(self)))))
        return self._make(range(len(self))[index])

    def __iter__(self) -> Iterator[T]:
        """The items in order."""
        return self._some(range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # like a list

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:_SHOWN]))
        return f"<{len(self)} {self._called}: {shown}{', ...' if len(self) > _SHOWN else ''}>"


class FactKind(IntEnum):
    """The kind of a fact (csrc/kernels/text/facts.hpp has the rules)."""

    NUMBER = 0  # with its unit, sign and currency
    DATE = 1  # dates and times
    VERSION = 2
    NAME = 3
    QUOTE = 4
    FENCED_CODE = 5
    INLINE_CODE = 6
    PATH = 7
    PATH_LINE = 8  # path:line
    URL = 9
    IDENTIFIER = 10
    ERROR = 11  # type of an error, with its message
    NEGATION = 12
    OBLIGATION = 13
    DECISION = 14


#: What can be asked for by name, and the kinds it stands for. "code" is also what stands in backticks.
PRESERVABLE: dict[str, tuple[FactKind, ...]] = {
    "code": (FactKind.FENCED_CODE, FactKind.INLINE_CODE),
    "quotes": (FactKind.QUOTE,),
    "numbers": (FactKind.NUMBER, FactKind.DATE, FactKind.VERSION),
    "names": (FactKind.NAME,),
    "paths": (FactKind.PATH, FactKind.PATH_LINE),
    "urls": (FactKind.URL,),
    "identifiers": (FactKind.IDENTIFIER,),
    "errors": (FactKind.ERROR,),
    "negations": (FactKind.NEGATION,),
    "obligations": (FactKind.OBLIGATION,),
    "decisions": (FactKind.DECISION,),
    "all": tuple(FactKind),
}


@checks.brief
@dataclass(frozen=True, eq=False, slots=True)
class FactTable(checks.Valued):
    """Facts as a structure of arrays, one row an occurrence, in source order."""

    kind: UInt8s  #: uint8[m], a `FactKind`
    document: Int32s  #: int32[m]
    start: Int64s  #: with `end`: int64[m], characters of that document, half-open
    end: Int64s
    segment: Int32s  #: with `last`: int32[m], the rows of the segments it starts and ends in
    last: Int32s
    key: Int32s  #: int32[m]; occurrences of one fact have one key, in [0, keys)
    keys: int  #: number of distinct facts; of texts read little by little, at least that
    weight: Float32s  #: float32[m], how hard each is to recover once it is gone (csrc/kernels/text/facts.hpp)

    def __len__(self) -> int:
        return len(self.kind)

    def rows(self, which: npt.NDArray[np.bool_]) -> FactTable:
        """Return the facts that are marked in `which`, bool[m], with their keys."""
        columns = [getattr(self, one) for one in self.__slots__]
        some: list[Any] = [one if isinstance(one, int) else one[which] for one in columns]
        return FactTable(*some)

    def fact(self, texts: Sequence[str], row: int, outcome: str, reason: str = "") -> Fact:
        """Return a row as a `Fact`, with its outcome. `texts`: those of the documents."""
        document, start, end = int(self.document[row]), int(self.start[row]), int(self.end[row])
        text = texts[document][start:end]
        return Fact(FactKind(int(self.kind[row])), text, document, start, end, outcome, reason)


@checks.quick
@dataclass(frozen=True, slots=True)
class Fact:
    """A fact, and whether it was kept, lost or made up."""

    kind: FactKind  #: what it is
    text: str  #: as it stands in the source, or, for "unsupported", in the compressed text
    #: with `start` and `end`: its first occurrence in the source, in characters; -1 for "unsupported"
    document: int
    start: int
    end: int
    #: "found" (nothing was compressed), "kept", "reinserted" (put back verbatim after a model lost it),
    #: "lost", or "unsupported" (a model wrote it and no source has it)
    outcome: str
    #: for "lost": why its segments were dropped ("budget", "redundant", "rewritten"); else ""
    reason: str = ""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class SourceFacts(LateSequence[Fact]):
    """Facts of texts, kept or lost, that makes each `Fact` when it is asked for."""

    texts: Sequence[str]  #: the documents' texts
    table: FactTable  #: the facts
    rows: Int64s  #: int64[k], rows of the table, ascending
    lost: npt.NDArray[np.bool_]  #: bool[k]
    codes: UInt8s  #: an index into `reasons` for each row; only read where it is lost
    reasons: tuple[str, ...]  #: why facts were lost
    _called: ClassVar[str] = "facts"

    def __len__(self) -> int:
        return len(self.rows)

    def _make(self, index: int) -> Fact:
        row = int(self.rows[index])
        reason = self.reasons[self.codes[index]] if self.lost[index] else ""
        return self.table.fact(self.texts, row, "lost" if self.lost[index] else "kept", reason)


@dataclass(frozen=True, eq=False, slots=True)
class FactReport:
    """Accounts for the facts of a text: each distinct one once, in source order.

    `source`: the facts, or what finds them when they are first asked for.
    """

    source: Sequence[Fact] | Callable[[], Sequence[Fact]]

    @property
    def facts(self) -> Sequence[Fact]:
        """Each fact with its outcome."""
        if callable(self.source):
            object.__setattr__(self, "source", self.source())
        return self.source  # type: ignore[return-value]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FactReport) and self.facts == other.facts

    __hash__ = None  # type: ignore[assignment]  # its facts are a list

    def of(self, outcome: str) -> list[Fact]:
        """Return the facts with this outcome."""
        if isinstance(self.facts, SourceFacts):  # without making the others
            if outcome not in ("lost", "kept"):
                return []
            (rows,) = (self.facts.lost == (outcome == "lost")).nonzero()
            return [self.facts[row] for row in rows.tolist()]
        return [fact for fact in self.facts if fact.outcome == outcome]

    def number(self, outcome: str) -> int:
        """Return how many facts have this outcome."""
        if isinstance(self.facts, SourceFacts):
            lost = int(self.facts.lost.sum())
            return {"lost": lost, "kept": len(self.facts) - lost}.get(outcome, 0)
        return sum(fact.outcome == outcome for fact in self.facts)

    @property
    def retention(self) -> float:
        """Share of the source's facts that the compressed text has; 1.0 where there are none."""
        sourced = len(self.facts) - self.number("unsupported")
        return 1 - self.number("lost") / sourced if sourced else 1.0

    def counts(self) -> Mapping[str, int]:
        """Return how many facts of each kind have each outcome: {"number:kept": 12, ...}."""
        found: dict[str, int] = {}
        for fact in self.facts:
            name = f"{fact.kind.name.lower()}:{fact.outcome}"
            found[name] = found.get(name, 0) + 1
        return found

    def to_list(self) -> list[dict[str, Any]]:
        """Return the facts, as plain JSON types."""
        names = Fact.__slots__
        return [
            {name: getattr(fact, name) for name in names} | {"kind": fact.kind.name.lower()}
            for fact in self.facts
        ]


_FILE_NAME = re.compile(
    r"(?:^|[\\/])[^\\/\s]*\.\w{1,12}$|^[\w.-]*\.\w{1,12}$|(?:^|/)(?:Makefile|Dockerfile)$"
)
_TOGETHER = 4096  # spans that are made at once
_NAMING = ("source", "filename", "file_name", "path", "file_path", "url")  # metadata that may name a file


MODEL_NOT_USED = "model_not_used"  # the warning beside a fallback_reason


@checks.brief
@checks.quick
@dataclass(frozen=True, slots=True)
class Document:
    """A text with its metadata.

    Attributes:
        text: the content; spans index its characters.
        id: the caller's name for it, None if it has none.
        title: its words match a query, for every sentence of the document.
        score: your own relevance, higher is better; it has a small weight beside the text (`score_weight`).
        metadata: anything else; it is passed on.
        name: a path or file name, a hint to the content type; None: `id`, or the metadata's "source",
            "filename", "file_name", "path", "file_path" or "url", if that looks like one.
        command: the command line that wrote the text, also a hint; None: the metadata's "command" or "tool".
        given: the original text, if characters of it were replaced (lone surrogates, bytes that are not
            UTF-8); None: `text` is the original.
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
        """The text as the caller passed it."""
        return self.text if self.given is None else self.given

    @property
    def file_name(self) -> str:
        """The document's path or file name, from its name, metadata or id; "" if unknown."""
        if self.name is None and self.id is None and not self.metadata:
            return ""
        if isinstance(self.name, str) and "://" not in self.name:
            return self.name
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


@checks.quick
@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a document: `documents[document].text[start:end]`, and why it was kept or dropped."""

    document: int  #: index of the document
    start: int  #: with `end`: characters, half-open
    end: int
    kind: Kind  #: what the segment is
    reason: str  #: a code; docs/guide/warnings.md says what each means
    score: float  #: what the scoring gave the segment; 0.0 if nothing was scored


@dataclass(frozen=True, eq=False, slots=True)
class Heads:
    """The prices of headings that are sent above documents: names of files, sections."""

    costs: Int64s  #: int64[h], tokens of each
    above: Int32s  #: int32[h], the head before it that each stands below and brings along, -1: none
    of: Int32s  #: int32[documents], the head right above each document
    around: int = 0  #: tokens, about, of what stands around all documents


@dataclass(frozen=True, eq=False, slots=True)
class Frame:
    """How the kept text is sent, and so what the budget counts.

    Sent is `prefix`, then what is kept of each document below its heading, joined by the request's separator,
    then `suffix`.
    """

    prefix: str = ""  #: with `suffix`: stand around all that is kept
    suffix: str = ""
    #: of each document, what stands right above what is kept of it; (): nothing does
    headings: tuple[str, ...] = ()
    #: whether what is kept of each document also counts by itself: the larger of the two sums is what it
    #: takes
    apart: bool = False
    #: what is kept of each document ("" where nothing is) -> the texts that are sent, each counted by itself;
    #: for shapes that depend on what is kept. None: as said above.
    write: Callable[[Sequence[str]], Sequence[str]] | None = None
    paid: int = 0  #: tokens of what is sent that the budget is not for, since the caller has taken them off
    #: what units pay for headings when they are chosen; None: `headings` as they count
    heads: Heads | None = None

    @property
    def is_plain(self) -> bool:
        """Whether the kept text is sent as one plain text."""
        return self.write is None and not self.apart

    def texts(self, parts: Sequence[str], separator: str) -> Sequence[str]:
        """Write the texts to send for the kept part of each document; they are counted one by one."""
        if self.write is not None:
            return self.write(parts)
        headings = self.headings or ("",) * len(parts)
        kept = [heading + part for heading, part in zip(headings, parts, strict=True) if part]
        return [f"{self.prefix}{separator.join(kept)}{self.suffix}"]


@checks.quick
@dataclass(frozen=True, slots=True)
class Request:
    """A checked call, as strategies get it."""

    documents: tuple[Document, ...]  #: the texts; no lone surrogates in `text`
    query: str | None  #: what the reader will ask, None for a general summary
    budget: int | None  #: tokens allowed, >= 0; None: `ratio` of the original tokens, at least 1
    ratio: float  #: in (0, 1]
    counter: BatchTokenCounter  #: the caller's tokenizer
    #: (document, start, end) spans; each segment that touches one is kept
    pinned: tuple[tuple[int, int, int], ...] = ()
    #: lists of such spans; the segments that touch a group's spans are kept or dropped together
    groups: tuple[tuple[tuple[int, int, int], ...], ...] = ()
    separator: str = "\n\n"  #: stands between kept pieces that do not touch, and between documents
    #: stands between kept pieces of one document that do not touch; None: `separator`
    piece_separator: str | None = None
    #: how what is kept is sent, which is what the budget is for; None: as one text
    frame: Frame | None = None

    @property
    def within(self) -> str:
        """The separator between kept pieces of one document that do not touch."""
        return self.separator if self.piece_separator is None else self.piece_separator


@dataclass(eq=False, slots=True, repr=False)
class Spans(LateSequence[Span]):
    """A sequence of spans that makes each `Span` when it is asked for."""

    table: SegmentTable
    rows: Int64s
    reasons: tuple[str, ...]  # names of the codes
    codes: UInt8s  # a code per table row
    scores: Float32s
    _called: ClassVar[str] = "spans"

    def __len__(self) -> int:
        return len(self.rows)

    def _make(self, index: int) -> Span:
        return next(self._some(range(index, index + 1)))

    def _some(self, indices: range) -> Iterator[Span]:
        """Make spans together: rows of arrays cost more one by one."""
        reasons, table = self.reasons, self.table
        columns = (table.document, table.start, table.end, table.kind, self.codes, self.scores)
        for first in range(0, len(indices), _TOGETHER):
            rows = self.rows[list(indices[first : first + _TOGETHER])]
            made = zip(*(column[rows].tolist() for column in columns), strict=True)
            for document, start, end, kind, code, score in made:
                yield Span(document, start, end, _KINDS[kind], reasons[code], score)


def span_columns(spans: Sequence[Span]) -> Int64s:
    """Return int64[4, n]: document, start, end and kind of each span; of `Spans` without making them."""
    import numpy as np

    if isinstance(spans, Spans):
        table = spans.table
        columns = (table.document, table.start, table.end, table.kind)
        return np.stack([column[spans.rows].astype(np.int64) for column in columns])
    places = [(span.document, span.start, span.end, int(span.kind)) for span in spans]
    return np.array(places, dtype=np.int64).reshape(-1, 4).T


@checks.quick
@dataclass(frozen=True, slots=True)
class Receipt:
    """Accounts for a compression, in numbers and reason codes."""

    budget: int  #: tokens allowed
    tokens: int  #: tokens of the final text, counted on the final text
    original_tokens: int  #: tokens of the documents joined by the separator
    counter: str  #: name of the token counter
    segments: int  #: number of segments of the input; one that was cut counts as two, its start and its rest
    #: how many segments were kept or dropped for each reason ("kept:selected", ...)
    reasons: Mapping[str, int]
    recounts: int  #: how often a candidate text was counted
    #: codes of everything the caller may want to know; docs/guide/warnings.md says what each means and what
    #: to do
    warnings: tuple[str, ...] = ()
    #: the facts that were to be preserved, kept and lost; None where nobody asked
    facts: FactReport | None = None
    used_llm: bool = False  #: whether a model wrote any of the text
    #: why a model that should have written it did not, a code of the same page; else None
    fallback_reason: str | None = None
    confidence: float | None = None  #: in [0, 1], of a text that a model wrote (writing/checks.py); else None
    #: what each document was taken for (`tersely.detect`); () where nobody looked
    content_types: tuple[str, ...] = ()

    def without_model(self, reason: str) -> Receipt:
        """Say that a model should have written the text and did not, and why."""
        warnings = tuple(dict.fromkeys([*self.warnings, MODEL_NOT_USED]))
        return replace(self, fallback_reason=reason, warnings=warnings)

    def to_dict(self) -> dict[str, Any]:
        """Return the receipt as plain JSON types, with the result's tokens."""
        left_out = ("tokens", "original_tokens")
        told = {name: getattr(self, name) for name in self.__slots__ if name not in left_out}
        told |= {"reasons": dict(self.reasons), "warnings": list(self.warnings)}
        told["facts"] = None if self.facts is None else self.facts.to_list()
        return told | {"content_types": list(self.content_types)}


def count_reasons(kept: Iterable[Span], dropped: Iterable[Span]) -> dict[str, int]:
    """Count spans by reason, as `Receipt.reasons` has them."""
    reasons = Counter(f"kept:{span.reason}" for span in kept)
    reasons.update(f"dropped:{span.reason}" for span in dropped)
    return dict(reasons)


@checks.quick
@dataclass(frozen=True, eq=False, slots=True)
class Compressed(Ratios):
    """The result of a compression.

    Attributes:
        text: what to send; never over the budget.
        documents: the originals; U+FFFD replaces what is not valid text in them.
        kept, dropped: spans of the originals, in source order, without overlap; together all segments.
        receipt: counts, reasons and warnings.
        generated: (start, end) characters of `text` that are not the source's: written by a model, or saying
            what was left out; the rest is verbatim.
        parts: what is left of each document, as in `text`; "" if nothing is left.
        judge: computes `relevance` when it is read; None: `relevance` is not known.
    """

    text: str
    documents: tuple[Document, ...]
    kept: Sequence[Span]
    dropped: Sequence[Span]
    receipt: Receipt
    generated: tuple[tuple[int, int], ...] = ()
    parts: tuple[str, ...] = ()
    judge: Callable[[], tuple[float, ...]] | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return (
            f"<Compressed: {self.tokens} of {self.original_tokens} tokens, {len(self.kept)} of "
            f"{len(self.kept) + len(self.dropped)} segments kept: {checks.shown(self.text)}>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the values of `judge`, not the readers, counters and models that compute them."""
        judge = None if self.judge is None else partial(tuple, self.relevance)
        told = [judge if one.name == "judge" else getattr(self, one.name) for one in fields(self)]
        return type(self), tuple(told)

    @property
    def relevance(self) -> tuple[float, ...]:
        """The probability that each document is on the topic of the query, whatever the others are.

        A document on the topic need not answer the query. () without a query, or if a model or the caller's
        own compressor made the text. Computed when it is read: O(terms).
        """
        return () if self.judge is None else self.judge()

    @property
    def tokens(self) -> int:
        """Number of tokens of `text`, by the counter of the call."""
        return self.receipt.tokens

    @property
    def original_tokens(self) -> int:
        """Number of tokens of the documents, joined by the separator."""
        return self.receipt.original_tokens

    @property
    def ratio(self) -> float:
        """tokens / original_tokens; 1.0 for empty input."""
        return self.tokens / self.original_tokens if self.original_tokens else 1.0

    @property
    def places(self) -> tuple[tuple[int, int] | None, ...]:
        """The position (start, end) in `text` of each span of `kept`. O(characters).

        None for a span that the text does not have verbatim.
        """
        bare, cuts, shifts, begin = [], [], [0], 0  # the text without what is generated; where that was
        for start, end in sorted(self.generated):
            bare.append(self.text[begin:start])
            cuts.append(start - shifts[-1])
            shifts.append(shifts[-1] + end - start)
            begin = end
        text, at = "".join([*bare, self.text[begin:]]), 0
        places: list[tuple[int, int] | None] = []
        for span in self.kept:
            piece = self.documents[span.document].text[span.start : span.end]
            found = text.find(piece, at)
            if found < 0:
                places.append(None)
                continue
            at = found + len(piece)
            start, end = found + shifts[bisect_right(cuts, found)], at + shifts[bisect_left(cuts, at)]
            places.append((start, end) if end - start == len(piece) else None)
        return tuple(places)

    def expand(self, which: int | Span = 0, *, context: int = 0) -> str:
        """Return the original text of a document, or of a span with some text around it.

        Args:
            which: a document's index (its whole text, exactly as given), or a span from `kept` or `dropped`.
            context: for a span: so many characters more on each side.

        Lone surrogates are returned as they were given. Raises IndexError if there is no such document.
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
        """Return everything but the originals, as plain JSON types."""
        return {
            "text": self.text,
            "tokens": self.tokens,
            "original_tokens": self.original_tokens,
            "ratio": self.ratio,
            "kept": [_span_dict(span) for span in self.kept],
            "dropped": [_span_dict(span) for span in self.dropped],
            "receipt": self.receipt.to_dict(),
            "generated": [list(place) for place in self.generated],
            "parts": list(self.parts),
            "relevance": [round(chance, 6) for chance in self.relevance],
        }


@dataclass(frozen=True, eq=False, slots=True)
class Deduplicated(checks.Valued):
    """n texts or vectors in k clusters; unpacks as `representatives, labels`."""

    #: int32[k], the one that stands for each cluster: the one with the best score. Clusters are numbered in
    #: descending order of it.
    representatives: Int32s
    labels: Int32s  #: int32[n], the cluster of each
    sizes: Int32s  #: int32[k], how many each cluster holds
    #: float32[n], cosine of each with its representative; 1 for itself and for its copies
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


#: What a text can be, in the order of csrc/kernels/detect/detect.hpp.
KINDS: tuple[DetectedName, ...] = get_args(DetectedName)

#: Languages that are told apart, in the order of csrc/kernels/detect/languages.hpp; None: none, or another.
LANGUAGES = (
    None, "python", "javascript", "typescript", "go", "rust", "java", "c", "cpp", "csharp", "kotlin",
    "swift", "php", "ruby", "perl", "lua", "shell", "sql", "css", "yaml", "toml", "rst", "html", "xml",
    "cmake", "makefile", "dockerfile", "fortran", "hcl", "ini", "powershell", "batch", "scala", "r",
    "dart", "elixir", "haskell", "objectivec", "protobuf", "graphql", "pascal", "verilog", "vhdl",
    "assembly", "tcl", "nim", "ocaml", "zig", "julia", "erlang", "clojure", "commonlisp", "elisp",
    "latex", "starlark",
)  # fmt: skip


@checks.quick
@dataclass(frozen=True, slots=True)
class Detection:
    """The detected type of a text, and how sure that is."""

    #: one of `tersely.types.KINDS`: "prose", "markdown" (and reStructuredText), "conversation", "code" (and
    #: configuration), "log" (lines with time stamps), "tool_output" (of builds, linters, tests, package
    #: managers), "stack_trace", "json", "jsonl" (a value a line), "table" (CSV and its kin), "diff", "html"
    #: (and XML) or "mixed" (no one kind makes up most of it)
    kind: DetectedName
    #: of code ("python", "yaml", ...), Markdown ("rst") and HTML ("html", "xml"), one of
    #: `tersely.types.LANGUAGES`; None where there is none or it is not known
    language: str | None
    #: in [0, 1], the share of texts that look so and are of that kind (measured); 1.0 where a name says it,
    #: 0.0 for a blank text
    confidence: float
