"""`headroom proxy --compressor tersely`, the real one. Skips where headroom's proxy is not installed."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("headroom.transforms.compressor_registry")
pytest.importorskip("fastapi")

from headroom.transforms.compressor_registry import CompressInput, Compressor, CompressorRegistry
from tersely.integrations.headroom import TerselyCompressor
from tersely.models.counters import resolve_counter

COUNT = resolve_counter(None).count
LINES = [f"12:{n // 60:02}:{n % 60:02} worker {n * 7919 % 1000} wrote row {n * 31}" for n in range(900)]
LOG = "\n".join([*LINES[:700], "ERROR payment 4711 timed out in /srv/pay/x.py:12", *LINES[700:]])


def ask(url: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    home = str(tmp_path_factory.mktemp("home"))
    environment = {**os.environ, "HOME": home, "HF_HUB_OFFLINE": "1", "HEADROOM_TELEMETRY": "off"}
    command = [str(Path(sys.executable).parent / "headroom"), "proxy", "--port", port]
    url = f"http://127.0.0.1:{port}"
    with subprocess.Popen(
        [*command, "--compressor", "tersely"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            until = time.monotonic() + 90
            while True:
                try:
                    ask(f"{url}/health")
                    break
                except OSError:
                    assert time.monotonic() < until and process.poll() is None
                    time.sleep(0.5)
            yield url
        finally:
            process.terminate()


def test_the_proxy_sends_results_through_it_and_gives_the_whole_back(proxy: str) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    more = [{"role": "assistant", "content": "4711."}, {"role": "user", "content": "And now?"}]
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Which payment timed out?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": LOG},
        *more,
        *more,
    ]
    answer = ask(f"{proxy}/v1/compress", {"messages": messages, "model": "gpt-4o", "config": {"mode": "ccr"}})
    short, (hash,) = answer["messages"][2]["content"], answer["ccr_hashes"]
    assert "ERROR payment 4711" in short and "[tersely: " in short and COUNT(short) <= 2000 < COUNT(LOG)
    assert ask(f"{proxy}/v1/retrieve/{hash}")["original_content"] == LOG


def test_the_registry_finds_it_and_its_hints_change_the_answer() -> None:
    registry = CompressorRegistry()
    assert "tersely" in registry.discover()
    (found,) = registry.active({"tersely"})
    assert isinstance(found, TerselyCompressor) and isinstance(found, Compressor)
    given = CompressInput(LOG, "text/x-log", "payment", budget={"target_ratio": 0.05, "time_ms": 3})
    made = TerselyCompressor().compress(given)
    assert made.compressed and made.tokens_after == COUNT(made.content) <= 0.05 * made.tokens_before
    assert made.warnings == ["time_ms is not looked at"] and list(made.recoverable.values()) == [LOG]
    short = TerselyCompressor().compress(CompressInput("done", "text/plain"))
    assert not short.compressed and short.content == "done" and short.lossless and not short.recoverable
