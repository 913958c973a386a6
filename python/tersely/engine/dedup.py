"""Find near-duplicates by texts and vectors; texts that differ in a fact stay apart."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tersely import _native, checks
from tersely.kernels import threshold_clusters
from tersely.kernels.checks import Progress, to_matrix, to_numbers, to_threads
from tersely.protocols import Embedder
from tersely.types import Deduplicated, Float32s, Int32s, Int64s

#: Of the terms of two texts, more than this share must be common; of the common ones, this share in one order
#: (csrc/kernels/lexical/agreement.hpp). Chosen on development pairs (benchmarks/quality/dedup.py).
SHARE = 0.5
ORDER = 0.75

_KEY = 16  # bytes of a digest of guards

_PRODUCTS = 500  # of two numbers take less time than a character takes to be read
_WORDS = 4  # at either end of a text, that copies have in common


def dedup_texts(
    texts: Sequence[str],
    embedder: Embedder,
    threshold: float = 0.85,
    scores: npt.ArrayLike | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    words: float = 1.0,
) -> Deduplicated:
    """Merge texts that are the same but for white space, and near-duplicates.

    A near-duplicate of a representative (kernels.threshold_clusters, "representative") has a cosine of at
    least `threshold` with it and agrees with it (csrc/kernels/lexical/agreement.hpp); `words`, in [0, 1]: how
    much of the shared terms, and of their order, that asks for is needed.
    """
    limit = checks.number(threshold, "threshold", least=-1, most=1)
    workers, report = to_threads(threads), checks.callable_or_none(progress, "progress")
    by = np.zeros(len(texts)) if scores is None else to_numbers(scores, "scores", len(texts))
    copy_of = _copies(texts, by)
    rows = np.unique(copy_of)
    different = [texts[row] for row in rows.tolist()]
    vectors = embedder.embed(different) if different else np.zeros((0, 1), dtype=np.float32)
    said = _said(different, vectors, limit, workers)
    labels, representatives, _ = _native.deduplicate(
        vectors, limit, by[rows], *said, SHARE * words, ORDER * words, workers, report
    )
    similarity = _similarity(vectors, labels, representatives, workers)
    place = np.searchsorted(rows, copy_of)
    return _result(labels[place], rows[representatives].astype(np.int32), similarity[place])


def merge_different(
    texts: Sequence[str], embedder: Embedder, limit: float, scores: npt.NDArray[np.float64]
) -> tuple[Int64s, Int64s, Float32s]:
    """Merge texts as `dedup_texts` does, where no two are equal but for white space. On one thread.

    Returns those that merge, their representatives, and the similarity to it. Only texts that agree with
    another one are embedded and compared (csrc/kernels/cluster/clusters.hpp): none merges beyond what it is
    connected with by such pairs, so each of these components is solved as it would be among all texts.
    """
    component = agreeing_components(texts)
    near = np.flatnonzero(np.bincount(component, minlength=len(texts))[component] > 1)
    if not len(near):
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32)
    some = [texts[row] for row in near.tolist()]
    vectors = embedder.embed(some)
    _, within = np.unique(
        component[near], return_inverse=True
    )  # finer than guards, which it takes the place of
    _, _, terms, term_offsets, names, name_offsets, _ = _native.guards(some)
    said = within.astype(np.int32), terms, term_offsets, names, name_offsets
    labels, representatives, _ = _native.deduplicate(
        vectors, limit, scores[near], *said, SHARE, ORDER, 1, None
    )
    similarity = _similarity(vectors, labels, representatives, 1)
    merged = np.flatnonzero(representatives[labels] != np.arange(len(near)))
    return near[merged], near[representatives[labels[merged]]], similarity[merged]


def agreeing_components(texts: Sequence[str]) -> Int32s:
    """int32[n]: the first text that each is connected with by pairs that agree; vectors play no part."""
    guard, _, terms, term_offsets, names, name_offsets, _ = _native.guards(list(texts))
    return _native.agreeing(guard, terms, term_offsets, names, name_offsets, SHARE, ORDER)


def dedup_vectors(
    vectors: npt.ArrayLike,
    threshold: float = 0.85,
    scores: npt.ArrayLike | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Deduplicated:
    """Merge rows by their cosine alone: `kernels.threshold_clusters`."""
    x = to_matrix(vectors, "vectors")
    found = threshold_clusters(x, threshold, scores, threads=threads, progress=progress)
    similarity = _similarity(x, found.labels, found.representatives, to_threads(threads))
    return _result(found.labels, found.representatives, similarity)


def keys_of_guards(texts: Sequence[str]) -> list[bytes]:
    """A digest of each text's guards (csrc/kernels/text/guards.hpp); only texts with equal ones merge."""
    guard, signatures, *_ = _native.guards(list(texts))
    keys = [hashlib.blake2b(one.encode(), digest_size=_KEY).digest() for one in signatures]
    return [keys[one] for one in guard.tolist()]


def _said(
    texts: Sequence[str], vectors: Float32s, limit: float, threads: int
) -> tuple[Int32s, Int32s, Int64s, Int32s, Int64s]:
    """Return guards, terms and names with offsets, in which texts must agree, for `_native.deduplicate`.

    Comparing few vectors costs less than reading their texts: then only those are read that have a similar
    one. The others get a guard that no other text has, which keeps them apart as their vectors do.
    """
    if len(texts) ** 2 * vectors.shape[1] > _PRODUCTS * sum(map(len, texts)):
        guard, _, terms, term_offsets, names, name_offsets, _ = _native.guards(list(texts))
        return guard, terms, term_offsets, names, name_offsets
    near = _native.has_pair(vectors, limit, threads).astype(bool)
    found, _, terms, term_offsets, names, name_offsets, _ = _native.guards(
        [text for text, read in zip(texts, near.tolist(), strict=True) if read]
    )
    guard = np.empty(len(texts), dtype=np.int32)
    guard[near], guard[~near] = found, np.arange(len(found), len(texts))

    def offsets(of_near: Int64s) -> Int64s:
        lengths = np.zeros(len(texts) + 1, dtype=np.int64)
        lengths[1:][near] = np.diff(of_near)
        return np.cumsum(lengths)

    return guard, terms, offsets(term_offsets), names, offsets(name_offsets)


def _copies(texts: Sequence[str], scores: npt.NDArray[np.float64]) -> Int64s:
    """int64[n]: the best of the texts that are equal but for white space (ties: the first)."""
    alike: dict[tuple[str, ...], list[int]] = {}  # those that begin and end with the same words
    for row, text in enumerate(texts):
        ends = (*text.split(None, _WORDS)[:_WORDS], *text.rsplit(None, _WORDS)[-_WORDS:])
        alike.setdefault(ends, []).append(row)
    copy_of = np.arange(len(texts))
    for rows in (rows for rows in alike.values() if len(rows) > 1):
        best: dict[str, int] = {}
        keys = [" ".join(texts[row].split()) for row in rows]
        for row, key in zip(rows, keys, strict=True):
            if key not in best or scores[row] > scores[best[key]]:
                best[key] = row
        copy_of[rows] = [best[key] for key in keys]
    return copy_of


def _similarity(x: npt.NDArray, labels: Int32s, representatives: Int32s, threads: int) -> Float32s:  # type: ignore[type-arg]
    """float32[n]: of each row with its representative; 1 for the representative itself."""
    rows = np.arange(len(labels), dtype=np.int32)
    with_ = representatives[labels]
    similarity = np.ones(len(labels), dtype=np.float32)
    merged = np.flatnonzero(rows != with_)
    similarity[merged] = _native.check_pairs(x, rows[merged], with_[merged], -1.0, threads)
    return similarity


def _result(labels: Int32s, representatives: Int32s, similarity: Float32s) -> Deduplicated:
    sizes = np.bincount(labels, minlength=len(representatives)).astype(np.int32)
    return Deduplicated(representatives, labels, sizes, similarity)
