"""Send replies over ASGI, and name its types."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

__all__ = ["Application", "Message", "Receive", "Scope", "Send", "send_response"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


async def send_response(
    send: Send, status: int, body: bytes, content_type: str, *headers: tuple[bytes, bytes]
) -> None:
    """Send a whole reply with its length."""
    length = (b"content-length", str(len(body)).encode())
    every = [(b"content-type", content_type.encode()), length, *headers]
    await send({"type": "http.response.start", "status": status, "headers": every})
    await send({"type": "http.response.body", "body": body})
