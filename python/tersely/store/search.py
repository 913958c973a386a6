"""Find originals by their words, and by their vectors where the store has an embedder."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tersely import checks
from tersely.errors import StoreError
from tersely.models.embedders import resolve_embedder
from tersely.sqlite import Database
from tersely.store.versions import Found, find_number, read_mapping, read_text
from tersely.text import well_formed
from tersely.types import Float32s

if TYPE_CHECKING:
    from sqlite3 import Connection

_QUERY_CHARACTERS = 10_000  # of a query: words after them do not count
_QUERY_WORDS = 64  # different ones
_PHRASE_WORDS = 64  # of all phrases together: each is looked for at every place of its words
_PHRASE = 16  # words of a phrase such as "src/auth/tokens.py", or parts of a word such as "parts_of_a_word"
_COMMON = 20_000  # versions that have a word which says little
_CANDIDATES = 50  # of each list, at least, that are put together
_RANK_OFFSET = 60  # reciprocal rank fusion: Cormack, Clarke and Buettcher, SIGIR 2009
_EMBEDDED_AT_ONCE = 256  # texts
_READ_AT_ONCE = 4096  # vectors

# Scripts without spaces: each character is a word, so that a phrase of them is found (Thai, Lao, Myanmar,
# Khmer; kana, CJK ideographs and their extensions).
_UNSPACED = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
)
_WORD = re.compile(r"\w+")
_COMPOUND = re.compile(r"\w+(?:[^\w\s]\w+)*")  # words with single signs between; never fails, so it is linear


def search(database: Database, vectors: Vectors | None, query: str, top_n: int) -> list[Found]:
    """Find the best matching originals, one an id, the best first; ties go to the one stored first.

    Without vectors: BM25 of the query's words, stemmed, and of the words as a phrase; none if none occurs.
    With them: reciprocal rank fusion of that order and of the order of the cosines, O(originals).
    """
    checks.text(query, "query")
    top_n = checks.whole_number(top_n, "top_n", least=1)
    if vectors is None:
        with database.reading() as connection:
            return _to_found(connection, _by_words(connection, query), top_n)
    vectors.fill(database)
    wanted = max(_CANDIDATES, 4 * top_n)
    with database.reading() as connection:
        words = [number for number, _ in itertools.islice(_by_words(connection, query), wanted)]
    alike = vectors.nearest(database, query, wanted)
    with database.reading() as connection:
        return _to_found(connection, _fuse(words, alike), top_n)


def _fuse(*orders: list[int]) -> Iterator[tuple[int, float]]:
    scores: dict[int, float] = {}
    for order in orders:
        for rank, number in enumerate(order, 1):
            scores[number] = scores.get(number, 0.0) + 1 / (_RANK_OFFSET + rank)
    return iter(sorted(scores.items(), key=lambda pair: (-pair[1], pair[0])))


def _to_found(connection: Connection, scored: Iterable[tuple[int, float]], top_n: int) -> list[Found]:
    found: dict[str, Found] = {}
    for number, score in scored:
        row = find_number(connection, number)
        if row is not None and row.id not in found:
            found[row.id] = Found(row.id, row.version, row.text, read_mapping(row.metadata), score)
        if len(found) == top_n:
            break
    return list(found.values())


def write_words(connection: Connection, number: int, text: str) -> None:
    """Make version `number` findable by the words of `text`."""
    connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, _space_out(text)))


def forget_words(connection: Connection, number: int, text: str) -> None:
    """Remove a version; `text` must be the one that it was written with."""
    connection.execute(
        "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", (number, _space_out(text))
    )


def _by_words(connection: Connection, query: str) -> Iterator[tuple[int, float]]:
    """Yield (number, BM25) of the versions that have words of the query, the best first.

    Words that 20,000 versions have, or more, count in phrases only, unless all are such words: their weight
    is next to nothing, and the time would grow with them.
    """
    words, phrases = _words_and_phrases(query)
    if not words:
        return iter(())
    telling = [word for word in words if _is_telling(connection, word)] or words
    # Every word is quoted, so that nothing of a query is an operator.
    expression = " OR ".join(f'"{term}"' for term in dict.fromkeys([*phrases, *telling]))
    return connection.execute(
        "SELECT rowid, -rank FROM words WHERE words MATCH ? ORDER BY rank, rowid", (expression,)
    )


def _words_and_phrases(query: str) -> tuple[list[str], list[str]]:
    """Return the first 64 different words, and the phrases: words joined by signs, and all words in a row.

    Linear, and bounded: words after the first 10,000 characters do not count, nor does one that goes on after
    them; of a word the first 16 parts count ("_" parts them), of a phrase the first 16 words, of all phrases
    with signs the first 64. One word again and again is no phrase.
    """
    text = _space_out(query[:_QUERY_CHARACTERS])
    words: dict[str, None] = {}
    compounds: dict[str, None] = {}
    room = _PHRASE_WORDS
    for match in _COMPOUND.finditer(text):
        if match.end() == len(text) and len(query) > _QUERY_CHARACTERS:
            break
        parts = ["_".join(word.split("_", _PHRASE)[:_PHRASE]) for word in _WORD.findall(match.group())]
        phrase = parts[:_PHRASE]
        if len(set(phrase)) > 1 and len(phrase) <= room and (joined := " ".join(phrase)) not in compounds:
            compounds[joined] = None
            room -= len(phrase)
        words.update(dict.fromkeys(parts[: _QUERY_WORDS - len(words)]))
    return list(words), [" ".join(words), *compounds] if words else []


def _is_telling(connection: Connection, word: str) -> bool:
    found = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)", (f'"{word}"', _COMMON)
    )
    return int(found.fetchone()[0]) < _COMMON


def _space_out(text: str) -> str:
    return _UNSPACED.sub(r" \1 ", well_formed(text)) if _UNSPACED.search(text) else well_formed(text)


class Vectors:
    """Embed the originals when a search first needs their vectors, and keep these in the file.

    Vectors are kept under the embedder's name: another model, other vectors.
    """

    def __init__(self, embedder: Any) -> None:
        """Use an embedder: what `resolve_embedder` takes."""
        self._embedder = resolve_embedder(embedder)

    def fill(self, database: Database) -> None:
        """Embed the originals that came since the last time, unless the file is only read.

        Raises what the embedder raises.
        """
        if database.read_only:
            return
        while rows := self._next_rows(database):
            with database.reading() as connection:
                contents = [well_formed(read_text(connection, text)[1]) for _, text in rows]
            vectors = self._embedder.embed(contents)
            database.write(partial(self._write, [number for number, _ in rows], vectors))

    def nearest(self, database: Database, query: str, count: int) -> list[int]:
        """Find the versions whose cosine with the query is highest, at most `count`, the highest first."""
        wanted = self._embedder.embed([query])[0]
        numbers: list[int] = []
        cosines: list[Float32s] = []
        with database.reading() as connection:
            rows = connection.execute(
                "SELECT number, vector FROM vectors WHERE model = ? ORDER BY number", (self._embedder.name,)
            )
            while some := rows.fetchmany(_READ_AT_ONCE):
                if any(len(vector) != wanted.nbytes for _, vector in some):
                    raise StoreError(
                        f"{database.path}: two models have the name {self._embedder.name!r}; give one another"
                    )
                matrix = np.frombuffer(b"".join(vector for _, vector in some), dtype=np.float32)
                numbers += [number for number, _ in some]
                cosines.append(np.einsum("nd,d->n", matrix.reshape(len(some), -1), wanted))
        if not numbers:
            return []
        order = np.argsort(-np.nan_to_num(np.concatenate(cosines)), kind="stable")[:count]
        return [numbers[row] for row in order]

    def _next_rows(self, database: Database) -> list[tuple[int, int]]:
        """Return (number, text) of the next originals: they are embedded in the order of their numbers."""
        with database.reading() as connection:
            return connection.execute(
                "SELECT number, text FROM versions WHERE root = version AND number > "
                "(SELECT coalesce(max(number), 0) FROM vectors WHERE model = ?) ORDER BY number LIMIT ?",
                (self._embedder.name, _EMBEDDED_AT_ONCE),
            ).fetchall()

    def _write(self, numbers: Sequence[int], vectors: Float32s, connection: Connection) -> None:
        name = self._embedder.name
        connection.executemany(
            "INSERT OR REPLACE INTO vectors (model, number, vector) VALUES (?, ?, ?)",
            [(name, number, vector.tobytes()) for number, vector in zip(numbers, vectors, strict=True)],
        )
