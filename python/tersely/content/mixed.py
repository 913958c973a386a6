"""Texts with long fenced blocks: each block as what it is, the rest as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tersely.content.auto import Auto, document_weights
from tersely.content.fences import long_blocks
from tersely.errors import BudgetExceededError
from tersely.facts import FactReport
from tersely.stages.count import count
from tersely.strategies.by_document import ByDocument
from tersely.strategies.extractive import Extractive
from tersely.tables import Kind
from tersely.types import Compressed, Document, Request, Span

__all__ = ["Mixed"]

_ROUNDS = 4  # of leaving out blocks of which nothing is kept
_TEXT = 4.0  # what people wrote around a block is worth so many times as much per character


@dataclass(frozen=True, slots=True)
class _Region:
    """A part of a document, which ends where only white space lies between it and the next."""

    document: int
    start: int
    end: int
    fence: bool = False
    block: bool = False


@dataclass(frozen=True, slots=True)
class Mixed:
    """Compresses each long fenced block as what it is, the text around it as text; fences stay.

    The parts share the budget as documents do (content/auto.py), characters of text for four of a block's.
    Documents without long blocks, and those of
    which not even the fences fit, are compressed as text; so are texts with groups, which could span parts.

    Attributes:
        text: compresses what is not in long blocks.
    """

    text: Extractive = field(default_factory=Extractive)

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget; raises what `Extractive.compress` does."""
        regions = list(_regions(request))
        if len(regions) <= len(request.documents) or request.groups:
            return self.text.compress(request)
        budget = request.budget
        if budget is None:
            whole = request.separator.join(document.text for document in request.documents)
            budget = max(1, int(count(request.counter, whole) * request.ratio))
        left = regions
        for _ in range(_ROUNDS):
            try:
                result = ByDocument(Auto(text=self.text)).compress(_parted(request, left, budget))
            except BudgetExceededError:
                return self.text.compress(request)
            if left is regions and result.receipt.tokens == result.receipt.original_tokens:
                return self.text.compress(request)  # it fits
            kept = {span.document for span in result.kept}
            empty = [number for number, region in enumerate(left) if region.block and number not in kept]
            if not empty:
                return _whole(request, left, [region for region in regions if region not in left], result)
            gone = {number + step for number in empty for step in (-1, 0, 1)}  # with their fences
            left = [region for number, region in enumerate(left) if number not in gone]
        return self.text.compress(request)


def _regions(request: Request) -> Iterator[_Region]:
    """The parts of all documents; one a document where it has no long block."""
    for index, document in enumerate(request.documents):
        text, at = document.text, 0
        for start, end in long_blocks(text):
            opened = text.rfind("\n", 0, start - 1) + 1
            closed = text.find("\n", end + 1)
            closed = len(text) if closed < 0 else closed
            if text[at:opened].strip():
                yield _Region(index, at, opened)
            yield _Region(index, opened, start - 1, fence=True)
            yield _Region(index, start, end, block=True)
            yield _Region(index, end + 1, closed, fence=True)
            at = closed
        if text[at:].strip() or at == 0:
            yield _Region(index, at, len(text))


def _parted(request: Request, regions: list[_Region], budget: int) -> Request:
    """The request for parts as documents; fences are pinned."""
    documents: list[Document] = []
    pinned = []
    for number, region in enumerate(regions):
        text = request.documents[region.document].text[region.start : region.end]
        kind = {"content_type": "prose"} if region.fence else {}
        if region.block:  # what stands behind the fence above it
            kind = {"language": documents[-1].text.lstrip("`~ ").partition(" ")[0].strip()}
        documents.append(Document(text, metadata=kind))
        if region.fence:
            pinned.append((number, 0, len(text)))
        for document, first, last in request.pinned:
            start, end = max(first, region.start), min(last, region.end)
            if document == region.document and start < end:
                pinned.append((number, start - region.start, end - region.start))
    parted = replace(request, documents=tuple(documents), pinned=tuple(pinned), budget=budget)
    shares = zip(documents, regions, document_weights(parted), strict=True)
    weighed = [replace(d, score=weight if region.block else _TEXT * weight) for d, region, weight in shares]
    return replace(parted, documents=tuple(weighed))


def _whole(request: Request, regions: list[_Region], gone: list[_Region], result: Compressed) -> Compressed:
    """The result in places of the documents; `gone`: blocks with their fences of which nothing is kept."""

    def moved(span: Span) -> Span:
        region = regions[span.document]
        return replace(
            span,
            document=region.document,
            start=span.start + region.start,
            end=span.end + region.start,
        )

    receipt = result.receipt
    if receipt.facts is not None:
        facts = [
            fact
            if fact.document < 0
            else replace(
                fact,
                document=regions[fact.document].document,
                start=fact.start + regions[fact.document].start,
                end=fact.end + regions[fact.document].start,
            )
            for fact in receipt.facts.facts
        ]
        receipt = replace(receipt, facts=FactReport(facts))
    original = count(request.counter, request.separator.join(d.text for d in request.documents))
    lost = [Span(part.document, part.start, part.end, Kind.FENCED_CODE, "budget", 0.0) for part in gone]
    dropped = sorted([*map(moved, result.dropped), *lost], key=lambda span: (span.document, span.start))
    reasons = dict(receipt.reasons)
    if lost:
        reasons["dropped:budget"] = reasons.get("dropped:budget", 0) + len(lost)
        receipt = replace(receipt, reasons=reasons, segments=receipt.segments + len(lost))
    return replace(
        result,
        documents=request.documents,
        kept=[moved(span) for span in result.kept],
        dropped=dropped,
        receipt=replace(receipt, original_tokens=original),
    )
