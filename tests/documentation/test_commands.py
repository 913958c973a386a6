"""Every benchmark that a page, a card or a docstring names runs to its table, on a few made rows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from benchmark_data import make_manual, make_sets
from markdown_blocks import ROOT

#: Command -> its options, small ones; DIR is the folder of made sets. None of them writes what ships.
RUNS = {
    "content": "--data DIR --parts templates",
    "doors": "--data DIR --rows 1",
    "doors.calls": "--data DIR",
    "doors.mixtures": "--data DIR --rows 1",
    "end_to_end.grow": "1 DIR/page.txt",
    "end_to_end.speed": "--data DIR --repeats 1 --parts calls",
    "hostile": "--size 2000 --doors compress --inputs nested",
    "kernels.clusters": "--vectors clustered-256 --sizes 300 --rounds 1 --parts exact",
    "kernels.counting": "--data DIR",
    "kernels.embedding": "--data DIR --tokens 2000",
    "kernels.memory": "tersely representative 0.85 DIR/rows.npy",
    "kernels.million": "--rows 2000",
    "kernels.selection": "--sizes 200 --rounds 1",
    "memory": "--data DIR --parts questions",
    "memory.bill": "--data DIR",
    "memory.gate": "--data DIR",
    "memory.store": "--data DIR --records 500",
    "quality": "--data DIR --rows 2 --parts evidence --systems tersely,lead",
    "quality.calibration": "--data DIR --rows 3",
    "quality.dedup": "--data DIR",
    "quality.fit": "--data DIR --rows 3 --dry-run",
    "quality.forest": "--data DIR --rows 3 --trees 3 --dry-run",
    "quality.reader": "--data DIR --rows 3 --dry-run",
    "quality.sentences": "--data DIR --repeats 1",
    "retrieval": "--data DIR --rows 1 --parts evidence",
    "retrieval.ab": "--data DIR --questions 4",
    "retrieval.index": "--docs DIR/manual --copies 1",
    "retrieval.backend": "--seconds 0.5",
    "retrieval.http_load": "--data DIR --callers 2 --slow 1 --seconds 1",
    "retrieval.neardup": "--data DIR",
    "retrieval.reductions": "--data DIR",
    "scale": "--data DIR --megabytes 1 --kills 1",
    "scale.dedup": "--data DIR --texts 300",
    "strategies": "--data DIR --parts queries,replay,ratios",
    "strategies.facts": "--data DIR --texts 1",
    "strategies.incremental": "--data DIR --rows 1 --edits 2",
}
#: Command -> what it needs that a test does not have.
ELSEWHERE = {
    "fetch": "a network",
    "instructions": "a program that ci/instructions.sh compiles, and Valgrind: it runs there",
}
#: Command -> packages of benchmarks/peers.txt that it loads before it starts.
PEERS = {
    **{f"kernels.{name}": ("threadpoolctl",) for name in ("clusters", "embedding", "memory", "selection")},
    **{f"quality.{name}": ("scipy",) for name in ("fit", "calibration")},
}
_COMMAND = re.compile(r"python -m benchmarks((?:\.[a-z_]+)*)")


def named_commands(root: Path) -> set[str]:
    """The commands that pages, cards and docstrings name."""
    pages = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("python/**/*.md")]
    code = [*root.glob("benchmarks/**/*.py"), *root.glob("benchmarks/**/*.md"), *root.glob("python/**/*.py")]
    texts = [path.read_text(encoding="utf-8") for path in [*pages, *code]]
    return {found[1].removeprefix(".") for text in texts for found in _COMMAND.finditer(text)} - {""}


def test_each_command_is_run_or_it_is_said_why_not() -> None:
    assert named_commands(ROOT) == RUNS.keys() | ELSEWHERE.keys()


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_sets(tmp_path_factory.mktemp("sets"))
    (folder / "page.txt").write_text(
        "The keeper opens gate 7 at six. The ferry waits. " * 99, encoding="utf-8"
    )
    make_manual(folder / "manual")
    np.save(folder / "rows.npy", np.random.default_rng(1).normal(size=(300, 64)).astype(np.float32))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("command", RUNS)
def test_a_command_runs_to_its_table(command: str, sets: Path, tmp_path: Path) -> None:
    if missing := [name for name in PEERS.get(command, ()) if find_spec(name) is None]:
        pytest.skip(f"not installed: {', '.join(missing)}")
    given = [word.replace("DIR", str(sets)) for word in RUNS[command].split()]
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{command}", *given],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert re.search(r"^\|?[ :|-]*-{3,}", done.stdout, re.MULTILINE) or json.loads(done.stdout)
