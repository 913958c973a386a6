"""De-duplicate a corpus with the verdicts of `tersely.dedup` over all texts, in bounded memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Unpack

from tersely.scale.dataset import run_dataset
from tersely.scale.options import DedupArguments, DedupOptions
from tersely.scale.report import Report


def dedup_dataset(
    source: Any,
    out: str | os.PathLike[str],
    *,
    on: str = "local",
    workers: int | None = None,
    unit_bytes: int | None = None,
    progress: Callable[[Report], object] | None = None,
    **options: Unpack[DedupArguments],
) -> Report:
    """Find the near-duplicates among all rows of a corpus: exactly those that `tersely.dedup` of all finds.

    What is written is a function of the plan (`out/_tersely.parquet`) alone, as for `compress_dataset`: call
    it again after anything to go on. Texts are passed between jobs in files below `out/_shuffle`, which are
    removed at the end.

    Args:
        source, out, keep, id, on, workers, progress: as for `compress_dataset`.
        text: the column with what is compared; each a str.
        threshold: cosine in [-1, 1], as for `tersely.dedup`, whose own embedder decides.
        score: a column of finite numbers: the best of a cluster represents it (ties, and None: the first).
        kept_only: True: write only the rows that stay, with their text; those with an error are among them.
        unit_bytes: bytes of the source, about, that make one part; None: 16 to 64 MiB, more where there
            would be more than 512 parts.
        partitions: into how many texts are divided by their guards; None: one for 8 MiB of the source.
        heavy_bytes: texts of one guard (most have the empty one: no number, no negation) of more bytes are
            divided further, by their rarest terms; None: 64 MiB. Changes time and memory, and no result.

    Returns:
        A `Report`; `kept` counts the rows that stay. Parts are in the order of the source and have columns:

        - the id, and those of `keep`; with `kept_only` the text;
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
    return run_dataset(source, out, DedupOptions.from_dict(options), on, workers, unit_bytes, progress)
