"""Facility location beside submodlib and apricot, MMR beside LangChain: vectors to picks, answers asserted.

Examples:
    python -m benchmarks.kernels.selection
    python -m benchmarks.kernels.selection --sizes 500,2000 --rounds 3
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.kernels import rounds, selectors, vectors
from benchmarks.report import MISSING, TIMES, Column, Report, Target

_PACKAGES = ("submodlib-py", "apricot-select", "numba", "langchain-core")
_DIMENSIONS = 256
_MOST_PICKS = 200
_MMR_PICKS, _MMR_WEIGHT = 20, 0.5
_TERSELY = "tersely"
_COLUMNS = (
    *TIMES,
    Column("times", "CPU x tersely", ".1f"),
)


def main() -> None:
    """The command."""
    options = _arguments()
    settings = {"sizes": options.sizes, "rounds": options.rounds, "threads": 1}
    result = Report("kernels/selection", settings, _PACKAGES)
    facility = {name: make() for name, make in selectors.FACILITY.items()}
    relevance = {name: make() for name, make in selectors.MMR.items()}
    for size in options.sizes:
        rows = vectors.clustered(size, _DIMENSIONS)
        how_many = options.rounds or (9 if size <= 2_000 else 5)
        _facility(result, rows, facility, how_many)
        _mmr(result, rows, relevance, how_many)
    result.note("Every system on one thread, the similarities computed in its time.")
    result.note("apricot compiles its kernel with numba in every call: most of its time at the small sizes.")
    result.finish(options.json)


def _arguments() -> argparse.Namespace:
    summary, _, examples = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=examples, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sizes",
        type=lambda given: [int(size) for size in given.split(",")],
        default=[500, 2_000, 10_000],
        metavar="N,N",
        help="rows (default: 500,2000,10000)",
    )
    parser.add_argument("--rounds", type=int, help="of each table (default: 9, from 10,000 rows on 5)")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write the numbers, machine and versions there too"
    )
    return parser.parse_args()


def _facility(
    result: Report,
    rows: vectors.Floats,
    listed: dict[str, selectors.Facility | None],
    how_many: int,
) -> None:
    budget = min(len(rows) // 10, _MOST_PICKS)
    best = selectors.greedy_value(rows, budget)
    calls = {name: _bound(select, rows, budget) for name, select in listed.items() if select}
    times = rounds.interleaved(
        calls, how_many, lambda name, answer: selectors.check_facility(rows, budget, best, answer)
    )
    title = f"Facility location: {len(rows):,} x {_DIMENSIONS}, {budget} picks"
    asked = 10.0 if len(rows) <= 2_000 else 5.0
    _tell(result, title, listed, times, ("submodlib, LazyGreedy", "apricot, lazy"), asked, how_many)


def _mmr(
    result: Report,
    rows: vectors.Floats,
    listed: dict[str, selectors.Relevance | None],
    how_many: int,
) -> None:
    query = vectors.clustered(1, _DIMENSIONS, seed=8)[0]
    given = (rows, query, _MMR_PICKS, _MMR_WEIGHT)
    calls = {name: _bound(select, *given) for name, select in listed.items() if select}
    times = rounds.interleaved(calls, how_many, lambda name, answer: selectors.check_mmr(*given, answer))
    title = f"MMR: {len(rows):,} x {_DIMENSIONS}, {_MMR_PICKS} picks, weight {_MMR_WEIGHT}"
    _tell(result, title, listed, times, (), 0, how_many)


def _bound(select: Callable[..., Any], *given: Any) -> Callable[[], Any]:
    return lambda: select(*given)


def _tell(
    result: Report,
    title: str,
    listed: dict[str, Any],
    times: dict[str, rounds.Times],
    peers: tuple[str, ...],
    asked: float,
    how_many: int,
) -> None:
    mine = times.get(_TERSELY)
    table: list[dict[str, Any]] = []
    for name in listed:
        if name in times:
            ratio = {"times": times[name].cpu / mine.cpu} if mine else {}
            table.append({"system": name, **times[name].row(), **ratio})
        else:
            table.append({"system": name, "wall": MISSING})
    result.table(f"{title}; medians of {how_many} rounds", _COLUMNS, table)
    present = [name for name in peers if name in times]
    if mine and present:
        best = min(present, key=lambda name: times[name].cpu)
        ratio_now = times[best].cpu / mine.cpu
        result.targets.append(Target(f"{title}: against {best}", asked, ratio_now, "x", at_most=False))


if __name__ == "__main__":
    main()
