"""Every Python and shell block of README.md, docs/ and the page on measuring runs as it is written.

On a page of docs/ the blocks run in their order, with one set of names; each of the README stands alone. A
comment on the line before a block says what is special about it: `<!-- run: slow -->`, `server` (it runs
until the next server or the end of the page), `fails` (the exit code is not 0), `installs` (shows nothing),
`needs MODULE` (a framework: ci/adapters.sh has them), `elsewhere` (another test or CI runs it).

What a block prints stands in the block of language `text` below it: of a shell, what a terminal shows. An "…"
there stands for any text. The port 8765 is a free one while a page runs.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from markdown_blocks import ROOT, Block, read_blocks

PAGES = sorted([ROOT / "README.md", ROOT / "benchmarks" / "MEASURE.md", *(ROOT / "docs").rglob("*.md")])
# An old framework makes a newer Pydantic warn: what our own code warns of is an error still.
pytestmark = pytest.mark.filterwarnings("default:::pydantic")
RUN = [
    page for page in PAGES if any(block.language == "python" or block.is_shell for block in read_blocks(page))
]
SLOW = [page for page in RUN if any(block.note == "slow" for block in read_blocks(page))]
LONG = {"duplicates", "http_server", "scale"}  # seconds: servers, jobs
SECONDS = 60
PORT = "8765"


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.slow] * (page.stem in LONG)) for page in RUN], ids=named
)
def test_blocks_run(page: Path, folder: Path) -> None:
    run_page(page, with_slow=False)


@pytest.mark.slow
@pytest.mark.parametrize("page", SLOW, ids=named)
def test_slow_blocks_run(page: Path, folder: Path) -> None:
    run_page(page, with_slow=True)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_blocks_of_data_are_what_they_say(page: Path) -> None:
    for block in read_blocks(page):
        assert block.language, f"{named(page)}:{block.line}: the block does not say what it is"
        if block.language == "json":
            json.loads(block.code)


@pytest.mark.parametrize("page", RUN, ids=named)
def test_blocks_show_what_they_print(page: Path) -> None:
    silent = [
        f"{named(page)}:{block.line}"
        for block in read_blocks(page)
        if (block.language == "python" or block.is_shell)
        and not block.output
        and block.note not in ("installs", "elsewhere")
    ]
    assert page.parent.name == "reference" or not silent, f"these show no result: {', '.join(silent)}"


def run_page(page: Path, *, with_slow: bool) -> None:
    """Run the blocks of a page."""
    names: dict[str, Any] = {}
    port = free_port()
    with ExitStack() as server:
        for written in read_blocks(page):
            block = replace(
                written, code=written.code.replace(PORT, port), output=written.output.replace(PORT, port)
            )
            if block.note == "elsewhere" or (block.note == "slow" and not with_slow):
                continue
            if any(importlib.util.find_spec(module) is None for module in block.needs):
                continue
            if block.is_shell and block.code.startswith("curl ") and shutil.which("curl") is None:
                continue
            if block.note == "server":
                server.close()
                server.enter_context(running(page, block, port))
            elif block.is_shell:
                run_shell(page, block)
            elif block.language == "python":
                names = {"__name__": "__main__"} if page.name == "README.md" else names
                # Blank lines before the code: a traceback names the line of the page.
                code = compile("\n" * (block.line - 1) + block.code, str(page), "exec", dont_inherit=True)
                with redirect_stdout(io.StringIO()) as printed:
                    exec(code, names)
                compare(page, block, printed.getvalue())


def free_port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])


def wait_for(port: int) -> None:
    """Wait until a server on this machine accepts connections."""
    deadline = time.monotonic() + SECONDS
    while True:
        with socket.socket() as asked:
            if asked.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert time.monotonic() < deadline, f"nothing listens on port {port}"
        time.sleep(0.05)


def compare(page: Path, block: Block, printed: str) -> None:
    """Compare what a block printed with what the page shows."""
    shown = ".*?".join(map(re.escape, block.output.rstrip().split("…")))
    assert re.fullmatch(shown, printed.rstrip(), re.DOTALL), (
        f"{named(page)}:{block.line} prints\n{printed}\nand shows\n{block.output}"
    )


def run_shell(page: Path, block: Block) -> None:
    """Run a block for a shell, where each line must succeed."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.code],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    failed = done.returncode != 0
    assert failed == (block.note == "fails"), f"{named(page)}:{block.line}\n{done.stdout}"
    if block.note != "installs":
        compare(page, block, done.stdout)


@contextmanager
def running(page: Path, block: Block, port: str) -> Iterator[None]:
    """Start a server, compare the line in which it says where it listens, and interrupt it at the end."""
    with subprocess.Popen(
        ["bash", "-euo", "pipefail", "-c", block.code],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    ) as process:
        assert process.stderr is not None
        try:
            compare(page, block, process.stderr.readline())
            wait_for(int(port))
            yield
        finally:
            os.killpg(process.pid, signal.SIGINT)
            try:
                process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:  # leaving `Popen` would wait for ever
                os.killpg(process.pid, signal.SIGKILL)
                raise
