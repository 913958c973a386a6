"""Store texts with their compressed versions, and restore every original: the public class."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from tersely.documents import to_documents
from tersely.errors import NotReversibleError
from tersely.sqlite import Database
from tersely.store import changes, versions
from tersely.store.changes import (
    DOCUMENTS,
    FORMAT,
    check_id,
    document_of,
    join_documents,
    receipt_facts,
    take_in,
    write_mapping,
)
from tersely.store.search import Vectors, search
from tersely.store.versions import (
    CompressionRecord,
    Found,
    Stored,
    Use,
    note_compression,
    note_expansion,
    read_uses,
    to_stored,
    was_shortened,
)
from tersely.types import Compressed

if TYPE_CHECKING:
    from sqlite3 import Connection


def _now() -> datetime:
    return datetime.now(UTC)


class Store:
    """Stores texts, their versions and records of compressions in a file, for many threads and processes.

    Versions are immutable. When a call returns, what it stored survives a crash of the process or the
    machine, if the disk has written what it reported as written. Only `delete` and `prune` delete. Every text
    is checked against its SHA-256 when it is read.

    Every method raises StoreError if the file is damaged, full, or locked for 30 seconds.
    """

    def __init__(
        self, file: Database, *, mask_secrets: bool, vectors: Vectors | None, clock: Callable[[], datetime]
    ) -> None:
        """`Store.open` makes one."""
        self.path = file.path
        self._mask, self._clock = mask_secrets, clock
        self._file, self._vectors = file, vectors

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        read_only: bool = False,
        mask_secrets: bool = False,
        embedder: Any = False,
        clock: Callable[[], datetime] = _now,
    ) -> Self:
        """Open a store, or create it; use it in a `with` statement, or call `close`.

        Args:
            path: the SQLite file; PATH-wal, PATH-shm and PATH-lock are beside it. A new one can be read and
                written by its owner alone.
            read_only: for a file or folder that must not, or cannot, be written.
            mask_secrets: keys, tokens and passwords that are recognized are masked before anything is stored;
                such an original cannot be restored. Ids are not masked.
            embedder: makes vectors, which searches use in addition to words: an object with
                `embed(list[str])`, or None for the one that comes with tersely. False: searches use words
                alone, and nothing is embedded.
            clock: gives the time, with its zone.
        """
        vectors = None if embedder is False else Vectors(embedder)
        file = Database(Path(path), FORMAT, read_only=read_only)
        return cls(file, mask_secrets=mask_secrets, vectors=vectors, clock=clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. What was stored is durable without it."""
        self._file.close()

    def put(
        self,
        text: str,
        *,
        id: Any = None,
        metadata: Mapping[str, Any] | None = None,
        expected_version: int | None = None,
    ) -> Stored:
        """Store an original as the first version of `id`, or as a new version.

        If text and metadata are those of the newest version, no new version is made. Without an id, the id is
        made from the text's digest. `metadata` is any JSON object. `expected_version` is the number of the
        version that you believe to be the newest (0: none yet); if another one is, nothing is stored and
        VersionConflictError is raised.

        Lone surrogates are stored as they are. Raises ValueError for a text over 256 MiB, and TypeError for
        other types.
        """
        item = take_in(text, id, metadata, mask=self._mask)
        created = versions.to_microseconds(self._clock())
        return self._file.write(
            lambda connection: to_stored(changes.put_original(connection, item, created, expected_version))
        )

    def put_many(self, items: Iterable[Any]) -> list[Stored]:
        """Store many originals in one transaction: all of them, or none.

        `items`: texts, or documents: mappings or objects with `text`, and `id` and `metadata` if they have
        any.
        """
        documents = to_documents(items)
        checked = [take_in(d.original, d.id, d.metadata, mask=self._mask) for d in documents]
        created = versions.to_microseconds(self._clock())
        return self._file.write(
            lambda connection: [
                to_stored(changes.put_original(connection, item, created)) for item in checked
            ]
        )

    def replace(
        self,
        id: Any,
        compressed_text: str,
        *,
        compression_ratio: float | None = None,
        preserved_metadata: Mapping[str, Any] | None = None,
        metadata: Mapping[str, Any] | None = None,
        compressed_id: Any = None,
        compressed_at: datetime | None = None,
        expected_version: int | None = None,
    ) -> Stored:
        """Store a compressed text as the newest version of `id`, with its record, in one transaction.

        The record points to the root original, which was stored before: `expand` gives it back after any
        number of compressions.

        Args:
            id: of a stored text, or of a compressed version of it.
            compressed_text: the new version.
            compression_ratio: compressed / original; None: of their UTF-8 bytes.
            preserved_metadata: what the compression was to preserve.
            metadata: of the new version; None or empty: what the version before has.
            compressed_id: a name for the new version; None: ID@VERSION.
            compressed_at: with a time zone; None: now.
            expected_version: the version that this was made from; if it is no longer the newest, nothing is
                replaced and VersionConflictError is raised. None: not checked.

        Raises UnknownIdError, and ValueError for a compressed_id that is taken.
        """
        item = take_in(compressed_text, check_id(id), metadata, mask=self._mask)
        replace_newest = partial(
            changes.replace_newest,
            item=item,
            created=versions.to_microseconds(self._clock() if compressed_at is None else compressed_at),
            ratio=compression_ratio,
            preserved=write_mapping(preserved_metadata, "preserved_metadata", mask=self._mask),
            compressed_id=None if compressed_id is None else check_id(compressed_id),
            expected_version=expected_version,
        )
        return self._file.write(lambda connection: to_stored(replace_newest(connection)))

    def keep(
        self,
        compressed: Compressed,
        *,
        id: Any = None,
        metadata: Mapping[str, Any] | None = None,
        tool: str | None = None,
        tokens: tuple[int, int] | None = None,
        whole: str | None = None,
        call: str = "",
        session: str = "",
    ) -> str:
        """Store a result's documents and text in one transaction, and return the id for `expand`.

        Several documents are stored as one original, with a blank line between them: `expand(id, document=1)`
        returns the second one exactly. Without an id, the id is made from the original's digest. Storing the
        same again adds nothing.

        `tool`: the tool that returned the documents; `uses` then counts each call. `tokens`: before and
        after; None: those of the result. `whole`: what to store as the original, if the documents are parts
        of it. `call`: a digest of the tool's call, for `uses`. `session`: the session in which
        `note_repetition` recognizes the result.
        """
        if not isinstance(compressed, Compressed):
            raise TypeError(f"compressed must be a tersely.Compressed, not {type(compressed).__name__}")
        documents = compressed.documents if whole is None else to_documents(whole)
        text, places = join_documents(documents)
        original = take_in(text, id, {**(metadata or {}), DOCUMENTS: places}, mask=self._mask)
        short = take_in(compressed.text, original.id, receipt_facts(compressed), mask=self._mask)
        now = versions.to_microseconds(self._clock())
        counts = tokens or (compressed.original_tokens, compressed.tokens)

        def keep(connection: Connection) -> str:
            row = changes.keep_both(connection, original, short, now, compressed.ratio)
            if tool is not None:
                note_compression(connection, row.id, now, tool, counts, call, session)
            return row.id

        return self._file.write(keep)

    def note_repetition(
        self, id: Any, session: str, *, tool: str, tokens: tuple[int, int], call: str = ""
    ) -> bool:
        """Record that a tool gave a result again that `keep` stored in a session; False if it did not.

        The arguments are those of `keep`.
        """
        name, now = check_id(id), versions.to_microseconds(self._clock())

        def note(connection: Connection) -> bool:
            known = was_shortened(connection, name, session)
            if known:
                note_compression(connection, name, now, tool, tokens, call, session)
            return known

        return self._file.write(note)

    def note_expansion(self, id: Any) -> bool:
        """Record that a tool's result was expanded; returns False if `keep` recorded no tool for it."""
        name, now = check_id(id), versions.to_microseconds(self._clock())
        return self._file.write(lambda connection: note_expansion(connection, name, now))

    def uses(self) -> tuple[Use, ...]:
        """Return which tool results were shortened, and which of them were expanded again, oldest first."""
        with self._file.reading() as connection:
            return read_uses(connection)

    def get(self, id: Any, version: int | None = None) -> Stored:
        """Return a stored version: the newest, or the one asked for; a compressed id names its own version.

        Raises UnknownIdError.
        """
        with self._file.reading() as connection:
            return to_stored(versions.find(connection, check_id(id), version))

    def expand(
        self, id: Any, version: int | None = None, *, document: int | None = None, masked: bool = False
    ) -> str:
        """Return the first original of an id or compressed id, byte for byte.

        Args:
            id, version: as in `get`.
            document: of what `keep` stored, this document alone.
            masked: whether an original in which secrets were masked may be given as it was stored.

        Raises UnknownIdError, NotReversibleError for an original with masked secrets, and IndexError.
        """
        with self._file.reading() as connection:
            row = versions.find(connection, check_id(id), version)
            root = versions.find_original(connection, row)
        if root.masked and not (masked and document is None):
            raise NotReversibleError(
                f"the original of {id!r} was not stored as it was: {root.masked} secrets were masked on the "
                "way in (masked=True gives the masked text)"
            )
        if document is None:
            return root.text
        return document_of(root.text, versions.read_mapping(root.metadata), document)

    def records(self, id: Any) -> tuple[CompressionRecord, ...]:
        """Return the compressions of a text, oldest first; for a compressed id, its own record.

        Raises UnknownIdError.
        """
        with self._file.reading() as connection:
            found = versions.find(connection, check_id(id))
            named = found.compressed_id == str(id)
            rows = [found] if named else versions.find_all(connection, found.id)
            compressed = [row for row in rows if row.compressed_id is not None]
            return tuple(
                versions.to_record(row, versions.find_original(connection, row).text) for row in compressed
            )

    def search(self, query: str, top_n: int = 5) -> list[Found]:
        """Find the originals that match a query best, best first; each id occurs once.

        The ranking is BM25 over stemmed words, with the whole query as a phrase. If the store has an
        embedder, the ranking by cosine counts as much, so that other words for the same thing are found;
        texts that were stored since the last search are embedded first, unless the store is read-only. Scores
        of two searches cannot be compared.

        Args:
            query: any text; it has no syntax. The first 64 different words count, of its first 10,000
                characters, so that a longer query takes no more time.
            top_n: the most ids to return, at least 1.
        """
        return search(self._file, self._vectors, query, top_n)

    def ids(self) -> tuple[str, ...]:
        """Return all ids, in the order in which they were first stored."""
        with self._file.reading() as connection:
            rows = connection.execute("SELECT id FROM versions WHERE version = 1 ORDER BY number")
            return tuple(id for (id,) in rows)

    def __len__(self) -> int:
        with self._file.reading() as connection:
            return int(connection.execute("SELECT count(*) FROM versions WHERE version = 1").fetchone()[0])

    def __contains__(self, id: object) -> bool:
        with self._file.reading() as connection:
            found = connection.execute(
                "SELECT 1 FROM versions WHERE id = ? OR compressed_id = ? LIMIT 1", (str(id), str(id))
            )
            return found.fetchone() is not None

    def check(self) -> list[str]:
        """Read the whole store and return a line for each damage; empty if there is none."""
        with self._file.reading() as connection:
            return versions.find_problems(connection)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the whole store to a new file while it is in use; the file appears when it is complete.

        Raises StoreError if `path` exists.
        """
        self._file.back_up(Path(path))

    def delete(self, id: Any) -> bool:
        """Delete an id with all its versions, for good, and return whether it existed. See `prune`."""
        name = check_id(id)
        return self._forget(lambda connection: [name]) > 0

    def prune(self, before: datetime) -> int:
        """Delete the ids whose versions are all older than a time, and return how many. Nothing else expires.

        The file is rewritten, so that nothing of the deleted texts is left in it (backups still have them).
        """
        limit = versions.to_microseconds(before)
        return self._forget(lambda connection: changes.find_old_ids(connection, limit))

    def _forget(self, which: Callable[[Connection], list[str]]) -> int:
        count = self._file.write(lambda connection: changes.forget(connection, which(connection)))
        if count:
            self._file.vacuum()
        return count
