"""How many threads, and work spread over them."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

__all__ = ["default_threads", "map_in_threads"]

Result = TypeVar("Result")


def default_threads() -> int:
    """OMP_NUM_THREADS where it is a positive number, else the CPUs this process may use."""
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    if wanted.isdecimal() and int(wanted) > 0:
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_in_threads(function: Callable[[Any], Result], items: Sequence[Any], threads: int) -> list[Result]:
    """`[function(item) for item in items]` on `threads` threads, the caller's among them.

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
