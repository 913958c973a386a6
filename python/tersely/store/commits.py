"""Group commit: writes that come at the same time share one transaction, and one wait for the disk."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from tersely.errors import CompressionError

__all__ = ["GroupCommit"]

Result = TypeVar("Result")
Job = Callable[[sqlite3.Connection], Any]

_AT_ONCE = 1000  # jobs in a transaction


class _Entry:
    __slots__ = ("done", "error", "job", "result")

    def __init__(self, job: Job) -> None:
        self.job = job
        self.done = False
        self.error: BaseException | None = None
        self.result: Any = None


class GroupCommit:
    """Runs jobs in transactions, in the order in which they came.

    Whoever holds the turn commits what everybody else has queued meanwhile: no thread of its own.
    """

    def __init__(self, transaction: Callable[[], AbstractContextManager[sqlite3.Connection]]) -> None:
        """`transaction` gives a connection inside BEGIN and commits, or rolls back where its block raises."""
        self._transaction = transaction
        self._begin()

    def run(self, job: Callable[[sqlite3.Connection], Result]) -> Result:
        """What the job gives, once it is durable.

        A job that raises has no effect, and none on the others; its error is raised here. Jobs may be run
        again where the transaction failed for another one's sake.
        """
        if self._pid != os.getpid():  # a forked child: whoever had the turn is not here
            self._begin()
        mine = _Entry(job)
        self._queue.append(mine)
        with self._turn:
            while not mine.done:
                batch = [self._queue.popleft() for _ in range(min(len(self._queue), _AT_ONCE))]
                try:
                    self._commit(batch)
                except BaseException:  # Ctrl-C: the others' jobs stay in the queue
                    self._queue.extendleft(
                        entry for entry in reversed(batch) if not entry.done and entry is not mine
                    )
                    raise
        if mine.error is not None:
            raise mine.error
        result: Result = mine.result
        return result

    def alone(self, work: Callable[[], None]) -> None:
        """Do something while no job of this process runs."""
        with self._turn:
            work()

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._queue: deque[_Entry] = deque()
        self._turn = threading.Lock()

    def _commit(self, batch: list[_Entry]) -> None:
        try:
            with self._transaction() as connection:
                for entry in batch:
                    _attempt(entry, connection)
        except Exception as error:
            if len(batch) > 1:  # the disk may have room for some of them
                for entry in batch:
                    self._commit([entry])
                return
            batch[0].error = error
        for entry in batch:
            entry.done = True


def _attempt(entry: _Entry, connection: sqlite3.Connection) -> None:
    """Run one job inside the transaction; errors of the file end the transaction, others only the job."""
    entry.error = entry.result = None
    connection.execute("SAVEPOINT job")
    try:
        entry.result = entry.job(connection)
    except UnicodeDecodeError:  # a ValueError, but of SQLite: damage
        raise
    except (CompressionError, ValueError, TypeError) as error:
        entry.error = error
        connection.execute("ROLLBACK TO job")
    connection.execute("RELEASE job")
