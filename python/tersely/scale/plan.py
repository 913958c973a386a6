"""Plan a job: which rows make which part. The plan is a file; all that is written is a function of it."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tersely
from tersely import checks
from tersely.errors import StoreError
from tersely.files import renamed, sync_to_disk
from tersely.scale.options import Columns, DedupOptions, RowOptions
from tersely.scale.rows import (
    Input,
    arrow,
    column_types,
    find_inputs,
    first_values,
    is_compressed,
    is_parquet,
    length_of,
    output_schema,
    parquet,
    write_table,
)

#: A Parquet file without rows, in the columns of the parts: every reader of a folder passes it over or takes
#: nothing from it. Polars reads whatever is not empty, so nothing that is no Parquet may lie there.
PLAN = "_tersely.parquet"
_FORMAT = 3
_UNIT_BYTES, _UNITS = 8 << 20, 4096  # where the caller does not say; larger units where there would be more
_DEDUP_UNITS = 512  # there: each unit reads what all others wrote
_COMPRESSED_BYTES = 128 << 20  # of lines that are compressed: each unit reads all that is before it
_MOST_ROWS = 1 << 16  # of Parquet in a unit: what is repeated takes few bytes there, and many in memory
_SLACK = 4 / 3  # a unit may have so much more than its size, rather than leave a little for another


Options = RowOptions | DedupOptions
_JOBS: dict[str, type[Options]] = {kind.job: kind for kind in (RowOptions, DedupOptions)}


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows start to stop of a Parquet file, or the lines that begin in bytes start to stop of another."""

    input: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a job: each unit, whose rows make one part, is a function of this alone."""

    inputs: tuple[Input, ...]  #: the files of the source
    options: Options  #: what is done with each row, or with all
    unit_bytes: int  #: about how many bytes of the columns that are read make a unit
    units: tuple[tuple[Piece, ...], ...]  #: the pieces of each unit, in the order of the source
    weights: tuple[int, ...]  #: bytes of each unit
    versions: Mapping[str, str]  #: of the software that the bytes of parts depend on
    schema: Any = None  #: the columns of the output, as Arrow says it

    @property
    def digest(self) -> str:
        """SHA-256 of the plan as JSON."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    def to_bytes(self) -> bytes:
        """The plan as JSON, the same bytes for the same plan."""
        fields = {
            "format": _FORMAT,
            "job": self.options.job,
            "versions": dict(self.versions),
            "options": self.options.to_dict(),
            "unit_bytes": self.unit_bytes,
            "inputs": [[one.path, one.size, one.digest] for one in self.inputs],
            "units": [[[p.input, p.start, p.stop] for p in pieces] for pieces in self.units],
            "weights": list(self.weights),
            "columns": [[one.name, str(one.type)] for one in self.schema],
        }
        lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in fields.items()]
        return ("{\n" + ",\n".join(lines) + "\n}\n").encode()

    @classmethod
    def from_bytes(cls, data: bytes, schema: Any) -> Plan:
        """Read the bytes of `to_bytes`. Raises ValueError, KeyError or TypeError for anything else."""
        fields = json.loads(data)
        if fields["format"] != _FORMAT:
            raise ValueError(f"its format is {fields['format']}, and this version reads {_FORMAT}")
        return cls(
            inputs=tuple(Input(*one) for one in fields["inputs"]),
            options=_JOBS[fields["job"]].from_dict(fields["options"]),
            unit_bytes=fields["unit_bytes"],
            units=tuple(tuple(Piece(*piece) for piece in unit) for unit in fields["units"]),
            weights=tuple(fields["weights"]),
            versions=fields["versions"],
            schema=schema,
        )

    def write(self, path: Path, success: Mapping[str, Any] | None = None) -> None:
        """Write the plan's file and a finished job's report, and sync them to disk. Raises OSError."""
        notes = {"plan": self.to_bytes().decode()}
        if success is not None:
            notes["success"] = json.dumps(success, indent=1)
        write_table(self.schema.with_metadata(notes).empty_table(), path)


def plan_job(source: Any, out: Path, options: Options, unit_bytes: int | None) -> tuple[Path, Plan]:
    """The folder of the source, and the plan: the one in `out`, which must be this job's, or a new one.

    Raises ValueError that says what differs where `out` has another job's, and for columns that the source
    does not have; OSError. O(footers), and O(bytes) of compressed lines where it is new.
    """
    root, inputs = find_inputs(source, out)
    if unit_bytes is None:  # of the source alone, not of this machine
        most = _DEDUP_UNITS if isinstance(options, DedupOptions) else _UNITS
        unit_bytes = max(sum(one.size for one in inputs) // most, _UNIT_BYTES)
        if any(is_compressed(Path(one.path)) for one in inputs):
            unit_bytes = max(unit_bytes, _COMPRESSED_BYTES)
    checks.whole_number(unit_bytes, "unit_bytes", least=1)
    versions = {"tersely": tersely.__version__, "pyarrow": arrow().__version__}
    if (out / PLAN).exists():
        plan = load_plan(out)
        _check_same(out, plan, Plan(tuple(inputs), options, unit_bytes, (), (), versions))
        return root, plan
    if parts := sorted(path.name for path in out.glob("part-*.parquet")):
        raise ValueError(f"{out} has {parts[0]} and no {PLAN}: name a new folder")
    types = _types_of(root, inputs, options.columns)
    sized = list(_pieces(root, inputs, options, unit_bytes))
    units = list(_units(sized, [is_parquet(one.path) for one in inputs], unit_bytes))
    plan = Plan(
        tuple(inputs),
        options,
        unit_bytes,
        tuple(tuple(piece for piece, _ in unit) for unit in units),
        tuple(sum(weight for _, weight in unit) for unit in units),
        versions,
        output_schema(options, types),
    )
    with renamed(out / PLAN) as fresh:
        plan.write(fresh)
    sync_to_disk(out)
    return root, plan


def has_plan(out: str | os.PathLike[str]) -> bool:
    """Whether a folder holds a job."""
    return Path(out, PLAN).exists()


def _another(out: Path, differs: str) -> ValueError:
    return ValueError(f"{out} holds another job: {differs}; give what was given there, or name a new folder")


def load_plan(out: Path) -> Plan:
    """The plan in a folder. Raises FileNotFoundError, and StoreError for what is no plan of ours."""
    try:
        notes = parquet().read_metadata(out / PLAN).metadata
        # What `read_schema` gives has numbers of fields.
        serialized = base64.b64decode(notes[b"ARROW:schema"])
        schema = arrow().ipc.read_schema(arrow().py_buffer(serialized)).remove_metadata()
        return Plan.from_bytes(notes[b"plan"], schema)
    except FileNotFoundError:
        raise FileNotFoundError(f"{out} has no {PLAN}: no job was begun there") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:  # Arrow's are of the first
        raise StoreError(f"{out / PLAN} is no plan of this version of tersely: {error}") from error


def _check_same(out: Path, there: Plan, here: Plan) -> None:
    """Check that two plans are of one job. Raises ValueError with the difference."""
    if there.options.job != here.options.job:
        raise _another(out, f"{there.options.job} there and {here.options.job} here")
    old, new = (
        {**plan.versions, **plan.options.to_dict(), "unit_bytes": plan.unit_bytes} for plan in (there, here)
    )
    differs = [
        f"{name} is {_shown(name, old.get(name))} there and {_shown(name, new.get(name))} here"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]
    before, now = ({one.path: one for one in plan.inputs} for plan in (there, here))
    differs += [f"{path} is no longer in the source" for path in before.keys() - now.keys()]
    differs += [f"{path} is new in the source" for path in now.keys() - before.keys()]
    differs += [
        f"{path} had {before[path].size} bytes and has {now[path].size}"
        if before[path].size != now[path].size
        else f"{path} has other bytes"
        for path in sorted(before.keys() & now.keys())
        if before[path] != now[path]
    ]
    if differs:
        more = f", and {len(differs) - 5} more" if len(differs) > 5 else ""
        raise _another(out, f"{'; '.join(sorted(differs)[:5])}{more}")


def _shown(name: str, value: Any) -> str:
    """A value of an option; the budget may be the name of a column."""
    of_column = "that of the column " if name == "budget" and isinstance(value, str) else ""
    return of_column + checks.shown(value)


def _types_of(root: Path, inputs: Sequence[Input], columns: Columns) -> dict[str, Any]:
    """The types of the output's columns. Raises ValueError for a column that no file has."""
    names: dict[str, None] = {}
    schemas: list[tuple[str, Any]] = []
    values: dict[str, list[Any]] = {name: [] for name in columns.kept}
    for one in inputs:
        if is_parquet(one.path):
            schemas.append((one.path, parquet().read_schema(root / one.path)))
            names.update(dict.fromkeys(schemas[-1][1].names))
            continue
        first = first_values(root / one.path)
        names.update(dict.fromkeys(first))
        for name, some in values.items():
            some.extend(first.get(name, ()))
    more = f" and {len(inputs) - 1} more files" if len(inputs) > 1 else ""
    columns.check(list(names), f"{inputs[0].path}{more}")
    return column_types(schemas, columns, values)


def _pieces(root: Path, inputs: Sequence[Input], options: Options, size: int) -> Iterator[tuple[Piece, int]]:
    """Pieces of at most about `size` bytes, and the bytes of each."""
    for number, one in enumerate(inputs):
        path = root / one.path
        if is_parquet(path):
            yield from _row_groups(number, parquet().read_metadata(path), set(options.columns.names), size)
        else:
            length = length_of(path)
            for start, stop in _divide(length, length, size):
                yield Piece(number, start, stop), stop - start


def _row_groups(number: int, footer: Any, columns: set[str], size: int) -> Iterator[tuple[Piece, int]]:
    row = 0
    for index in range(footer.num_row_groups):
        group = footer.row_group(index)
        chunks = [group.column(column) for column in range(group.num_columns)]
        weight = sum(
            chunk.total_uncompressed_size
            for chunk in chunks
            if chunk.path_in_schema in columns or chunk.path_in_schema.partition(".")[0] in columns
        )
        least = -(-group.num_rows // _MOST_ROWS)
        for start, stop in _divide(group.num_rows, weight, size, least):
            yield Piece(number, row + start, row + stop), weight * (stop - start) // group.num_rows
        row += group.num_rows


def _divide(length: int, weight: int, size: int, least: int = 1) -> Iterator[tuple[int, int]]:
    """Divide weighted rows evenly into at least `least` ranges of at most about `size`."""
    parts = least if weight <= size * _SLACK else max(min(-(-weight // size), length), least)
    for part in range(parts if length else 0):
        yield length * part // parts, length * (part + 1) // parts


def _units(
    sized: Iterable[tuple[Piece, int]], parquets: Sequence[bool], size: int
) -> Iterator[list[tuple[Piece, int]]]:
    """Pieces side by side, together about `size` bytes; those that touch are one."""
    unit: list[tuple[Piece, int]] = []
    total = rows = 0
    for piece, weight in sized:
        more = piece.stop - piece.start if parquets[piece.input] else 0
        if unit and (total >= size or total + weight > size * _SLACK or rows + more > _MOST_ROWS):
            yield unit
            unit, total, rows = [], 0, 0
        total, rows = total + weight, rows + more
        last = unit[-1][0] if unit else None
        if last is not None and last.input == piece.input and last.stop == piece.start:
            unit[-1] = (Piece(piece.input, last.start, piece.stop), unit[-1][1] + weight)
        else:
            unit.append((piece, weight))
    if unit:
        yield unit
