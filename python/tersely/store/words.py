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
_WORD = re.compile(r"\w+(?:[^\w\s\"\x00]\w+)*")
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

    The words in their order, and any one of them; the first 64 different ones. A word with signs inside
    ("src/auth.py") is found as the phrase of its parts.
    """
    words = list(dict.fromkeys(_WORD.findall(_spaced(query).replace("\x00", " "))))[:_TERMS]
    if not words:
        return None
    quoted = [f'"{word}"' for word in words]
    return " OR ".join([f'"{" ".join(words)}"', *quoted] if len(words) > 1 else quoted)


def _spaced(text: str) -> str:
    return text if text.isascii() else _UNSPACED.sub(r" \1 ", text)
