"""Finding originals: by their words, and by vectors where the store has an embedder."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterable, Iterator

from tersely.store.connections import Connections
from tersely.store.records import Found
from tersely.store.texts import Texts
from tersely.store.vectors import Vectors
from tersely.store.versions import by_number, to_mapping
from tersely.store.words import by_words

__all__ = ["search"]

_CANDIDATES = 50  # of each list, at least, that are put together
_RANK_OFFSET = 60  # reciprocal rank fusion: Cormack, Clarke and Buettcher, SIGIR 2009


def search(files: Connections, texts: Texts, vectors: Vectors | None, query: str, top_n: int) -> list[Found]:
    """The originals that match best, one an id, the best first; ties go to what was stored first.

    Without vectors: BM25 of the query's words, stemmed, and of the words as a phrase; none if none occurs.
    With them: reciprocal rank fusion of that order and of the order of the cosines, O(originals).
    """
    if not isinstance(query, str):
        raise TypeError(f"query must be str, not {type(query).__name__}")
    if isinstance(top_n, bool) or not isinstance(top_n, int):
        raise TypeError(f"top_n must be a whole number, not {top_n!r}")
    if top_n < 1:
        raise ValueError(f"top_n must be 1 or more, not {top_n}")
    if vectors is None:
        with files.reading() as connection:
            return _found(connection, texts, by_words(connection, query), top_n)
    vectors.fill(files, texts)
    wanted = max(_CANDIDATES, 4 * top_n)
    with files.reading() as connection:
        words = [number for number, _ in itertools.islice(by_words(connection, query), wanted)]
    alike = vectors.nearest(files, query, wanted)
    with files.reading() as connection:
        return _found(connection, texts, _fused(words, alike), top_n)


def _fused(*orders: list[int]) -> Iterator[tuple[int, float]]:
    scores: dict[int, float] = {}
    for order in orders:
        for rank, number in enumerate(order, 1):
            scores[number] = scores.get(number, 0.0) + 1 / (_RANK_OFFSET + rank)
    return iter(sorted(scores.items(), key=lambda pair: (-pair[1], pair[0])))


def _found(
    connection: sqlite3.Connection, texts: Texts, scored: Iterable[tuple[int, float]], top_n: int
) -> list[Found]:
    found: dict[str, Found] = {}
    for number, score in scored:
        row = by_number(connection, texts, number)
        if row is not None and row.id not in found:
            found[row.id] = Found(row.id, row.version, row.text, to_mapping(row.metadata), score)
        if len(found) == top_n:
            break
    return list(found.values())
