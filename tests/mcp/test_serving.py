"""Real servers in processes of their own: health and readiness, a graceful stop."""

from __future__ import annotations

import contextlib
import queue
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

pytest.importorskip("mcp")

from http_servers import ask, served
from tersely.mcp.text_tools import text_tools
from tersely.retrieval.index import Index

TOKEN = "correct-horse-battery"

# A tool that says when it begins and which process answers; it takes so long, or until a file is there.
SERVER = """
import os, sys, time
from tersely.mcp.http import serve_http
from tersely.mcp.tools import Tool, ToolReply
def wait(arguments):
    os.write(2, b"begun\\n")
    time.sleep(arguments.get("seconds", 0))
    while arguments.get("until") and not os.path.exists(arguments["until"]):
        time.sleep(0.02)
    return ToolReply("done", {"process": os.getpid()})
schema = {"type": "object", "properties": {"seconds": {"type": "number"}, "until": {"type": "string"}}}
serve_http([Tool("wait", "waits", schema, wait)], port=0, deadline=20)
print("closed", flush=True)
"""


class Server:
    """A process that serves, its URL and what it says."""

    def __init__(self, *command: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.said: queue.Queue[str] = queue.Queue()
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        found = re.search(r"http://\S+/mcp", line)
        assert found, line + self.process.stderr.read()
        self.url = found[0]
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.put(line)

    def ends(self, seconds: float = 30) -> tuple[int, str]:
        """Its exit code and what it printed, once it ends."""
        assert self.process.stdout is not None
        return self.process.wait(seconds), self.process.stdout.read()


@contextlib.contextmanager
def serving(*command: str) -> Iterator[Server]:
    server = Server(*command)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.communicate()


def get(url: str, path: str, method: str = "GET", **headers: str) -> tuple[int, str]:
    return ask(url, path, None, method, **headers)


def call(url: str, name: str, **arguments: Any) -> Any:
    """What a tool gives as data."""
    parameters = {"name": name, "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}
    status, answer = ask(url, "/mcp", body, accept="application/json, text/event-stream")
    assert status == 200, answer
    return answer["result"]["structuredContent"]


def is_refused(url: str) -> bool:
    place = urlsplit(url)
    try:
        socket.create_connection((place.hostname or "", place.port or 0), timeout=5).close()
    except ConnectionRefusedError:
        return True
    return False


def eventually(holds: Any, seconds: float = 20) -> bool:
    until = time.monotonic() + seconds
    while not holds() and time.monotonic() < until:
        time.sleep(0.05)
    return bool(holds())


def test_health_and_readiness_need_no_token_and_tell_nothing_else() -> None:
    with served(text_tools(), token=TOKEN) as url:
        assert get(url, "/health") == (200, "alive") and get(url, "/ready") == (200, "ready")
        assert get(url, "/health", "HEAD") == (200, "")
        assert get(url, "/health", "POST")[0] == 401
        assert get(url, "/healthy")[0] == 401
        assert get(url, "/ready", origin="https://evil.example")[0] == 403


def test_what_cannot_be_used_makes_a_server_unready_until_it_can(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("The ferry leaves at six. " * 20)
    index = Index.build(tmp_path, tmp_path / "index")
    with served(text_tools(), ready=[lambda: len(index)]) as url:
        assert get(url, "/ready")[0] == 200
        (tmp_path / "index").rename(tmp_path / "away")
        status, text = get(url, "/ready")
        assert status == 503 and text == "not ready" and get(url, "/health")[0] == 200
        (tmp_path / "away").rename(tmp_path / "index")
        assert get(url, "/ready")[0] == 200


@pytest.mark.slow
def test_sigterm_lets_calls_end_and_takes_no_more(tmp_path: Path) -> None:
    ended = tmp_path / "ended"
    with serving("-c", SERVER) as server, ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(call, server.url, "wait", until=str(ended)) for _ in range(4)]
        for _ in calls:
            assert server.said.get(timeout=20) == "begun\n"
        server.process.send_signal(signal.SIGTERM)
        assert eventually(lambda: is_refused(server.url))
        ended.touch()
        assert all(one.result()["process"] for one in calls)
        assert server.ends() == (0, "closed\n")


@pytest.mark.slow
def test_a_server_sees_the_new_state_of_its_index(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in ("ferry", "crane", "pilot"):
        (folder / f"{name}.md").write_text(f"# {name}\n\n" + f"The {name} is in the harbour at six. " * 12)
    Index.build(folder)
    command = ("-m", "tersely", "mcp", "--index", str(folder), "--store", str(tmp_path / "store.sqlite"))
    with serving(*command, "--http", "--port", "0") as server:
        (folder / "tug.md").write_text("# tug\n\n" + "The tug is beside the crane. " * 12)
        expected = [one.chunk_id for one in Index.build(folder).search("Where is the crane?", 3)]
        reply = call(server.url, "query_documents", query="Where is the crane?", top_n=3)
        assert [one["chunk_id"] for one in reply["results"]] == expected
        assert get(server.url, "/ready")[0] == 200
        shutil.rmtree(folder / ".tersely")
        assert get(server.url, "/ready")[0] == 503
        server.process.send_signal(signal.SIGTERM)
        assert server.ends()[0] == 0
