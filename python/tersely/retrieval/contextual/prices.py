"""What segments cost, of the documents for which that matters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tersely.stages.count import count_batch
from tersely.strategies.fitting import price_counted
from tersely.tables import Int64s, SegmentTable
from tersely.types import Request

__all__ = ["SegmentPrices"]


class SegmentPrices:
    """The prices of segments (`strategies.fitting.Prices`), counted for the documents that are asked for.

    Attributes:
        pieces: the texts of the segments; "" where they were not counted.
        counts, costs: int64[n] tokens, without and with a separator; 0 and 1 where they were not counted.
    """

    def __init__(self, request: Request, table: SegmentTable, bounds: Sequence[int]) -> None:
        """Nothing is counted. `bounds`: the first row of each document, and the number of rows."""
        self.pieces = [""] * len(table)
        self.counts: Int64s = np.zeros(len(table), dtype=np.int64)
        self.costs: Int64s = np.ones(len(table), dtype=np.int64)
        self._request, self._table, self._bounds = request, table, bounds
        self._known: set[int] = set()

    def count(self, documents: Sequence[int]) -> None:
        """Count the segments of documents, in one batch; those that are known are not counted again."""
        table, pieces = self._table, list[str]()
        rows: list[int] = []
        for index in documents:
            if index in self._known:
                continue
            self._known.add(index)
            own = slice(self._bounds[index], self._bounds[index + 1])
            text = self._request.documents[index].text
            spans = zip(table.start[own].tolist(), table.end[own].tolist(), strict=True)
            self.pieces[own] = [text[start:end] for start, end in spans]
            pieces += self.pieces[own]
            rows += range(own.start, own.stop)
        if rows:
            prices = price_counted(self._request, pieces, count_batch(self._request.counter, pieces))
            self.counts[rows], self.costs[rows] = prices.counts, prices.costs
