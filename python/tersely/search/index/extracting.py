"""Fit the results of a search into a budget: file, section, and what of each answers the query."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tersely.core import checks
from tersely.core.errors import BudgetExceededError
from tersely.core.protocols import BatchTokenCounter
from tersely.core.tables import Float32s
from tersely.core.types import Compressed, Document, Request
from tersely.engine.auto import Auto
from tersely.engine.count import count, count_batch
from tersely.engine.prepare import Prepared
from tersely.engine.required import with_required
from tersely.providers.counters import resolve_counter
from tersely.search.chunks import ChunkResult

__all__ = ["Extracted", "extract"]

_ROUNDS = 8  # of fitting: what headings and gaps take is known afterwards
_USED = 0.98  # of the budget: good enough
_PRICED = 1  # rounds after which headings are priced anew
_SAYS = re.compile(r"\w")  # what is worth a heading
_SEPARATOR = "\n\n"  # between results, and between pieces of one


@dataclass(frozen=True, slots=True)
class Extracted:
    """Results that fit a budget.

    Attributes:
        results: those of which something is left, in the order of the search; `content` is what is left:
            pieces of the chunk's text, verbatim, with a blank line where something was left out.
        text: all of it, each result under its number, file and section.
        tokens: of `text`.
        original_tokens: of the text with whole results.
    """

    results: tuple[ChunkResult, ...]
    text: str
    tokens: int
    original_tokens: int


def extract(
    results: Sequence[ChunkResult], query: str, *, budget: int = 2000, counter: Any = None
) -> Extracted:
    """Compress the results of a search into a budget, headings included.

    The results are read once; a result is left out where what it says is not worth its heading.

    Raises:
        BudgetExceededError: no piece of any result fits under its heading; a retry with `.required` succeeds.
        ValueError, TypeError: a wrong argument.
    """
    checked = resolve_counter(counter)
    checks.whole_number(budget, "budget", least=1)
    text = _write(results)
    tokens = count(checked, text) if text else 0

    def attempt(allowed: int) -> Extracted:
        if tokens <= allowed:
            return Extracted(tuple(results), text, tokens, tokens)
        return _Fitting(results, query, checked).run(allowed, tokens)

    return with_required(attempt, budget, tokens)


def _heading(number: int, item: ChunkResult) -> str:
    section = f"\nSection: {item.header_path}" if item.header_path else ""
    return f"[{number}] {item.file_path}{section}\n"


def _write(results: Sequence[ChunkResult]) -> str:
    return _SEPARATOR.join([_heading(number, item) + item.content for number, item in enumerate(results, 1)])


class _Fitting:
    """The search for the largest budget of the contents alone with which all of it fits."""

    def __init__(self, results: Sequence[ChunkResult], query: str, counter: BatchTokenCounter) -> None:
        self.results, self.counter = list(results), counter
        documents = tuple(
            [Document(item.content, title=item.header_path or None, score=item.score) for item in results]
        )
        request = Request(documents, query, None, 1.0, counter, separator=_SEPARATOR)
        self.prepared: Prepared = Auto().prepare(request)
        headings = [_heading(number, item) for number, item in enumerate(results, 1)]
        self.headings = np.maximum(count_batch(counter, headings), 1)
        self.density = self.prepared.original_tokens / max(sum(len(item.content) for item in results), 1)
        self.favour: Float32s | None = None

    def run(self, budget: int, original: int) -> Extracted:
        """The best text of at most `budget` tokens."""
        best: Extracted | None = None
        fits, over = 0, budget + 1  # of what was allowed to the contents alone
        allowed, failed = budget, 0
        for attempt in range(_ROUNDS):
            try:
                result = self.prepared.fit(allowed, favour=self.favour)
            except BudgetExceededError:
                fits = allowed  # no piece is that small
                allowed = (fits + over) // 2
            else:
                found = self._written(result, original)
                excess = found.tokens - budget
                if excess > 0:
                    over = allowed
                    allowed = min(allowed, result.tokens) - excess * 2**failed
                    failed += 1
                else:
                    fits = allowed
                    best = found if found.results and (best is None or found.tokens > best.tokens) else best
                    if found.tokens >= _USED * budget:
                        break
                    allowed -= excess
                if attempt < _PRICED:
                    self._price_headings(result)
                    fits, over, failed = 0, budget + 1, 0
            if not fits < allowed < over:
                allowed = (fits + over) // 2
            if allowed in (fits, over):
                break
        return best or self._alone(budget, original)

    def _written(self, result: Compressed, original: int) -> Extracted:
        kept = [
            replace(item, content=part)
            for item, part in zip(self.results, result.parts, strict=True)
            if _SAYS.search(part)
        ]
        text = _write(kept)
        return Extracted(tuple(kept), text, count(self.counter, text) if text else 0, original)

    def _price_headings(self, result: Compressed) -> None:
        """Count what a heading costs among what the units below it are worth per token.

        Of a document of which T tokens were kept under a heading of h, units are worth T / (T + h) of what
        they were; of one of which none were, T is the tokens of the best unit.
        """
        reading = self.prepared.reading
        table = reading.table
        kept = np.array([len(part) for part in result.parts], dtype=np.float64)
        order = np.lexsort((-reading.worth, table.document))
        order = order[np.unique(table.document, return_index=True)[1]]  # the best unit of each
        alone = np.zeros(len(kept))
        alone[table.document[order]] = (table.end - table.start)[order]
        size = np.maximum(kept, alone) * self.density
        factors = size / (size + self.headings)
        self.favour = factors[table.document].astype(np.float32)

    def _alone(self, budget: int, original: int) -> Extracted:
        """The largest piece of one result that fits under its heading, of the first result that has one."""
        required = []
        for item in self.results:
            bare = count(self.counter, _write([replace(item, content="")]))
            alone = Prepared(
                replace(self.prepared.request, documents=(Document(item.content),)), self.prepared.options
            )
            try:
                part = alone.fit(max(budget - bare, 0)).text
            except BudgetExceededError as error:
                required.append(error.required + bare)
                continue
            kept = replace(item, content=part)
            tokens = count(self.counter, _write([kept]))
            if part and tokens <= budget:
                return Extracted((kept,), _write([kept]), tokens, original)
            required.append(tokens)
        raise BudgetExceededError(
            f"the budget of {budget} tokens holds no piece of {len(self.results)} results with its heading",
            required=max(min(required), budget + 1),
            budget=budget,
        )
