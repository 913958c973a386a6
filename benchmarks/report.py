"""Plain text tables, targets, and the same as JSON, with the machine and the versions."""

from __future__ import annotations

import datetime
import json
import os
import platform
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

__all__ = ["MISSING", "TIMES", "Column", "Report", "Target", "one_line", "version"]

MISSING = "not installed"
_CELL = 70  # characters of an exception
_OWN = ("tersely", "toktok-rs", "numpy")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its key in the rows, its title and how its values are written (`format` syntax)."""

    key: str
    title: str = ""
    form: str = ""

    def cell(self, row: dict[str, Any]) -> str:
        """The value of a row as text; empty where the row has none."""
        value = "" if row.get(self.key) is None else row[self.key]
        return format(value, self.form) if self.form and not isinstance(value, str) else str(value)


#: What each table of times begins with: medians and the least of the rounds.
TIMES = (
    Column("system"),
    Column("wall", "wall ms", ".2f"),
    Column("wall_min", "min", ".2f"),
    Column("cpu", "CPU ms", ".2f"),
    Column("cpu_min", "min", ".2f"),
)


@dataclass(frozen=True, slots=True)
class Target:
    """A number that was asked for. `at_most`: smaller is better."""

    name: str
    asked: float
    measured: float
    unit: str
    at_most: bool

    @property
    def reached(self) -> bool:
        """Whether the measured number is as good as asked."""
        return self.measured <= self.asked if self.at_most else self.measured >= self.asked

    def row(self) -> dict[str, Any]:
        """As a table row."""
        asked = f"{'<=' if self.at_most else '>='} {self.asked:g} {self.unit}".rstrip()
        measured = f"{self.measured:.3g} {self.unit}".rstrip()
        reached = "yes" if self.reached else "NO"
        return {"target": self.name, "asked": asked, "measured": measured, "reached": reached}


@dataclass(slots=True)
class Report:
    """Collects tables and prints each as it comes."""

    name: str  #: of the benchmark
    settings: dict[str, Any]  #: what it was called with
    packages: Sequence[str]  #: of the peers, by the names they are installed under; their versions are told
    tables: list[dict[str, Any]] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)  #: goes to the JSON only

    def table(self, title: str, columns: Sequence[Column], rows: list[dict[str, Any]]) -> None:
        """Print a table and keep its rows."""
        _print(title, columns, rows)
        self.tables.append({"title": title, "rows": rows})

    def note(self, text: str) -> None:
        """A sentence the reader of the numbers needs."""
        print(textwrap.fill(text, 110))
        self.notes.append(text)

    def finish(self, path: Path | None) -> None:
        """Print the targets, the machine and the versions; write it all as JSON where a path is given."""
        if self.targets:
            columns = [Column("target"), Column("asked"), Column("measured"), Column("reached")]
            _print("Targets", columns, [target.row() for target in self.targets])
        machine = _machine()
        versions = {package: version(package) or MISSING for package in (*_OWN, *self.packages)}
        print(f"\n{machine['cpu']}, {machine['cores']} cores, {machine['system']}; {machine['date']}")
        listed = ", ".join(f"{name} {found}" for name, found in versions.items())
        print(textwrap.fill(f"Python {machine['python']}; {listed}", 110))
        if path is not None:
            content = {
                "benchmark": self.name,
                "settings": self.settings,
                "machine": machine,
                "packages": versions,
                "tables": self.tables,
                "targets": [target.row() | {"value": target.measured} for target in self.targets],
                "notes": self.notes,
                "details": self.details,
            }
            path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def one_line(error: BaseException) -> str:
    """An exception in a cell of a table."""
    said = " ".join(str(error).split())
    return textwrap.shorten(f"{type(error).__name__}: {said}", _CELL, placeholder="…")


def version(package: str) -> str | None:
    """Installed version of a package, None where it is missing."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _print(title: str, columns: Sequence[Column], rows: Sequence[dict[str, Any]]) -> None:
    """Columns of words stand left, columns of numbers right."""
    titles = [column.title or column.key for column in columns]
    cells = [titles, *([column.cell(row) for column in columns] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    words = [all(isinstance(row.get(column.key, ""), str) for row in rows) for column in columns]
    print(f"\n{title}")
    for line in [cells[0], ["-" * width for width in widths], *cells[1:]]:
        parts = zip(line, widths, words, strict=True)
        print(
            "  ".join(
                cell.ljust(width) if left else cell.rjust(width) for cell, width, left in parts
            ).rstrip()
        )


def _machine() -> dict[str, Any]:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "cpu": _cpu_model(),
        "cores": usable,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="minutes"),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


def _cpu_model() -> str:
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        for line in listed.read_text(encoding="utf-8").splitlines():
            if line.lower().startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
