"""Terms of chunks -> postings; postings and a query -> BM25."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.tables import Float32s, Int32s, Int64s

__all__ = ["Postings", "PostingsBuilder"]

_K1, _B = 1.2, 0.75  # Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009)
_MOST_QUERY_TERMS = 64

UInt64s = npt.NDArray[np.uint64]
UInt16s = npt.NDArray[np.uint16]


@dataclass(frozen=True, eq=False, slots=True)
class Postings:
    """Which chunk holds which term how often.

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

    def score(self, query: str) -> Float32s:
        """float32[n] >= 0: BM25 of each chunk for a query's distinct terms, the first 64 of them.

        idf = ln(1 + (n - df + 0.5) / (df + 0.5)), k1 = 1.2, b = 0.75; added up in the order of the query.
        O(n + postings of the terms).
        """
        count = len(self.sizes)
        scores = np.zeros(count, dtype=np.float32)
        if count == 0:
            return scores
        wanted = _hashes(list(_native.terms([query])[2])[:_MOST_QUERY_TERMS])
        places = np.searchsorted(self.terms, wanted)
        mean = max(float(self.sizes.mean()), 1.0)
        for term, at in zip(wanted.tolist(), places.tolist(), strict=True):
            if at == len(self.terms) or int(self.terms[at]) != term:
                continue
            span = slice(int(self.first[at]), int(self.first[at + 1]))
            rows, often = self.rows[span], self.counts[span].astype(np.float32)
            rarity = np.log1p((count - len(rows) + 0.5) / (len(rows) + 0.5))
            length = _K1 * (1 - _B + _B * self.sizes[rows] / mean)
            scores[rows] += (rarity * often * (_K1 + 1) / (often + length)).astype(np.float32)
        return scores


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
        """The next chunks. O(characters + terms log terms)."""
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
        """All of them, by term. O(postings log postings)."""
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
    """64 bits of each word: the terms themselves need not be kept."""
    data = b"".join(hashlib.blake2b(word.encode(), digest_size=8).digest() for word in words)
    return np.frombuffer(data, dtype="<u8").astype(np.uint64)
