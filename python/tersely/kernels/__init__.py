"""Similarity, clustering and selection over plain arrays: validated doors to the native kernels.

Rows are vectors: float16, float32 or float64 of any strides, read-only or not, or what `numpy.asarray`
makes of the argument. They are scaled to length one and rounded to float32 once, while they are packed; a
similarity is then one chain of fused multiply-adds, the same bits on every instruction set and thread
count, off by at most (d + 4) 2^-24, so that it may exceed 1 a little. A zero row has similarity 0 to
everything. The GIL is released; Ctrl-C is answered.
"""

from __future__ import annotations

from tersely._native import isa
from tersely.kernels.clusters import threshold_clusters
from tersely.kernels.selection import budgeted_select, facility_location_select, mmr_select
from tersely.kernels.similarity import cosine_pairs, cosine_similarity

__all__ = [
    "budgeted_select",
    "cosine_pairs",
    "cosine_similarity",
    "facility_location_select",
    "isa",
    "mmr_select",
    "threshold_clusters",
]
