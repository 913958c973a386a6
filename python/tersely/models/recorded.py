"""Record the replies of a language model in a file, and replay them later without the model."""

from __future__ import annotations

import hashlib
import json
import math
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from tersely.errors import (
    CompressionError,
    ModelReplyError,
    OversizedReplyError,
    StoreError,
    TruncatedReplyError,
)
from tersely.files import lock_handle, private, unlock_handle, warn_if_shared
from tersely.models.language_models import resolve_language_model

__all__ = ["MissingReplyError", "RecordedError", "Recorder", "Replayer"]

_LONGEST_LINE = 64 * 2**20  # bytes
_BEGINNING = b'{"key": "'  # of every line


class RecordedError(CompressionError):
    """A recorded model raised instead of replying; the message has the type and words of its error."""


class MissingReplyError(StoreError):
    """No reply to a prompt was ever recorded; the message has the prompt's key."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """One line of a recording: a reply, or the type and message of an error."""

    key: str
    model: str
    reply: str | None
    error: tuple[str, str] | None

    def replay(self) -> str:
        """Return the reply, or raise the error."""
        if self.reply is not None:
            return self.reply
        name, message = self.error or ("", "")
        for kind in (ModelReplyError, TruncatedReplyError, OversizedReplyError):
            if name == kind.__name__:
                raise kind(message)
        raise RecordedError(f"{name}: {message}")

    def line(self) -> bytes:
        fields: dict[str, Any] = {"key": self.key, "model": self.model}
        if self.reply is not None:
            fields["reply"] = self.reply
        elif self.error is not None:
            fields["error"] = {"type": self.error[0], "message": self.error[1]}
        return json.dumps(fields).encode("ascii") + b"\n"


class Recorder:
    """A language model that asks another one, and writes to a file what comes back.

    The file has a JSON object a line: "key", "model", and "reply", or "error" with "type" and "message";
    prompts are not in it. What has a reply in it is not asked again, so that the run that records gives what
    a replay gives; what has an error is. Threads and processes may record into one file.
    """

    def __init__(self, model: Any, path: str | os.PathLike[str], *, name: str | None = None) -> None:
        """Record what `model` replies into the file at `path`, which is made where it is missing.

        Args:
            model: what `tersely.models.language_models.resolve_language_model` takes.
            path: the file; a new one is its owner's alone.
            name: of the model in the file; None: its own.

        Raises StoreError where the file is not a recording.
        """
        self._model = resolve_language_model(model)
        self.name = name if name is not None else self._model.name
        self.path = Path(path)
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}
        self._read_to = 0
        with _locked(self.path) as file:
            self._catch_up(file)
        warn_if_shared(self.path)

    def complete(self, prompt: str) -> str:
        """The recorded reply, or the model's, which is then recorded; raises what the model raises."""
        key = reply_key(self.name, prompt)
        if (known := self._known(key)) is not None:
            return known
        try:
            reply = self._model.complete(prompt)
        except Exception as error:
            if (entry := self._record(key, error)).reply is None:
                raise
            return entry.replay()
        return self._record(key, reply).replay()

    async def acomplete(self, prompt: str) -> str:
        """As `complete`, for async callers."""
        from asyncio import to_thread

        key = reply_key(self.name, prompt)
        if (known := self._known(key)) is not None:
            return known
        try:
            reply = await self._model.acomplete(prompt)
        except Exception as error:
            if (entry := await to_thread(self._record, key, error)).reply is None:
                raise
            return entry.replay()
        return (await to_thread(self._record, key, reply)).replay()

    def _known(self, key: str) -> str | None:
        with self._lock:
            entry = self._entries.get(key)
        return entry.reply if entry is not None else None

    def _record(self, key: str, came: str | Exception) -> _Entry:
        """Write what came, unless another thread or process was first; returns the entry that counts."""
        failed = (type(came).__name__, str(came)) if isinstance(came, Exception) else None
        entry = _Entry(key, self.name, None if isinstance(came, Exception) else came, failed)
        with self._lock, _locked(self.path) as file:
            self._catch_up(file)
            before = self._entries.get(key)
            if before is not None and (before.reply is not None or before == entry):
                return before
            file.write(entry.line())
            file.flush()
            self._read_to = file.tell()
            _add(self._entries, entry)
            return entry

    def _catch_up(self, file: BinaryIO) -> None:
        """Read what others wrote since. A last line without an end was never finished: it goes."""
        file.seek(self._read_to)
        for entry in _entries(file, self.path):
            _add(self._entries, entry)
            self._read_to = file.tell()
        file.seek(self._read_to)
        unfinished = file.read(len(_BEGINNING))
        if not _BEGINNING.startswith(unfinished):
            raise StoreError(f"{self.path} is no recording: its last line is none")
        if unfinished:
            file.truncate(self._read_to)


class Replayer:
    """A language model that gives recorded replies, and raises recorded errors, and asks nobody."""

    def __init__(self, path: str | os.PathLike[str], *, name: str | None = None) -> None:
        """Read a recording.

        Args:
            path: a file that a `Recorder` wrote.
            name: of the model; None: the only one in the file.

        Raises StoreError where the file is no recording, ValueError where it has several models and `name` is
        None, and OSError where it cannot be read.
        """
        self.path = Path(path)
        self._entries: dict[str, _Entry] = {}
        with self.path.open("rb") as file:
            for entry in _entries(file, self.path):
                _add(self._entries, entry)
        names = sorted({entry.model for entry in self._entries.values()})
        if name is None and len(names) > 1:
            raise ValueError(f"{self.path} has several models; name= must be one of {', '.join(names)}")
        self.name = name if name is not None else names[0] if names else ""

    def complete(self, prompt: str) -> str:
        """The reply that was recorded for `prompt`.

        Raises MissingReplyError where there is none, RecordedError where the model raised (ModelReplyError
        where it was one).
        """
        key = reply_key(self.name, prompt)
        if key not in self._entries:
            raise MissingReplyError(f"{self.path} has no reply of {self.name or 'a model'} for prompt {key}")
        return self._entries[key].replay()

    async def acomplete(self, prompt: str) -> str:
        """As `complete`."""
        return self.complete(prompt)


def reply_key(model: str, prompt: str) -> str:
    """SHA-256 of the model's name and the prompt, in hexadecimal digits."""
    return hashlib.sha256(json.dumps([model, prompt]).encode("ascii")).hexdigest()


@contextmanager
def _locked(path: Path) -> Iterator[BinaryIO]:
    """Open the file for reading and for writing at its end, locked against others that do the same."""
    with open(path, "a+b", opener=private) as file:
        lock_handle(file.fileno(), math.inf)
        try:
            yield file
        finally:
            file.flush()
            unlock_handle(file.fileno())


def _entries(file: BinaryIO, path: Path) -> Iterator[_Entry]:
    """Read the entries from where the file is; a last line without an end is passed over."""
    number = 0
    while line := file.readline(_LONGEST_LINE + 1):
        number += 1
        if len(line) > _LONGEST_LINE:
            raise StoreError(f"{path} is no recording: line {number} has more than {_LONGEST_LINE} bytes")
        if not line.endswith(b"\n"):
            return
        yield _entry(line, f"{path} is no recording: line {number}")


def _entry(line: bytes, wrong: str) -> _Entry:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{wrong} is no JSON") from error
    if not isinstance(fields, dict):
        raise StoreError(f"{wrong} is no JSON object")
    key, model, reply, failed = (fields.get(name) for name in ("key", "model", "reply", "error"))
    if not isinstance(key, str) or not isinstance(model, str):
        raise StoreError(f"{wrong} lacks a key or a model's name")
    if isinstance(reply, str) and failed is None:
        return _Entry(key, model, reply, None)
    if reply is None and isinstance(failed, dict):
        name, message = failed.get("type"), failed.get("message")
        if isinstance(name, str) and isinstance(message, str):
            return _Entry(key, model, None, (name, message))
    raise StoreError(f"{wrong} must have a reply, or an error with type and message")


def _add(entries: dict[str, _Entry], entry: _Entry) -> None:
    """Add an entry. The first reply of a key counts; without one, its last error."""
    before = entries.get(entry.key)
    if before is None or before.reply is None:
        entries[entry.key] = entry
