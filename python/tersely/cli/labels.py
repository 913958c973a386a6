"""Several files in one output: what is left of each stands under its name, which the budget pays for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tersely.core.errors import BudgetExceededError
from tersely.core.protocols import Strategy
from tersely.core.types import Compressed, Request
from tersely.engine.auto import prepare_by
from tersely.engine.count import count, count_batch
from tersely.engine.reading import Heads, Reading
from tersely.engine.render import Rendered

__all__ = ["compress_labelled"]


def compress_labelled(strategy: Strategy, request: Request) -> tuple[Compressed, str] | None:
    """Fit documents into a budget with a line "==> name <==" above what is left of each, which counts.

    Returns the result, whose tokens are those of all, and the text with its labels; None where there is
    no room for a label and a piece below it, or the strategy does not leave the fitting to the engine.
    """
    labels = [f"==> {document.id} <==\n" for document in request.documents]

    def written(parts: Sequence[str]) -> str:
        return request.separator.join(
            [label + part for label, part in zip(labels, parts, strict=True) if part]
        )

    def revise(reading: Reading) -> None:
        costs = count_batch(request.counter, labels)
        costs[1:] += 1  # what parts it from the one before
        rows = np.arange(len(labels), dtype=np.int32)
        reading.heads = Heads(costs, np.full(len(labels), -1, dtype=np.int32), rows)
        reading.measure = measure

    def measure(rendered: Rendered) -> int:
        return count(request.counter, written(rendered.parts))

    whole = count(request.counter, written([document.text for document in request.documents]))
    prepared = prepare_by(strategy, request, whole, revise)
    if prepared is None:
        return None
    try:
        result = prepared.fit()
    except BudgetExceededError:
        return None
    return result, written(result.parts)
