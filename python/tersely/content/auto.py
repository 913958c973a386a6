"""Each document as what it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from tersely.content.fences import long_blocks
from tersely.content.routing import CONTENT_TYPES, named_type
from tersely.detection import Detection
from tersely.protocols import Strategy
from tersely.stages.count import count_batch
from tersely.stages.detect import detect_each
from tersely.strategies.by_document import ByDocument
from tersely.strategies.extractive import Extractive
from tersely.strategies.options import profile
from tersely.types import Compressed, Document, Request

__all__ = ["Auto", "document_weights"]

_MAY_HOLD_BLOCKS = frozenset({"prose", "markdown", "mixed"})
_LEAST = 0.6  # confidence: below it a text is compressed as text
_SIZE_SHARE = 0.05  # of a document's weight that does not depend on the query


@dataclass(frozen=True, slots=True)
class Auto:
    """Finds out what each document is, and compresses it as that.

    What a document is: `as_type`, else its `metadata["content_type"]` (a name of
    `tersely.content.routing.CONTENT_TYPES` or a media type such as "text/html"), else what
    `tersely.detect` says, if it is confident of it; `receipt.content_types` says what came of it.

    Documents of one strategy are compressed together. Where there are several, the documents share the budget
    by water filling: without a query in proportion to their length; with one, to what a choice among the
    segments of all of them would keep of each.

    Attributes:
        as_type: the content type of all documents; None: found out for each.
        text: compresses prose, Markdown, and what has no strategy of its own; conversations but for their
            newest turns and decisions.
        goal: None: the request's ratio, where there is no budget. "default", "expected": each document's
            content type says how much of it is kept (`tersely.strategies.profile`).
    """

    as_type: str | None = None
    text: Strategy = field(default_factory=Extractive)
    goal: Literal["default", "expected"] | None = None

    def __post_init__(self) -> None:
        """Check the options."""
        if self.as_type is not None and self.as_type not in CONTENT_TYPES:
            raise ValueError(f"as_type must be one of {', '.join(CONTENT_TYPES)}, not {self.as_type!r}")
        if self.goal not in (None, "default", "expected"):
            raise ValueError(f"goal must be 'default', 'expected' or None, not {self.goal!r}")

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget.

        Raises BudgetExceededError when pinned content, or the smallest piece of any, does not fit.
        """
        kinds = self._kinds(request.documents)
        if self.goal is not None and request.budget is None:
            request = replace(request, budget=_budget_of(request, kinds, self.goal))
        makers = [
            _maker(kind, document.text) for kind, document in zip(kinds, request.documents, strict=True)
        ]
        warnings: tuple[str, ...] = ()
        if len(set(makers)) <= 1:
            result = self._made(makers[0] if makers else None).compress(request)
        elif _groups_span_documents(request):
            result = self.text.compress(request)
            warnings = ("content_types_not_used",)
        else:
            result = self._compress_each(request, makers)
        receipt = result.receipt
        told = replace(receipt, content_types=tuple(kinds), warnings=(*receipt.warnings, *warnings))
        return replace(result, receipt=told)

    def _kinds(self, documents: Sequence[Document]) -> list[str]:
        named = [self.as_type or named_type(document.metadata) for document in documents]
        unknown = [document.text for document, kind in zip(documents, named, strict=True) if kind is None]
        detected = iter(detect_each(unknown))
        return [kind if kind is not None else _trusted(next(detected)) for kind in named]

    def _made(self, maker: Callable[[], Strategy] | None) -> Strategy:
        """A content type's strategy; what it takes for text is compressed as other text is."""
        made = maker() if maker else self.text
        if hasattr(made, "text") and made is not self.text and isinstance(self.text, Extractive):
            return replace(made, text=self.text)  # type: ignore[type-var]
        return made

    def _compress_each(self, request: Request, makers: Sequence[Callable[[], Strategy] | None]) -> Compressed:
        """Documents of several strategies: each within its share of the budget."""
        weights = document_weights(request)
        made = {maker: self._made(maker) for maker in set(makers)}
        documents = tuple(
            replace(document, score=weight)
            for document, weight in zip(request.documents, weights, strict=True)
        )
        inner = _Each({id(document): made[maker] for document, maker in zip(documents, makers, strict=True)})
        result = ByDocument(inner=inner).compress(replace(request, documents=documents))
        return replace(result, documents=request.documents)


def document_weights(request: Request) -> list[float]:
    """What each document's share of the budget is proportional to."""
    lengths = [len(document.text) + 1.0 for document in request.documents]
    if not (request.query or "").strip():
        return lengths
    weights = [length * _SIZE_SHARE for length in lengths]
    for span in Extractive().compress(replace(request, pinned=(), groups=())).kept:
        weights[span.document] += span.end - span.start
    return weights


@dataclass(frozen=True, slots=True)
class _Each:
    """Compresses a document with the strategy that is meant for it."""

    strategies: dict[int, Strategy]  # by the identity of the document

    def compress(self, request: Request) -> Compressed:
        return self.strategies[id(request.documents[0])].compress(request)


def _maker(kind: str, text: str) -> Callable[[], Strategy] | None:
    """What makes the strategy for a text; None: it is compressed as text."""
    if kind in _MAY_HOLD_BLOCKS:
        kind = "prose" if next(long_blocks(text), None) is None else "mixed"
    return CONTENT_TYPES[kind].strategy


def _trusted(found: Detection) -> str:
    return found.kind if found.confidence >= _LEAST else "prose"


def _budget_of(request: Request, kinds: Sequence[str], goal: Literal["default", "expected"]) -> int:
    """Tokens that the content types of the documents allow together."""
    sizes = count_batch(request.counter, [document.text for document in request.documents]).tolist()
    ratios = [profile(CONTENT_TYPES[kind].content, goal).ratio for kind in kinds]
    return max(1, int(sum(size * ratio for size, ratio in zip(sizes, ratios, strict=True)) + 1e-9))


def _groups_span_documents(request: Request) -> bool:
    return any(len({document for document, _, _ in group}) > 1 for group in request.groups)
