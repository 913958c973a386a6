"""Words of texts, for SQLite's full-text search."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

__all__ = ["by_words", "forget_words", "match_expression", "write_words"]

# Scripts without spaces: each character is a word, so that a phrase of them is found (Thai, Lao, Myanmar,
# Khmer; kana, CJK ideographs and their extensions).
_UNSPACED = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
)
_WORD = re.compile(r"\w+")
_COMPOUND = re.compile(r"\w+(?:[^\w\s]\w+)+")
_TERMS = 64  # of a query


def write_words(connection: sqlite3.Connection, number: int, text: str) -> None:
    """Make version `number` findable by the words of `text`."""
    connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, _spaced(text)))


def forget_words(connection: sqlite3.Connection, number: int, text: str) -> None:
    """Take a version out again; `text` must be what it was written with."""
    connection.execute(
        "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", (number, _spaced(text))
    )


def by_words(connection: sqlite3.Connection, query: str) -> Iterator[tuple[int, float]]:
    """(number, BM25) of the versions that have words of the query, the best first."""
    expression = match_expression(query)
    if expression is None:
        return iter(())
    return connection.execute(
        "SELECT rowid, -rank FROM words WHERE words MATCH ? ORDER BY rank, rowid", (expression,)
    )


def match_expression(query: str) -> str | None:
    """The query as FTS5 wants it: every word quoted, so that nothing of it is an operator; None for no words.

    Any of the first 64 different words, words with signs between them as a phrase, too ("src/auth.py"), and
    the words of a query that is not long in their order.
    """
    text = _spaced(query)
    words = list(dict.fromkeys(_WORD.findall(text)))[:_TERMS]
    if not words:
        return None
    phrases = [" ".join(_WORD.findall(compound)) for compound in _COMPOUND.findall(text)[:_TERMS]]
    terms = dict.fromkeys([" ".join(words), *phrases, *words])
    return " OR ".join(f'"{term}"' for term in terms)


def _spaced(text: str) -> str:
    return text if text.isascii() else _UNSPACED.sub(r" \1 ", text)
