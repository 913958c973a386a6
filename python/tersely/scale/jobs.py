"""Do what a worker is told: make a part, a stretch of its rows, or a part out of stretches.

A job is a small JSON object, and any process that sees the source and the output can do it:

    {"unit": 3}                                                 the part of unit 3
    {"unit": 3, "rows": [0, 500], "to": NAME}                   those of its rows, in a temporary file
    {"unit": 3, "join": [[0, 500, NAME], [500, 501, null]]}     the part out of these; null: deadly rows
    {"stage": "match", "number": 3}                             a step of `dedup_dataset` (merging.py)
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tersely.scale.arrow import arrow, parquet
from tersely.scale.lines import count_lines, read_lines
from tersely.scale.options import Columns, RowOptions
from tersely.scale.parts import Totals, part_name, publish, read_totals, temporary, totals_of, write_table
from tersely.scale.plan import Plan
from tersely.scale.rows import Rows, compress_rows, failed_rows, kept_types, output_schema, rows_of_table
from tersely.scale.sources import fingerprint_of, is_parquet

__all__ = [
    "DEADLY",
    "SHUFFLE",
    "Workspace",
    "kept_columns",
    "publish_part",
    "rows_in_unit",
    "rows_of_unit",
    "run_job",
]

DEADLY = "WorkerDied: the worker that compressed this row died, three times"
SHUFFLE = "_shuffle"  # a folder of the output; a name that readers of data sets pass over
_BATCH_BYTES = 4 << 20
_MOST_ROWS = 256  # of a batch
_TELL = 0.5  # seconds between two messages


class Workspace:
    """A plan with the folders that it is about, and the token of the runner that asks.

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


def run_job(space: Workspace, job: Mapping[str, Any], tell: Callable[[dict[str, Any]], object]) -> Totals:
    """Do a job; what its rows come to. `tell` hears of progress, up to twice a second.

    Raises OSError (a full disk, a file that is gone), ValueError (the source changed).
    """
    if "stage" in job:
        from tersely.scale.merging import run_stage

        return run_stage(space, job["stage"], job["number"])
    part = space.out / part_name(job["unit"])
    if "rows" not in job and part.exists():  # another runner was faster
        return read_totals(part)
    try:
        return _run(space, job, tell)
    except FileNotFoundError:
        if "rows" in job or not part.exists():
            raise
        return read_totals(part)  # another runner ended the job and cleaned up


def _run(space: Workspace, job: Mapping[str, Any], tell: Callable[[dict[str, Any]], object]) -> Totals:
    unit = job["unit"]
    schema = output_schema(_options(space), kept_columns(space, unit))
    if "rows" in job:
        start, stop = job["rows"]
        tables = list(_compressed(space, unit, start, stop, schema, tell))
    elif "join" in job:
        tables = list(_joined(space, unit, job["join"], schema))
    else:
        tables = list(_compressed(space, unit, 0, None, schema, tell))
    table = arrow().concat_tables(tables) if tables else schema.empty_table()
    totals = totals_of(table)
    if "rows" in job:
        write_table(table, space.out / job["to"], _told(space, unit, totals))
    else:
        publish_part(space, unit, table, totals)
    return totals


def publish_part(space: Workspace, unit: int, table: Any, totals: Totals) -> None:
    """Write a unit's part: whole or not at all. Raises OSError."""
    fresh = temporary(space.out, part_name(unit), space.token)
    write_table(table, fresh, _told(space, unit, totals))
    try:
        publish(fresh, space.out, unit)
    except OSError:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise


def _told(space: Workspace, unit: int, totals: Totals) -> dict[str, Any]:
    return {"plan": space.plan.digest, "unit": unit, "totals": asdict(totals)}


def _options(space: Workspace) -> RowOptions:
    assert isinstance(space.plan.options, RowOptions)
    return space.plan.options


def rows_in_unit(space: Workspace, unit: int) -> int:
    """How many rows a unit has; O(bytes) of lines."""
    total = 0
    for piece in space.plan.units[unit]:
        path = space.check(piece.input)
        parquets = is_parquet(path)
        total += piece.stop - piece.start if parquets else count_lines(path, piece.start, piece.stop)
    return total


def rows_of_unit(space: Workspace, unit: int, columns: Columns) -> Iterator[tuple[float, Rows]]:
    """The rows of a unit in batches, each with the share of the unit that is read with it."""
    weight = sum(piece.stop - piece.start for piece in space.plan.units[unit])
    before = 0
    for piece in space.plan.units[unit]:
        path = space.check(piece.input)
        name = space.plan.inputs[piece.input].path
        reader = _read_parquet if is_parquet(path) else read_lines
        try:
            for at, rows in reader(path, name, piece.start, piece.stop, columns):
                yield (before + at - piece.start) / weight, rows
        except (arrow().ArrowException, OSError) as error:
            raise ValueError(f"{path} cannot be read: {error}") from error
        before += piece.stop - piece.start


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


def kept_columns(space: Workspace, unit: int) -> dict[str, Any]:
    """The Arrow types of the kept columns of a unit."""
    keep = space.plan.options.keep
    path = space.check(space.plan.units[unit][0].input)
    if keep and is_parquet(path):
        return kept_types(keep, parquet().read_schema(path))
    return dict.fromkeys(keep, arrow().string())


def _compressed(
    space: Workspace,
    unit: int,
    start: int,
    stop: int | None,
    schema: Any,
    tell: Callable[[dict[str, Any]], object],
) -> Iterator[Any]:
    """Rows start to stop of a unit, compressed, batch by batch."""
    at, said = 0, time.monotonic()
    totals = Totals()
    for share, rows in rows_of_unit(space, unit, space.plan.options.columns):
        low, high = max(start - at, 0), len(rows) if stop is None else min(stop - at, len(rows))
        at += len(rows)
        if low < high:
            done = compress_rows(rows.part(low, high), _options(space), schema)
            totals += totals_of(done)
            yield done
        if time.monotonic() - said >= _TELL:
            said = time.monotonic()
            tell({"bytes": int(share * space.plan.weights[unit]), **asdict(totals)})
        if stop is not None and at >= stop:
            return


def _joined(space: Workspace, unit: int, join: list[list[Any]], schema: Any) -> Iterator[Any]:
    """The output of a unit's stretches, in order."""
    deadly = [(start, stop) for start, stop, name in join if name is None]
    failed: dict[int, Any] = {}
    at = 0
    for _, rows in rows_of_unit(space, unit, space.plan.options.columns) if deadly else ():
        for start, stop in deadly:
            if at <= start and stop <= at + len(rows):
                failed[start] = failed_rows(rows.part(start - at, stop - at), DEADLY, schema)
        at += len(rows)
    for start, _, name in join:
        if name is None:
            yield failed[start]
        else:
            yield parquet().read_table(space.out / name).cast(schema)
