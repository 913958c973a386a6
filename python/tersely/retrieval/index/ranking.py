"""Rank chunks by words (BM25) and by vectors (cosine), and fuse rankings. Ties go to the first row.

Words are in an FTS5 table of SQLite: of each chunk the hash of each term, followed by how often it is there.
So the table keeps and answers with numbers of chunks alone: FTS5's own `bm25` reads places of words and
lengths of chunks, row by row, and takes two to three times as long. Nothing of a query is syntax.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.kernels.similarity import cosine_similarity
from tersely.types import Float32s, Float64s, Int32s, Int64s

if TYPE_CHECKING:
    from sqlite3 import Connection

# Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion" (2009) have 60, for many systems of equal merit.
# With two, what is in the middle of both would push out what one has first: recall@10 is .67; with 10, and
# less for vectors, .71 (benchmarks/retrieval/index.py).
RRF_K = 10
_SLACK = 1e-4  # more than a sum of 10,000 float32 products of unit vectors is off

_NO_ROWS, _NO_PARTS = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)
_K1, _B = 1.2, 0.75  # Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009)
_MOST_QUERY_TERMS = 64
MOST_COUNTED = 8  # times that a term counts in a chunk: BM25 hardly grows after them


def make_words(connection: Connection) -> None:
    """Make the empty table. Needs SQLite 3.11 with FTS5."""
    connection.execute(
        "CREATE VIRTUAL TABLE words USING fts5(text, content='', columnsize=0, detail=none, tokenize='ascii')"
    )


def write_words(connection: Connection, ids: Sequence[int], texts: Sequence[str]) -> Int32s:
    """Write the words of chunks; return how many terms each has. O(characters + terms log terms)."""
    written, sizes = _written(texts)
    connection.executemany(
        "INSERT INTO words (rowid, text) VALUES (?, ?)", list(zip(ids, written, strict=True))
    )
    return sizes


def forget_words(connection: Connection, ids: Sequence[int], texts: Sequence[str]) -> None:
    """Remove chunks; the texts must be those that they were written with."""
    written, _ = _written(texts)
    connection.executemany(
        "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", list(zip(ids, written, strict=True))
    )


def score_words(connection: Connection, query: str, rows: Int32s, sizes: Int32s) -> Float32s:
    """Score chunks by BM25, float32[n] >= 0, for a query's distinct terms, the first 64 of them.

    idf = ln(1 + (n - df + 0.5) / (df + 0.5)), k1 = 1.2, b = 0.75, a term counts at most 8 times in a chunk;
    added up in the order of the query.

    Args:
        connection: reads.
        query: any text.
        rows: int32[largest id + 1], of each id its row; negative for an id that there is not.
        sizes: int32[n], terms of each row.

    Raises IndexError for an id without a row. O(n + chunks that hold a term).
    """
    count = len(sizes)
    scores = np.zeros(count, dtype=np.float32)
    lengths = _K1 * (1 - _B + _B * sizes / max(float(sizes.sum()) / max(count, 1), 1.0))
    for name in _names(list(_native.terms([query])[2])[:_MOST_QUERY_TERMS]):
        holding = list(_holding(connection, name))
        holders = sum(len(ids) for _, ids in holding)
        rarity = np.log1p((count - holders + 0.5) / (holders + 0.5)) if holders else 0.0
        for often, ids in holding:
            at = rows[ids]
            if (at < 0).any():
                raise IndexError("words of a chunk that there is not")
            scores[at] += (rarity * often * (_K1 + 1) / (often + lengths[at])).astype(np.float32)
    return scores


def _holding(connection: Connection, name: str) -> Iterator[tuple[int, Int64s]]:
    """Yield (count, ids of the chunks that hold a term so often)."""
    for often in range(1, MOST_COUNTED + 1):
        # one text of all ids: a row each would be an object each
        (found,) = connection.execute(
            "SELECT group_concat(rowid) FROM words WHERE words MATCH ?", (f"{name}{often}",)
        ).fetchone()
        if found is not None:
            yield often, np.fromstring(str(found), dtype=np.int64, sep=",")


def _written(texts: Sequence[str]) -> tuple[list[str], Int32s]:
    """Return each text as the table has it, and how many terms it has."""
    ids, offsets, words = _native.terms(list(texts))
    sizes, many = np.diff(offsets), max(len(words), 1)
    keys, counts = np.unique(np.repeat(np.arange(len(texts)), sizes) * many + ids, return_counts=True)
    rows, terms = np.divmod(keys, many)
    names = _names(words)
    often = np.minimum(counts, MOST_COUNTED).tolist()
    tokens = [f"{names[term]}{times}" for term, times in zip(terms.tolist(), often, strict=True)]
    ends = np.searchsorted(rows, np.arange(len(texts)), side="right").tolist()
    return [" ".join(tokens[start:end]) for start, end in pairwise([0, *ends])], sizes.astype(np.int32)


def _names(words: Sequence[str]) -> list[str]:
    """Return 16 letters and digits for each word: all of one length, so that a count can follow."""
    return [hashlib.blake2b(word.encode(), digest_size=8).hexdigest() for word in words]


def best_rows(scores: Float32s, many: int) -> Int64s:
    """Return the rows of the `many` highest scores above 0, int64, best first. O(n + many log many)."""
    rows = np.flatnonzero(scores > 0)
    if len(rows) > many:
        least = np.partition(scores[rows], len(rows) - many)[len(rows) - many]
        rows = rows[scores[rows] >= least]
    return rows[np.argsort(-scores[rows], kind="stable")][:many]


def best_cosines(vectors: Float32s, query: Float32s, many: int) -> Int64s:
    """Return the rows of the `many` vectors most similar to the query's, int64, cosine above 0, best first.

    Args:
        vectors: float32[n, d], of length one or zero.
        query: float32[d].
        many: at most so many.

    The order is by `tersely.kernels.cosine_similarity`, so it is the same on every CPU; which rows can be
    among the best is decided by plain products, with room for how they round. O(n d).
    """
    count = len(vectors)
    if count == 0 or not query.any():
        return np.empty(0, dtype=np.int64)
    products, many = np.einsum("nd,d->n", vectors, query), min(many, count)
    least = np.partition(products, count - many)[count - many]
    rows = np.flatnonzero(products >= max(float(least), 0.0) - 2 * _SLACK)
    exact = cosine_similarity(query[None, :], vectors[rows], threads=1)[0]
    return rows[best_rows(exact, many)]


def fuse(rankings: Sequence[Int64s], weights: Sequence[float]) -> tuple[Int64s, Float64s]:
    """Fuse rankings by reciprocal rank: rows, best first, and their scores, the sum of weight / (10 + rank).

    Ranks count from 1.
    """
    parts = [
        weight / (RRF_K + np.arange(1, len(ranking) + 1))
        for ranking, weight in zip(rankings, weights, strict=True)
    ]
    every: Int64s = np.concatenate([_NO_ROWS, *rankings])
    rows, places = np.unique(every, return_inverse=True)
    scores = np.zeros(len(rows))
    np.add.at(scores, places, np.concatenate([_NO_PARTS, *parts]))
    best = np.argsort(-scores, kind="stable")
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
