"""The folders of a job: read the rows of a unit as they were planned, and publish its part."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tersely.scale.arrow import arrow, parquet
from tersely.scale.lines import count_lines, read_lines
from tersely.scale.options import Columns
from tersely.scale.parts import Totals, part_name, publish, temporary, write_table
from tersely.scale.plan import Plan
from tersely.scale.rows import Rows, kept_types, rows_of_table
from tersely.scale.sources import fingerprint_of, is_parquet

__all__ = ["SHUFFLE", "Workspace"]

SHUFFLE = "_shuffle"  # a folder of the output; a name that readers of data sets pass over
_BATCH_BYTES = 4 << 20
_MOST_ROWS = 256  # of a batch


class Workspace:
    """A plan with the folders of its source and output, and the token of the runner that asks.

    What is read of the source must be what was planned: `check` looks at each file once.
    """

    def __init__(self, root: Path, out: Path, plan: Plan, token: str) -> None:
        """Say where things are."""
        self.root, self.out, self.plan, self.token = root, out, plan, token
        self.shuffle = out / SHUFFLE / plan.digest[:16]  # not what a former plan left in `out`
        self._checked: set[int] = set()

    def check(self, number: int) -> Path:
        """The path of an input. Raises ValueError where it is not what was planned, OSError."""
        one = self.plan.inputs[number]
        path = self.root / one.path
        if number not in self._checked:
            if path.stat().st_size != one.size or fingerprint_of(path) != one.digest:
                raise ValueError(f"{path} changed since the plan was made")
            self._checked.add(number)
        return path

    def count_rows(self, unit: int) -> int:
        """Number of rows of a unit; O(bytes) of lines."""
        total = 0
        for piece in self.plan.units[unit]:
            path = self.check(piece.input)
            parquets = is_parquet(path)
            total += piece.stop - piece.start if parquets else count_lines(path, piece.start, piece.stop)
        return total

    def read_rows(self, unit: int, columns: Columns) -> Iterator[tuple[float, Rows]]:
        """Read the rows of a unit in batches, each with the share of the unit that is read with it."""
        pieces = self.plan.units[unit]
        weight = sum(piece.stop - piece.start for piece in pieces)
        before = 0
        for piece in pieces:
            path = self.check(piece.input)
            name = self.plan.inputs[piece.input].path
            reader = _read_parquet if is_parquet(path) else read_lines
            try:
                for at, rows in reader(path, name, piece.start, piece.stop, columns):
                    yield (before + at - piece.start) / weight, rows
            except (arrow().ArrowException, OSError) as error:
                raise ValueError(f"{path} cannot be read: {error}") from error
            before += piece.stop - piece.start

    def kept_columns(self, unit: int) -> dict[str, Any]:
        """The Arrow types of the kept columns of a unit."""
        keep = self.plan.options.keep
        path = self.check(self.plan.units[unit][0].input)
        if keep and is_parquet(path):
            return kept_types(keep, parquet().read_schema(path))
        return dict.fromkeys(keep, arrow().string())

    def write_rows(self, unit: int, path: Path, table: Any, totals: Totals) -> None:
        """Write output rows of a unit to a file, with where they come from. Raises OSError."""
        write_table(table, path, {"plan": self.plan.digest, "unit": unit, "totals": asdict(totals)})

    def publish_part(self, unit: int, table: Any, totals: Totals) -> None:
        """Write a unit's part: whole or not at all. Raises OSError."""
        fresh = temporary(self.out, part_name(unit), self.token)
        self.write_rows(unit, fresh, table, totals)
        try:
            publish(fresh, self.out, unit)
        except OSError:
            with contextlib.suppress(OSError):
                fresh.unlink()
            raise


def _read_parquet(
    path: Path, name: str, start: int, stop: int, wanted: Columns
) -> Iterator[tuple[int, Rows]]:
    """Rows start to stop of a file, and the number of the one after."""
    file = parquet().ParquetFile(path)
    groups: list[int] = []
    first = 0  # the row groups that hold rows start to stop, and the first of their rows
    row = weight = 0
    for index in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(index)
        if row < stop and row + group.num_rows > start:
            first = first if groups else row
            groups.append(index)
            weight += group.total_byte_size
        row += group.num_rows
    rows = sum(file.metadata.row_group(index).num_rows for index in groups)
    size = max(1, min(_MOST_ROWS, _BATCH_BYTES * rows // max(weight, 1)))
    columns = [column for column in wanted.names if column in file.schema_arrow.names]
    at = first
    for batch in file.iter_batches(size, row_groups=groups, columns=columns, use_threads=False):
        low, high = max(start - at, 0), min(stop - at, batch.num_rows)
        if low < high:
            table = arrow().Table.from_batches([batch.slice(low, high - low)])
            yield at + high, rows_of_table(table, wanted, lambda n, at=at + low: f"{name}#{at + n}")
        at += batch.num_rows
        if at >= stop:
            return
