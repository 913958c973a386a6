"""A language model writes the text, of all or of a verbatim half; everything about it is checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from tersely import _native, checks
from tersely.engine.facts import facts_after
from tersely.engine.finish import fates_of, make_receipt
from tersely.engine.reading import count, count_batch, mark_groups, mark_pinned, segment, with_edges
from tersely.engine.render import places_of_separators
from tersely.engine.strategies import Extractive
from tersely.errors import BudgetExceededError, SummarizationError
from tersely.models.language_models import (
    CheckedLanguageModel,
    Flow,
    resolve_language_model,
    run_flow,
    run_flow_async,
)
from tersely.options import UNASKED_SHARE, CompressionMethod
from tersely.types import (
    PRESERVABLE,
    Compressed,
    Fact,
    FactReport,
    Int64s,
    Request,
    SegmentTable,
    Spans,
    UInt8s,
)
from tersely.writing.checks import Piece, fenced_blocks, restore_code, written_confidence
from tersely.writing.flow import Reply, Task, ask
from tersely.writing.prompt import Prompt

Bools = npt.NDArray[np.bool_]

# What became of a segment; the first two are those of engine/reading.py.
_REASONS = ("budget", "redundant", "rewritten", "copied", "reinserted", "pinned")
_BUDGET, _REDUNDANT, _REWRITTEN, _COPIED, _REINSERTED, _PINNED = range(6)
_FATES = fates_of(_REASONS, _COPIED)
_NO_ROWS: Int64s = np.empty(0, dtype=np.int64)
_ROUNDS = 4

_EXTRACTIVE = Extractive(preserve_share=UNASKED_SHARE)
_REQUIREMENTS = {
    "code": "- Keep code snippets intact\n",
    "quotes": "- Preserve important quotes\n",
    "numbers": "- Keep numeric data and statistics\n",
}


def compression_prompt(query: str = "", preserve: Collection[str] = tuple(_REQUIREMENTS)) -> Prompt:
    """Ask for a text in about {target} tokens; "code", "quotes", "numbers" of `preserve` add a line each."""
    focus = "\nOptimize the summary for answering: {query}\n" if query.strip() else ""
    requirements = "".join(line for name, line in _REQUIREMENTS.items() if name in preserve)
    return Prompt(
        "Compress the following content to approximately {target} tokens while preserving key information.\n"
        f"{focus}\nPreservation requirements:\n{requirements}- {{rules}}\n"
        "- Reply with the compressed version alone, in at most {target} tokens\n"
        "\nContent to compress:\n{content}\n\nCompressed version:",
        query,
    )


@dataclass(frozen=True, slots=True)
class Abstractive:
    """Lets a language model write the text.

    The model's reply is never trusted. If it is empty, cut off or over the budget, the model is asked once
    more. Code that the model altered is replaced by the source's, or removed. Segments with preserved facts
    that it lost are added at the end, verbatim, as far as the budget allows. `Compressed.generated` marks
    what it wrote, and the receipt lists the facts that no source has as unsupported. If there is no model, or
    its text cannot be used, the result is extractive and `receipt.fallback_reason` says why.

    Attributes:
        model: what `tersely.models.language_models.resolve_language_model` takes; None: there is none.
        preserve: names of the facts that must not get lost, as for `Extractive`.
        min_confidence: in [0, 1]; a text below it (`written_confidence` in writing/checks.py) is not used.
        strict_preserve: a text that lost a preserved fact is not used either.
        fallback: what happens when the model raises: extractive compression, or SummarizationError.
        max_prompt_tokens: longer prompts, in tokens of the request's counter, are split at blocks; each part
            is compressed on its own. None: never.
        concurrency: how many parts the model works on at a time.
        extractive: compresses what the model does not, with the same `preserve` and `strict_preserve`.
    """

    method: ClassVar[CompressionMethod] = CompressionMethod.ABSTRACTIVE

    model: Any = None
    preserve: tuple[str, ...] = tuple(_REQUIREMENTS)
    min_confidence: float = 0.7
    strict_preserve: bool = False
    fallback: bool = False
    max_prompt_tokens: int | None = None
    concurrency: int = 4
    extractive: Extractive = _EXTRACTIVE

    def __post_init__(self) -> None:
        if isinstance(self.preserve, str) or not set(self.preserve) <= set(PRESERVABLE):
            raise ValueError(f"preserve must be names of {', '.join(PRESERVABLE)}, not {self.preserve!r}")
        object.__setattr__(self, "preserve", tuple(self.preserve))
        checks.number(self.min_confidence, "min_confidence", least=0, most=1)
        checks.flag(self.strict_preserve, "strict_preserve")
        checks.flag(self.fallback, "fallback")
        if self.max_prompt_tokens is not None:
            checks.whole_number(self.max_prompt_tokens, "max_prompt_tokens", least=1)
        checks.whole_number(self.concurrency, "concurrency", least=1)
        self._resolved()

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget; the model is not asked about documents that fit.

        Raises SummarizationError if the model raises and there is no `fallback`, and BudgetExceededError
        as `Extractive` does.
        """
        return run_flow(self.flow(request), self._resolved(), self.concurrency)

    async def acompress(self, request: Request) -> Compressed:
        """Compress as `compress` does, from an event loop; uses the model's `acomplete`, if it has one."""
        return await run_flow_async(self.flow(request), self._resolved(), self.concurrency)

    def _resolved(self) -> CheckedLanguageModel | None:
        return None if self.model is None else resolve_language_model(self.model)

    def flow(self, request: Request) -> Flow[Compressed]:
        """Run a whole call: yield prompts, take replies, return the result."""
        texts = [document.text for document in request.documents]
        original = count(request.counter, request.separator.join(texts))
        budget = checks.budget_of(request.budget, request.ratio, original)
        request = replace(request, budget=budget)
        verbatim = replace(self.extractive, preserve=self.preserve, strict_preserve=self.strict_preserve)
        if original <= budget:
            return replace(verbatim, strict_preserve=False).compress(request)
        model, failed = self._resolved(), Reply("", reason="no_model")
        if model is not None:
            table = segment(texts, self.extractive.level, self.extractive.window)
            table = with_edges(table, texts, request.pinned) if request.pinned else table
            status = self.first_stage(request, table, original)
            source = Source(request, budget, self.preserve, texts, table, status, original)
            written = yield from self._write(source)
            if isinstance(written, Compressed):
                return written
            failed = written
        if model is not None and failed.reason == "model_failed" and not self.fallback:
            error = failed.error
            raise SummarizationError(f"{model.name} failed: {type(error).__name__}") from error
        result = verbatim.compress(request)
        return replace(result, receipt=result.receipt.without_model(failed.reason or "empty_reply"))

    def first_stage(self, request: Request, table: SegmentTable, original: int) -> UInt8s:
        """Return uint8[n]: 2 for segments that the model reads, here all; a reason for others (_REASONS)."""
        return np.full(len(table), _REWRITTEN, dtype=np.uint8)

    def _write(self, source: Source) -> Flow[Compressed | Reply]:
        """Have the text written within the budget; or return why there is none."""
        request, separator = source.request, source.request.separator
        fixed = source.render(np.flatnonzero(source.pinned))
        task = Task(
            content=source.render(np.flatnonzero(source.status == _REWRITTEN)),
            prompt=compression_prompt(source.query, self.preserve),
            limit=source.budget - (source.tokens(separator + fixed) if fixed else 0),
            counter=request.counter,
            window=self.max_prompt_tokens,
            separator=separator,
        )
        (reply,) = yield from ask([task])
        if reply.reason is not None:
            return reply
        for altered in (True, False):
            pieces = source.with_code(reply.text, altered=altered)
            if source.tokens(_text(pieces)) <= task.limit:
                break
        written = "".join(piece.text for piece in pieces if piece.rows is None)
        if not written.strip():
            return Reply("", reason="empty_reply")
        pieces, back = source.with_lost_facts(pieces)
        text = _text(pieces)
        if source.tokens(text) > source.budget:
            return Reply("", reason="reply_too_long")
        every = facts_after(source.texts, text, source.places(back))
        report = source.to_preserve(every)
        if self.strict_preserve and report.of("lost"):
            return Reply("", reason="facts_lost")
        trust = written_confidence(source.texts, text, written, source.query, report.retention, every)
        if trust < self.min_confidence:
            return Reply("", reason="low_confidence")
        return source.result(pieces, back, report, trust)


@dataclass(frozen=True, eq=False)
class Source:
    """The documents of a request as segments: a model's text is made from and checked against them."""

    request: Request  # the call, and the tokens it allows
    budget: int
    preserve: tuple[str, ...]  # names of the facts that must not get lost
    texts: Sequence[str]  # of the documents
    table: SegmentTable  # their segments
    status: UInt8s  # uint8[n], as `Abstractive.first_stage` gives it
    original: int  # tokens of the whole input

    @property
    def query(self) -> str:
        """The query, or ""."""
        return (self.request.query or "").strip()

    @cached_property
    def unit(self) -> Int64s:
        """int64[n]: the lowest segment of the group that each segment belongs to; without one, itself."""
        group = mark_groups(self.table, self.request.groups)
        return np.where(group < 0, np.arange(len(group)), group)

    @cached_property
    def pinned(self) -> Bools:
        """bool[n]: the pinned segments, and those that are grouped with one."""
        marked = mark_pinned(self.table, self.request.pinned).astype(bool)
        return np.isin(self.unit, self.unit[marked])

    def tokens(self, text: str) -> int:
        """Return the number of tokens of a text."""
        return count(self.request.counter, text)

    def places(self, rows: Int64s) -> list[tuple[int, int, int]]:
        """Return (document, start, end) of segments."""
        columns = (self.table.document, self.table.start, self.table.end)
        return list(zip(*(column[rows].tolist() for column in columns), strict=True))

    def render(self, rows: Int64s) -> str:
        """Return the text of segments, ascending."""
        return self.layout.write(rows)[0]

    @cached_property
    def layout(self) -> _native.Layout:
        """Writes any of the segments."""
        return _native.Layout(list(self.texts), self.table.columns(), (), self.request.separator)

    def to_preserve(self, report: FactReport) -> FactReport:
        """Keep of a report the facts to preserve and the invented ones."""
        kinds = {kind for name in self.preserve for kind in PRESERVABLE[name]}

        def concerns(fact: Fact) -> bool:
            if fact.outcome == "unsupported" or fact.kind in kinds:
                return True
            text = self.texts[fact.document]
            in_backticks = text[max(fact.start - 1, 0)] == "`" == text[fact.end : fact.end + 1]
            return in_backticks and "code" in self.preserve  # an identifier, a path, ...

        return FactReport(list(filter(concerns, report.facts)))

    def with_code(self, text: str, *, altered: bool) -> list[Piece]:
        """Return a reply with the source's own code in it (`restore_code`)."""
        if "code" not in self.preserve:
            return [Piece(text)]
        sizes = np.bincount(self.unit)
        blocks = [  # a group is copied whole or not at all
            (block, rows)
            for block, rows in fenced_blocks(self.texts, self.table)
            if sizes[np.unique(self.unit[rows])].sum() == len(rows)
        ]
        return restore_code(text, self.texts, blocks, altered=altered)

    def with_lost_facts(self, pieces: Sequence[Piece]) -> tuple[list[Piece], Int64s]:
        """The pieces with pinned segments and those that hold lost facts behind them, in source order, and
        the rows of the latter: as far as the budget goes, those with the most lost facts a token first."""
        stands = self.pinned.copy()
        for piece in pieces:
            stands[piece.rows if piece.rows is not None else _NO_ROWS] = True
        fixed = np.flatnonzero(self.pinned)
        draft = self._with_rows(pieces, fixed)
        lost = self.to_preserve(facts_after(self.texts, _text(draft))).of("lost")
        held = self._holders(lost, stands)
        costs = self._costs({unit for units in held for unit in units})
        holders = sorted(held, key=lambda units: (sum(costs[unit] for unit in units) / held[units], units))
        room = self.budget - self.tokens(_text(draft))
        for attempt in range(_ROUNDS if holders else 0):
            chosen: set[int] = set()
            left = room
            for units in holders:
                cost = sum(costs[unit] for unit in units if unit not in chosen)
                if cost <= left:
                    chosen.update(units)
                    left -= cost
            back = np.flatnonzero(np.isin(self.unit, list(chosen)) & ~stands)
            if len(back) == 0:
                break
            longer = self._with_rows(pieces, np.union1d(fixed, back))
            over = self.tokens(_text(longer)) - self.budget
            if over <= 0:
                return longer, back
            room -= over * 2**attempt
        return draft, _NO_ROWS

    def _holders(self, facts: Sequence[Fact], stands: Bools) -> dict[tuple[int, ...], int]:
        """Return the units that share a fact, for each fact that is missing, and how many facts are there."""
        base = np.cumsum([0, *map(len, self.texts)])  # all documents in one row of characters
        at = base[self.table.document]
        begins = [int(base[fact.document]) + fact.start for fact in facts]
        ends = [int(base[fact.document]) + fact.end for fact in facts]
        first = np.searchsorted(at + self.table.end, begins, side="right")
        last = np.searchsorted(at + self.table.start, ends, side="left")
        rows = [slice(*pair) for pair in zip(first.tolist(), last.tolist(), strict=True)]
        return Counter(tuple(np.unique(self.unit[part]).tolist()) for part in rows if not stands[part].all())

    def _costs(self, units: Collection[int]) -> dict[int, int]:
        """Tokens of each unit with the separator, at least 1."""
        rows = np.flatnonzero(np.isin(self.unit, list(units)))
        rows = rows[np.argsort(self.unit[rows], kind="stable")]
        groups = np.split(rows, np.flatnonzero(np.diff(self.unit[rows])) + 1)
        texts = [self.render(group) + self.request.separator for group in groups if len(group)]
        counts = np.maximum(count_batch(self.request.counter, texts), 1).tolist()
        return dict(zip(sorted(units), counts, strict=True))

    def _with_rows(self, pieces: Sequence[Piece], rows: Int64s) -> list[Piece]:
        if len(rows) == 0:
            return list(pieces)
        apart = (np.diff(rows) != 1) | (np.diff(self.table.document[rows]) != 0)
        runs = np.split(rows, np.flatnonzero(apart) + 1)
        between = Piece(self.request.separator, _NO_ROWS)
        return [*pieces, *[piece for run in runs for piece in (between, Piece(self.render(run), run))]]

    def result(self, pieces: Sequence[Piece], back: Int64s, report: FactReport, trust: float) -> Compressed:
        """Return the result: the fate of each segment, and the characters that the model wrote."""
        status = self.status.copy()
        generated: list[tuple[int, int]] = []
        end = 0
        for piece in pieces:
            start, end = end, end + len(piece.text)
            if piece.rows is not None:
                status[piece.rows] = _REINSERTED if piece.altered else _COPIED
                if len(piece.rows) == 0:
                    said = places_of_separators(("", ""), piece.text)
                    generated += [(start + first, start + last) for first, last in said]
            elif generated and generated[-1][1] == start:
                generated[-1] = (generated[-1][0], end)
            else:
                generated.append((start, end))
        text = _text(pieces)
        status[back] = _REINSERTED
        status[self.pinned] = _PINNED
        met = {
            "facts_lost": report.of("lost"),
            "unsupported_facts": report.of("unsupported"),
            "code_restored": any(piece.altered for piece in pieces),
            "empty_query": self.request.query is not None and not self.query,
        }
        receipt = make_receipt(
            self.request,
            self.budget,
            self.tokens(text),
            self.original,
            status,
            [code for code, reason in met.items() if reason],
            fates=_FATES,
        )
        receipt = replace(receipt, facts=report, used_llm=True, confidence=trust)
        scores = np.zeros(len(status), dtype=np.float32)
        kept = Spans(self.table, np.flatnonzero(status >= _COPIED), _REASONS, status, scores)
        dropped = Spans(self.table, np.flatnonzero(status < _COPIED), _REASONS, status, scores)
        return Compressed(text, self.request.documents, kept, dropped, receipt, tuple(generated))


def _text(pieces: Sequence[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


_FIRST_STAGE = 0.5  # of the original tokens


@dataclass(frozen=True, slots=True)
class Hybrid(Abstractive):
    """Lets a language model rewrite the text, after a verbatim selection of half of a long text.

    Attributes:
        fallback: use verbatim text if the model fails; True by default.
        threshold: the model receives a text of fewer tokens whole, and also a text of which at least half of
            the tokens are to be kept.
    """

    method: ClassVar[CompressionMethod] = CompressionMethod.HYBRID

    fallback: bool = True
    threshold: int = 2000

    def __post_init__(self) -> None:
        super(Hybrid, self).__post_init__()
        checks.whole_number(self.threshold, "threshold")

    def first_target(self, original: int, budget: int) -> int | None:
        """Return the tokens that the first stage keeps of `original`; None if there is only one stage."""
        half = int(original * _FIRST_STAGE)
        return None if original < self.threshold or budget >= original * _FIRST_STAGE else max(half, budget)

    def first_stage(self, request: Request, table: SegmentTable, original: int) -> UInt8s:
        """Return uint8[n]: 2 for segments that the extractive stage keeps, a reason for the others."""
        target = self.first_target(original, request.budget or 0)
        everything = super(Hybrid, self).first_stage(request, table, original)
        if target is None:
            return everything
        extractive = replace(self.extractive, preserve=self.preserve, strict_preserve=False)
        try:
            found = extractive.compress(replace(request, budget=target))
        except BudgetExceededError:  # of half of it; what the whole budget needs is said where that is used
            return everything
        if any(span.reason == "cut" for span in found.kept):  # not even one segment is whole
            return everything
        status = np.full(len(table), _BUDGET, dtype=np.uint8)
        repeated = [span for span in found.dropped if span.reason == "redundant"]
        for spans, code in ((repeated, _REDUNDANT), (found.kept, _REWRITTEN)):
            places = [(span.document, span.start, span.end) for span in spans]
            status[mark_pinned(table, places).astype(bool)] = code
        return status
