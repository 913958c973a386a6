"""Write to a store: check what comes in, the steps of each call inside its transaction, the tables."""

from __future__ import annotations

import hashlib
import json
import sys
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tersely import checks
from tersely.errors import VersionConflictError
from tersely.sqlite import DamageError, Format
from tersely.store.search import forget_words, write_words
from tersely.store.versions import (
    MAX_TEXT_BYTES,
    Row,
    find,
    find_all,
    find_newest,
    find_original,
    forget_uses,
    insert,
    write_text,
)
from tersely.types import Compressed, Document

if TYPE_CHECKING:
    from sqlite3 import Connection


def put_original(
    connection: Connection, item: Intake, created: int, expected_version: int | None = None
) -> Row:
    """Add an original, unless it is the newest version already; return its row."""
    before = find_newest(connection, item.id)
    _check_version(item.id, before, expected_version)
    if before is not None and before.root == before.version:
        if (before.digest, before.metadata, before.masked) == (item.digest, item.metadata, item.masked):
            return before
    elif before is None and _is_compressed_id(connection, item.id):
        raise ValueError(f"the id {item.id!r} is taken: it names a compressed version")
    text = write_text(connection, item.data, item.digest)
    version = 1 if before is None else before.version + 1
    row = Row(
        item.id, version, version, created, item.metadata, item.masked, digest=item.digest, text=item.text
    )
    write_words(connection, insert(connection, row, text), item.text)
    return row


def replace_newest(
    connection: Connection,
    item: Intake,
    created: int,
    *,
    ratio: float | None,
    preserved: str = "",
    compressed_id: str | None = None,
    expected_version: int | None = None,
) -> Row:
    """Add a compressed version, which is the newest of its id from now on; return its row.

    The original is read first: what could not be given back is not replaced. `created`: microseconds since
    1970; `preserved`: JSON; the others as of `Store.replace`.
    """
    before = find(connection, item.id)
    _check_version(item.id, before, expected_version)
    root = find_original(connection, before)
    version = before.version + 1 if before.id == item.id else _last_version(connection, before.id) + 1
    text = write_text(connection, item.data, item.digest)
    row = Row(
        root.id,
        version,
        root.version,
        created,
        item.metadata or before.metadata,
        item.masked,
        compressed_id=_free_id(connection, root.id, version, compressed_id),
        ratio=check_ratio(ratio, len(root.text.encode("utf-8", "surrogatepass")), len(item.data)),
        preserved=preserved,
        digest=item.digest,
        text=item.text,
    )
    insert(connection, row, text)
    return row


def keep_both(connection: Connection, original: Intake, short: Intake, created: int, ratio: float) -> Row:
    """Add an original and a compressed form of it, unless they are the newest already; return the row."""
    before = find_newest(connection, original.id)
    root = None if before is None else find_original(connection, before)
    if root is None or (root.digest, root.metadata) != (original.digest, original.metadata):
        put_original(connection, original, created)
    elif before is not None and before.digest == short.digest and before.compressed_id is not None:
        return before
    return replace_newest(connection, short, created, ratio=ratio)


def find_old_ids(connection: Connection, created: int) -> list[str]:
    """Find the ids all of whose versions are older than this, in microseconds since 1970."""
    rows = connection.execute("SELECT id FROM versions GROUP BY id HAVING max(created) < ?", (created,))
    return [id for (id,) in rows]


def forget(connection: Connection, ids: list[str]) -> int:
    """Delete every version of these ids, with words, vectors and texts; return how many ids there were.

    The bytes are gone from the file once it is vacuumed.
    """
    count = 0
    for id in ids:
        _forget_words(connection, id)
        numbers = connection.execute("SELECT number FROM versions WHERE id = ?", (id,)).fetchall()
        connection.executemany("DELETE FROM vectors WHERE number = ?", numbers)
        connection.execute("DELETE FROM versions WHERE id = ?", (id,))
        forget_uses(connection, id)
        count += bool(numbers)
    if count:  # O(versions)
        connection.execute("DELETE FROM texts WHERE number NOT IN (SELECT text FROM versions)")
        connection.execute("INSERT INTO words (words) VALUES ('optimize')")  # writes the words that stay anew
    return count


def _forget_words(connection: Connection, id: str) -> None:
    try:
        rows = find_all(connection, id)
    except DamageError:  # damaged: what the words would be is not known; they lead nowhere from now on
        return
    for row in rows:
        if row.root == row.version:
            forget_words(connection, row.number, row.text)


def _check_version(id: str, newest: Row | None, expected: int | None) -> None:
    found = 0 if newest is None else newest.version
    if expected is not None and found != expected:
        raise VersionConflictError(f"the newest version of {id!r} is {found}, not {expected}")


def _last_version(connection: Connection, id: str) -> int:
    (version,) = connection.execute("SELECT max(version) FROM versions WHERE id = ?", (id,)).fetchone()
    if version is None:
        raise DamageError(f"the versions of {id!r} are missing")
    return int(version)


def _free_id(connection: Connection, id: str, version: int, wanted: str | None) -> str:
    """Return the caller's id for a compressed version, or ID@VERSION. Raises ValueError where it is taken."""
    name, tries = wanted or f"{id}@{version}", 0
    is_id = "SELECT 1 FROM versions WHERE id = ? LIMIT 1"
    while _is_compressed_id(connection, name) or connection.execute(is_id, (name,)).fetchone():
        if wanted is not None:
            raise ValueError(f"the compressed id {wanted!r} is taken")
        tries += 1
        name = f"{id}@{version}.{tries}"
    return name


def _is_compressed_id(connection: Connection, id: str) -> bool:
    return connection.execute("SELECT 1 FROM versions WHERE compressed_id = ?", (id,)).fetchone() is not None


def _make_tables(connection: Connection) -> None:
    for statement in (
        # each text once; SHA-256 of its UTF-8 is checked whenever it is read
        "CREATE TABLE texts (number INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, size INTEGER NOT NULL, "
        "data BLOB NOT NULL)",
        # an original has root = version
        "CREATE TABLE versions "
        "(number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, version INTEGER NOT NULL, "
        "text INTEGER NOT NULL, root INTEGER NOT NULL, created INTEGER NOT NULL, metadata TEXT NOT NULL, "
        "masked INTEGER NOT NULL, compressed_id TEXT UNIQUE, ratio REAL, preserved TEXT, seal BLOB NOT NULL, "
        "UNIQUE (id, version))",
        "CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='porter unicode61')",
        "CREATE TABLE vectors (model TEXT NOT NULL, number INTEGER NOT NULL, vector BLOB NOT NULL, "
        "PRIMARY KEY (model, number)) WITHOUT ROWID",
        # tokens saved by compressions, and originals that were asked for again
        "CREATE TABLE uses (number INTEGER PRIMARY KEY, id TEXT NOT NULL, created INTEGER NOT NULL, "
        "expanded INTEGER NOT NULL, tool TEXT NOT NULL, tokens_in INTEGER NOT NULL, "
        "tokens_out INTEGER NOT NULL, call TEXT NOT NULL DEFAULT '', session TEXT NOT NULL DEFAULT '')",
        "CREATE INDEX uses_by_id ON uses (id)",
    ):
        connection.execute(statement)


FORMAT = Format(
    name="a store",
    remedy="go back to a copy that Store.backup made, or see with Store.check what can still be read",
    migrations=(_make_tables,),
    application=0x54525358,  # "TRSX"; files of versions before the release have another
)


DOCUMENTS = "tersely.documents"  # where each document is, in the metadata of an original: it is in files
_SEPARATOR = "\n\n"  # between the documents of an original
_MAX_ID = 512  # characters
_MADE_ID = 32  # hexadecimal digits of the digest


@dataclass(frozen=True, slots=True)
class Intake:
    """A text on its way in."""

    id: str  #: the caller's, or one made of the digest
    data: bytes  #: UTF-8 of `text`, lone surrogates included
    text: str  #: what is stored: the caller's text, its secrets masked where that was asked for
    digest: bytes  #: SHA-256 of `data`
    metadata: str  #: as JSON, "" for none
    masked: int  #: secrets that were masked


def take_in(text: str, id: Any, metadata: Mapping[str, Any] | None, *, mask: bool) -> Intake:
    """Prepare a text for storing. Without an id, one is made of the digest.

    Raises TypeError and ValueError: not a text, over 256 MiB, metadata that is no JSON.
    """
    checks.text(text, "a text to store")
    masked = 0
    if mask:
        from tersely.store.secrets import mask_secrets  # its patterns take a while to be made

        text, masked = mask_secrets(text)
    data = text.encode("utf-8", "surrogatepass")  # what is no text comes back as it was
    if len(data) > MAX_TEXT_BYTES:
        raise ValueError(f"a text to store has at most {MAX_TEXT_BYTES} bytes, not {len(data)}")
    digest = hashlib.sha256(data).digest()
    name = digest.hex()[:_MADE_ID] if id is None else check_id(id)
    return Intake(name, data, text, digest, write_mapping(metadata, "metadata", mask=mask), masked)


def check_id(id: Any) -> str:
    """Return an id as str: one of 1 to 512 characters, or a UUID."""
    if isinstance(id, uuid.UUID):
        return str(id)
    if not isinstance(id, str):
        raise TypeError(f"an id must be str or UUID, not {type(id).__name__}")
    if not 1 <= len(id) <= _MAX_ID:
        raise ValueError(f"an id has 1 to {_MAX_ID} characters, not {len(id)}")
    return checks.identifier(id, "an id")


def write_mapping(mapping: Mapping[str, Any] | None, name: str, *, mask: bool) -> str:
    """Write a mapping as JSON, keys in their order; '' for None and for an empty one."""
    if mapping is None:
        return ""
    if not isinstance(mapping, Mapping):
        raise TypeError(f"{name} must be a mapping, not {type(mapping).__name__}")
    plain = dict(mapping)
    if mask:
        from tersely.store.secrets import mask_mapping

        plain = mask_mapping(mapping)
    try:
        written = json.dumps(plain, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise type(error)(f"{name} must be JSON: {error}") from error
    return written if plain else ""


def check_ratio(ratio: float | None, original: int, compressed: int) -> float:
    """Return the caller's ratio, compressed / original; for None that of the sizes, 1.0 for an empty one."""
    if ratio is None:
        return compressed / original if original else 1.0
    return checks.number(ratio, "compression_ratio", least=0)


def join_documents(documents: Sequence[Document]) -> tuple[str, list[dict[str, Any]]]:
    """Join documents with blank lines; return the text, and where each is: id, title, start, end."""
    places: list[dict[str, Any]] = []
    start = 0
    texts = [document.original for document in documents]
    for document, text in zip(documents, texts, strict=True):
        end = start + len(text)
        places.append({"id": document.id, "title": document.title, "start": start, "end": end})
        start = end + len(_SEPARATOR)
    return _SEPARATOR.join(texts), places


def document_of(text: str, metadata: Mapping[str, Any], document: int) -> str:
    """Cut one of the joined documents out again. Raises IndexError, which says how many there are."""
    places = metadata.get(DOCUMENTS, [{"start": 0, "end": len(text)}])
    number = checks.whole_number(document, "document", least=-sys.maxsize)
    if not 0 <= number < len(places):
        raise IndexError(f"document {number} of {len(places)}: they are numbered from 0")
    return text[places[number]["start"] : places[number]["end"]]


def receipt_facts(compressed: Compressed) -> dict[str, Any]:
    """Return the numbers of a receipt: the metadata of a stored result."""
    receipt = compressed.receipt
    return {
        "tokens": receipt.tokens,
        "original_tokens": receipt.original_tokens,
        "budget": receipt.budget,
        "counter": receipt.counter,
        "used_llm": receipt.used_llm,
        "warnings": list(receipt.warnings),
    }
