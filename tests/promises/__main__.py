"""Make many random calls and print each broken promise with the seed that makes the call again.

PYTHONPATH=tests:tests/support python -m promises --calls 1000000 --seed 7
PYTHONPATH=tests:tests/support python -m promises --kind rounds --calls 20000 --seed 7
PYTHONPATH=tests:tests/support python -m promises --door compress --seed 7:1234

Before a change that must not change results, with PYTHONHASHSEED=0: --calls 20000 --record FILE
After it: --calls 20000 --compare FILE, and PROMISES_FILES=DIR where the repository's own files, which are
documents of some calls, changed as well (DIR: a checkout of before)
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from random import Random

from promises.doors import DOORS, KINDS, door_of, outcome, prepare

_CHUNK = 20  # calls that a process is given at a time


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="promises", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=10_000, help="how many (default: 10,000)")
    parser.add_argument("--seed", default="1", help="of the whole run; SEED:NUMBER is one call of it, shown")
    parser.add_argument(
        "--first", type=int, default=0, help="the number of the first call: to go on from there"
    )
    parser.add_argument("--kind", choices=list(KINDS), default="calls", help="of calls (default: calls)")
    parser.add_argument("--door", help="only this one, of any kind")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, help="stop after so many (default: when all are made)")
    parser.add_argument("--stop-after", type=int, default=100, help="broken promises")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write a digest of each result")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="name the calls whose digest is another")
    given = parser.parse_args()
    if ":" in given.seed:
        return _show(given.seed, given.door, given.kind)
    started, found, names = time.monotonic(), 0, Counter[str]()
    digests: dict[str, str] = {}
    known = dict(line.split() for line in given.compare.read_text().splitlines()) if given.compare else {}
    numbers = range(given.first, given.first + given.calls)
    with ProcessPoolExecutor(given.jobs, initializer=prepare) as pool:
        try:
            seeds = [f"{given.seed}:{number}" for number in numbers]
            results = pool.map(outcome, seeds, repeat(given.door), repeat(given.kind), chunksize=_CHUNK)
            for number, (seed, result) in enumerate(zip(seeds, results, strict=True), 1):
                names[result.name] += 1
                digests[seed] = result.digest or "-"
                door = door_of(seed, given.door, given.kind)
                if known.get(seed, digests[seed]) != digests[seed]:
                    names["changed"] += 1
                    print(f"\n--seed {seed} --door '{door}': another result than in {given.compare}")
                if result.broken:
                    found += 1
                    print(f"\n--seed {seed} --door '{door}': " + "\n  ".join(result.broken), flush=True)
                if found >= given.stop_after:
                    break
                if number % 500 == 0:
                    rate = number / (time.monotonic() - started)
                    print(f"{number} calls, {rate:.0f} a second, {found} broken", file=sys.stderr, flush=True)
                if given.seconds and time.monotonic() - started > given.seconds:
                    break
        finally:  # Ctrl-C does not wait for all that was asked for
            pool.shutdown(cancel_futures=True)
    if given.record:
        given.record.write_text("".join(f"{seed} {digest}\n" for seed, digest in digests.items()))
    print(f"{len(digests)} calls {dict(names)}: {found} with broken promises")
    return min(found + names["changed"], 1)


def _show(seed: str, only: str | None, kind: str) -> int:
    prepare()
    print(door_of(seed, only, kind))
    call = DOORS[door_of(seed, only, kind)][0](Random(seed))
    for name, value in {"budget": call.budget, **(call.told or {})}.items():
        print(f"{name} = {value!r}")
    found = outcome(seed, only, kind)
    print(found.name, *found.broken, sep="\n  ")
    return int(bool(found.broken))


if __name__ == "__main__":
    sys.exit(main())
