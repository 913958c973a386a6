"""Limit the head of a request to the HTTP server: how long it may be, and how long it may take."""

from __future__ import annotations

import re
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD = 16 * 2**10  # bytes of the head of a request at most, its blank line included
_END = re.compile(rb"\n\r?\n")  # as h11 has it


class HeadInTime(H11Protocol):
    """A connection whose client must send the whole head of a request within `timeout_keep_alive` seconds.

    uvicorn waits for ever for the first byte of a connection, and for the rest of a head that has begun.
    """

    def connection_made(self, transport: Any) -> None:
        """As uvicorn, and the time for the first head begins."""
        super().connection_made(transport)
        wait = self.timeout_keep_alive
        self.timeout_keep_alive_task = self.loop.call_later(wait, self.timeout_keep_alive_handler)

    def data_received(self, data: bytes) -> None:
        """As uvicorn, which begins the time anew with each byte."""
        self.conn.receive_data(data)
        self.handle_events()

    def timeout_keep_alive_handler(self) -> None:
        """End a connection whose client has the turn."""
        if self.cycle is None or self.cycle.response_complete:
            super().timeout_keep_alive_handler()

    def handle_events(self) -> None:
        """As uvicorn, which refuses a head over its limit only as long as the end of it has not arrived."""
        if self.conn.their_state is h11.IDLE:
            arrived = self.conn.trailing_data[0]
            end = _END.search(arrived)
            if (len(arrived) if end is None else end.end()) > HEAD:
                self.send_400_response(f"The head of a request has at most {HEAD} bytes.")
                return
        super().handle_events()
