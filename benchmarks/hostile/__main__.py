"""CPU time of every door on texts made to provoke, per byte, as a multiple of ordinary text of the same type.

Where an answer has a row for each thing found (a fact, a segment), its time per row stands beside: a text of
nothing but numbers has forty times the facts of prose.

examples:
  python -m benchmarks.hostile                                     # about five minutes
  python -m benchmarks.hostile --full --json hostile.json          # 1 MB, every answer checked: over an hour
  python -m benchmarks.hostile --doors "compress;detect" --inputs "nested arrays" --size 1000000
"""

from __future__ import annotations

import argparse
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import tersely
from tersely.content.registry import trusted_kind

from benchmarks.hostile.calls import DOORS, Door
from benchmarks.hostile.inputs import INPUTS, hostile_text
from benchmarks.hostile.ordinary import ordinary_text
from benchmarks.progress import Progress
from benchmarks.report import Column, Report, Target

_ASKED = 5.0  # times ordinary text
_AGAIN = 3.0  # times: a call that took more is timed again, and the median counts
_ROUNDS = 3
_CUT = 40.0  # times: a call that takes longer is given up
_SCREEN = 20  # all inputs are tried at the size divided by this, the slowest of them at the size
_WORST = 12  # inputs that are listed for a door


@dataclass(frozen=True, slots=True)
class _Depth:
    """How much is tried: bytes of UTF-8, inputs of a door at that size, whether all answers are checked."""

    size: int
    slowest: int
    checks_all: bool  # else those at that size


_QUICK = _Depth(200_000, 3, False)
_FULL = _Depth(1_000_000, 20, True)


class LateError(Exception):
    """A call took longer than `_CUT` times what ordinary text takes."""


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Raise LateError after so many seconds of CPU; native calls look for it themselves.

    An alarm of the wall clock looks at the CPU time: while a timer of CPU time runs, Linux counts it in ticks
    of 4 ms only.
    """
    until = time.process_time() + seconds

    def stop(_number: int, _frame: object) -> None:
        if time.process_time() >= until:
            raise LateError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, max(seconds / 4, 0.1))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _seconds(run: Callable[[str], Any], text: str) -> tuple[float, Any]:
    begun = time.process_time()
    answer = run(text)
    return time.process_time() - begun, answer


def _row(name: str, door: Door, text: str, checked: bool, usual: float, each: float) -> dict[str, Any]:
    """One input at one door: its ratio, or what went wrong.

    `usual`, `each`: seconds of a byte of ordinary text, and of a row of its answer; 0: it has no rows.
    """
    row: dict[str, Any] = {"input": name, "bytes": len(text.encode())}
    times: list[float] = []
    try:
        for number in range(_ROUNDS):
            with _limit(usual * row["bytes"] * _CUT + 1):
                spent, answer = _seconds(door.run, text)
            times.append(spent)
            if number == 0:
                if checked:
                    door.check(text, answer)
                row["items"] = door.items(answer) if door.items else 0
            if spent <= _AGAIN * usual * row["bytes"]:
                break
    except LateError:
        times = [usual * row["bytes"] * _CUT + 1]
        row["fault"] = "given up"
    except tersely.BudgetExceededError:  # one piece that is larger than the budget, and is not to be cut
        times = times or [0.0]
    except Exception:
        times = times or [0.0]
        row["fault"] = traceback.format_exc(limit=-2)[-700:]
    if each and row.get("items"):
        row["by_item"] = median(times) / (each * row["items"])
    return row | {"seconds": min(times), "ratio": median(times) / (usual * row["bytes"])}


class _Usual:
    """What ordinary text costs at a door: seconds per byte, and per row of its answer (0: it has no rows)."""

    def __init__(self, door: Door, size: int) -> None:
        self._door, self._size = door, size
        self._known: dict[str, tuple[float, float]] = {}

    def __call__(self, kind: str) -> tuple[float, float]:
        if kind not in self._known:
            text, rounds = ordinary_text(kind, self._size), []
            for _ in range(_ROUNDS):
                spent, answer = _seconds(self._door.run, text)
                rounds.append(spent)
            self._door.check(text, answer)
            items = self._door.items(answer) if self._door.items else 0
            self._known[kind] = median(rounds) / len(text.encode()), median(rounds) / items if items else 0.0
        return self._known[kind]


def _rows(door: Door, size: int, inputs: list[str], checked: bool) -> tuple[float, list[dict[str, Any]]]:
    """Seconds per byte of ordinary text of this size, and a row an input; the slowest is first.

    Where an answer has as many rows as the text is made to have (`Door.items`), `by_item` is the time for
    each of them against that of ordinary text.
    """
    usual, rows = _Usual(door, size), []
    for name in inputs:
        text = hostile_text(name, size)
        kind = door.kind or trusted_kind(tersely.detect(text), text)
        rows.append(_row(name, door, text, checked, *usual(kind)) | {"kind": kind})
    return usual(door.kind or "prose")[0], sorted(rows, key=lambda row: -float(row["ratio"]))


def _measure(name: str, depth: _Depth, inputs: list[str]) -> dict[str, Any]:
    """All inputs at one door: small ones, and the slowest of them as large as asked."""
    door = DOORS[name]
    door.run(ordinary_text(door.kind or "prose", 10_000))  # modules are loaded
    small: list[dict[str, Any]] = []
    if len(inputs) > depth.slowest:
        _, small = _rows(door, depth.size // _SCREEN, inputs, depth.checks_all)
        inputs = [row["input"] for row in small[: depth.slowest]]
    usual, rows = _rows(door, depth.size, inputs, True)
    return {
        "door": name,
        "kind": door.kind or "as taken",
        "usual": usual * 1e9,
        "median": median(row["ratio"] for row in small or rows),
        "worst": rows[0]["ratio"],
        "input": rows[0]["input"],
        "by_item": rows[0].get("by_item"),
        "over": sum(row["ratio"] > _ASKED for row in rows),
        "faults": sum("fault" in row for row in (*small, *rows)),
        "inputs": rows,
        "small": small,
    }


def main() -> None:
    """The command."""
    summary, _, examples = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=examples, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    sizes = f"{_FULL.size:,} bytes, {_FULL.slowest} inputs a door at that size, every answer checked"
    parser.add_argument("--full", action="store_true", help=sizes)
    parser.add_argument("--size", type=int, help=f"bytes of each text (default: {_QUICK.size:,})")
    parser.add_argument("--doors", help="some of them, separated by semicolons; a part of a name is enough")
    parser.add_argument("--inputs", help="in the same way")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there too")
    given = parser.parse_args()
    depth = _FULL if given.full else _QUICK
    depth = replace(depth, size=given.size or depth.size)
    doors, inputs = _chosen(given.doors, list(DOORS)), _chosen(given.inputs, list(INPUTS))
    if not doors or not inputs:
        parser.error("no door, or no input, has such a name")
    report = Report("hostile", asdict(depth) | {"doors": doors, "inputs": inputs}, ())
    rows = []
    with Progress("hostile", len(doors)) as progress:
        for name in doors:
            progress.step(name)
            rows.append(_measure(name, depth, inputs))
    columns = [
        Column("door"),
        Column("kind", "ordinary text"),
        Column("usual", "ns a byte", ".0f"),
        Column("median", "median", ".2f"),
        Column("worst", "worst", ".2f"),
        Column("input", "on"),
        Column("by_item", "there, by rows of the answer", ".2f"),
        Column("over", f"over {_ASKED:g}"),
        Column("faults"),
    ]
    report.table(f"CPU per byte against ordinary text, {len(inputs)} inputs", columns, rows)
    worst = [
        {"door": row["door"]} | one
        for row in rows
        for one in [*row["inputs"][:_WORST], *(one for one in row["small"] if "fault" in one)]
        if one["ratio"] > _ASKED or "fault" in one
    ]
    if worst:
        numbers = [Column("ratio", "", ".1f"), Column("seconds", "", ".2f")]
        shown = [Column("door"), Column("input"), *numbers, Column("fault")]
        report.table(f"Over {_ASKED:g} times, or not answered as promised", shown, worst)
    report.note(
        f"Each of {len(inputs)} inputs was tried at every door with {depth.size // _SCREEN:,} bytes (the "
        f"median is of these), the {depth.slowest} slowest of them with {depth.size:,} bytes. Seconds are "
        "of CPU."
    )
    report.details["inputs"] = {row["door"]: row.pop("small") + row.pop("inputs") for row in rows}
    slowest = max(row["worst"] for row in rows)
    report.targets.append(Target("slowest input against ordinary text", _ASKED, slowest, "times", True))
    report.finish(given.json)


def _chosen(asked: str | None, names: list[str]) -> list[str]:
    """The names that hold one of the parts asked for; all where none is."""
    if asked is None:
        return names
    parts = asked.split(";")
    return [name for name in names if any(part in name for part in parts)]


if __name__ == "__main__":
    main()
