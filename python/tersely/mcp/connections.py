"""Limit how long slow or silent clients hold a connection of the HTTP server."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_HEAD_END = re.compile(rb"\n\r?\n")  # as h11 has it
_LOOKS = 4  # at a connection while its patience lasts


class _Connection(H11Protocol):
    """A connection whose client must go on, or is cut off: send the head of a request, read what it is sent.

    A connection is idle from when it opens until the head of a request is there, from the end of a reply on,
    and while a reply waits for a client that does not read. Where there are too many connections, the one
    that has been idle longest makes room.
    """

    patience: float
    most: int
    head: int

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._idle_since = self.loop.time()
        self._stalled = False
        if len(self.connections) > self.most:
            self._make_room()
        self._next_look: asyncio.TimerHandle | None = self.loop.call_later(self.patience / _LOOKS, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._next_look is not None:
            self._next_look.cancel()
            self._next_look = None
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """As uvicorn, which refuses a head over its limit only as long as the end of it has not arrived."""
        if self.conn.their_state is h11.IDLE:
            arrived = self.conn.trailing_data[0]
            end = _HEAD_END.search(arrived)
            if (len(arrived) if end is None else end.end()) > self.head:
                self.send_400_response(f"The head of a request has at most {self.head} bytes.")
                return
        super().handle_events()

    def on_response_complete(self) -> None:
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        self._idle_since = self.loop.time()
        self._stalled = True
        super().pause_writing()

    def resume_writing(self) -> None:
        self._idle_since = self.loop.time()
        self._stalled = False
        super().resume_writing()

    @property
    def idle(self) -> bool:
        """Whether it is the client's turn."""
        return self.cycle is None or self.cycle.response_complete or self._stalled

    def _look(self) -> None:
        now = self.loop.time()
        if not self.idle:
            self._idle_since = now
        elif now - self._idle_since >= self.patience:
            self.transport.abort()  # not close: that waits until what was sent is read
            return
        self._next_look = self.loop.call_later(self.patience / _LOOKS, self._look)

    def _make_room(self) -> None:
        idle = [one for one in self.connections if isinstance(one, _Connection) and one.idle]
        longest = min(idle, key=lambda one: one._idle_since, default=self)
        self.connections.discard(longest)
        longest.transport.abort()


def connection_type(most: int, patience: float, head: int) -> type[asyncio.Protocol]:
    """The class of connections for `uvicorn.Config(http=...)`.

    Args:
        most: connections at a time.
        patience: seconds that a connection may be idle.
        head: bytes of the head of a request at most, its blank line included (400).
    """
    return type("Connection", (_Connection,), {"most": most, "patience": patience, "head": head})
