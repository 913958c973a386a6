"""What the answers must be, in float64; a pair within 1e-6 of the threshold may go either way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.checks import require
from benchmarks.kernels.linkage import single
from benchmarks.kernels.pairs import Ints, Pairs
from benchmarks.kernels.vectors import Floats

__all__ = ["Truth", "check_pairs", "check_representative", "check_single", "truth"]

TOLERANCE = 1e-6
_MARGIN = 1e-4  # float32 is nearer than this to float64 for rows of length 1
_BLOCK = 1_024


@dataclass(frozen=True, slots=True)
class Truth:
    """The pairs with float64 cosine >= threshold - TOLERANCE, i < j, sorted; one array a column."""

    rows: int
    threshold: float
    i: Ints
    j: Ints
    similarity: npt.NDArray[np.float64]

    @property
    def certain(self) -> npt.NDArray[np.bool_]:
        """Which pairs every answer must have."""
        return self.similarity >= self.threshold + TOLERANCE


def truth(rows: Floats, threshold: float) -> Truth:
    """Candidates in float32 with a margin, each of them again in float64."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    exact = rows.astype(np.float64) / lengths[:, None]
    rounded = exact.astype(np.float32)
    found = []
    for top in range(0, len(rows), _BLOCK):
        for left in range(top, len(rows), _BLOCK):
            block = rounded[top : top + _BLOCK] @ rounded[left : left + _BLOCK].T
            flat = np.flatnonzero(block >= threshold - _MARGIN)
            i, j = np.divmod(flat, block.shape[1])
            found.append(np.stack([i + top, j + left])[:, i + top < j + left])
    i, j = np.concatenate(found, axis=1)
    similarity = np.concatenate(
        [
            np.einsum("ij,ij->i", exact[i[at : at + _BLOCK]], exact[j[at : at + _BLOCK]])
            for at in range(0, max(len(i), 1), _BLOCK)
        ]
    )
    order = np.lexsort((j, i))
    order = order[similarity[order] >= threshold - TOLERANCE]
    return Truth(len(rows), threshold, i[order], j[order], similarity[order])


def check_pairs(expected: Truth, pairs: Pairs) -> None:
    """Every pair once and with its similarity; none is missing but those near the threshold."""
    i, j, similarity = pairs
    mine = i.astype(np.int64) * expected.rows + j
    theirs = expected.i * expected.rows + expected.j
    require(bool((i < j).all()), "a pair with i >= j")
    require(len(np.unique(mine)) == len(mine), "a pair comes twice")
    require(bool(np.isin(mine, theirs).all()), "a pair below the threshold")
    require(bool(np.isin(theirs[expected.certain], mine).all()), "a pair is missing")
    away = np.abs(expected.similarity[np.searchsorted(theirs, mine)] - similarity)
    require(bool((away < 5 * TOLERANCE).all()), f"a similarity is wrong by {away.max(initial=0):.2e}")


def check_single(expected: Truth, labels: Ints) -> None:
    """No cluster is smaller than the certain pairs make it, none larger than all pairs make it."""
    certain = expected.certain
    require(
        bool((labels[expected.i[certain]] == labels[expected.j[certain]]).all()), "a pair is in two clusters"
    )
    largest = single(expected.rows, (expected.i, expected.j, expected.similarity.astype(np.float32)))
    _, first = np.unique(labels, return_index=True)
    chosen = np.empty(int(labels.max()) + 1, np.int64)
    chosen[labels[first]] = largest[first]
    require(bool((chosen[labels] == largest).all()), "a cluster joins what no pairs join")


def check_representative(expected: Truth, labels: Ints) -> None:
    """Each row is with the best earlier representative, and alone only where there is none; in row order."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    leader = first[inverse]
    leads = leader == np.arange(expected.rows)
    best = np.full(expected.rows, -np.inf)
    mine = np.full(expected.rows, -np.inf)
    np.maximum.at(best, expected.j, np.where(leads[expected.i], expected.similarity, -np.inf))
    own = leader[expected.j] == expected.i
    mine[expected.j[own]] = expected.similarity[own]
    require(bool((best[leads] < expected.threshold + TOLERANCE).all()), "two representatives are similar")
    require(bool((mine[~leads] > -np.inf).all()), "a row is with a representative unlike it")
    require(bool((mine[~leads] >= best[~leads] - 2 * TOLERANCE).all()), "a row is not with the best")
