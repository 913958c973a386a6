"""Do a job: write a part, or do another step of `dedup_dataset`; and answer how it ended.

A job is a small JSON object, such as {"stage": "match", "number": 3} (merging.py), and any process that sees
the source and the output can do it. The part of a unit is {"stage": "part", "number": 3}.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, TypedDict

from tersely.scale.options import RowOptions
from tersely.scale.rows import arrow, compress_rows
from tersely.scale.workspace import Totals, Workspace, totals_of


class Job(TypedDict):
    """A job: the name of its stage, and its number there."""

    stage: str
    number: int


def run_job(space: Workspace, job: Job) -> Totals:
    """Do a job, and return the totals of its rows.

    Raises OSError (a full disk, a file that is gone), ValueError (the source changed).
    """
    options, unit, schema = space.plan.options, job["number"], space.plan.schema
    if not isinstance(options, RowOptions):
        from tersely.scale.merging import run_stage  # a worker that compresses starts without it

        return run_stage(space, job["stage"], unit)
    tables = [compress_rows(rows, options, schema) for rows in space.read_rows(unit, options.columns)]
    table = arrow().concat_tables(tables) if tables else schema.empty_table()
    totals = totals_of(table)
    space.publish_part(unit, table, totals)
    return totals


def answer_job(space: Workspace, job: Job) -> dict[str, Any]:
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
