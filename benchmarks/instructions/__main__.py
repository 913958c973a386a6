"""Instructions of the main kernels on fixed input (AVX2), against the recorded ones: more than 3 % more fail.

Instructions are counted by Valgrind's callgrind, so they are the same on every run and say nothing about
caches. They depend on the compiler: other versions than the recorded one are reported, not compared.

Examples:
    python -m benchmarks.instructions build/instructions/workloads    compare
    python -m benchmarks.instructions build/instructions/workloads --record     write counts.json anew
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

_NAMES = ("similarity", "pairs", "representative", "facility", "relevant", "segment", "terms", "embed")
_COUNTS = Path(__file__).with_name("counts.json")
_GROWTH = 1.03


def main() -> int:
    """The command; 1 where a kernel needs more instructions than is allowed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program", type=Path, help="workloads.cpp, built as ci/instructions.sh does")
    parser.add_argument("--record", action="store_true", help="write counts.json instead of comparing")
    parser.add_argument("--compiler", default="unknown", help="what built it, such as 'g++ 12.2.0'")
    options = parser.parse_args()
    found = {name: _count(options.program, name) for name in _NAMES}
    if options.record:
        _COUNTS.write_text(json.dumps({"compiler": options.compiler, "instructions": found}, indent=2) + "\n")
        return 0
    recorded = json.loads(_COUNTS.read_text(encoding="utf-8"))
    same = recorded["compiler"] == options.compiler
    print(f"{'kernel':16}{'instructions':>15}{'recorded':>15}{'ratio':>9}")
    slower = []
    for name, count in found.items():
        ratio = count / recorded["instructions"][name]
        print(f"{name:16}{count:15,}{recorded['instructions'][name]:15,}{ratio:9.4f}")
        if ratio > _GROWTH:
            slower.append(name)
    if not same:
        print(f"built by {options.compiler}, recorded with {recorded['compiler']}: not compared")
    elif slower:
        print(f"more than {_GROWTH - 1:.0%} more instructions: {', '.join(slower)}")
    return int(same and bool(slower))


def _count(program: Path, name: str) -> int:
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command += [f"--toggle-collect=work_{name}", str(program.resolve()), name]
    environment = os.environ | {"TERSELY_ISA": "avx2"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=300)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or collected is None or int(collected[1]) == 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return int(collected[1])


if __name__ == "__main__":
    sys.exit(main())
