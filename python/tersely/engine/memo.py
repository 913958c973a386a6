"""Remember token counts and cosines of units of texts, so that units which stay are not asked about again."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.core.tables import Float32s, Int64s, SegmentTable
from tersely.core.types import Request
from tersely.engine.auto import Auto
from tersely.engine.line_diff import Change, compare
from tersely.engine.prepare import Prepared
from tersely.engine.reading import Reading
from tersely.providers.embedders import CheckedEmbedder, resolve_embedder

__all__ = ["Known", "Numbers", "by_document", "carry", "prepare_with", "price"]

_NO_COSINE = 2  # they are at most 1


@dataclass(frozen=True, eq=False, slots=True)
class Numbers:
    """A number of each unit of one version of a text.

    Attributes:
        text: that version.
        start, end: int64[n], its units in source order.
        values: a number of each.
    """

    text: str
    start: Int64s
    end: Int64s
    values: npt.NDArray[Any]

    def moved_to(self, text: str, places: Sequence[Change] | None = None) -> Numbers:
        """The numbers of those units that another version has, too, at their new places.

        `places`: where the versions differ; None: they are compared. O(units log changes).
        """
        if text == self.text:
            return self
        changes = compare(self.text, text)[1] if places is None else places
        old_start, old_end, _, new_end = np.array(changes, dtype=np.int64).T
        before = np.searchsorted(old_end, self.start, side="right")  # how many changes lie before each unit
        stays = self.end <= np.append(old_start, len(self.text))[before]
        moved = np.append(0, new_end - old_end)[before]
        return Numbers(text, (self.start + moved)[stays], (self.end + moved)[stays], self.values[stays])

    @property
    def nbytes(self) -> int:
        """Bytes in memory, but for the text."""
        return self.start.nbytes + self.end.nbytes + self.values.nbytes


@dataclass(eq=False, slots=True)
class Known:
    """What is known of the units of one document, for one token counter, one embedder and one query.

    Attributes:
        counts: their tokens, -1 where they were not counted; None: nothing.
        cosines: of the vectors of its segments with the query's; None: nothing.
    """

    counts: Numbers | None = None
    cosines: Numbers | None = None

    @property
    def nbytes(self) -> int:
        """Bytes in memory, with the text."""
        found = [one for one in (self.counts, self.cosines) if one is not None]
        return sum(one.nbytes for one in found) + (sys.getsizeof(found[0].text) if found else 0)


def carry(
    known: Sequence[Numbers | None], texts: Sequence[str], table: SegmentTable, missing: int
) -> npt.NDArray[Any]:
    """The number of each unit of `table`, which is about `texts`; `missing` where it is not known.

    O(units log units), and what it takes to compare texts that are not the same.
    """
    found = [(index, one.moved_to(texts[index])) for index, one in enumerate(known) if one is not None]
    if not sum(len(one.values) for _, one in found):
        return np.full(len(table), missing)
    base = np.cumsum([0, *(len(text) for text in texts)])
    start = np.concatenate([one.start + base[index] for index, one in found])
    end = np.concatenate([one.end + base[index] for index, one in found])
    values = np.concatenate([one.values for _, one in found])
    at = base[table.document]
    rows = np.minimum(np.searchsorted(start, table.start + at), len(start) - 1)
    same = (start[rows] == table.start + at) & (end[rows] == table.end + at)
    numbers: npt.NDArray[Any] = np.where(same, values[rows], values.dtype.type(missing))
    return numbers


def by_document(
    texts: Sequence[str], table: SegmentTable, values: npt.NDArray[Any], before: Sequence[Numbers | None] = ()
) -> list[Numbers]:
    """Numbers of units by document; `before`: those of a version of which as many are known are kept."""
    limits = np.searchsorted(table.document, np.arange(len(texts) + 1)).tolist()
    made = []
    for index, (text, low, high) in enumerate(zip(texts, limits, limits[1:], strict=False)):
        old = before[index] if before else None
        if old is not None and old.text == text and len(old.values) == high - low:
            made.append(old)
            continue
        columns = (table.start[low:high], table.end[low:high], values[low:high])
        made.append(Numbers(text, *(column.copy() for column in columns)))  # views would keep all of them
    return made


def prepare_with(known: Sequence[Known], strategy: Auto, request: Request) -> Prepared:
    """`strategy.prepare(request)`, whose embedder is asked only about segments that are not known.

    What it says is noted in `known`, one a document. The result is the same as without.
    """
    if (request.query or "").strip() and strategy.text.scoring != "lexical":
        embedder = resolve_embedder(strategy.text.embedder)
        asked = _KnownCosines(embedder.embedder, embedder.name, embedder.timeout, known)
        strategy = replace(strategy, text=replace(strategy.text, embedder=asked))
    return strategy.prepare(request)


def price(known: Sequence[Known], reading: Reading) -> None:
    """Count the units of a reading that are not known, before it is first fitted, and note the counts."""
    texts, table = reading.texts, reading.table
    before = [one.counts for one in known]
    counts = reading.prices(carry(before, texts, table, -1).astype(np.int64)).counts
    estimated = reading.estimated()
    if estimated is not None:
        counts = np.where(estimated, -1, counts)
    for one, now in zip(known, by_document(texts, table, counts, before), strict=True):
        one.counts = now


@dataclass(frozen=True, slots=True)
class _KnownCosines(CheckedEmbedder):
    """An embedder that is asked only about segments that are not known."""

    known: Sequence[Known] = field(default=())

    def similarity_spans(self, query: str, texts: Sequence[str], table: SegmentTable) -> Float32s:
        before = [one.cosines for one in self.known]
        cosines = carry(before, texts, table, _NO_COSINE).astype(np.float32)
        new = np.flatnonzero(cosines == _NO_COSINE)
        if len(new):
            rows = SegmentTable(*(column[new] for column in table.columns()))
            cosines[new] = CheckedEmbedder.similarity_spans(self, query, texts, rows)
        for one, now in zip(self.known, by_document(texts, table, cosines, before), strict=True):
            one.cosines = now
        return cosines
