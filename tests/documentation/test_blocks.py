"""Every Python and shell block of README.md and docs/ runs as it is written.

On a page of docs/ the blocks run in their order, with one set of names; each of the README stands alone. A
comment on the line before a block says what is special about it: `<!-- run: slow -->`, `until stopped` (a
server), `fails` (the exit code is not 0), `needs MODULE` (a framework: ci/adapters.sh has them), `elsewhere`
(another test or CI runs it).

What a Python block prints stands in the block of language `text` below it, and so may what a shell prints. An
"…" there stands for any text.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import re
import signal
import subprocess
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from markdown_blocks import ROOT, Block, read_blocks

PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
# An old framework makes a newer Pydantic warn: what our own code warns of is an error still.
pytestmark = pytest.mark.filterwarnings("default:::pydantic")
RUN = [
    page for page in PAGES if any(block.language == "python" or block.is_shell for block in read_blocks(page))
]
SLOW = [page for page in RUN if any(block.note == "slow" for block in read_blocks(page))]
SECONDS = 60


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", RUN, ids=named)
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


def run_page(page: Path, *, with_slow: bool) -> None:
    """Run the blocks of a page."""
    names: dict[str, Any] = {}
    for block in read_blocks(page):
        if block.note == "elsewhere" or (block.note == "slow" and not with_slow):
            continue
        if any(importlib.util.find_spec(module) is None for module in block.needs):
            continue
        if block.is_shell:
            run_shell(page, block)
        elif block.language == "python":
            names = {"__name__": "__main__"} if page.name == "README.md" else names
            # Blank lines before the code: a traceback names the line of the page.
            code = compile("\n" * (block.line - 1) + block.code, str(page), "exec", dont_inherit=True)
            with redirect_stdout(io.StringIO()) as printed:
                exec(code, names)
            compare(page, block, printed.getvalue())


def compare(page: Path, block: Block, printed: str) -> None:
    """Compare what a block printed with what the page shows."""
    shown = ".*?".join(map(re.escape, block.output.rstrip().split("…")))
    assert re.fullmatch(shown, printed.rstrip(), re.DOTALL), (
        f"{named(page)}:{block.line} prints\n{printed}\nand shows\n{block.output}"
    )


def run_shell(page: Path, block: Block) -> None:
    """Run a block for a shell, where each line must succeed."""
    command = ["bash", "-euo", "pipefail", "-c", block.code]
    if block.note == "until stopped":
        serve(page, command)
        return
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    failed = done.returncode != 0
    assert failed == (block.note == "fails"), f"{named(page)}:{block.line}\n{done.stdout}\n{done.stderr}"
    if block.output:
        compare(page, block, done.stdout)


def serve(page: Path, command: list[str]) -> None:
    """Start a server, wait until it says where it listens, and interrupt it."""
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, process_group=0
    ) as process:
        assert process.stderr is not None
        try:
            line = process.stderr.readline()
            assert "http://" in line, f"{named(page)}: {line}"
        finally:
            os.killpg(process.pid, signal.SIGINT)
            try:
                process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:  # leaving `Popen` would wait for ever
                os.killpg(process.pid, signal.SIGKILL)
                raise
