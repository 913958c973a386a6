"""Which vectors a command measures on, and how often."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from benchmarks.arguments import the_data
from benchmarks.kernels import vectors
from benchmarks.report import Report

__all__ = ["KINDS", "sets", "usual_rounds"]

KINDS = ("clustered-256", "clustered-384", "minilm", "static")


def sets(
    result: Report, options: argparse.Namespace, sizes: list[int]
) -> Iterator[tuple[str, int, vectors.Floats]]:
    """Names, sizes and rows; what there is too little of is said and not filled up."""
    for kind in options.vectors:
        if kind == "static":
            texts = vectors.sentences(the_data(options, f"vectors of {kind}"))
            for size in sizes:
                yield kind, size, vectors.looked_up(texts[:size])
        elif kind != "minilm":
            for size in sizes:
                yield kind, size, vectors.clustered(size, int(kind.rpartition("-")[2]))
        elif missing := vectors.embedding_missing(options.cache):
            result.note(f"No vectors of {kind}: {missing}.")
        else:
            texts = vectors.sentences(the_data(options, f"vectors of {kind}"))
            for size in sizes:
                rows = vectors.embedded(texts, size, options.cache)
                if len(rows) < size:
                    result.note(f"{kind}: the data has {len(rows):,} sentences, not {size:,}.")
                yield kind, len(rows), rows


def usual_rounds(options: argparse.Namespace, rows: int) -> int:
    for most, rounds in ((1_000, 30), (5_000, 9), (49_999, 5), (99_999, 3)):
        if rows <= most:
            return options.rounds or rounds
    return options.rounds or 1
