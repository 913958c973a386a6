"""Rank chunks by their words (BM25 over postings) and by their vectors (cosine), and fuse both rankings."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.kernels.similarity import cosine_similarity
from tersely.types import Float32s, Float64s, Int32s, Int64s

_K1, _B = 1.2, 0.75  # Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009)
_MOST_QUERY_TERMS = 64
# Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion" (2009) have 60, for many systems of equal merit.
# With two, what is in the middle of both would push out what one has first: recall@10 is .67; with 10, and
# less for vectors, .71 (benchmarks/retrieval/index.py).
RRF_K = 10
_SLACK = 1e-4  # more than a sum of 10,000 float32 products of unit vectors is off

_NO_ROWS, _NO_PARTS = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)

UInt64s = npt.NDArray[np.uint64]
UInt16s = npt.NDArray[np.uint16]


@dataclass(frozen=True, eq=False, slots=True)
class Postings:
    """Postings of a shard: which chunk holds which term how often.

    Attributes:
        terms: uint64[t], hashes of the distinct terms, ascending.
        first: int64[t + 1]; term i has the postings first[i] to first[i + 1].
        rows: int32[p], chunks, ascending within a term.
        counts: uint16[p], how often the term is in the chunk.
        sizes: int32[n], terms of each chunk.
    """

    terms: UInt64s
    first: Int64s
    rows: Int32s
    counts: UInt16s
    sizes: Int32s

    def holding(self, terms: UInt64s) -> list[tuple[Int32s, UInt16s]]:
        """Return which chunks hold each of these terms (hashes), and how often."""
        found = []
        for term, at in zip(terms.tolist(), np.searchsorted(self.terms, terms).tolist(), strict=True):
            known = at < len(self.terms) and int(self.terms[at]) == term
            span = slice(int(self.first[at]), int(self.first[at + 1])) if known else slice(0)
            found.append((self.rows[span], self.counts[span]))
        return found


def score_words(shards: Sequence[Postings], query: str) -> Float32s:
    """Score chunks by BM25, float32[n] >= 0, for a query's distinct terms, the first 64 of them.

    idf = ln(1 + (n - df + 0.5) / (df + 0.5)), k1 = 1.2, b = 0.75; added up in the order of the query. n, df
    and the mean size are those of all shards together: scores have the same bits however chunks are divided.
    O(n + postings of the terms).
    """
    sizes = [len(postings.sizes) for postings in shards]
    count = sum(sizes)
    scores = np.zeros(count, dtype=np.float32)
    if count == 0:
        return scores
    wanted = _terms_of(query)
    mean = max(sum(int(postings.sizes.sum()) for postings in shards) / count, 1.0)
    parts = np.split(scores, np.cumsum(sizes)[:-1])  # views
    for holding in zip(*(postings.holding(wanted) for postings in shards), strict=True):
        holders = sum(len(rows) for rows, _ in holding)
        rarity = np.log1p((count - holders + 0.5) / (holders + 0.5))
        for postings, part, (rows, counts) in zip(shards, parts, holding, strict=True):
            if len(rows) == 0:
                continue
            often = counts.astype(np.float32)
            length = _K1 * (1 - _B + _B * postings.sizes[rows] / mean)
            part[rows] += (rarity * often * (_K1 + 1) / (often + length)).astype(np.float32)
    return scores


def hold_any(shards: Sequence[Postings], query: str) -> bool:
    """Say whether any chunk holds a term of the query, so that a score by its words is above 0. O(terms)."""
    wanted = _terms_of(query)
    return any(len(rows) for postings in shards for rows, _ in postings.holding(wanted))


def _terms_of(query: str) -> UInt64s:
    """Return the hashes of a query's distinct terms, the first 64 of them, in its order."""
    return _hashes(list(_native.terms([query])[2])[:_MOST_QUERY_TERMS])


class PostingsBuilder:
    """Collects the terms of chunks, batch by batch."""

    def __init__(self, before: Postings | None = None, kept: Int64s | None = None) -> None:
        """Begin with the rows `kept` (ascending) of postings that there are."""
        self._hashes: list[UInt64s] = []
        self._rows: list[Int32s] = []
        self._counts: list[UInt16s] = []
        self._sizes: list[Int32s] = []
        self._many = 0
        self._known: dict[str, int] = {}
        if before is None or kept is None:
            return
        moved = np.full(len(before.sizes), -1, dtype=np.int32)
        moved[kept] = np.arange(len(kept), dtype=np.int32)
        rows = moved[before.rows]
        stays = rows >= 0
        self._hashes.append(np.repeat(before.terms, np.diff(before.first))[stays])
        self._rows.append(rows[stays])
        self._counts.append(np.asarray(before.counts)[stays])
        self._sizes.append(np.asarray(before.sizes)[kept])
        self._many = len(kept)

    def add(self, texts: Sequence[str]) -> None:
        """Add the next chunks. O(characters + terms log terms)."""
        ids, offsets, words = _native.terms(list(texts))
        sizes = np.diff(offsets)
        keys = np.repeat(np.arange(len(texts), dtype=np.int64), sizes) * max(len(words), 1) + ids
        distinct, counts = np.unique(keys, return_counts=True)
        row, word = np.divmod(distinct, max(len(words), 1))
        self._hashes.append(self._hashed(words)[word])
        self._rows.append((row + self._many).astype(np.int32))
        self._counts.append(np.minimum(counts, 65535).astype(np.uint16))
        self._sizes.append(sizes.astype(np.int32))
        self._many += len(texts)

    def finish(self) -> Postings:
        """Return the postings of all chunks, by term. O(postings log postings)."""
        if not self._sizes:
            self.add([])
        hashes = np.concatenate(self._hashes)
        rows, counts = np.concatenate(self._rows), np.concatenate(self._counts)
        order = np.argsort(hashes, kind="stable")  # rows came in ascending order and stay so
        hashes = hashes[order]
        is_new = np.ones(len(hashes), dtype=bool)
        is_new[1:] = hashes[1:] != hashes[:-1]
        new = np.flatnonzero(is_new)
        first = np.append(new, len(hashes)).astype(np.int64)
        return Postings(hashes[new], first, rows[order], counts[order], np.concatenate(self._sizes))

    def _hashed(self, words: Sequence[str]) -> UInt64s:
        new = [word for word in words if word not in self._known]
        self._known.update(zip(new, _hashes(new).tolist(), strict=True))
        return np.array([self._known[word] for word in words], dtype=np.uint64)


def _hashes(words: Sequence[str]) -> UInt64s:
    """Hash each word to 64 bits: the terms themselves need not be kept."""
    data = b"".join(hashlib.blake2b(word.encode(), digest_size=8).digest() for word in words)
    return np.frombuffer(data, dtype="<u8").astype(np.uint64)


def best_rows(scores: Float32s, many: int, order: Int32s) -> Int64s:
    """Return the rows of the `many` highest scores above 0, int64, best first; ties: the lowest `order[row]`.

    O(n + many log many).
    """
    rows = np.flatnonzero(scores > 0)
    if len(rows) > many:
        least = np.partition(scores[rows], len(rows) - many)[len(rows) - many]
        rows = rows[scores[rows] >= least]
    return rows[np.lexsort((order[rows], -scores[rows]))][:many]


@dataclass(frozen=True, eq=False, slots=True)
class CodedVectors:
    """The vectors of a shard, in float32 and quantized to int8; a query scans the latter.

    Attributes:
        rows: float32[n, d], of length one or zero.
        codes: int8[n, d]; a row is about `scale` times its codes (csrc/kernels/similarity/similarity.hpp).
        scale, rest: float32[n]; what the codes leave of a row has a length of at most `rest`.
    """

    rows: Float32s
    codes: npt.NDArray[np.int8]
    scale: Float32s
    rest: Float32s

    @classmethod
    def of(cls, rows: Float32s) -> CodedVectors:
        """Quantize rows of length one or zero. O(n d)."""
        return cls(rows, *_native.code_rows(rows))

    def take(self, rows: Int64s) -> CodedVectors:
        """Return some of the rows with their codes, copied."""
        return CodedVectors(self.rows[rows], self.codes[rows], self.scale[rows], self.rest[rows])

    def __len__(self) -> int:
        return len(self.scale)

    def bounds(self, query: Float32s) -> tuple[Float32s, Float32s]:
        """Return lower and upper bounds of each row's dot product with a query. Reads codes only: O(n d)."""
        return _native.bound_products(self.codes, self.scale, self.rest, query)


def best_cosines(shards: Sequence[CodedVectors], query: Float32s, many: int, order: Int32s) -> Int64s:
    """Return the rows of the `many` vectors most similar to the query's, int64, cosine above 0, best first.

    Args:
        shards: rows are counted through all of them.
        query: float32[d].
        many: at most so many.
        order: int32[n]; of equal cosines the one of the lowest comes first.

    The order is by `tersely.kernels.cosine_similarity`, so it is the same on every CPU, and however rows are
    divided; which rows can be among the best is decided by bounds, with room for how that function rounds.
    O(n d).
    """
    count = sum(map(len, shards))
    if count == 0 or not query.any():
        return np.empty(0, dtype=np.int64)
    lower, upper = map(np.concatenate, zip(*(vectors.bounds(query) for vectors in shards), strict=True))
    many = min(many, count)
    least = np.partition(lower, count - many)[count - many]
    likely = upper >= max(float(least), 0.0) - _SLACK
    exact = np.zeros(count, dtype=np.float32)
    start = 0
    for vectors in shards:
        rows = np.flatnonzero(likely[start : start + len(vectors)])
        if len(rows):
            exact[start + rows] = cosine_similarity(query[None, :], vectors.rows[rows], threads=1)[0]
        start += len(vectors)
    return best_rows(exact, many, order)


def fuse(rankings: Sequence[Int64s], weights: Sequence[float], order: Int32s) -> tuple[Int64s, Float64s]:
    """Fuse rankings by reciprocal rank: rows, best first, and their scores, the sum of weight / (10 + rank).

    Ranks count from 1; ties: the lowest `order[row]`.
    """
    parts = [
        weight / (RRF_K + np.arange(1, len(ranking) + 1))
        for ranking, weight in zip(rankings, weights, strict=True)
    ]
    every: Int64s = np.concatenate([_NO_ROWS, *rankings])
    rows, places = np.unique(every, return_inverse=True)
    scores = np.zeros(len(rows))
    np.add.at(scores, places, np.concatenate([_NO_PARTS, *parts]))
    best = np.lexsort((order[rows], -scores))
    return rows[best], scores[best]


def normalize_scores(scores: npt.ArrayLike) -> Float64s:
    """Scale scores to [0, 1], float64[n]: the best is 1.0; all equal ones are 1.0.

    Scores are divided by the best; where one is negative, the lowest is taken from all first.
    Raises ValueError for one that is not finite.
    """
    values: Float64s = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError("scores must be a list of finite numbers")
    if len(values) == 0 or values.max() == values.min():
        return np.ones(len(values))
    values = values - min(float(values.min()), 0.0)
    return np.asarray(values / values.max())
