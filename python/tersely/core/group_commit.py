"""Share transactions, and so the waits for the disk, among the threads of a process."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar

from tersely.core.errors import CompressionError

if TYPE_CHECKING:
    from sqlite3 import Connection

__all__ = ["GroupCommit"]

Result = TypeVar("Result")

_JOBS = 1000  # in a transaction


class GroupCommit:
    """Run jobs of many threads in shared transactions, in the order in which they came.

    Whoever has the turn commits what everybody else has queued meanwhile: no thread of its own.
    """

    def __init__(self) -> None:
        """Begin with an empty queue."""
        self.reset()

    def reset(self) -> None:
        """Begin anew: in a forked child, whoever had the turn is gone."""
        self._queue: deque[_Entry] = deque()
        self._turn = threading.Lock()

    def run(
        self,
        transaction: Callable[[], AbstractContextManager[Connection]],
        job: Callable[[Connection], Result],
    ) -> Result:
        """Return what a job gives, once it is durable; where it raises, it has no effect, and so does this.

        `transaction` gives a connection inside BEGIN and commits, or rolls back where its block raises: the
        jobs in it are then run again, each in a transaction of its own.
        """
        mine = _Entry(job)
        self._queue.append(mine)
        with self._turn:
            while not mine.done:
                batch = [self._queue.popleft() for _ in range(min(len(self._queue), _JOBS))]
                try:
                    self._commit(transaction, batch)
                except BaseException:  # Ctrl-C: the others' jobs stay in the queue
                    self._queue.extendleft(
                        entry for entry in reversed(batch) if not entry.done and entry is not mine
                    )
                    raise
        if mine.error is not None:
            raise mine.error
        result: Result = mine.result
        return result

    def alone(self) -> AbstractContextManager[object]:
        """Keep the jobs of this process waiting while the block lasts."""
        return self._turn

    def _commit(
        self, transaction: Callable[[], AbstractContextManager[Connection]], batch: list[_Entry]
    ) -> None:
        try:
            with transaction() as connection:
                for entry in batch:
                    entry.attempt(connection)
        except Exception as error:
            if len(batch) > 1:  # the disk may have room for some of them
                for entry in batch:
                    self._commit(transaction, [entry])
                return
            batch[0].error = error
        for entry in batch:
            entry.done = True


class _Entry:
    """A job in the queue, and its result or error."""

    __slots__ = ("_job", "done", "error", "result")

    def __init__(self, job: Callable[[Connection], Any]) -> None:
        self._job = job
        self.done = False
        self.error: BaseException | None = None
        self.result: Any = None

    def attempt(self, connection: Connection) -> None:
        """Run inside the transaction; errors of the file end the transaction, others only the job."""
        self.error = self.result = None
        connection.execute("SAVEPOINT job")
        try:
            self.result = self._job(connection)
        except UnicodeDecodeError:  # a ValueError, but of SQLite: damage
            raise
        except (CompressionError, ValueError, TypeError) as error:
            self.error = error
            connection.execute("ROLLBACK TO job")
        connection.execute("RELEASE job")
