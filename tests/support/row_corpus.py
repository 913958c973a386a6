"""A small corpus, and what a job made of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

PLACES = ("harbour", "bridge", "station", "market", "tower", "garden", "theatre")


def make_rows(count: int) -> list[dict[str, Any]]:
    """Rows of ten sentences, each with a query that one of them answers."""
    rows = []
    for number in range(count):
        place = PLACES[number % len(PLACES)]
        sentences = [
            f"The {place} number {number} has {part} gates that open at {part + 5} in the morning."
            for part in range(2, 12)
        ]
        rows.append(
            {
                "id": f"row-{number}",
                "text": " ".join(sentences),
                "query": f"When do the {number % 9 + 2} gates open?",
                "budget": 40 + number % 3,
                "number": number,
            }
        )
    return rows


def write_parquet(path: Path, rows: list[dict[str, Any]], group: int = 16) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=group)
    return path


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read_out(out: Path) -> list[dict[str, Any]]:
    """The rows of all parts, in order."""
    return [row for part in sorted(out.glob("part-*.parquet")) for row in pq.read_table(part).to_pylist()]


def bytes_of(out: Path) -> dict[str, bytes]:
    """Every file of an output that is not a lock; so nothing temporary may be left."""
    return {path.name: path.read_bytes() for path in out.iterdir() if path.name != ".lock"}
