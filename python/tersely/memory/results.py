"""Long results of tools in a message that stays in its place, each as what it is."""

from __future__ import annotations

from collections.abc import Mapping

from tersely.memory.messages import Entry, Path
from tersely.protocols import BatchTokenCounter, Strategy
from tersely.stages.count import count_batch
from tersely.types import Document, Request

__all__ = ["shortened"]

_LEAST = 32  # tokens of a result: less tells nothing


def shortened(
    entry: Entry, counter: BatchTokenCounter, strategy: Strategy, spare: int
) -> Mapping[Path, str] | None:
    """The entry's results in `spare` tokens together, by their paths; None where that is too little.

    What the strategy raises is for the caller.
    """
    results = [piece for piece in entry.pieces if piece.kind == "result"]
    sizes = count_batch(counter, [piece.text for piece in results]).tolist()
    total = sum(sizes)
    if not results or spare < _LEAST * len(results):
        return None
    made: dict[Path, str] = {}
    for piece, size in zip(results, sizes, strict=True):
        allowed = spare * size // total
        if size <= allowed:
            continue
        if allowed < _LEAST:
            return None
        request = Request((Document(piece.text),), None, allowed, 0.3, counter)
        made[piece.path] = strategy.compress(request).text
    return made
