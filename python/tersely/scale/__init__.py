"""A corpus instead of a document: compress and de-duplicate files of any size, stopped and resumed at will.

Needs pyarrow: pip install 'tersely[scale]'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tersely.core.lazy import load_late

if TYPE_CHECKING:
    from tersely.scale.dataset import compress_dataset, dataset_status, same_part
    from tersely.scale.dedup import dedup_dataset
    from tersely.scale.report import Report
    from tersely.scale.rows import compress_table

__all__ = [
    "Report",
    "compress_dataset",
    "compress_table",
    "dataset_status",
    "dedup_dataset",
    "same_part",
]

__getattr__, __dir__ = load_late(
    __name__,
    {
        "tersely.scale.dataset": ("compress_dataset", "dataset_status", "same_part"),
        "tersely.scale.dedup": ("dedup_dataset",),
        "tersely.scale.report": ("Report",),
        "tersely.scale.rows": ("compress_table",),
    },
)
