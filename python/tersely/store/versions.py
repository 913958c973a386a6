"""Texts, each once, and their versions and records: the types, and reading them from the tables.

A text is packed by zlib where that is shorter, and checked whenever it is read.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from tersely import checks
from tersely.checks import brief
from tersely.errors import UnknownIdError
from tersely.sqlite import DamageError, check_file

if TYPE_CHECKING:
    from sqlite3 import Connection


@brief
@dataclass(frozen=True, slots=True)
class Stored:
    """One version of a text, exactly as it was stored."""

    id: str  #: the caller's name for the text, or one made of its digest
    version: int  #: 1, 2, ... of this id.
    digest: str  #: SHA-256 of the text's UTF-8, in hexadecimal
    text: str  #: the text of this version
    metadata: Mapping[str, Any]  #: what the caller gave with it
    created: datetime  #: when, UTC
    #: the version of the same id that this one was made from, through however many compressions; its own for
    #: an original
    original_version: int
    compressed_id: str | None = None  #: the name of this compressed version; None for an original
    masked: int = 0  #: secrets that were masked on the way in; above 0 the text as given was not stored

    @property
    def is_original(self) -> bool:
        """Say whether this version was put, not compressed."""
        return self.version == self.original_version


@brief
@dataclass(frozen=True, slots=True)
class CompressionRecord:
    """A compression of a stored text."""

    compressed_id: str  #: the name of the compressed version
    original_id: str  #: the id of the text, which stays the same; `expand` takes both
    original_text: str  #: the first original, after any number of compressions
    compressed_at: datetime  #: when, UTC
    compression_ratio: float  #: compressed / original, as the caller measured it; otherwise of UTF-8 bytes
    preserved_metadata: Mapping[str, Any]  #: what the compression had to preserve, as the caller said
    version: int  #: with `original_version`: which versions of the id these are
    original_version: int


@dataclass(frozen=True, slots=True)
class Use:
    """An event: a tool result was shortened, or its original was asked for."""

    id: str  #: of the text; "" if it was deleted since
    created: datetime  #: when, UTC
    expanded: bool  #: whether it was asked for whole again
    tool: str  #: the tool that returned it; "" if it is not known
    tokens_in: int  #: with `tokens_out`: before and after
    tokens_out: int
    call: str = ""  #: digest of the tool and its command or arguments; "" if they are not known


@brief
@dataclass(frozen=True, slots=True)
class Found:
    """An original that a search found."""

    id: str  #: with `version`: which original
    version: int
    text: str  #: with `metadata`: as stored
    metadata: Mapping[str, Any]
    score: float  #: higher is better; comparable within one search only


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SEALED = "id, version, root, created, metadata, masked, compressed_id, ratio, preserved"
_COLUMNS = f"{_SEALED}, number, text, seal"
_values = attrgetter(*_SEALED.split(", "))


@dataclass(frozen=True, slots=True)
class Row:
    """A version as the table has it (_COLUMNS): times in microseconds since 1970, mappings as JSON."""

    id: str
    version: int
    root: int
    created: int
    metadata: str
    masked: int = 0
    compressed_id: str | None = None
    ratio: float | None = None
    preserved: str | None = None
    number: int = 0
    digest: bytes = b""
    text: str = ""

    def make_seal(self) -> bytes:
        """Return a digest over all but the text, which has its own; a damaged row does not match it."""
        id, version, *rest = _values(self)
        fields = json.dumps([id, version, self.digest.hex(), *rest])
        return hashlib.blake2b(fields.encode(), digest_size=8).digest()


def insert(connection: Connection, row: Row, text: int) -> int:
    """Add a version that shows text number `text`; return its own number."""
    values = (*_values(row), text, row.make_seal())
    statement = f"INSERT INTO versions ({_SEALED}, text, seal) VALUES ({', '.join('?' * len(values))})"
    number = connection.execute(statement, values).lastrowid
    assert number is not None
    return number


def find_newest(connection: Connection, id: str) -> Row | None:
    """Find the newest version of an id, or None."""
    return _one(connection, "id = ? ORDER BY version DESC LIMIT 1", (id,))


def find(connection: Connection, id: str, version: int | None = None) -> Row:
    """Find a version of an id, the newest by default; or the one whose compressed id this is.

    Raises UnknownIdError, and DamageError.
    """
    if version is not None:
        version = min(checks.whole_number(version, "version", least=1), 2**63 - 1)  # SQLite's largest
        row = _one(connection, "id = ? AND version = ?", (id, version))
    else:
        row = find_newest(connection, id) or _one(connection, "compressed_id = ?", (id,))
    if row is None:
        what = "" if version is None else f" of version {version}"
        raise UnknownIdError(f"nothing is stored under the id {id!r}{what}")
    if (version is not None and row.version != version) or id not in (row.id, row.compressed_id):
        raise DamageError(f"the index of versions led from {id!r} to {row.id!r}")
    return row


def find_all(connection: Connection, id: str) -> list[Row]:
    """Find all versions of an id, the oldest first."""
    found = connection.execute(f"SELECT {_COLUMNS} FROM versions WHERE id = ? ORDER BY version", (id,))
    return [_read(connection, values) for values in found.fetchall()]


def find_original(connection: Connection, row: Row) -> Row:
    """Find the original that a version was made from; itself, where it is one. Raises DamageError."""
    if row.root == row.version:
        return row
    root = _one(connection, "id = ? AND version = ?", (row.id, row.root))
    if root is None or (root.id, root.root) != (row.id, row.root):
        raise DamageError(f"the original of version {row.version} of {row.id!r} is missing")
    return root


def find_number(connection: Connection, number: int) -> Row | None:
    """Find the version with this number, or None."""
    return _one(connection, "number = ?", (number,))


def _one(connection: Connection, where: str, values: tuple[Any, ...]) -> Row | None:
    found = connection.execute(f"SELECT {_COLUMNS} FROM versions WHERE {where}", values).fetchone()
    return None if found is None else _read(connection, found)


def _read(connection: Connection, values: tuple[Any, ...]) -> Row:
    """Make a row from the table's values and its text. Raises DamageError if either is damaged."""
    *fields, text, seal = values
    digest, content = read_text(connection, text)
    row = replace(Row(*fields), digest=digest, text=content)
    with suppress(TypeError):  # bytes where a number or a text should be
        if row.make_seal() == seal:
            return row
    raise DamageError(f"version {row.version} of {row.id!r} does not match its digest")


def to_microseconds(time: datetime) -> int:
    """Count from 1970. Raises TypeError for what is no datetime, ValueError for one without a time zone."""
    if not isinstance(time, datetime):
        raise TypeError(f"a time must be a datetime, not {type(time).__name__}")
    if time.tzinfo is None:
        raise ValueError(f"a time needs its time zone, as in datetime.now(UTC); {time.isoformat()} has none")
    return (time - _EPOCH) // timedelta(microseconds=1)


def to_datetime(created: int) -> datetime:
    """Return the time, UTC."""
    return _EPOCH + timedelta(microseconds=created)


def to_stored(row: Row) -> Stored:
    """Return the version as callers see it."""
    return Stored(
        row.id,
        row.version,
        row.digest.hex(),
        row.text,
        read_mapping(row.metadata),
        to_datetime(row.created),
        row.root,
        row.compressed_id,
        row.masked,
    )


def to_record(row: Row, original: str) -> CompressionRecord:
    """Return the record of a compressed version, with the text of its root original."""
    return CompressionRecord(
        row.compressed_id or "",
        row.id,
        original,
        to_datetime(row.created),
        1.0 if row.ratio is None else row.ratio,
        read_mapping(row.preserved),
        row.version,
        row.root,
    )


def read_mapping(text: str | None) -> Mapping[str, Any]:
    """Read the mapping that was written as JSON."""
    mapping: dict[str, Any] = json.loads(text) if text else {}
    return mapping


def find_problems(connection: Connection) -> list[str]:
    """Say what is wrong with the file: SQLite's own check, then every version, text and record. O(file)."""
    found = check_file(connection)
    roots: set[tuple[str, int]] = set()
    compressed: list[Row] = []
    for values in connection.execute(f"SELECT {_COLUMNS} FROM versions"):
        try:
            row = _read(connection, values)
        except DamageError as error:
            found.append(str(error))
            continue
        if row.root == row.version:
            roots.add((row.id, row.version))
        else:
            compressed.append(replace(row, text=""))
    return found + [
        f"the original of version {row.version} of {row.id!r} is missing"
        for row in compressed
        if (row.id, row.root) not in roots
    ]


_LATEST = (
    "SELECT tool, tokens_in, tokens_out FROM uses WHERE id = ? AND NOT expanded ORDER BY number DESC LIMIT 1"
)


def note_compression(
    connection: Connection, id: str, created: int, tool: str, tokens: tuple[int, int], call: str, session: str
) -> None:
    """Record that a tool result was shortened, at microseconds since 1970; `tokens`: before and after."""
    connection.execute(
        "INSERT INTO uses (id, created, expanded, tool, tokens_in, tokens_out, call, session) "
        "VALUES (?, ?, 0, ?, ?, ?, ?, ?)",
        (id, created, tool, *tokens, call, session),
    )


def was_shortened(connection: Connection, id: str, session: str) -> bool:
    """Whether a result was shortened in a session before."""
    query = "SELECT 1 FROM uses WHERE id = ? AND session = ? AND NOT expanded LIMIT 1"
    return connection.execute(query, (id, session)).fetchone() is not None


def note_expansion(connection: Connection, id: str, created: int) -> bool:
    """Note that the whole was asked for again; False where no compression of it was noted."""
    latest = connection.execute(_LATEST, (id,)).fetchone()
    if latest is None:
        return False
    connection.execute(
        "INSERT INTO uses (id, created, expanded, tool, tokens_in, tokens_out) VALUES (?, ?, 1, ?, ?, ?)",
        (id, created, *latest),
    )
    return True


def read_uses(connection: Connection) -> tuple[Use, ...]:
    """Read all records, the oldest first."""
    rows = connection.execute(
        "SELECT id, created, expanded, tool, tokens_in, tokens_out, call FROM uses ORDER BY created, number"
    )
    return tuple(
        Use(id, to_datetime(created), bool(expanded), tool, tokens_in, tokens_out, call)
        for id, created, expanded, tool, tokens_in, tokens_out, call in rows
    )


def forget_uses(connection: Connection, id: str) -> None:
    """Remove an id from the records; the tokens saved stay."""
    connection.execute("UPDATE uses SET id = '' WHERE id = ?", (id,))


MAX_TEXT_BYTES = 256 * 2**20  # of one text, in UTF-8
_LEVEL = 3  # of zlib: half of the time of the usual 6, and a tenth more bytes


def write_text(connection: Connection, data: bytes, digest: bytes) -> int:
    """Return the number of the row that holds `data`, a new one or one that is sound, or was mended.

    Inside a transaction.
    """
    row = connection.execute("SELECT number FROM texts WHERE digest = ?", (digest,)).fetchone()
    if row is not None and _is_sound(connection, row[0], digest):
        return int(row[0])
    values = (digest, len(data), pack(data))
    if row is not None:
        connection.execute(
            "UPDATE texts SET digest = ?, size = ?, data = ? WHERE number = ?", (*values, row[0])
        )
        return int(row[0])
    number = connection.execute("INSERT INTO texts (digest, size, data) VALUES (?, ?, ?)", values).lastrowid
    assert number is not None
    return number


def read_text(connection: Connection, number: int) -> tuple[bytes, str]:
    """Return (SHA-256, text) of a row. Raises DamageError where it is missing or does not match."""
    row = connection.execute("SELECT digest, size, data FROM texts WHERE number = ?", (number,)).fetchone()
    if row is None:
        raise DamageError(f"text {number} is missing")
    digest, size, packed = row
    try:
        data = unpack(packed, size)
        if hashlib.sha256(data).digest() == digest:
            return digest, data.decode("utf-8", "surrogatepass")
    except (TypeError, ValueError) as error:  # a number where bytes should be, and the like
        raise DamageError(f"text {number}: {error}") from error
    raise DamageError(f"text {number} does not match its SHA-256")


def pack(data: bytes) -> bytes:
    """Return the bytes in fewer ones, or themselves."""
    packed = zlib.compress(data, _LEVEL)
    return packed if len(packed) < len(data) else data


def unpack(packed: bytes, size: int) -> bytes:
    """Return the `size` bytes that were packed. Raises DamageError.

    Never makes more than `size` + 1 bytes, whatever the packed ones say.
    """
    if not 0 <= size <= MAX_TEXT_BYTES:
        raise DamageError(f"a text of {size} bytes")
    if len(packed) == size:
        return packed
    try:
        data = zlib.decompressobj().decompress(packed, size + 1)
    except zlib.error as error:
        raise DamageError(f"a text cannot be unpacked: {error}") from error
    if len(data) != size:
        raise DamageError(f"a text has {len(data)} bytes, not {size}")
    return data


def _is_sound(connection: Connection, number: int, digest: bytes) -> bool:
    try:
        return read_text(connection, number)[0] == digest
    except DamageError:
        return False


_AGAIN = timedelta(minutes=5)  # a call that is made again so soon did not get what it was for


@dataclass(slots=True)
class Savings:
    """Tokens that compressing the results of tools saved."""

    results: int = 0  #: how many were made shorter
    tokens_in: int = 0  #: with `tokens_out`: of them, before and after
    tokens_out: int = 0
    expanded: int = 0  #: how many were asked for whole again, a sign of having cut too much
    again: int = 0  #: how many are of a call that was made again within five minutes
    tokens_back: int = 0  #: of the whole results of these, which count as not saved

    @property
    def saved(self) -> int:
        """Tokens that never went to the model; below 0 where too much had been cut."""
        return self.tokens_in - self.tokens_out - self.tokens_back

    def __str__(self) -> str:
        return (
            f"{self.saved:,} of {self.tokens_in:,} tokens in {self.results:,} results; asked for whole "
            f"again: {self.expanded:,}, calls made again within five minutes: {self.again:,} (not saved)"
        )


def sum_savings(uses: Iterable[Use]) -> Savings:
    """Sum up uses, the oldest first."""
    total = Savings()
    made: dict[str, datetime] = {}  # when each call was made last
    for use in uses:
        again = not use.expanded and use.call in made and use.created - made[use.call] <= _AGAIN
        total.tokens_back += use.tokens_in if use.expanded or again else 0
        if use.expanded:
            total.expanded += 1
            continue
        if use.call:
            made[use.call] = use.created
        total.results += 1
        total.tokens_in += use.tokens_in
        total.tokens_out += use.tokens_out
        total.again += again
    return total
