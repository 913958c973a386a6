"""Rows to cluster labels: tersely and every exact peer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.kernels import linkage as linkages, ours, pairs
from benchmarks.kernels.pairs import Ints
from benchmarks.kernels.vectors import Floats

__all__ = ["TERSELY", "System", "systems"]

TERSELY = "tersely"


@dataclass(frozen=True, slots=True)
class System:
    """A way to cluster."""

    name: str  #: as it stands in the tables
    #: (rows, threshold) -> answer; what is timed; None where the package is missing
    call: Callable[[Floats, float], Any] | None
    most_rows: int = 1_000_000  #: more are not tried
    limit: str = ""  #: why
    labels: Callable[[Any], Ints] = lambda answer: answer  #: of an answer, an int a row


def systems(linkage: str, threads: int = 1) -> list[System]:
    """tersely first, then the peers: their pairs, linked by scipy or by a loop over the pairs."""

    def call(rows: Floats, threshold: float) -> Any:
        return ours.clusters(rows, threshold, linkage, threads)

    peers = [
        System(finder.name, _linked(finder, linkage), finder.most_rows, finder.limit)
        for finder in pairs.peers(threads)
    ]
    return [System(TERSELY, call, labels=ours.labels), *peers]


def _linked(finder: pairs.Finder, linkage: str) -> Callable[[Floats, float], Ints] | None:
    find, link = finder.find, linkages.LINKAGES[linkage]
    return None if find is None else lambda rows, threshold: link(len(rows), find(rows, threshold))
