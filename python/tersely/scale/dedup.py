"""De-duplicate a corpus with the verdicts of `tersely.dedup` over all texts, in bounded memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from tersely.scale.dataset import run_dataset
from tersely.scale.options import dedup_options
from tersely.scale.report import Report

__all__ = ["dedup_dataset"]


def dedup_dataset(
    source: Any,
    out: str | os.PathLike[str],
    *,
    text: str = "text",
    threshold: float = 0.85,
    score: str | None = None,
    keep: Sequence[str] = (),
    id: str = "id",
    kept_only: bool = False,
    on: str = "local",
    workers: int | None = None,
    unit_bytes: int | None = None,
    partitions: int | None = None,
    heavy_bytes: int | None = None,
    progress: Callable[[Report], object] | None = None,
) -> Report:
    """Find the near-duplicates among all rows of a corpus: exactly those that `tersely.dedup` of all finds.

    What is written is a function of the plan (`out/plan.json`) alone, as for `compress_dataset`: call it
    again after anything to go on. Texts are passed between jobs in files below `out/_shuffle`, which are
    removed at the end.

    Args:
        source, out, keep, id, on, workers, progress: as for `compress_dataset`.
        text: the column with what is compared; each a str.
        threshold: cosine in [-1, 1], as for `tersely.dedup`, whose own embedder decides.
        score: a column of finite numbers: the best of a cluster represents it (ties, and None: the first).
        kept_only: True: write only the rows that stay, with their text; those with an error are among them.
        unit_bytes: bytes of the source, about, that make one part; None: 4 to 48 MiB, more where there would
            be more than 512 parts.
        partitions: into how many texts are divided by their guards; None: as many as there are parts, fewer
            where they would be small.
        heavy_bytes: texts of one guard (most have the empty one: no number, no negation) of more bytes are
            divided further, by their rarest terms; None: 64 MiB. Changes time and memory, and no result.

    Returns:
        A `Report`; `kept` counts the rows that stay. Parts are in the order of the source and have columns:

        - id, and those of `keep`; with `kept_only` text;
        - cluster: the number of the row that stands for this one, from 0 in the whole source; of all rows
          without an error, `representatives[labels]` of `tersely.dedup`;
        - kept: whether that is this row;
        - similarity: with that row, float32, 1 for itself and for copies but for white space;
        - error: why a row cannot be compared (no text, a score that is no number); then the others are null.

    Raises:
        ValueError, TypeError, OSError, MissingExtraError: as `compress_dataset`.
        RuntimeError: a job kills its worker three times, as where memory is short: choose more partitions.

    O(characters) and, of texts with equal guards, O(pairs with a rare term in common); memory is that of a
    unit, a partition or a block of texts with one rare term for each worker, and for one job 40 bytes a row
    that has a heavy guard and shares most of its words with another.
    """
    options = dedup_options(
        text=text,
        threshold=threshold,
        score=score,
        keep=keep,
        id=id,
        kept_only=kept_only,
        partitions=partitions,
        heavy_bytes=heavy_bytes,
    )
    return run_dataset(source, out, options, on, workers, unit_bytes, progress)
