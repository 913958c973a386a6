"""Say how many threads to use, run a function over items on several, and calls of event loops in their turn.

Let one thread work alone.
"""

from __future__ import annotations

import contextvars
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from tersely import _native, checks
from tersely.errors import ModelTimeoutError, OverloadedError

MOST_WAITING = 1000  # calls of event loops, where nobody says how many
_SURE = 0.7  # of a call's time: one that is expected to end later than that is refused
Result = TypeVar("Result")


def default_threads() -> int:
    """Return OMP_NUM_THREADS where it is a positive number, else how many CPUs this process may use."""
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    if wanted.isdecimal() and int(wanted) > 0:
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def at_sigterm(end: Callable[[], object]) -> Iterator[None]:
    """Call `end` at SIGTERM, so that the program ends by itself; on the main thread alone, as Python asks."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: end())
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def map_in_threads(function: Callable[[Any], Result], items: Sequence[Any], threads: int) -> list[Result]:
    """Compute `[function(item) for item in items]` on `threads` threads, the caller's among them.

    The caller works too because a library may keep its warm state for the thread that used it first. What
    `function` raises is raised here once the threads have ended; items not yet begun are left out.
    """
    results: list[Any] = [None] * len(items)
    todo = deque(range(len(items)))
    raised: list[BaseException] = []

    def work() -> None:
        while todo:
            try:
                index = todo.popleft()  # atomic; another thread may have taken the last one
            except IndexError:
                return
            try:
                results[index] = function(items[index])
            except BaseException as error:
                todo.clear()
                raised.append(error)

    others = [threading.Thread(target=work) for _ in range(min(threads, len(items)) - 1)]
    for thread in others:
        thread.start()
    try:
        work()
        for thread in others:
            thread.join()
    finally:
        todo.clear()  # Ctrl-C while joining: the others end after their current item
    if raised:
        raise raised[0]
    return results


def run_on_thread(work: Callable[[], Result], timeout: float | None = None, name: str = "") -> Result:
    """Run `work` on a new thread; return its result, or raise its exception.

    Raises ModelTimeoutError, which says `name`, after `timeout` seconds (None: never). A thread cannot be
    stopped: a late one goes on, what it gives is dropped, and the process may end meanwhile.
    """
    outcome: list[tuple[Any, BaseException | None]] = []
    context = contextvars.copy_context()

    def run() -> None:
        try:
            outcome.append((context.run(work), None))
        except BaseException as error:
            outcome.append((None, error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(timeout)
    if not outcome:
        raise ModelTimeoutError(f"{name} gave no answer within {timeout:g} seconds")
    made, error = outcome[0]
    if error is not None:
        raise error
    result: Result = made
    return result


class Turns:
    """Run calls of event loops in their turn: as many at a time as there are CPUs, the others wait.

    A call that could not begin in time is refused at once, so that those before it keep theirs.
    """

    def __init__(self) -> None:
        """Begin without threads: they start with the first calls."""
        self.reset()

    def reset(self) -> None:
        """Begin anew: in a forked child, the threads are gone."""
        self.threads = default_threads()
        self._pool: Any = None
        self._lock = threading.Lock()
        self._inside = 0  # calls that wait or run
        self._seconds = 0.0  # that one takes, of late

    async def run(self, work: Callable[[], Result], timeout: float | None, most: int) -> Result:
        """Run `work`; return its result, or raise its exception.

        Args:
            work: what a thread runs; its native calls end at the deadline.
            timeout: seconds from now on; None: any.
            most: calls that may wait; one more is refused.

        Raises TimeoutError when the time is up; OverloadedError, at once, where `most` calls wait or those
        before this one need its time. A task that is cancelled ends its native work, too.
        """
        import asyncio

        self._begin(timeout, most)
        deadline = _native.Deadline(1e9 if timeout is None else timeout)
        context = contextvars.copy_context()

        def run() -> Result:
            begun = time.monotonic()
            _native.set_deadline(deadline)
            try:
                return context.run(work)
            finally:
                _native.set_deadline(None)
                self._seconds += 0.1 * (time.monotonic() - begun - self._seconds)

        future = self._pool.submit(run)
        future.add_done_callback(self._end)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), timeout)
        except (asyncio.CancelledError, TimeoutError):
            deadline.end()
            raise

    def _begin(self, timeout: float | None, most: int) -> None:
        from concurrent.futures import ThreadPoolExecutor

        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self.threads, "tersely")
            waiting = self._inside - self.threads
            if waiting >= most:
                raise OverloadedError(f"{waiting} calls wait, of at most {most}")
            needed = self._seconds * (self._inside + 1) / self.threads
            if timeout is not None and waiting >= 0 and needed > _SURE * timeout:
                said = f"{self._inside} calls are before this one, which would end in {needed:.2g} s"
                raise OverloadedError(f"{said} and has {timeout:g} s")
            self._inside += 1

    def _end(self, _future: Any) -> None:
        with self._lock:
            self._inside -= 1


TURNS = Turns()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=TURNS.reset)


def run_in_time(work: Callable[[], Result], timeout: float | None, name: str) -> Result:
    """Run `work` as `run_on_thread` does where there is a timeout, and on this thread where there is none."""
    return work() if timeout is None else run_on_thread(work, timeout, name)


def checked_timeout(timeout: float) -> float:
    """Check seconds: above 0, and no more than a thread can wait. Raises TypeError, ValueError."""
    return checks.number(timeout, "timeout", above=0, most=threading.TIMEOUT_MAX)


class Gate:
    """Let any number of threads in, or one alone."""

    def __init__(self) -> None:
        """Begin open."""
        self.reset()

    def reset(self) -> None:
        """Begin anew: in a forked child, the other threads are gone."""
        self._condition = threading.Condition()
        self._inside = 0
        self._shut = False

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Be inside while the block lasts; nobody is alone then. Not to be nested."""
        with self._condition:
            while self._shut:
                self._condition.wait()
            self._inside += 1
        try:
            yield
        finally:
            with self._condition:
                self._inside -= 1
                self._condition.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Be alone while the block lasts; nobody is inside then."""
        self.shut()
        try:
            yield
        finally:
            self.open()

    def shut(self) -> None:
        """Wait until nobody is inside, and let nobody in until `open`."""
        self._condition.acquire()
        self._shut = True
        while self._inside:
            self._condition.wait()

    def open(self) -> None:
        """Let others in again."""
        self._shut = False
        self._condition.notify_all()
        self._condition.release()
