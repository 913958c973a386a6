"""What a request over HTTP must pass before the protocol sees it: origin, token, room, and patience."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

__all__ = ["Gate", "is_loopback"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches what listens on `host`."""
    return host in _LOOPBACK


class _TooSlowError(Exception):
    """A body did not arrive in time."""


@dataclass(slots=True)
class Gate:
    """An ASGI application around another one.

    Attributes:
        application: what is guarded.
        token: what `Authorization: Bearer` must hold; None: nothing is asked for.
        origins: web pages that may call, besides those of this machine; others are refused, so that a page in
            a browser cannot use what listens here. Callers that are no browsers send no origin.
        most: requests at a time; more are told to come again.
        patience: seconds for a body to arrive.
    """

    application: Application
    token: str | None = None
    origins: frozenset[str] = frozenset()
    most: int = 256
    patience: float = 30.0
    _inside: int = field(default=0, init=False)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """One request: 403 for its origin, 401 token, 405 GET, 503 no room, 408 a body that does not come."""
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        headers = {name.lower(): value for name, value in scope["headers"]}
        if not self._welcome(headers.get(b"origin")):
            await _refuse(send, 403, "this origin may not call")
        elif not self._known(headers.get(b"authorization", b"")):
            await _refuse(send, 401, "a bearer token is needed", (b"www-authenticate", b"Bearer"))
        elif scope["method"] == "GET":  # no stream of the server's own: calls are answered where they come in
            await _refuse(send, 405, "there is nothing to get; POST calls here", (b"allow", b"POST"))
        elif self._inside >= self.most:
            await _refuse(send, 503, "too many requests at a time", (b"retry-after", b"1"))
        else:
            await self._serve(scope, receive, send)

    async def _serve(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        import anyio

        deadline = anyio.current_time() + self.patience
        arrived = late = False

        async def receive_in_time() -> Message:
            nonlocal arrived, late
            if not arrived:
                with anyio.move_on_at(deadline):
                    message = await receive()
                    arrived = not message.get("more_body", False)
                    return message
                late = True
                raise _TooSlowError
            return await receive()

        async def send_unless_late(message: Message) -> None:
            if not late:
                await send(message)

        self._inside += 1
        try:
            await self.application(scope, receive_in_time, send_unless_late)
        except _TooSlowError:
            pass
        finally:
            self._inside -= 1
            if late:
                await _refuse(send, 408, "the body did not arrive in time", (b"connection", b"close"))

    def _welcome(self, origin: bytes | None) -> bool:
        if origin is None:
            return True
        try:
            text = origin.decode("ascii").rstrip("/")
            local = urlsplit(text).scheme in ("http", "https") and urlsplit(text).hostname in _LOOPBACK
        except ValueError:
            return False
        return text in self.origins or local

    def _known(self, authorization: bytes) -> bool:
        if self.token is None:
            return True
        scheme, _, given = authorization.partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), self.token.encode())


async def _refuse(send: Send, status: int, reason: str, *headers: tuple[bytes, bytes]) -> None:
    body = reason.encode()
    length = (b"content-length", str(len(body)).encode())
    start = {"type": "http.response.start", "status": status}
    await send(start | {"headers": [(b"content-type", b"text/plain"), length, *headers]})
    await send({"type": "http.response.body", "body": body})
