"""Words of texts, for SQLite's full-text search."""

from __future__ import annotations

import re
import sqlite3

__all__ = ["match_expression", "write_words"]

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
