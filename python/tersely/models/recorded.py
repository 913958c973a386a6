"""Record the replies of a language model in a file, and replay them later without the model."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
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
from tersely.models.language_models import (
    Completion,
    acomplete_all,
    complete_all,
    resolve_language_model,
)

__all__ = ["MissingReplyError", "RecordedError", "Recorder", "Replayer"]

_BEGINNING = b'{"key": "'  # of every line
_ERRORS = {kind.__name__: kind for kind in (ModelReplyError, TruncatedReplyError, OversizedReplyError)}
_Entry = dict[str, Any]  # "key", "model", and "reply", or "error" with "type" and "message"


class RecordedError(CompressionError):
    """The recorded model raised an error; the message has its type and text."""


class MissingReplyError(StoreError):
    """No reply to a prompt was recorded; the message has the prompt's key."""


class Recorder:
    """A language model that asks another one and records its replies in a file.

    The file has one JSON object per line: "key", "model", and "reply", or "error" with "type" and "message";
    prompts are not in it. A prompt with a recorded reply is not asked again, so that the recording run gives
    what a replay gives; a prompt with a recorded error is asked again. Threads and processes may record into
    one file.
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
        self.path = Path(path)
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}
        self._read_to = 0
        with self._file():
            warn_if_shared(self.path)

    def complete(self, prompt: str) -> str:
        """Return the recorded reply, or the model's, which is then recorded; the model's errors pass."""
        return self._known(prompt) or self._record(prompt, complete_all(self._model, [prompt], 1)[0])

    async def acomplete(self, prompt: str) -> str:
        """Reply as `complete` does, for async callers."""
        if (known := self._known(prompt)) is not None:
            return known
        (came,) = await acomplete_all(self._model, [prompt], 1)
        return await asyncio.to_thread(self._record, prompt, came)

    def _known(self, prompt: str) -> str | None:
        reply: str | None = self._entries.get(reply_key(self.name, prompt), {}).get("reply")
        return reply

    def _record(self, prompt: str, came: Completion) -> str:
        """Write a reply or an error, unless there is a reply already; return or raise what the file has."""
        key = reply_key(self.name, prompt)
        said = {"reply": came} if isinstance(came, str) else {"error": _described(came)}
        entry = {"key": key, "model": self.name, **said}
        with self._file() as file:
            before = self._entries.get(key, {})
            if "reply" not in before and before != entry:
                self._read_to += file.write(json.dumps(entry).encode("ascii") + b"\n")
                _add(self._entries, entry)
        reply = self._known(prompt)
        if reply is None and isinstance(came, Exception):
            raise came
        return str(reply)

    @contextmanager
    def _file(self) -> Iterator[BinaryIO]:
        """Lock the file and open it for reading and appending, others' replies read first.

        A last line without an end was never finished: it goes.
        """
        with self._lock, open(self.path, "a+b", opener=private) as file:
            lock_handle(file.fileno(), math.inf)
            try:
                file.seek(self._read_to)
                self._read_to += _read(file, self.path, self._entries)
                file.seek(self._read_to)
                unfinished = file.read(len(_BEGINNING))
                if not _BEGINNING.startswith(unfinished):
                    raise StoreError(f"{self.path} is no recording: its last line is none")
                if unfinished:
                    file.truncate(self._read_to)
                yield file
            finally:
                file.flush()
                unlock_handle(file.fileno())


class Replayer:
    """A language model that returns recorded replies and raises recorded errors, without a model."""

    def __init__(self, path: str | os.PathLike[str], *, name: str | None = None) -> None:
        """Read a recording.

        Args:
            path: a file that a `Recorder` wrote.
            name: of the model; None: the only one in the file.

        Raises StoreError if the file is no recording, ValueError if it has several models and `name` is
        None, and OSError if it cannot be read.
        """
        self.path = Path(path)
        self._entries: dict[str, _Entry] = {}
        with self.path.open("rb") as file:
            _read(file, self.path, self._entries)
        names = sorted({entry["model"] for entry in self._entries.values()})
        if name is None and len(names) > 1:
            raise ValueError(f"{self.path} has several models; name= must be one of {', '.join(names)}")
        self.name = name if name is not None else names[0] if names else ""

    def complete(self, prompt: str) -> str:
        """Return the reply that was recorded for `prompt`.

        Raises MissingReplyError if there is none, RecordedError if the model raised (ModelReplyError if it
        raised that).
        """
        key = reply_key(self.name, prompt)
        if key not in self._entries:
            raise MissingReplyError(f"{self.path} has no reply of {self.name or 'a model'} for prompt {key}")
        entry = self._entries[key]
        if "reply" in entry:
            return str(entry["reply"])
        name, message = entry["error"]["type"], entry["error"]["message"]
        raise _ERRORS[name](message) if name in _ERRORS else RecordedError(f"{name}: {message}")

    async def acomplete(self, prompt: str) -> str:
        """Reply as `complete` does, for async callers."""
        return self.complete(prompt)


def reply_key(model: str, prompt: str) -> str:
    """SHA-256 of the model's name and the prompt, in hexadecimal digits."""
    return hashlib.sha256(json.dumps([model, prompt]).encode("ascii")).hexdigest()


def _described(error: Exception) -> dict[str, str]:
    return {"type": type(error).__name__, "message": str(error)}


def _read(file: BinaryIO, path: Path, entries: dict[str, _Entry]) -> int:
    """Add the entries from where the file is, and return how many bytes they take.

    A last line without an end is passed over. Raises StoreError for what is no entry.
    """
    size = 0
    for number, line in enumerate(file, 1):
        if not line.endswith(b"\n"):
            break
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            entry = None
        match entry:
            case {"key": str(), "model": str(), "reply": str()} if "error" not in entry:
                pass
            case {"key": str(), "model": str(), "error": {"type": str(), "message": str()}} if (
                "reply" not in entry
            ):
                pass
            case _:
                raise StoreError(f"{path} is no recording: line {number} is none of its lines")
        _add(entries, entry)
        size += len(line)
    return size


def _add(entries: dict[str, _Entry], entry: _Entry) -> None:
    """Add an entry. The first reply of a key counts; without one, its last error."""
    if "reply" not in entries.get(entry["key"], {}):
        entries[entry["key"]] = entry
