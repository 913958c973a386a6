"""What a worker answers, as plain JSON: what came of a job, or what it raised."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from tersely.scale.jobs import run_job
from tersely.scale.parts import Totals
from tersely.scale.workspace import Workspace

__all__ = ["answer_job", "read_answer"]


def answer_job(
    space: Workspace, job: Mapping[str, Any], tell: Callable[[dict[str, Any]], object]
) -> dict[str, Any]:
    """Do a job, and say what came of it."""
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
