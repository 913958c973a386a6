"""Pass rows from the units that read them to the partitions that need them: Parquet, a row group a partition.

A file is written once, under a temporary name, and renamed; a reader takes its row group of every file. None
is synced, as any can be made again: one that a loss of power damaged fails its checksums when it is read.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from tersely.files import replace_file
from tersely.scale.rows import parquet
from tersely.scale.workspace import Workspace, temporary

_KEY = b"tersely"


def shuffle_path(space: Workspace, name: str, number: int) -> Path:
    """The file that job `number` of a stage writes."""
    return space.shuffle / f"{name}-{number:06d}"


def write_shuffle(
    space: Workspace,
    name: str,
    number: int,
    table: Any,
    to: npt.NDArray[Any],
    parts: int,
    note: Any = None,
) -> None:
    """Write rows to partitions, and a note for the readers of all (`read_note`), any JSON.

    `to`: of each row, an integer below `parts`. Rows keep their order. Raises OSError.
    """
    order = np.argsort(to, kind="stable")
    counts = np.bincount(to, minlength=parts)
    table = table.take(order).combine_chunks()
    metadata = {_KEY: json.dumps({"counts": counts.tolist(), "note": note}).encode()}
    schema = table.schema.with_metadata(metadata)

    def write(file: IO[bytes]) -> None:
        with parquet().ParquetWriter(
            file,
            schema,
            compression="zstd",
            use_dictionary=False,
            write_statistics=False,
            write_page_checksum=True,
        ) as writer:
            start = 0
            for count in counts[counts > 0].tolist():
                writer.write_table(table.slice(start, count), row_group_size=count)
                start += count

    _write(space, shuffle_path(space, name, number), write)


def write_json(space: Workspace, name: str, number: int, value: Any) -> None:
    """Write a result of a job that is no table. Raises OSError."""
    _write(space, shuffle_path(space, name, number), lambda file: file.write(json.dumps(value).encode()))


def read_json(space: Workspace, name: str, number: int) -> Any:
    """Read what `write_json` wrote. Raises OSError."""
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
    """Remove a file that cannot be read as it was written, and say so: ValueError."""
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


def _write(space: Workspace, path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file under a temporary name, see it to the disk, and rename it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = temporary(path.parent, path.name, space.token)
    try:
        with fresh.open("xb") as file:
            write(file)
        replace_file(fresh, path)
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise
