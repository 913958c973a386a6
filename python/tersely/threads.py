"""Say how many threads to use, run a function over items on several of them, and let one work alone."""

from __future__ import annotations

import contextvars
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from tersely import checks
from tersely.errors import ModelTimeoutError

Result = TypeVar("Result")


def default_threads() -> int:
    """Return OMP_NUM_THREADS where it is a positive number, else how many CPUs this process may use."""
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    if wanted.isdecimal() and int(wanted) > 0:
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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
    """Return what `work` gives on a thread of its own, or raise what it raises.

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
