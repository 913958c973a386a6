"""The folders of a job: rows of a unit as they were planned, parts published by rename."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tersely.files import replace_file, sync_to_disk
from tersely.scale.options import Columns
from tersely.scale.plan import PLAN, Plan
from tersely.scale.rows import (
    Rows,
    arrow,
    count_lines,
    fingerprint_of,
    is_parquet,
    parquet,
    read_lines,
    rows_of_table,
    write_table,
)

_KEY = b"tersely"  # of a part's metadata
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over rows: how many, with an error, kept; tokens before and after."""

    rows: int = 0
    errors: int = 0
    kept: int = 0
    original_tokens: int = 0
    tokens: int = 0

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            self.rows + other.rows,
            self.errors + other.errors,
            self.kept + other.kept,
            self.original_tokens + other.original_tokens,
            self.tokens + other.tokens,
        )


def totals_of(table: Any) -> Totals:
    """Sum up the rows of an output."""
    import pyarrow.compute as pc

    sums = [pc.sum(table[name]).as_py() or 0 for name in ("original_tokens", "tokens")]
    kept = table["error"].null_count
    return Totals(table.num_rows, table.num_rows - kept, kept, *sums)


def part_name(unit: int) -> str:
    """The file of a unit's part."""
    return f"part-{unit:06d}.parquet"


def temporary(out: Path, name: str, token: str) -> Path:
    """A name beside a part that no reader takes for one, and no other process has."""
    return out / f".{name}.{token}.{os.getpid()}-{os.urandom(4).hex()}.tmp"


def publish(fresh: Path, out: Path, unit: int) -> None:
    """Give a unit's part its name, at once or not at all. Raises OSError."""
    replace_file(fresh, out / part_name(unit))
    sync_to_disk(out)


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
        parts.append([path.name, path.stat().st_size, _sha256(path)])
    whole = hashlib.sha256(json.dumps([plan.digest, parts]).encode()).hexdigest()
    success = {"digest": whole, "plan": plan.digest, **asdict(totals), "parts": parts}
    fresh = temporary(out, PLAN, "runner")
    try:
        plan.write(fresh, success)
        replace_file(fresh, out / PLAN)
        sync_to_disk(out)
    except FileNotFoundError:  # another runner ended the job and cleaned up
        if read_success(out) is None:
            raise
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise
    return success


def read_success(out: Path) -> dict[str, Any] | None:
    """Read what `finish_job` wrote; None where the job is not finished."""
    try:
        found = parquet().read_schema(out / PLAN).metadata.get(b"success")
    except FileNotFoundError:
        return None
    return None if found is None else dict(json.loads(found))


def remove_leftovers(out: Path, tokens: Iterable[str] | None = None) -> None:
    """Remove temporary files: those with one of the tokens, or of all runners."""
    wanted = None if tokens is None else set(tokens)
    for path in out.glob(".*.tmp"):
        if wanted is None or path.name.split(".")[-3] in wanted:
            with contextlib.suppress(OSError):
                path.unlink()


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


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
            types = {one.name: one.type for one in self.plan.schema}
            try:
                for at, rows in reader(path, name, piece.start, piece.stop, columns, types):
                    yield (before + at - piece.start) / weight, rows
            except (arrow().ArrowException, OSError) as error:
                raise ValueError(f"{path} cannot be read: {error}") from error
            before += piece.stop - piece.start

    def write_rows(self, unit: int, path: Path, table: Any, totals: Totals) -> None:
        """Write output rows of a unit to a file, with where they come from. Raises OSError."""
        about = {"plan": self.plan.digest, "unit": unit, "totals": asdict(totals)}
        write_table(table.replace_schema_metadata({_KEY: json.dumps(about, sort_keys=True)}), path)

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
    path: Path, name: str, start: int, stop: int, wanted: Columns, types: Mapping[str, Any]
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
            yield at + high, rows_of_table(table, wanted, types, f"{name}#", at + low)
        at += batch.num_rows
        if at >= stop:
            return
