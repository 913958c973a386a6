"""Do a job: make a part, a stretch of its rows, or a part out of stretches; and answer how it ended.

A job is a small JSON object, and any process that sees the source and the output can do it:

    {"unit": 3}                                                 the part of unit 3
    {"unit": 3, "rows": [0, 500], "to": NAME}                   those of its rows, in a temporary file
    {"unit": 3, "join": [[0, 500, NAME], [500, 501, null]]}     the part out of these; null: deadly rows
    {"stage": "match", "number": 3}                             a step of `dedup_dataset` (merging.py)
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from tersely.scale.options import RowOptions
from tersely.scale.rows import arrow, compress_rows, failed_rows, parquet
from tersely.scale.workspace import Totals, Workspace, totals_of

_DEADLY = "WorkerDied: the worker that compressed this row died, three times"
_TELL = 0.5  # seconds between two messages


def run_job(space: Workspace, job: Mapping[str, Any], tell: Callable[[dict[str, Any]], object]) -> Totals:
    """Do a job, and return the totals of its rows. `tell` hears of progress, up to twice a second.

    Raises OSError (a full disk, a file that is gone), ValueError (the source changed).
    """
    if "stage" in job:
        from tersely.scale.merging import run_stage  # a worker that compresses starts without it

        return run_stage(space, job["stage"], job["number"])
    unit = job["unit"]
    schema = space.plan.schema
    if "rows" in job:
        start, stop = job["rows"]
        tables = list(_compress_unit(space, unit, start, stop, schema, tell))
    elif "join" in job:
        tables = list(_join_stretches(space, unit, job["join"], schema))
    else:
        tables = list(_compress_unit(space, unit, 0, None, schema, tell))
    table = arrow().concat_tables(tables) if tables else schema.empty_table()
    totals = totals_of(table)
    if "rows" in job:
        space.write_rows(unit, space.out / job["to"], table, totals)
    else:
        space.publish_part(unit, table, totals)
    return totals


def _options(space: Workspace) -> RowOptions:
    assert isinstance(space.plan.options, RowOptions)
    return space.plan.options


def _compress_unit(
    space: Workspace,
    unit: int,
    start: int,
    stop: int | None,
    schema: Any,
    tell: Callable[[dict[str, Any]], object],
) -> Iterator[Any]:
    """Rows start to stop of a unit, compressed, batch by batch."""
    at, last, before = 0, time.monotonic(), 0.0
    totals = Totals()
    for share, rows in space.read_rows(unit, space.plan.options.columns):
        low, high = max(start - at, 0), len(rows) if stop is None else min(stop - at, len(rows))
        at += len(rows)
        if low < high:
            done = compress_rows(rows.part(low, high), _options(space), schema)
            totals += totals_of(done)
            yield done
        elif at <= start:
            before = share
        if time.monotonic() - last >= _TELL:
            last = time.monotonic()
            tell({"bytes": int((share - before) * space.plan.weights[unit]), **asdict(totals)})
        if stop is not None and at >= stop:
            return


def _join_stretches(space: Workspace, unit: int, join: list[list[Any]], schema: Any) -> Iterator[Any]:
    """The output of a unit's stretches, in order."""
    deadly = [(start, stop) for start, stop, name in join if name is None]
    failed: dict[int, Any] = {}
    at = 0
    for _, rows in space.read_rows(unit, space.plan.options.columns) if deadly else ():
        for start, stop in deadly:
            if at <= start and stop <= at + len(rows):
                failed[start] = failed_rows(rows.part(start - at, stop - at), _DEADLY, schema)
        at += len(rows)
    for start, _, name in join:
        if name is None:
            yield failed[start]
        else:
            yield parquet().read_table(space.out / name).cast(schema)


def answer_job(
    space: Workspace, job: Mapping[str, Any], tell: Callable[[dict[str, Any]], object]
) -> dict[str, Any]:
    """Do a job, and report its outcome."""
    try:
        totals = run_job(space, job, tell)
    except Exception as error:
        number = error.errno if isinstance(error, OSError) else None
        path = error.filename if isinstance(error, OSError) else None
        return {
            "error": type(error).__name__,
            "message": str(error) if number is None else os.strerror(number),
            "errno": number,
            "path": None if path is None else str(path),
        }
    return {"totals": asdict(totals)}


def read_answer(answer: Mapping[str, Any]) -> Totals:
    """The totals of an answer. Raises OSError or ValueError as the job did, RuntimeError for all else."""
    if "totals" in answer:
        return Totals(**answer["totals"])
    message, kind = str(answer["message"]), str(answer["error"])
    if answer["errno"] is not None:
        raise OSError(answer["errno"], message, answer["path"])
    raise ValueError(message) if kind == "ValueError" else RuntimeError(f"{kind}: {message}")
