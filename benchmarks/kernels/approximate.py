"""Libraries that remove near-duplicates by another rule, or miss some of them: for the record only."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.kernels.pairs import installed, unit
from benchmarks.kernels.vectors import Floats

__all__ = ["Other", "others"]

_NEIGHBOURS = 32


@dataclass(frozen=True, slots=True)
class Other:
    """A system that is not exact, or answers another question."""

    name: str  #: as it stands in the tables
    #: (rows, threshold) -> how many rows are left; None where the package is missing
    kept: Callable[[Floats, float], int] | None
    rule: str  #: what it does, in a few words


def others(threads: int = 1) -> list[Other]:
    """All of them."""
    return [_communities(), _semhash(), _hnsw(threads)]


def _communities() -> Other:
    name, rule = "sentence-transformers community_detection", "largest community first, each row in one"
    if not installed("sentence_transformers"):
        return Other(name, None, rule)
    detect = importlib.import_module("sentence_transformers.util").community_detection

    def kept(rows: Floats, threshold: float) -> int:
        found = detect(rows, threshold=threshold, min_community_size=2)
        return len(rows) - sum(len(community) - 1 for community in found)

    return Other(name, kept, rule)


def _semhash() -> Other:
    name, rule = "semhash self_deduplicate", "usearch HNSW below, vectors given"
    if not installed("semhash"):
        return Other(name, None, rule)
    semhash = importlib.import_module("semhash").SemHash

    def kept(rows: Floats, threshold: float) -> int:
        texts = [str(row) for row in range(len(rows))]
        hashed = semhash.from_embeddings(rows, texts, model=None)  # the model is for texts that come later
        return len(hashed.self_deduplicate(threshold).selected)

    return Other(name, kept, rule)


def _hnsw(threads: int) -> Other:
    name, rule = "usearch HNSW, then components", f"{_NEIGHBOURS} neighbours a row at most"
    if not installed("usearch"):
        return Other(name, None, rule)
    usearch = importlib.import_module("usearch.index")
    linkage = importlib.import_module("benchmarks.kernels.linkage")

    def kept(rows: Floats, threshold: float) -> int:
        rows = unit(rows)
        index = usearch.Index(ndim=rows.shape[1], metric=usearch.MetricKind.IP, dtype="f32")
        index.add(None, rows, threads=threads)
        got = index.search(rows, min(_NEIGHBOURS, len(rows)), threads=threads)
        i, k = np.nonzero(1 - got.distances >= threshold)
        pairs = (i, got.keys[i, k].astype(np.int64), 1 - got.distances[i, k])
        return int(linkage.single(len(rows), pairs).max()) + 1

    return Other(name, kept, rule)
