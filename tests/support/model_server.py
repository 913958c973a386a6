"""An OpenAI-compatible server on this machine that does as it is told, mishaps included."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def letters(text: str) -> list[float]:
    """A vector for a text."""
    return [1.0 + text.count("a"), 1.0 * text.count("b")]


class Server(ThreadingHTTPServer):
    """Answers as told.

    `mishaps` are given first, one a request: a status, or "cut" (the connection ends within the reply),
    "garbage" (no JSON), "slow" (`delay` seconds). `reply`, where it is set, makes the content for a prompt;
    else `choices` are sent. `most` is how many requests it had at a time.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Endpoint)
        self.requests: list[tuple[str, Any]] = []
        self.mishaps: list[int | str] = []
        self.delay = 0.0
        self.embeddings: Any = lambda texts: [
            {"object": "embedding", "index": index, "embedding": letters(text)}
            for index, text in reversed(list(enumerate(texts)))
        ]
        self.choices: Any = [{"index": 0, "message": {"role": "assistant", "content": "1: 10"}}]
        self.reply: Any = None
        self.usage: Any = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        self.busy = self.most = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    @property
    def prompts(self) -> list[str]:
        """The prompts so far."""
        return [request["messages"][0]["content"] for _, request in self.requests]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is no news."""


class Endpoint(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        server = self.server
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.requests.append((self.path, request))
            mishap = server.mishaps.pop(0) if server.mishaps else 200
            server.busy += 1
            server.most = max(server.most, server.busy)
        time.sleep(server.delay if mishap in (200, "slow") else 0)
        with server.lock:  # before the reply: the client may ask again as soon as it has it
            server.busy -= 1
        if mishap == "garbage":
            self.send(200, b'{"id": "1", "choices": [{"mess')
        elif mishap == "cut":
            self.send(200, json.dumps(self.completion("half")).encode(), cut=True)
        elif mishap not in (200, "slow"):
            self.send(int(mishap), b'{"error": {"message": "not now"}}')
        elif self.path == "/v1/embeddings":
            data = {"object": "list", "data": server.embeddings(request["input"])}
            self.send(200, json.dumps(data).encode())
        else:
            content = server.reply and server.reply(request["messages"][0]["content"])
            self.send(200, json.dumps(self.completion(content)).encode())

    def completion(self, content: str | None) -> dict[str, Any]:
        made = [{"index": 0, "message": {"role": "assistant", "content": content}}]
        choices = self.server.choices if content is None else made
        return {"id": "1", "object": "chat.completion", "choices": choices, "usage": self.server.usage}

    def send(self, status: int, data: bytes, *, cut: bool = False) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("retry-after-ms", "1")
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if cut else data)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


@contextmanager
def running() -> Iterator[Server]:
    """A server for as long as the block lasts."""
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
