"""Do a job: make a part, or a step of `dedup_dataset`; and answer how it ended.

A job is a small JSON object, and any process that sees the source and the output can do it:

    {"unit": 3}                             the part of unit 3
    {"unit": 3, "deadly": [7]}              the same, row by row; those that killed their workers get an error
    {"stage": "match", "number": 3}         a step of `dedup_dataset` (merging.py)

A worker is a process that does one after another, and ends with the runner that started it. It is no child
that imports the caller's script again (as `multiprocessing` makes), so scripts and notebooks need no guard. A
job comes as a line of JSON on its standard input, and each answer goes as one to what was its standard
output; what a library prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tersely.scale.options import RowOptions
from tersely.scale.plan import load_plan
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


def main() -> None:
    """Serve jobs until standard input ends, as it does when the runner is gone, however it went."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all; the runner stops us
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    settings = json.loads(sys.stdin.readline())
    jobs: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(jobs,), daemon=True).start()
    out = Path(settings["out"])
    space = Workspace(Path(settings["root"]), out, load_plan(out))
    print("ready", file=answers, flush=True)
    while True:
        print(json.dumps(answer_job(space, jobs.get())), file=answers, flush=True)


def _listen(jobs: queue.SimpleQueue[dict[str, Any]]) -> None:
    """Take jobs in; end the process, whatever it does, when no more can come."""
    for line in sys.stdin:
        jobs.put(json.loads(line))
    os._exit(0)
