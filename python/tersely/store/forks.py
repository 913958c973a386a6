"""Closes what is open when this process forks: SQLite's connections must not exist on both sides.

A child takes over SQLite's notes of which locks the process holds, but not the locks, so that even a
connection of its own would not be safe (https://sqlite.org/howtocorrupt.html, "Carrying an open database
connection across a fork()").
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

__all__ = ["Gate", "close_at_forks"]


class Gate:
    """Any number of threads inside, or one alone."""

    def __init__(self) -> None:
        """An open gate."""
        self.reset()

    def reset(self) -> None:
        """As new: for a forked child, in which the other threads are gone."""
        self._condition = threading.Condition()
        self._inside = 0
        self._shut = False

    @contextmanager
    def inside(self) -> Iterator[None]:
        """While somebody is inside, nobody is alone. Not to be nested."""
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

    def shut(self) -> None:
        """Wait until nobody is inside, and let nobody in until `open`."""
        self._condition.acquire()
        self._shut = True
        while self._inside:
            self._condition.wait()

    def open(self) -> None:
        """The end of being alone."""
        self._shut = False
        self._condition.notify_all()
        self._condition.release()


class _Closes(Protocol):
    gate: Gate

    def close_all(self) -> None: ...


_registered: weakref.WeakSet[_Closes] = weakref.WeakSet()
_forking: list[_Closes] = []


def close_at_forks(connections: _Closes) -> None:
    """Call `close_all` before every fork of this process, with nobody inside its gate."""
    _registered.add(connections)


def _before() -> None:
    _forking[:] = list(_registered)
    for connections in _forking:
        connections.gate.shut()
        connections.close_all()


def _after_in_parent() -> None:
    while _forking:
        _forking.pop().gate.open()


def _after_in_child() -> None:
    while _forking:
        _forking.pop().gate.reset()


os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
