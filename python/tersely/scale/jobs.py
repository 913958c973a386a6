"""Do a job: make a part, or a step of `dedup_dataset`; and answer how it ended.

A job is a small JSON object, and any process that sees the source and the output can do it:

    {"unit": 3}                             the part of unit 3
    {"unit": 3, "deadly": [7]}              the same, row by row; those that killed their workers get an error
    {"stage": "match", "number": 3}         a step of `dedup_dataset` (merging.py)
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from tersely.scale.options import RowOptions
from tersely.scale.rows import arrow, compress_rows, failed_rows
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
    unit, schema = job["unit"], space.plan.schema
    tables = list(_compress_unit(space, unit, job.get("deadly"), tell))
    table = arrow().concat_tables(tables) if tables else schema.empty_table()
    totals = totals_of(table)
    space.publish_part(unit, table, totals)
    return totals


def _compress_unit(
    space: Workspace,
    unit: int,
    deadly: Collection[int] | None,
    tell: Callable[[dict[str, Any]], object],
) -> Iterator[Any]:
    """The rows of a unit, compressed, batch by batch; with `deadly` one by one, but for these."""
    options, schema = space.plan.options, space.plan.schema
    assert isinstance(options, RowOptions)
    at, last, totals = 0, time.monotonic(), Totals()
    space.note_row(unit, None)
    for share, batch in space.read_rows(unit, options.columns):
        for rows in [batch] if deadly is None else batch.each():
            if deadly is None:
                done = compress_rows(rows, options, schema)
            elif at in deadly:
                done = failed_rows(rows, _DEADLY, schema)
            else:
                space.note_row(unit, at)
                done = compress_rows(rows, options, schema)
                space.note_row(unit, None)
            at += len(rows)
            totals += totals_of(done)
            yield done
        if time.monotonic() - last >= _TELL:
            last = time.monotonic()
            tell({"bytes": int(share * space.plan.weights[unit]), **asdict(totals)})


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
