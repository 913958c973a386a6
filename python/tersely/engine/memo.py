"""Remember token counts and cosines with the query, so that nothing is counted or embedded twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tersely.core.protocols import BatchTokenCounter
from tersely.core.tables import Float32s, SegmentTable, pieces
from tersely.core.types import Request
from tersely.engine.auto import Auto
from tersely.engine.count import count, count_batch, name_of
from tersely.engine.prepare import Prepared
from tersely.providers.embedders import CheckedEmbedder, resolve_embedder

__all__ = ["Memo", "prepare_with"]

_FEW = 4  # texts of a batch up to which they are whole texts, not units: nobody asks again


@dataclass(eq=False, slots=True)
class Memo:
    """What is known of texts, for one token counter, one embedder and one query.

    Attributes:
        counts: their tokens.
        cosines: of their vectors with the query's.
    """

    counts: dict[str, int] = field(default_factory=dict)
    cosines: dict[str, float] = field(default_factory=dict)

    def of(self, texts: Iterable[str]) -> Memo:
        """The part of it that is about some texts. O(texts)."""
        listed = list(texts)
        return Memo(_part(self.counts, listed), _part(self.cosines, listed))

    def add(self, other: Memo) -> None:
        """Take over what another one knows."""
        self.counts.update(other.counts)
        self.cosines.update(other.cosines)


def prepare_with(memo: Memo, strategy: Auto, request: Request) -> Prepared:
    """`strategy.prepare(request)`, but counter and embedder are asked only about units new to `memo`.

    What they say is written to `memo`. The result is the same as without.
    """
    if (request.query or "").strip() and strategy.text.scoring != "lexical":
        embedder = resolve_embedder(strategy.text.embedder)
        known = _KnownCosines(embedder.embedder, embedder.name, embedder.timeout, memo.cosines)
        strategy = replace(strategy, text=replace(strategy.text, embedder=known))
    counter = _KnownCounts(request.counter, memo.counts)
    return strategy.prepare(replace(request, counter=counter))


class _KnownCounts:
    """A counter that is asked about new texts only."""

    def __init__(self, counter: BatchTokenCounter, known: dict[str, int]) -> None:
        self.counter, self.known = counter, known
        self.name = name_of(counter)

    def count(self, text: str) -> int:
        return count(self.counter, text)

    def count_batch(self, texts: Sequence[str]) -> Sequence[int]:
        if len(texts) <= _FEW:
            return self.counter.count_batch(texts)
        known = self.known
        new = [text for text in texts if text not in known] if known else texts
        counts = count_batch(self.counter, new).tolist() if new else []
        known.update(zip(new, counts, strict=True))
        return counts if new is texts else [known[text] for text in texts]


@dataclass(frozen=True, slots=True)
class _KnownCosines(CheckedEmbedder):
    """An embedder that is asked about new texts only."""

    known: dict[str, float] = field(default_factory=dict)

    def similarity(self, query: str, texts: Sequence[str]) -> Float32s:
        known = self.known
        new = [text for text in texts if text not in known] if known else texts
        if new:
            cosines = CheckedEmbedder.similarity(self, query, new)
            known.update(zip(new, cosines.tolist(), strict=True))
        return cosines if new is texts else np.array([known[text] for text in texts], dtype=np.float32)

    def similarity_spans(self, query: str, texts: Sequence[str], table: SegmentTable) -> Float32s:
        return self.similarity(query, pieces(texts, table.document, table.start, table.end))


def _part(known: dict[str, float] | dict[str, int], texts: Iterable[str]) -> dict[str, Any]:
    return {text: known[text] for text in texts if text in known}
