"""Pairs and clusters on each instruction set of this CPU, blocked numpy beside them in the same process.

numpy's BLAS is told to be that of the same CPU: without AVX-512 it runs its Haswell kernels.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kernels import oracle, ours, pairs, rounds
from benchmarks.kernels.linkage import LINKAGES
from benchmarks.kernels.sets import sets, usual_rounds
from benchmarks.report import Column, Report

__all__ = ["instruction_sets"]

_ROOT = Path(__file__).resolve().parents[2]
_BLAS = {"avx2": "Haswell"}  # OPENBLAS_CORETYPE
_NUMPY = "numpy, blocks"
_PAIRS = "pairs"


def instruction_sets(result: Report, options: argparse.Namespace) -> None:
    """A table for each set of rows: CPU time, and how many times faster than numpy."""
    columns = [Column("isa", "instruction set"), Column(_NUMPY, f"{_NUMPY}: CPU ms", ".1f")]
    for job in (_PAIRS, *LINKAGES):
        columns += [Column(job, f"{job}: CPU ms", ".1f"), Column(f"{job} x", "x numpy", ".2f")]
    for kind, size, rows in sets(result, options, options.sizes):
        table = []
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "rows.npy"
            np.save(file, rows)
            for isa in _known():
                found = _measured(isa, options.threshold, usual_rounds(options, size), file)
                times = {f"{job} x": found[_NUMPY] / found[job] for job in (_PAIRS, *LINKAGES)}
                table.append({"isa": isa} | times | {job: cpu * 1e3 for job, cpu in found.items()})
        head = f"Each instruction set: {kind}, {size:,} x {rows.shape[1]}, cosine >= {options.threshold}"
        result.table(f"{head}; medians of {usual_rounds(options, size)} rounds, one thread", columns, table)


def _known() -> list[str]:
    """Those of this CPU, best first; without the scalar one, which is for CPUs that have no other."""
    code = "from tersely.kernels import isa; isa()"
    message = _run(["-c", code], TERSELY_ISA="?").stderr
    names = re.search(r"TERSELY_ISA must be one of (.+?) on this CPU", message)
    if names is None:
        raise RuntimeError(message)
    return [name for name in names[1].split(", ") if name != "scalar"]


def _measured(isa: str, threshold: float, how_many: int, file: Path) -> dict[str, float]:
    blas = {"OPENBLAS_CORETYPE": _BLAS[isa]} if isa in _BLAS else {}
    arguments = ["-m", "benchmarks.kernels.instruction_sets", str(threshold), str(how_many), str(file)]
    done = _run(arguments, TERSELY_ISA=isa, **blas)
    if done.returncode != 0:
        raise RuntimeError(f"{arguments} failed:\n{done.stderr[-2000:]}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _run(arguments: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    variables = os.environ | environment
    return subprocess.run(command, cwd=_ROOT, env=variables, capture_output=True, text=True, check=False)


def main() -> None:
    """The process: seconds of CPU of each job, in turn, the answers asserted."""
    threshold, how_many, rows = float(sys.argv[1]), int(sys.argv[2]), np.load(sys.argv[3])
    truth = oracle.truth(rows, threshold)
    numpy = next(finder.find for finder in pairs.peers() if finder.name == _NUMPY)
    checks: dict[str, Callable[[Any], None]] = {
        _NUMPY: lambda answer: oracle.check_pairs(truth, answer),
        _PAIRS: lambda answer: oracle.check_pairs(truth, answer),
        "single": lambda answer: oracle.check_single(truth, ours.labels(answer)),
        "representative": lambda answer: oracle.check_representative(truth, ours.labels(answer)),
    }
    calls: dict[str, Callable[[], Any]] = {
        _NUMPY: lambda: numpy(rows, threshold) if numpy else None,
        _PAIRS: lambda: ours.pairs(rows, threshold),
        "single": lambda: ours.clusters(rows, threshold, "single"),
        "representative": lambda: ours.clusters(rows, threshold, "representative"),
    }
    times = rounds.interleaved(calls, how_many, lambda name, answer: checks[name](answer))
    print(json.dumps({name: found.cpu for name, found in times.items()}))


if __name__ == "__main__":
    main()
