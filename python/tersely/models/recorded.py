"""Record what a language model replies in a file, and replay it without the model."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tersely.cache import digest_of
from tersely.errors import (
    CompressionError,
    ModelReplyError,
    OversizedReplyError,
    StoreError,
    TruncatedReplyError,
)
from tersely.models.language_models import Completion, acomplete_all, complete_all, resolve_language_model
from tersely.sqlite import DamageError, Database, Format

if TYPE_CHECKING:
    from sqlite3 import Connection

__all__ = ["MissingReplyError", "RecordedError", "Recorder", "Replayer"]

_DIGEST = 8  # bytes
_ERRORS = {kind.__name__: kind for kind in (ModelReplyError, TruncatedReplyError, OversizedReplyError)}


def _make_table(connection: Connection) -> None:
    connection.execute(
        "CREATE TABLE answers (key BLOB PRIMARY KEY, model TEXT NOT NULL, kind TEXT NOT NULL, "
        "answer BLOB NOT NULL, digest BLOB NOT NULL)"
    )


_FORMAT = Format(
    name="a file of a model's answers",
    remedy="remove it, and ask the model again",
    migrations=(_make_table,),
    application=0x54524D41,  # "TRMA"
)


def _open(path: str | os.PathLike[str], *, read_only: bool = False) -> Database:
    return Database(Path(path), _FORMAT, read_only=read_only, flush=False)


def _find(file: Database, key: bytes) -> tuple[str, str] | None:
    """Return the kind of an answer ("reply", or an error's type) and its text; None where there is none.

    Raises StoreError for one that is damaged.
    """
    query = "SELECT kind, answer, digest FROM answers WHERE key = ?"
    with file.reading() as connection:
        found = connection.execute(query, (key,)).fetchone()
        if found is None:
            return None
        kind, answer, digest = found
        if not isinstance(answer, bytes) or digest != _digest(key, kind, answer):
            raise DamageError("an answer does not match its digest")
        return kind, answer.decode("utf-8", "surrogatepass")


def _digest(key: bytes, kind: str, answer: bytes) -> bytes:
    return hashlib.blake2b(f"{kind}\0".encode() + answer, key=key, digest_size=_DIGEST).digest()


class RecordedError(CompressionError):
    """The recorded model raised an error; the message has its type and text."""


class MissingReplyError(StoreError):
    """No reply to a prompt was recorded; the message has the prompt's key."""


class Recorder:
    """A language model that asks another one and records its replies in an SQLite file, for a `Replayer`.

    A prompt with a recorded reply is not asked again, so that the recording run gives what a replay gives; a
    prompt with a recorded error is asked again. Threads and processes may record into one file.
    """

    def __init__(self, model: Any, path: str | os.PathLike[str], *, name: str | None = None) -> None:
        """Record the replies of `model` in the file at `path`, made if it is missing.

        Args:
            model: what `tersely.models.language_models.resolve_language_model` takes.
            path: the file; a new one is its owner's alone.
            name: of the model in the file; None: its own.

        Raises StoreError if the file is not a recording.
        """
        self._model = resolve_language_model(model)
        self.name = name if name is not None else self._model.name
        self.path, self._file = Path(path), _open(path)

    def complete(self, prompt: str) -> str:
        """Return the recorded reply, or the model's, which is then recorded; the model's errors pass."""
        known = self._known(prompt)
        return self._record(prompt, complete_all(self._model, [prompt], 1)[0]) if known is None else known

    async def acomplete(self, prompt: str) -> str:
        """Reply as `complete` does, for async callers."""
        import asyncio

        if (known := await asyncio.to_thread(self._known, prompt)) is not None:
            return known
        (came,) = await acomplete_all(self._model, [prompt], 1)
        return await asyncio.to_thread(self._record, prompt, came)

    def close(self) -> None:
        """Put all that was recorded into the one file; the next call opens it again."""
        self._file.release()

    def _known(self, prompt: str) -> str | None:
        found = _find(self._file, reply_key(self.name, prompt))
        return found[1] if found is not None and found[0] == "reply" else None

    def _record(self, prompt: str, came: Completion) -> str:
        """Record a reply, or an error where there is no reply; return or raise what the file has."""
        kind = "reply" if isinstance(came, str) else type(came).__name__
        key, answer = reply_key(self.name, prompt), str(came).encode("utf-8", "surrogatepass")
        insert = (
            "INSERT INTO answers VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET kind = excluded.kind,"
            " answer = excluded.answer, digest = excluded.digest WHERE kind != 'reply'"
        )
        row = (key, self.name, kind, answer, _digest(key, kind, answer))
        self._file.write(lambda connection: connection.execute(insert, row))
        reply = self._known(prompt)
        if reply is None and isinstance(came, Exception):
            raise came
        return str(reply)


class Replayer:
    """A language model that returns recorded replies and raises recorded errors, without a model."""

    def __init__(self, path: str | os.PathLike[str], *, name: str | None = None) -> None:
        """Read a recording.

        Args:
            path: a file that a `Recorder` wrote.
            name: of the model; None: the only one in the file.

        Raises StoreError if the file is no recording, ValueError if it has several models and `name` is None.
        """
        self._file = _open(path, read_only=True)
        with self._file.reading() as connection:
            names = [
                name for (name,) in connection.execute("SELECT DISTINCT model FROM answers ORDER BY model")
            ]
        if name is None and len(names) > 1:
            raise ValueError(f"{path} has several models; name= must be one of {', '.join(names)}")
        self.name = name if name is not None else names[0] if names else ""

    def complete(self, prompt: str) -> str:
        """Return the reply that was recorded for `prompt`.

        Raises MissingReplyError if there is none, RecordedError if the model raised (ModelReplyError if it
        raised that).
        """
        key = reply_key(self.name, prompt)
        found = _find(self._file, key)
        if found is None:
            raise MissingReplyError(f"there is no reply of {self.name or 'a model'} for prompt {key.hex()}")
        kind, text = found
        if kind == "reply":
            return text
        raise _ERRORS[kind](text) if kind in _ERRORS else RecordedError(f"{kind}: {text}")

    async def acomplete(self, prompt: str) -> str:
        """Reply as `complete` does, for async callers."""
        import asyncio

        return await asyncio.to_thread(self.complete, prompt)


def reply_key(model: str, prompt: str) -> bytes:
    """SHA-256 of the model's name and the prompt."""
    return digest_of([model, prompt])
