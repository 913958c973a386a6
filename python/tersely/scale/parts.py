"""Write parts by rename, read the totals in their metadata, and finish a job."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tersely.core.files import replace_file, sync_to_disk
from tersely.scale.arrow import arrow, parquet
from tersely.scale.plan import Plan

__all__ = [
    "SUCCESS",
    "Totals",
    "finish_job",
    "part_name",
    "publish",
    "read_success",
    "read_totals",
    "remove_leftovers",
    "temporary",
    "totals_of",
    "write_table",
]

SUCCESS = "_SUCCESS"
_KEY = b"tersely"  # of a part's metadata
_ROWS = 1 << 16  # of a row group
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
        """Both together."""
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


def write_table(table: Any, path: Path, metadata: Mapping[str, Any]) -> None:
    """Write a table with metadata, the same bytes for the same rows, and see it to the disk.

    Raises OSError, as where the disk is full; then the file is gone.
    """
    schema = table.schema.with_metadata({_KEY: json.dumps(metadata, sort_keys=True).encode()})
    table = table.combine_chunks().cast(schema)
    try:
        with path.open("xb") as file:
            parquet().write_table(table, file, row_group_size=_ROWS, compression="zstd")
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        with contextlib.suppress(OSError):
            path.unlink()
        raise


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
    """Write `_SUCCESS` with digests of each part and of all; return its content. O(bytes of the parts)."""
    parts = []
    totals = Totals()
    for unit in range(len(plan.units)):
        path = out / part_name(unit)
        some = read_totals(path)
        totals += some
        parts.append([path.name, path.stat().st_size, _sha256(path)])
    whole = hashlib.sha256(json.dumps([plan.digest, parts]).encode()).hexdigest()
    success = {"digest": whole, "plan": plan.digest, **asdict(totals), "parts": parts}
    fresh = temporary(out, SUCCESS, "runner")
    try:
        fresh.write_text(json.dumps(success, indent=1) + "\n", encoding="utf-8")
        sync_to_disk(fresh)
        replace_file(fresh, out / SUCCESS)
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
    """What `finish_job` wrote; None where the job is not finished."""
    try:
        success: dict[str, Any] = json.loads((out / SUCCESS).read_text(encoding="utf-8"))
        return success
    except FileNotFoundError:
        return None


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
