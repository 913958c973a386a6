"""Results of a search and a budget -> one text: file, section, and what answers the query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tersely.api import compress
from tersely.errors import BudgetExceededError
from tersely.protocols import TokenCounter
from tersely.providers.counters import resolve_counter
from tersely.retrieval.chunks import ChunkResult
from tersely.types import Compressed

__all__ = ["Extracted", "extract"]

_ROUNDS = 8  # of compressing: what headings and gaps take is known afterwards
_USED = 0.95  # of the budget: good enough


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

    Results whose text all went are left out; where not even headings fit, the last results are.

    Raises:
        BudgetExceededError: no piece of the first result fits.
        ValueError, TypeError: a wrong argument.
    """
    checked = resolve_counter(counter)
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise ValueError(f"budget must be a whole number from 1, not {budget!r}")
    whole = _extracted(results, checked)
    if whole.tokens <= budget:
        return whole
    for many in range(len(results), 0, -1):
        try:
            found = _fitted(results[:many], query, budget, checked)
        except BudgetExceededError:
            if many == 1:
                raise
        else:
            return replace(found, original_tokens=whole.tokens)
    raise AssertionError("unreachable")


def _fitted(results: Sequence[ChunkResult], query: str, budget: int, counter: TokenCounter) -> Extracted:
    documents = [
        {"text": item.content, "title": item.header_path or item.file_path, "score": item.score}
        for item in results
    ]
    heads = _extracted([replace(item, content="") for item in results], counter).tokens
    fits, over = 0, budget + 1  # of what was allowed to the text alone
    allowed, best = max(budget - heads, budget // 3, 1), None
    for _ in range(_ROUNDS):
        try:
            found = _extracted(
                _left(results, compress(documents, query, budget=allowed, counter=counter)), counter
            )
        except BudgetExceededError:
            fits = allowed  # no piece is that small
        else:
            if found.tokens > budget:
                over = allowed
            else:
                fits = allowed
                best = found if best is None or found.tokens > best.tokens else best
                if found.tokens >= _USED * budget:
                    break
            allowed += budget - found.tokens
        if not fits < allowed < over:
            allowed = (fits + over) // 2
        if allowed == fits:
            break
    if best is None:
        raise BudgetExceededError(
            f"the budget of {budget} tokens does not hold a piece of {len(results)} results and its heading",
            required=heads + 1,
            budget=budget,
        )
    return best


def _left(results: Sequence[ChunkResult], compressed: Compressed) -> list[ChunkResult]:
    """The results of which something was kept."""
    texts: dict[int, str] = {}
    ends: dict[int, int] = {}
    for span in compressed.kept:
        content = results[span.document].content
        piece = content[span.start : span.end]
        if span.document in texts:
            gap = content[ends[span.document] : span.start]
            piece = texts[span.document] + (gap if not gap.strip() else "\n\n") + piece
        texts[span.document], ends[span.document] = piece, span.end
    return [replace(results[index], content=text) for index, text in sorted(texts.items())]


def _extracted(results: Sequence[ChunkResult], counter: TokenCounter) -> Extracted:
    parts = []
    for number, item in enumerate(results, 1):
        section = f"\nSection: {item.header_path}" if item.header_path else ""
        parts.append(f"[{number}] {item.file_path}{section}\n{item.content}")
    text = "\n\n".join(parts)
    tokens = counter.count(text) if text else 0
    return Extracted(tuple(results), text, tokens, tokens)
