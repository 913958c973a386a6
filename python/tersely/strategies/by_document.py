"""The strategy "manager": the scores of documents say how much of each is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from tersely import checks
from tersely.documents import warnings_about
from tersely.engine.allocation import favour_of, weights_of
from tersely.engine.count import count, count_batch, name_of
from tersely.engine.prepare import Prepared, with_required
from tersely.engine.strategies import Auto, Extractive, prepare_by
from tersely.errors import BudgetExceededError
from tersely.protocols import Strategy
from tersely.strategies.manager import Part, assemble
from tersely.types import Compressed, FactReport, Receipt, Request, Span

__all__ = ["ByDocument"]

_UNMATCHED = "query_without_matches"  # said of all documents, or not at all
_DROPPED = "documents_dropped"  # there is nothing of some of them in the text
_Spans = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class ByDocument:
    """Fits documents into one budget by their scores.

    A document's weight is its `score`, where that is above 0; documents without one count as the mean of
    those that have one. The engine chooses among the segments of all documents, and the weight of a
    document, beside the mean, is a factor on what its segments are worth. Another `inner` strategy gets each
    document by itself: the budget is shared out in proportion to the weights, none more than it needs, and
    where it is too small for all, documents with the lowest weight are dropped.

    Attributes:
        inner: what compresses: an `Extractive` or an `Auto` are the engine's own.
    """

    inner: Strategy = field(default_factory=Auto)

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget.

        Raises BudgetExceededError when pinned content, or the smallest piece of any, does not fit; ValueError
        for a group that spans several documents, where each is compressed by itself.
        """
        prepared = prepare_by(self.inner, request)
        if prepared is not None:
            budget = prepared.allowed(None, None)
            scores = [document.score for document in request.documents]
            weights_of(scores)  # say what is wrong with them, also where all fits
            if prepared.fits(budget):
                return prepared.fit(budget)
            result = prepared.fit(budget, favour=favour_of(scores, prepared.reading.table.document))
            texts = zip(request.documents, result.parts, strict=True)
            if not any(not part and document.text.strip() for document, part in texts):
                return result
            warnings = (*result.receipt.warnings, _DROPPED)
            return replace(result, receipt=replace(result.receipt, warnings=warnings))
        original = count(request.counter, request.separator.join([one.text for one in request.documents]))
        budget = checks.budget_of(request.budget, request.ratio, original)
        return with_required(partial(self._by_shares, request, original), budget, original)

    def _by_shares(self, request: Request, original: int, budget: int) -> Compressed:
        texts = [document.text for document in request.documents]
        if original <= budget:
            return Prepared(request, Extractive(), original_tokens=original).fit(budget)
        alone = _requests(request)
        sizes = count_batch(request.counter, texts).tolist()
        made: dict[int, Compressed] = {}

        def make(shares: Mapping[int, int]) -> dict[int, Part]:
            return {index: one(index, share) for index, share in shares.items()}

        def one(index: int, share: int) -> Part:
            try:
                made[index] = self.inner.compress(replace(alone[index], budget=share))
            except BudgetExceededError as error:
                return Part(None, max(int(error.required), 1))
            return Part(made[index].text)

        weights = weights_of([document.score for document in request.documents])
        must = [int(bool(part.pinned)) for part in alone]
        found = assemble(sizes, weights, budget, request.counter, request.separator, make, must)
        kept = {index: made[index] for index in found.shares}
        dropped = {
            index: _drop_whole(alone[index], sizes[index]) for index in range(len(texts)) if index not in kept
        }
        return _combine(request, found.text, found.tokens, budget, original, kept, dropped)


def _requests(request: Request) -> list[Request]:
    """Make the request for each document alone."""
    pinned: list[list[tuple[int, int, int]]] = [[] for _ in request.documents]
    groups: list[list[_Spans]] = [[] for _ in request.documents]
    for document, start, end in request.pinned:
        pinned[document].append((0, start, end))
    for group in request.groups:
        documents = {document for document, _, _ in group}
        if len(documents) > 1:
            raise ValueError(f"a group must lie in one document here, not in {sorted(documents)}")
        groups[documents.pop()].append(tuple((0, start, end) for _, start, end in group))
    return [
        replace(request, documents=(document,), pinned=tuple(pins), groups=tuple(held), ratio=1.0)
        for document, pins, held in zip(request.documents, pinned, groups, strict=True)
    ]


def _drop_whole(request: Request, tokens: int) -> Compressed:
    """Segment a document that is dropped: all its segments are in `kept` of this result."""
    return Prepared(request, Extractive(), original_tokens=tokens).fit(tokens)


def _combine(
    request: Request,
    text: str,
    tokens: int,
    budget: int,
    original: int,
    kept: Mapping[int, Compressed],
    dropped: Mapping[int, Compressed],
) -> Compressed:
    """Combine the results of the documents into one."""
    reasons: dict[str, int] = {}
    for index in sorted([*kept, *dropped]):
        if index in kept:
            for reason, number in kept[index].receipt.reasons.items():
                reasons[reason] = reasons.get(reason, 0) + number
        elif segments := dropped[index].receipt.segments:
            reasons["dropped:budget"] = reasons.get("dropped:budget", 0) + segments
    receipts = [part.receipt for part in kept.values()]
    warnings = [warning for receipt in receipts for warning in receipt.warnings]
    searched = [one.warnings for one in receipts if len(one.reasons) > 1]  # the others fit, or hold one thing
    if any(_UNMATCHED not in some for some in searched):
        warnings = [warning for warning in warnings if warning != _UNMATCHED]
    lost = [_DROPPED] if any(one.receipt.segments for one in dropped.values()) else []
    receipt = Receipt(
        budget=budget,
        tokens=tokens,
        original_tokens=original,
        counter=name_of(request.counter),
        segments=sum(reasons.values()),
        reasons=reasons,
        recounts=sum(one.recounts for one in receipts) + 1,
        warnings=tuple(dict.fromkeys([*warnings, *lost, *warnings_about(request.documents)])),
        facts=_facts(kept),
        used_llm=any(one.used_llm for one in receipts),
        fallback_reason=next((one.fallback_reason for one in receipts if one.fallback_reason), None),
    )
    stay = [span for index in sorted(kept) for span in _renumber(kept[index].kept, index)]
    go = [*_spans_dropped(kept, dropped)]
    parts = tuple(kept[index].text if index in kept else "" for index in range(len(request.documents)))
    return Compressed(text, request.documents, stay, go, receipt, tuple(_generated(request, kept)), parts)


def _renumber(spans: Sequence[Span], index: int) -> Iterator[Span]:
    return (replace(span, document=index) for span in spans)


def _spans_dropped(kept: Mapping[int, Compressed], dropped: Mapping[int, Compressed]) -> Iterator[Span]:
    for index in sorted([*kept, *dropped]):
        if index in kept:
            yield from _renumber(kept[index].dropped, index)
        else:
            yield from (replace(span, document=index, reason="budget") for span in dropped[index].kept)


def _generated(request: Request, kept: Mapping[int, Compressed]) -> Iterator[tuple[int, int]]:
    at = 0
    for index in sorted(kept):
        yield from ((at + start, at + end) for start, end in kept[index].generated)
        at += len(kept[index].text) + len(request.separator)


def _facts(kept: Mapping[int, Compressed]) -> FactReport | None:
    found = [
        replace(fact, document=index if fact.document >= 0 else -1)
        for index in sorted(kept)
        if (report := kept[index].receipt.facts) is not None
        for fact in report.facts
    ]
    return FactReport(tuple(found)) if found else None
