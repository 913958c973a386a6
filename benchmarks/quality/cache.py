"""Answers of slow peers, kept from one run to the next."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path
from typing import NamedTuple

from benchmarks.quality.tasks import Task

__all__ = ["Cache", "Kept"]

_EVERY = 50  # answers between commits


class Kept(NamedTuple):
    """An answer and its CPU ms; no text where the system failed."""

    text: str | None
    ms: float


class Cache:
    """Answers by system, version and task, in one SQLite file. The task counts with its whole content."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._rows = sqlite3.connect(folder / "answers.sqlite")
        self._rows.execute("CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, text TEXT, ms REAL)")
        self._waiting = 0

    def get(self, system: str, version: str, task: Task) -> Kept | None:
        """What was kept, None where nothing was."""
        found = self._rows.execute(
            "SELECT text, ms FROM answers WHERE key = ?", (_key(system, version, task),)
        ).fetchone()
        return None if found is None else Kept(*found)

    def put(self, system: str, version: str, task: Task, kept: Kept) -> None:
        """Keep an answer; on the disk at the latest with `close`."""
        self._rows.execute(
            "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", (_key(system, version, task), *kept)
        )
        self._waiting += 1
        if self._waiting % _EVERY == 0:
            self._rows.commit()

    def close(self) -> None:
        """Write what is waiting."""
        self._rows.commit()
        self._rows.close()


def _key(system: str, version: str, task: Task) -> bytes:
    content = [system, version, task.id, task.query, task.documents, task.budget, task.ratio]
    return hashlib.blake2b(json.dumps(content).encode(), digest_size=16).digest()
