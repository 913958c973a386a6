"""Record what compressions saved and which texts were expanded again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tersely.store.records import Use
from tersely.store.versions import to_datetime

if TYPE_CHECKING:
    from sqlite3 import Connection

__all__ = ["forget_uses", "note_compression", "note_expansion", "read_uses"]

_LATEST = (
    "SELECT tool, tokens_in, tokens_out FROM uses WHERE id = ? AND NOT expanded ORDER BY number DESC LIMIT 1"
)


def note_compression(
    connection: Connection, id: str, created: int, tool: str, tokens_in: int, tokens_out: int
) -> None:
    """Note that what a tool gave was made shorter, at microseconds since 1970."""
    connection.execute(
        "INSERT INTO uses (id, created, expanded, tool, tokens_in, tokens_out) VALUES (?, ?, 0, ?, ?, ?)",
        (id, created, tool, tokens_in, tokens_out),
    )


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
        "SELECT id, created, expanded, tool, tokens_in, tokens_out FROM uses ORDER BY created, number"
    )
    return tuple(
        Use(id, to_datetime(created), bool(expanded), tool, tokens_in, tokens_out)
        for id, created, expanded, tool, tokens_in, tokens_out in rows
    )


def forget_uses(connection: Connection, id: str) -> None:
    """Remove an id from the records; the tokens saved stay."""
    connection.execute("UPDATE uses SET id = '' WHERE id = ?", (id,))
