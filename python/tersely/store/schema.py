"""Make the tables of a store, in a new file or in one of an older format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tersely.sqlite import Format
from tersely.store.codec import Texts
from tersely.store.search import write_words

if TYPE_CHECKING:
    from sqlite3 import Connection


def _texts_and_versions(connection: Connection) -> None:
    connection.execute(
        "CREATE TABLE dictionaries "
        "(number INTEGER PRIMARY KEY, key INTEGER NOT NULL UNIQUE, data BLOB NOT NULL)"
    )
    connection.execute(  # each text once; SHA-256 of its UTF-8 is checked whenever it is read
        "CREATE TABLE texts (number INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, size INTEGER NOT NULL, "
        "form INTEGER NOT NULL, dictionary INTEGER, data BLOB NOT NULL)"
    )
    connection.execute(  # an original has root = version
        "CREATE TABLE versions "
        "(number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, version INTEGER NOT NULL, "
        "text INTEGER NOT NULL, root INTEGER NOT NULL, created INTEGER NOT NULL, metadata TEXT NOT NULL, "
        "masked INTEGER NOT NULL, compressed_id TEXT UNIQUE, ratio REAL, preserved TEXT, seal BLOB NOT NULL, "
        "UNIQUE (id, version))"
    )


def _words_and_vectors(connection: Connection) -> None:
    """Make the tables of words and vectors; words of the originals that are there are put in."""
    connection.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='porter unicode61')")
    connection.execute(
        "CREATE TABLE vectors (model TEXT NOT NULL, number INTEGER NOT NULL, vector BLOB NOT NULL, "
        "PRIMARY KEY (model, number)) WITHOUT ROWID"
    )
    texts = Texts()
    for number, text in connection.execute("SELECT number, text FROM versions WHERE root = version"):
        write_words(connection, number, texts.read(connection, text)[1])


def _uses(connection: Connection) -> None:
    """Create the table of tokens saved by compressions, and of originals that were asked for again."""
    connection.execute(
        "CREATE TABLE uses (number INTEGER PRIMARY KEY, id TEXT NOT NULL, created INTEGER NOT NULL, "
        "expanded INTEGER NOT NULL, tool TEXT NOT NULL, tokens_in INTEGER NOT NULL, "
        "tokens_out INTEGER NOT NULL)"
    )
    connection.execute("CREATE INDEX uses_by_id ON uses (id)")


def _calls(connection: Connection) -> None:
    """Add to the records of uses which call gave a result, so that one that is made again is known."""
    connection.execute("ALTER TABLE uses ADD COLUMN call TEXT NOT NULL DEFAULT ''")


FORMAT = Format(
    name="a store",
    remedy="go back to a copy that Store.backup made, or see with Store.check what can still be read",
    migrations=(_texts_and_versions, _words_and_vectors, _uses, _calls),
    application=0x54525354,  # "TRST"
)
