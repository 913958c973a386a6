"""Peak memory in a fresh process: python -m benchmarks.kernels.memory SYSTEM LINKAGE THRESHOLD FILE.npy

Prints a JSON object: bytes of the input, and the peak during one call over what the process held before it,
with the input loaded, in bytes for a byte of input.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kernels import rounds
from benchmarks.kernels.systems import systems
from benchmarks.peak import peak, start_of_peak

__all__ = ["measured"]

_ROOT = Path(__file__).resolve().parents[2]
_WARM = 200  # rows of a call before, so that what is loaded or made once is not counted


def measured(system: str, linkage: str, threshold: float, file: Path) -> dict[str, Any]:
    """What a fresh process found, on one thread."""
    arguments = ["-m", "benchmarks.kernels.memory", system, linkage, str(threshold), str(file)]
    done = subprocess.run(
        [sys.executable, *arguments], cwd=_ROOT, env=os.environ, capture_output=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{arguments} failed:\n{done.stderr.decode(errors='replace')[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """The process."""
    name, linkage, threshold, file = sys.argv[1:]
    call = next(system.call for system in systems(linkage) if system.name == name)
    rounds.pin(1)
    if call is None:
        raise ImportError(f"{name} is not installed")
    rows = np.load(file)
    call(rows[:_WARM].copy(), float(threshold))
    before = start_of_peak()
    call(rows, float(threshold))
    print(json.dumps({"bytes": rows.nbytes, "peak": (peak() - before) / rows.nbytes}))


if __name__ == "__main__":
    main()
