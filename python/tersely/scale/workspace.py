"""The folders of a job: rows of a unit as they were planned, parts published by rename, rows passed on.

From the units that read them to the partitions that need them rows go as Parquet, a row group a partition. A
file is written once, under a temporary name, and renamed; a reader takes its row group of every file. None is
synced, as any can be made again: one that a loss of power damaged fails its checksums when it is read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.files import renamed, sync_to_disk
from tersely.scale.options import Columns
from tersely.scale.plan import PLAN, Plan
from tersely.scale.rows import (
    Rows,
    arrow,
    fingerprint_of,
    is_parquet,
    parquet,
    read_lines,
    rows_of_table,
    write_table,
)

_KEY = b"tersely"  # of a part's metadata


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over rows: how many, with an error, kept; tokens before and after."""

    rows: int = 0
    errors: int = 0
    kept: int = 0
    original_tokens: int = 0
    tokens: int = 0

    def __add__(self, other: Totals) -> Totals:
        return Totals(*map(operator.add, astuple(self), astuple(other)))


def totals_of(table: Any) -> Totals:
    """Sum up the rows of an output."""
    import pyarrow.compute as pc

    sums = [pc.sum(table[name]).as_py() or 0 for name in ("original_tokens", "tokens")]
    kept = table["error"].null_count
    return Totals(table.num_rows, table.num_rows - kept, kept, *sums)


def part_name(unit: int) -> str:
    """The file of a unit's part."""
    return f"part-{unit:06d}.parquet"


def read_totals(path: Path) -> Totals:
    """The totals of a part, from its footer. Raises OSError or ValueError for what is no part."""
    try:
        metadata = json.loads(parquet().read_schema(path).metadata[_KEY])
        return Totals(**metadata["totals"])
    except (arrow().ArrowInvalid, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no whole part: remove it, and it is made again ({error})") from error


def finish_job(out: Path, plan: Plan) -> dict[str, Any]:
    """Add digests of each part and of all to the plan's file; return them. O(bytes of the parts)."""
    parts = []
    totals = Totals()
    for unit in range(len(plan.units)):
        path = out / part_name(unit)
        totals += read_totals(path)
        with path.open("rb") as file:
            parts.append([path.name, path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest()])
    whole = hashlib.sha256(json.dumps([plan.digest, parts]).encode()).hexdigest()
    success = {"digest": whole, "plan": plan.digest, **asdict(totals), "parts": parts}
    with renamed(out / PLAN) as fresh:
        plan.write(fresh, success)
    sync_to_disk(out)
    return success


def read_success(out: Path) -> dict[str, Any] | None:
    """Read the report of `finish_job`; None if the job is not finished."""
    try:
        found = parquet().read_schema(out / PLAN).metadata.get(b"success")
    except FileNotFoundError:
        return None
    return None if found is None else dict(json.loads(found))


def remove_leftovers(out: Path) -> None:
    """Remove temporary files of this run and of killed ones."""
    for path in out.glob(".*.tmp"):
        with contextlib.suppress(OSError):
            path.unlink()


SHUFFLE = "_shuffle"  # a folder of the output; a name that readers of data sets pass over
_BATCH_BYTES = 4 << 20
_MOST_ROWS = 256  # of a batch


class Workspace:
    """A plan with the folders of its source and output.

    What is read of the source must be what was planned: `check` looks at each file once.
    """

    def __init__(self, root: Path, out: Path, plan: Plan) -> None:
        """Say where things are."""
        self.root, self.out, self.plan = root, out, plan
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

    def read_rows(self, unit: int, columns: Columns) -> Iterator[Rows]:
        """Read the rows of a unit in batches."""
        for piece in self.plan.units[unit]:
            path = self.check(piece.input)
            name = self.plan.inputs[piece.input].path
            reader = _read_parquet if is_parquet(path) else read_lines
            types = {one.name: one.type for one in self.plan.schema}
            try:
                yield from reader(path, name, piece.start, piece.stop, columns, types)
            except (arrow().ArrowException, OSError) as error:
                raise ValueError(f"{path} cannot be read: {error}") from error

    def publish_part(self, unit: int, table: Any, totals: Totals) -> None:
        """Write a unit's part, with where it comes from: whole or not at all. Raises OSError."""
        about = {"plan": self.plan.digest, "unit": unit, "totals": asdict(totals)}
        table = table.replace_schema_metadata({_KEY: json.dumps(about, sort_keys=True)})
        with renamed(self.out / part_name(unit)) as fresh:
            write_table(table, fresh)
        sync_to_disk(self.out)

    def note_row(self, unit: int, row: int | None) -> None:
        """Note which row of a unit is being done; None: none. Raises OSError."""
        if row is None:
            self._row_file(unit).unlink(missing_ok=True)
        else:
            self._row_file(unit).write_text(str(row), encoding="ascii")

    def noted_row(self, unit: int) -> int | None:
        """The row that a worker was at when it died; None: it was at none."""
        try:
            return int(self._row_file(unit).read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):  # none, or it died as it wrote the number
            return None

    def _row_file(self, unit: int) -> Path:
        return self.out / f".{part_name(unit)}.tmp"


def _read_parquet(
    path: Path, name: str, start: int, stop: int, wanted: Columns, types: Mapping[str, Any]
) -> Iterator[Rows]:
    """Rows start to stop of a file."""
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
            yield rows_of_table(table, wanted, types, f"{name}#", at + low)
        at += batch.num_rows
        if at >= stop:
            return


def shuffle_path(space: Workspace, name: str, number: int) -> Path:
    """The file that job `number` of a stage writes."""
    return space.shuffle / f"{name}-{number:06d}"


def write_shuffle(
    space: Workspace, name: str, number: int, table: Any, to: npt.NDArray[Any], parts: int, note: Any = None
) -> None:
    """Write rows to partitions, and a note for the readers of all (`read_note`), any JSON.

    `to`: of each row, an integer below `parts`. Rows keep their order. Raises OSError.
    """
    order = np.argsort(to, kind="stable")
    counts = np.bincount(to, minlength=parts)
    table = table.take(order).combine_chunks()
    metadata = {_KEY: json.dumps({"counts": counts.tolist(), "note": note}).encode()}
    schema = table.schema.with_metadata(metadata)

    path = _shuffled(space, name, number)
    with (
        renamed(path) as fresh,
        fresh.open("xb") as file,
        parquet().ParquetWriter(
            file,
            schema,
            compression="zstd",
            use_dictionary=False,
            write_statistics=False,
            write_page_checksum=True,
        ) as writer,
    ):
        start = 0
        for count in counts[counts > 0].tolist():
            writer.write_table(table.slice(start, count), row_group_size=count)
            start += count


def write_json(space: Workspace, name: str, number: int, value: Any) -> None:
    """Write a result of a job that is no table. Raises OSError."""
    path = _shuffled(space, name, number)
    with renamed(path) as fresh:
        fresh.write_bytes(json.dumps(value).encode())


def read_json(space: Workspace, name: str, number: int) -> Any:
    """Read a file of `write_json`. Raises OSError."""
    with _remove_if_damaged(shuffle_path(space, name, number)) as path:
        return json.loads(path.read_bytes())


def read_shuffle(
    space: Workspace,
    name: str,
    numbers: Sequence[int] | range,
    part: int,
    columns: Sequence[str] | None = None,
) -> Iterator[tuple[int, Any]]:
    """The rows that each of some jobs wrote for a partition, in order of the jobs."""
    for number in numbers:
        with _open(shuffle_path(space, name, number)) as file:
            group = _group(file, part)
            if group is not None:
                yield number, file.read_row_group(group, columns=columns, use_threads=False)


def read_note(space: Workspace, name: str, number: int) -> Any:
    """The note that a job wrote beside its rows. Raises OSError."""
    with _open(shuffle_path(space, name, number)) as file:
        return _metadata(file)["note"]


def shuffle_bytes(space: Workspace, name: str, numbers: range, part: int, column: str) -> int:
    """Bytes that a column of a partition takes in memory at most, from footers alone."""
    total = 0
    for number in numbers:
        with _open(shuffle_path(space, name, number)) as file:
            group = _group(file, part)
            if group is not None:
                at = file.schema_arrow.get_field_index(column)
                total += file.metadata.row_group(group).column(at).total_uncompressed_size
    return total


@contextlib.contextmanager
def _open(path: Path) -> Iterator[Any]:
    with _remove_if_damaged(path), parquet().ParquetFile(path, page_checksum_verification=True) as file:
        yield file


@contextlib.contextmanager
def _remove_if_damaged(path: Path) -> Iterator[Path]:
    """Remove a damaged file and raise ValueError."""
    try:
        yield path
    except FileNotFoundError:
        raise
    except (ValueError, OSError) as error:  # Arrow's are of these
        path.unlink(missing_ok=True)
        raise ValueError(f"{path} is damaged and was removed; call again, and it is made again") from error


def _metadata(file: Any) -> Any:
    return json.loads(file.schema_arrow.metadata[_KEY])


def _group(file: Any, part: int) -> int | None:
    """The row group of a partition; None: it has no rows."""
    counts = _metadata(file)["counts"]
    return sum(1 for count in counts[:part] if count) if counts[part] else None


def _shuffled(space: Workspace, name: str, number: int) -> Path:
    path = shuffle_path(space, name, number)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
