"""Segments of many documents that were read and scored: which of them a document keeps for its tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tersely.protocols import BatchTokenCounter
from tersely.retrieval.contextual.choice import CODES, Parts, Place, choose, is_kept
from tersely.retrieval.contextual.prices import SegmentPrices
from tersely.stages.count import count, count_batch
from tersely.strategies.cutting import longest_prefix
from tersely.tables import Analysis, Float32s, Int32s, Int64s, SegmentTable, UInt8s

__all__ = ["Extract", "Reading", "extract"]

_ROUNDS = 6  # of choosing and counting; each lowers the target of what was too long
_CUT, _SELECTED = CODES.index("cut"), CODES.index("selected")


@dataclass(frozen=True, eq=False, slots=True)
class Reading:
    """Documents that were cut and scored.

    Attributes:
        texts: of the documents.
        bounds: the first row of each document, and the number of rows.
        analysis: segments and terms.
        scores: float32[n] in [0, 1], relevance of each segment.
        worth: float32[n] >= 0, what a segment is worth per token.
        status: uint8[n], an index into CODES: "budget" where a segment may be chosen, else why not
            ("irrelevant", "duplicate").
        prices: what each costs, once it was counted.
        pinned, group: uint8[n], int32[n]: what must stay, what stays together (-1: on its own).
        term_weight: float32[vocabulary].
        redundancy: of the selection (`tersely.Extractive`).
        context: neighbours on each side of a hit.
        headings: whether what is kept brings the headings above it.
        counter, separator: of the texts that are made.
    """

    texts: list[str]
    bounds: list[int]
    analysis: Analysis
    scores: Float32s
    worth: Float32s
    status: UInt8s
    prices: SegmentPrices
    pinned: UInt8s
    group: Int32s
    term_weight: Float32s
    redundancy: float
    context: int
    headings: bool
    counter: BatchTokenCounter
    separator: str

    @property
    def table(self) -> SegmentTable:
        """The segments."""
        return self.analysis.table

    def rows(self, document: int) -> Place:
        """First row of a document and the row after its last."""
        return self.bounds[document], self.bounds[document + 1]

    def texts_of(self, rows: Int64s) -> dict[int, str]:
        """The text of each document that has some of the rows (ascending), in their order."""
        if not len(rows):
            return {}
        document = self.table.document[rows]
        apart = ((np.diff(rows) != 1) | (np.diff(document) != 0)).nonzero()[0]
        first, last = np.concatenate(([0], apart + 1)), np.append(apart, len(rows) - 1)
        runs: dict[int, list[str]] = {}
        begins, ends = self.table.start[rows[first]].tolist(), self.table.end[rows[last]].tolist()
        for index, begin, end in zip(document[first].tolist(), begins, ends, strict=True):
            runs.setdefault(index, []).append(self.texts[index][begin:end])
        return {index: self.separator.join(pieces) for index, pieces in runs.items()}

    def text(self, rows: Int64s) -> str:
        """The rows as one text."""
        return self.separator.join(self.texts_of(rows).values())


@dataclass(frozen=True, eq=False, slots=True)
class Extract:
    """What was kept of one or more documents for a number of tokens.

    Attributes:
        first: the row that `status` begins with.
        status: uint8, an index into CODES for each row.
        text, tokens: the rows that are kept; "" where nothing fits.
        cut: where the only kept row was cut (a character of its document); None: nothing was.
    """

    first: int
    status: UInt8s
    text: str
    tokens: int
    cut: int | None = None

    @property
    def kept(self) -> Int64s:
        """Rows that are kept, ascending."""
        return self.first + is_kept(self.status)


def extract(reading: Reading, shares: Mapping[Place, int]) -> dict[Place, Extract]:
    """The best choice for each range of rows, all counted, none over its share of tokens.

    Each range is chosen from on its own; all texts are counted together. Estimates (the counts of segments)
    are corrected by what the texts really count. Where no segment fits whole, the best is cut. O(segments log
    segments) a round.
    """
    done: dict[Place, Extract] = {}
    parts, targets = Parts.of(reading, shares), dict(shares)
    for attempt in range(_ROUNDS):
        status = choose(reading, parts, targets)
        texts = _texts(reading, status, list(targets))
        counts = count_batch(reading.counter, texts).tolist()
        for place, text, tokens in zip(list(targets), texts, counts, strict=True):
            first, last = place
            if text and tokens <= shares[place]:
                done[place] = Extract(first, status[first:last], text, tokens)
            elif text and attempt + 1 < _ROUNDS:
                cost = int(reading.prices.costs[first + is_kept(status[first:last])].sum())
                targets[place] = min(targets[place], cost) - max(1, tokens - shares[place]) * 2**attempt
                if targets[place] > 0:
                    continue
            del targets[place]
        if not targets:
            break
    return {place: done.get(place) or _piece(reading, place, share) for place, share in shares.items()}


def _texts(reading: Reading, status: UInt8s, places: list[Place]) -> list[str]:
    """What is kept of each range, as one text."""
    found = reading.texts_of(is_kept(status))
    owner = reading.table.document
    texts = []
    for first, last in places:
        documents = range(int(owner[first]), int(owner[last - 1]) + 1) if first < last else range(0)
        texts.append(reading.separator.join(found[index] for index in documents if index in found))
    return texts


def _piece(reading: Reading, place: Place, share: int) -> Extract:
    """The best segment that fits alone, else the start of the best; nothing where not even that fits."""
    first, last = place
    status = reading.status[first:last].copy()
    free = np.flatnonzero(status == 0)
    must = reading.pinned[first:last].astype(bool)
    if must.any():
        status[must] = CODES.index("pinned")
        text = reading.text(first + np.flatnonzero(must))
        return Extract(first, status, text, count(reading.counter, text))
    order = free[np.lexsort((free, -reading.worth[first:last][free]))]
    fitting = order[reading.prices.counts[first:last][order] <= share]
    if len(fitting):
        row = int(fitting[0])
        status[row] = _SELECTED
        return Extract(
            first, status, reading.prices.pieces[first + row], int(reading.prices.counts[first + row])
        )
    return _cut(reading, first, status, order, share)


def _cut(reading: Reading, first: int, status: UInt8s, order: Int64s, share: int) -> Extract:
    starts: Sequence[int] = count_batch(
        reading.counter, [reading.prices.pieces[first + row][:1] for row in order.tolist()]
    ).tolist()
    for row, tokens in zip(order.tolist(), starts, strict=True):
        if tokens <= share:
            piece = reading.prices.pieces[first + row]
            size, mark = longest_prefix(piece, lambda text: count(reading.counter, text) <= share)
            status[row] = _CUT
            text = piece[:size] + mark
            cut = int(reading.table.start[first + row]) + size
            return Extract(first, status, text, count(reading.counter, text), cut)
    return Extract(first, status, "", 0)
