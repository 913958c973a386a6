"""Words of texts, for SQLite's full-text search."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence

__all__ = ["by_words", "forget_words", "write_words"]

# Scripts without spaces: each character is a word, so that a phrase of them is found (Thai, Lao, Myanmar,
# Khmer; kana, CJK ideographs and their extensions).
_UNSPACED = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
)
_WORD = re.compile(r"\w+")
_COMPOUND = re.compile(r"\w+(?:[^\w\s]\w+)+")
_TERMS = 64  # of a query
_COMMON = 20_000  # versions that have a word which says little


def write_words(connection: sqlite3.Connection, number: int, text: str) -> None:
    """Make version `number` findable by the words of `text`."""
    connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, _spaced(text)))


def forget_words(connection: sqlite3.Connection, number: int, text: str) -> None:
    """Take a version out again; `text` must be what it was written with."""
    connection.execute(
        "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", (number, _spaced(text))
    )


def by_words(connection: sqlite3.Connection, query: str) -> Iterator[tuple[int, float]]:
    """(number, BM25) of the versions that have words of the query, the best first.

    Words that 20,000 versions have, or more, count in phrases only, unless all are such words: their weight
    is next to nothing, and the time would grow with them.
    """
    words = _words(query)
    expression = match_expression(query, [word for word in words if _is_telling(connection, word)] or words)
    if expression is None:
        return iter(())
    return connection.execute(
        "SELECT rowid, -rank FROM words WHERE words MATCH ? ORDER BY rank, rowid", (expression,)
    )


def match_expression(query: str, telling: Sequence[str]) -> str | None:
    """The query as FTS5 wants it: every word quoted, so that nothing of it is an operator; None for no words.

    Any of the words in `telling`, words with signs between them as a phrase ("src/auth.py"), and all words in
    their order.
    """
    words = _words(query)
    if not words:
        return None
    compounds = _COMPOUND.findall(_spaced(query))[:_TERMS]
    phrases = [" ".join(words), *(" ".join(_WORD.findall(compound)) for compound in compounds)]
    return " OR ".join(f'"{term}"' for term in dict.fromkeys([*phrases, *telling]))


def _words(query: str) -> list[str]:
    """The first 64 different words."""
    return list(dict.fromkeys(_WORD.findall(_spaced(query))))[:_TERMS]


def _is_telling(connection: sqlite3.Connection, word: str) -> bool:
    found = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)", (f'"{word}"', _COMMON)
    )
    return int(found.fetchone()[0]) < _COMMON


def _spaced(text: str) -> str:
    return text if text.isascii() else _UNSPACED.sub(r" \1 ", text)
