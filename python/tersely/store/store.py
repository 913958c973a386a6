"""Texts that are never lost: originals, their compressed versions, and the way back."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from tersely.documents import to_documents
from tersely.errors import NotReversibleError
from tersely.store import versions, writes
from tersely.store.commits import GroupCommit
from tersely.store.connections import Connections
from tersely.store.intake import checked_id, checked_mapping, intake
from tersely.store.keeping import DOCUMENTS, facts_of, joined, part
from tersely.store.records import CompressionRecord, Found, Stored, Version
from tersely.store.search import search
from tersely.store.texts import Texts
from tersely.store.upkeep import back_up, forget, ids_before, problems, shrink
from tersely.store.vectors import Vectors
from tersely.store.writes import to_version
from tersely.types import Compressed

__all__ = ["Store"]


def _now() -> datetime:
    return datetime.now(UTC)


class Store:
    """A file of texts, their versions and the records of their compressions. Thread-safe; several processes
    may use one file; a forked child may use its parent's store.

    Versions are immutable. What a call stored is durable when it returns, whatever happens to the process or
    the machine, as far as the disk keeps its word; writes that come at the same time share one wait for it.
    Nothing is deleted unless `prune` is called. Every text is checked against its SHA-256 when it is read.

    Every method raises StoreError where the file is damaged, full, or locked for 30 seconds.
    """

    def __init__(
        self, files: Connections, *, mask_secrets: bool, embedder: Any, clock: Callable[[], datetime]
    ) -> None:
        """`Store.open` makes one."""
        self.path = files.path
        self._mask, self._clock = mask_secrets, clock
        self._files, self._texts = files, Texts()
        self._commits = GroupCommit(files.writing)
        self._vectors = None if embedder is None else Vectors(embedder, self._commits)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        read_only: bool = False,
        mask_secrets: bool = False,
        max_bytes: int | None = None,
        embedder: Any = None,
        clock: Callable[[], datetime] = _now,
    ) -> Self:
        """Open a store, or make it; use it in a `with` statement, or call `close`.

        Args:
            path: the SQLite file; PATH-wal, PATH-shm and PATH-lock stand beside it.
            read_only: for a file or folder that must not, or cannot, be written.
            mask_secrets: keys, tokens and passwords that are recognized are masked before anything is stored;
                such an original cannot be given back. Ids are not looked at.
            max_bytes: the file does not grow over this: StoreError. None: no limit.
            embedder: what `tersely.providers.embedders.resolve_embedder` takes, so that searches go by its
                vectors, too; None: by words alone.
            clock: gives the time, with its zone.
        """
        if max_bytes is not None and (isinstance(max_bytes, bool) or not isinstance(max_bytes, int)):
            raise TypeError(f"max_bytes must be a whole number or None, not {max_bytes!r}")
        if max_bytes is not None and max_bytes < 1:
            raise ValueError(f"max_bytes must be 1 or more, not {max_bytes}")
        files = Connections(Path(path), read_only=read_only, max_bytes=max_bytes)
        return cls(files, mask_secrets=mask_secrets, embedder=embedder, clock=clock)

    def __enter__(self) -> Self:
        """The store itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close the file. What was stored is durable without this."""
        self._files.close()

    def put(
        self,
        text: str,
        *,
        id: Any = None,
        metadata: Mapping[str, Any] | None = None,
        expected_version: int | None = None,
    ) -> Version:
        """Store an original: a first version of `id`, or a new one.

        The same text and metadata again as the newest version is no new version. Without an id, one is made
        of the text's digest. `metadata` is any JSON object. `expected_version`: of the newest version; where
        that is another one, nothing is stored and VersionConflictError raised (0: there is none yet).

        Raises ValueError for a text with a lone surrogate or over 256 MiB, and TypeError for other types.
        """
        item = intake(text, id, metadata, mask=self._mask)
        created = versions.microseconds(self._clock())
        return self._commits.run(
            lambda connection: to_version(
                writes.put_original(connection, self._texts, item, created, expected_version)
            )
        )

    def put_many(self, items: Iterable[Any]) -> list[Version]:
        """Store many originals in one transaction: all of them, or none.

        `items`: texts, or documents: mappings or objects with `text`, and `id` and `metadata` if they have
        any.
        """
        documents = to_documents(items)
        checked = [intake(d.text, d.id, d.metadata, mask=self._mask) for d in documents]
        created = versions.microseconds(self._clock())
        return self._commits.run(
            lambda connection: [
                to_version(writes.put_original(connection, self._texts, item, created)) for item in checked
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
    ) -> Version:
        """Make a compressed text the newest version of `id`, with its record, in one transaction.

        The record points to the root original, which was stored before: `expand` gives it back after any
        number of compressions.

        Args:
            id: of a stored text, or of a compressed version of it.
            compressed_text: stands in its place from now on.
            compression_ratio: compressed / original; None: of their UTF-8 bytes.
            preserved_metadata: what the compression was to preserve.
            metadata: of the new version; None or empty: what the version before has.
            compressed_id: a name for the new version; None: ID@VERSION.
            compressed_at: with a time zone; None: now.
            expected_version: the one that this was made from; where another is the newest by now, nothing is
                replaced and VersionConflictError raised. None: not checked.

        Raises UnknownIdError, and ValueError for a compressed_id that is taken.
        """
        item = intake(compressed_text, checked_id(id), metadata, mask=self._mask)
        said = writes.Replacement(
            compression_ratio,
            checked_mapping(preserved_metadata, "preserved_metadata", mask=self._mask),
            versions.microseconds(self._clock() if compressed_at is None else compressed_at),
            None if compressed_id is None else checked_id(compressed_id),
            expected_version,
        )
        return self._commits.run(
            lambda connection: to_version(writes.replace_newest(connection, self._texts, item, said))
        )

    def keep(
        self, compressed: Compressed, *, id: Any = None, metadata: Mapping[str, Any] | None = None
    ) -> str:
        """Store a result's documents and its text, in one transaction; returns the id that expands.

        Several documents are one original, with a blank line between them: `expand(id, document=1)` gives the
        second one exactly. Without an id, one is made of the original's digest. The same again adds nothing.
        """
        if not isinstance(compressed, Compressed):
            raise TypeError(f"compressed must be a tersely.Compressed, not {type(compressed).__name__}")
        text, places = joined(compressed.documents)
        original = intake(text, id, {**(metadata or {}), DOCUMENTS: places}, mask=self._mask)
        short = intake(compressed.text, original.id, facts_of(compressed), mask=self._mask)
        said = writes.Replacement(compressed.ratio, "", versions.microseconds(self._clock()), None)
        return self._commits.run(
            lambda connection: writes.keep_both(connection, self._texts, original, short, said)
        ).id

    def get(self, id: Any, version: int | None = None) -> Stored:
        """A version as it was stored: the newest, or the one asked for; a compressed id names its own.

        Raises UnknownIdError.
        """
        with self._files.reading() as connection:
            return versions.to_stored(versions.find(connection, self._texts, checked_id(id), version))

    def expand(
        self, id: Any, version: int | None = None, *, document: int | None = None, masked: bool = False
    ) -> str:
        """The root original of whatever this id or compressed id names, byte for byte.

        Args:
            id, version: as in `get`.
            document: of what `keep` stored, this document alone.
            masked: whether an original in which secrets were masked may be given as it was stored.

        Raises UnknownIdError, NotReversibleError for an original with masked secrets, and IndexError.
        """
        with self._files.reading() as connection:
            row = versions.find(connection, self._texts, checked_id(id), version)
            root = writes.root_of(connection, self._texts, row)
        if root.masked and not (masked and document is None):
            raise NotReversibleError(
                f"the original of {id!r} was not stored as it was: {root.masked} secrets were masked on the "
                "way in (masked=True gives the masked text)"
            )
        if document is None:
            return root.text
        return part(root.text, versions.to_mapping(root.metadata), document)

    def records(self, id: Any) -> tuple[CompressionRecord, ...]:
        """The compressions of a text, the oldest first; of a compressed id, its own.

        Raises UnknownIdError.
        """
        with self._files.reading() as connection:
            found = versions.find(connection, self._texts, checked_id(id))
            named = found.compressed_id == str(id)
            rows = [found] if named else versions.of_id(connection, self._texts, found.id)
            compressed = [row for row in rows if row.compressed_id is not None]
            return tuple(
                versions.to_record(row, writes.root_of(connection, self._texts, row).text)
                for row in compressed
            )

    def search(self, query: str, top_n: int = 5) -> list[Found]:
        """Originals that match the query best, the best first, one an id.

        They have words of it: BM25, stemmed, the whole query as a phrase included. With an embedder the order
        of cosines counts as much, so that other words for the same thing are found; it is asked for what came
        since the last search, unless the store is only read. Scores compare within one search only.
        """
        return search(self._files, self._texts, self._vectors, query, top_n)

    def ids(self) -> tuple[str, ...]:
        """All ids, in the order in which they were first stored."""
        with self._files.reading() as connection:
            rows = connection.execute("SELECT id FROM versions WHERE version = 1 ORDER BY number")
            return tuple(id for (id,) in rows)

    def __len__(self) -> int:
        """Number of ids."""
        with self._files.reading() as connection:
            return int(connection.execute("SELECT count(*) FROM versions WHERE version = 1").fetchone()[0])

    def __contains__(self, id: object) -> bool:
        """Whether this is an id or a compressed id."""
        with self._files.reading() as connection:
            found = connection.execute(
                "SELECT 1 FROM versions WHERE id = ? OR compressed_id = ? LIMIT 1", (str(id), str(id))
            )
            return found.fetchone() is not None

    def check(self) -> list[str]:
        """What is wrong with the file, one line each; empty where all is well. Reads everything."""
        return problems(self._files, self._texts)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the whole store to a new file while it is in use; it is there once it is complete.

        Raises StoreError where `path` exists.
        """
        back_up(self._files, Path(path))

    def delete(self, id: Any) -> bool:
        """Forget an id with all its versions, for good; whether there was one. See `prune`."""
        name = checked_id(id)
        return self._forget(lambda connection: [name]) > 0

    def prune(self, before: datetime) -> int:
        """Forget the ids all of whose versions are older than this; how many. Nothing else ever expires.

        The file is written anew, so that what is forgotten is nowhere in it (backups have it still).
        """
        limit = versions.microseconds(before)
        return self._forget(lambda connection: ids_before(connection, limit))

    def _forget(self, which: Callable[[sqlite3.Connection], list[str]]) -> int:
        count = self._commits.run(lambda connection: forget(connection, self._texts, which(connection)))
        if count:
            self._commits.alone(lambda: shrink(self._files))
        return count
