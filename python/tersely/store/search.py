"""Finding originals: by their words, and by vectors where the store has an embedder."""

from __future__ import annotations

import sqlite3
from typing import Any

from tersely.store.connections import Connections
from tersely.store.records import Found
from tersely.store.texts import Texts
from tersely.store.versions import by_number, to_mapping
from tersely.store.words import match_expression

__all__ = ["search"]


def search(files: Connections, texts: Texts, embedder: Any, query: str, top_n: int) -> list[Found]:
    """The originals that match best, one an id.

    Their words: BM25 of the query's words, stemmed, and of the words as a phrase.
    """
    if isinstance(top_n, bool) or not isinstance(top_n, int):
        raise TypeError(f"top_n must be a whole number, not {top_n!r}")
    if top_n < 1:
        raise ValueError(f"top_n must be 1 or more, not {top_n}")
    if not isinstance(query, str):
        raise TypeError(f"query must be str, not {type(query).__name__}")
    with files.reading() as connection:
        found: dict[str, Found] = {}
        for number, score in _by_words(connection, query):
            row = by_number(connection, texts, number)
            if row is not None and row.id not in found:
                found[row.id] = Found(row.id, row.version, row.text, to_mapping(row.metadata), score)
            if len(found) == top_n:
                break
        return list(found.values())


def _by_words(connection: sqlite3.Connection, query: str) -> Any:
    expression = match_expression(query)
    if expression is None:
        return iter(())
    return connection.execute(
        "SELECT rowid, -rank FROM words WHERE words MATCH ? ORDER BY rank, rowid", (expression,)
    )
