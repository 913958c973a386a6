"""Do a job: make a part, or a step of `dedup_dataset`; and answer how it ended.

A job is a small JSON object, and any process that sees the source and the output can do it:

    {"unit": 3}                             the part of unit 3
    {"unit": 3, "deadly": [7]}              the same, row by row; those that killed their workers get an error
    {"stage": "match", "number": 3}         a step of `dedup_dataset` (merging.py)
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from tersely.scale.options import RowOptions
from tersely.scale.rows import arrow, compress_rows, failed_rows
from tersely.scale.workspace import Totals, Workspace, totals_of

_DEADLY = "WorkerDied: the worker that compressed this row died, three times"


def run_job(space: Workspace, job: Mapping[str, Any]) -> Totals:
    """Do a job, and return the totals of its rows.

    Raises OSError (a full disk, a file that is gone), ValueError (the source changed).
    """
    if "stage" in job:
        from tersely.scale.merging import run_stage  # a worker that compresses starts without it

        return run_stage(space, job["stage"], job["number"])
    unit, schema = job["unit"], space.plan.schema
    tables = list(_compress_unit(space, unit, job.get("deadly")))
    table = arrow().concat_tables(tables) if tables else schema.empty_table()
    totals = totals_of(table)
    space.publish_part(unit, table, totals)
    return totals


def _compress_unit(space: Workspace, unit: int, deadly: Collection[int] | None) -> Iterator[Any]:
    """The rows of a unit, compressed, batch by batch; with `deadly` one by one, but for these."""
    options, schema = space.plan.options, space.plan.schema
    assert isinstance(options, RowOptions)
    at = 0
    space.note_row(unit, None)
    for batch in space.read_rows(unit, options.columns):
        for rows in [batch] if deadly is None else batch.each():
            if deadly is None:
                yield compress_rows(rows, options, schema)
            elif at in deadly:
                yield failed_rows(rows, _DEADLY, schema)
            else:
                space.note_row(unit, at)
                yield compress_rows(rows, options, schema)
                space.note_row(unit, None)
            at += len(rows)


def answer_job(space: Workspace, job: Mapping[str, Any]) -> dict[str, Any]:
    """Do a job, and report its outcome."""
    try:
        totals = run_job(space, job)
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
