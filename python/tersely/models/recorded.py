"""Keep what models answer: replies and vectors, in memory or in a file, so that nothing is asked twice."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tersely import checks
from tersely.cache import BoundedCache, digest_of
from tersely.errors import (
    CompressionError,
    ModelReplyError,
    OversizedReplyError,
    StoreError,
    TruncatedReplyError,
)
from tersely.models.embedders import resolve_embedder
from tersely.models.language_models import Completion, acomplete_all, complete_all, resolve_language_model
from tersely.sqlite import DamageError, Database, Format
from tersely.types import Float32s, Int64s

if TYPE_CHECKING:
    from sqlite3 import Connection

__all__ = ["CachedEmbedder", "MissingReplyError", "RecordedError", "Recorder", "Replayer"]

Answer = tuple[str, bytes]  # its kind ("reply", an error's type, "vector", "cut": that of a cut text), and it

_AT_ONCE = 500  # keys in a statement
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


class _Answers:
    """An SQLite file with answers of models, without prompts and texts; several processes may share it."""

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self.file = Database(Path(path), _FORMAT, read_only=read_only, flush=False)

    def find(self, keys: Sequence[bytes]) -> dict[bytes, Answer]:
        """Return the answers there are. Raises StoreError for one that is damaged."""
        found: dict[bytes, Answer] = {}
        with self.file.reading() as connection:
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                rows = connection.execute(
                    f"SELECT key, kind, answer, digest FROM answers WHERE key IN ({marks})", some
                )
                for key, kind, answer, digest in rows:
                    if not isinstance(answer, bytes) or digest != _digest(key, (kind, answer)):
                        raise DamageError("an answer does not match its digest")
                    found[key] = kind, answer
        return found

    def add(self, model: str, answers: Mapping[bytes, Answer]) -> None:
        """Add answers in one transaction. A key that has one keeps it, unless that is an error."""
        rows = [(key, model, *answer, _digest(key, answer)) for key, answer in answers.items()]
        insert = (
            "INSERT INTO answers VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET kind = excluded.kind,"
            " answer = excluded.answer, digest = excluded.digest WHERE kind NOT IN ('reply', 'vector', 'cut')"
        )
        self.file.write(lambda connection: connection.executemany(insert, rows))


def _digest(key: bytes, answer: Answer) -> bytes:
    kind, content = answer
    return hashlib.blake2b(f"{kind}\0".encode() + content, key=key, digest_size=_DIGEST).digest()


class CachedEmbedder:
    """An embedder that asks another one for each text only once. Thread-safe.

    Attributes:
        hits: texts whose vector was there, repeats within a call included.
        misses: texts that the embedder was asked for.
    """

    def __init__(
        self,
        embedder: Any = None,
        *,
        size: int = 64 * 2**20,
        path: str | os.PathLike[str] | None = None,
        name: str | None = None,
    ) -> None:
        """Wrap an embedder.

        Args:
            embedder: what `resolve_embedder` takes.
            size: bytes of memory for vectors; the least recently used make room.
            path: an SQLite file that keeps every vector; several processes may share it.
            name: says which model's vectors these are; None: the embedder's own `name`.

        Raises ValueError for a path without a name, and StoreError if the file is damaged or not ours.
        """
        self._embedder = resolve_embedder(embedder)
        own, kind = getattr(self._embedder.embedder, "name", None), type(self._embedder.embedder).__name__
        if path is not None and not (name or own):
            raise ValueError(f"{kind} has no name: pass name= to say whose vectors {path} keeps")
        self.name = str(name or own or self._embedder.name)
        self.hits = self.misses = 0
        self._memory: BoundedCache[Answer] = BoundedCache(size)
        self._file = None if path is None else _Answers(path)

    def embed(self, texts: Sequence[str]) -> Float32s:
        """Return float32[n, d]: rows of length one, in the order of `texts`."""
        return self.embed_report(texts)[0]

    def embed_report(self, texts: Sequence[str]) -> tuple[Float32s, Int64s]:
        """Return `embed(texts)`, and the ascending indices of the texts that the embedder says it cut.

        Raises StoreError if the file is damaged, and what the embedder raises: then nothing is kept.
        """
        texts = checks.texts(texts, "texts")
        if not texts:
            return self._embedder.embed_report([])
        keys = [digest_of([self.name, text]) for text in texts]
        wanted = dict(zip(keys, texts, strict=True))
        found = {key: known for key in wanted if (known := self._memory.get(key)) is not None}
        if self._file is not None:
            found |= self._file.find([key for key in wanted if key not in found])
        missing = {key: text for key, text in wanted.items() if key not in found}
        if missing:
            vectors, cut = self._embedder.embed_report(list(missing.values()))
            was_cut, rows = set(cut.tolist()), vectors.astype("<f4")
            new = {
                key: ("cut" if n in was_cut else "vector", rows[n].tobytes()) for n, key in enumerate(missing)
            }
            if self._file is not None:
                self._file.add(self.name, new)
            found |= new
        for key, answer in found.items():
            self._memory.put(key, answer, len(answer[1]))
        self.misses += len(missing)
        self.hits += len(texts) - len(missing)
        if len(widths := {len(content) // 4 for _, content in found.values()}) > 1:
            raise StoreError(
                f"vectors of {self.name} have {sorted(widths)} dimensions: two models, one name?"
            )
        joined = np.frombuffer(b"".join(found[key][1] for key in keys), dtype="<f4").astype(np.float32)
        return joined.reshape(len(keys), -1), np.flatnonzero([found[key][0] == "cut" for key in keys])

    def close(self) -> None:
        """Close the file, if there is one; the next call opens it again."""
        if self._file is not None:
            self._file.file.release()


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
        self.path, self._answers = Path(path), _Answers(path)

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
        self._answers.file.release()

    def _known(self, prompt: str) -> str | None:
        for kind, content in self._answers.find([reply_key(self.name, prompt)]).values():
            if kind == "reply":
                return content.decode("utf-8", "surrogatepass")
        return None

    def _record(self, prompt: str, came: Completion) -> str:
        """Record a reply or an error; return or raise what the file has."""
        kind = "reply" if isinstance(came, str) else type(came).__name__
        answer = kind, str(came).encode("utf-8", "surrogatepass")
        self._answers.add(self.name, {reply_key(self.name, prompt): answer})
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
        self._answers = _Answers(path, read_only=True)
        with self._answers.file.reading() as connection:
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
        found = self._answers.find([key])
        if key not in found:
            raise MissingReplyError(f"there is no reply of {self.name or 'a model'} for prompt {key.hex()}")
        kind, content = found[key]
        text = content.decode("utf-8", "surrogatepass")
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
