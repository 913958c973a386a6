"""`tersely batch`: compress each row of Parquet files or JSON lines into a folder; progress on stderr."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from tersely.cli.arguments import Commands, add_command, add_counter
from tersely.cli.files import InputError, Progress, say, show_progress, write
from tersely.errors import MissingExtraError, StoreError

if TYPE_CHECKING:
    from tersely.scale.report import Report

__all__ = ["add_batch", "add_places", "do_job", "run_batch"]

_STEPS = 1000  # of the bar
_MEASURED = 1.0  # seconds until a rate says anything

_EXAMPLES = """examples:
  tersely batch corpus.parquet out/ --ratio 0.3
  tersely batch "corpus/*.jsonl.gz" out/ --budget 800 --query-column question --workers 8
  tersely batch corpus/ out/ --budget 800 --resume    # goes on after anything
  tersely batch corpus/ out/ --status                 # how far it is, from anywhere
"""


def add_batch(commands: Commands) -> None:
    """Add the subcommand: source, output, budget, columns, workers."""
    text = "compress each row of a corpus: Parquet or JSON lines in, Parquet out, stopped and resumed at will"
    parser = add_command(commands, "batch", text, _EXAMPLES)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("-b", "--budget", type=int, metavar="N", help="tokens allowed for each row")
    size.add_argument("--budget-column", metavar="NAME", help="column of the budget of each row (budget)")
    parser.add_argument(
        "-r", "--ratio", type=float, metavar="R", help="share that is kept of rows without a budget (0.3)"
    )
    parser.add_argument("--text-column", default="text", metavar="NAME", help="what is compressed (text)")
    parser.add_argument(
        "--query-column", default="query", metavar="NAME", help="what will be asked (query, if there is one)"
    )
    parser.add_argument("--spans", action="store_true", help="also write which characters were kept")
    add_counter(parser)
    add_places(parser)


def add_places(parser: argparse.ArgumentParser) -> None:
    """Add what every job with a corpus takes: source, output, columns, workers, going on."""
    parser.add_argument(
        "source", nargs="+", metavar="IN", help=".parquet, .jsonl(.gz, .zst), folders or patterns"
    )
    parser.add_argument("out", metavar="OUT", help="folder of the output")
    parser.add_argument(
        "--id-column", default="id", metavar="NAME", help="what rows are called (id, or their place)"
    )
    parser.add_argument(
        "--keep", action="append", default=[], metavar="NAME", help="a column to carry along (repeatable)"
    )
    parser.add_argument("--workers", type=int, metavar="N", help="processes (one a CPU)")
    parser.add_argument(
        "--on", default="local", metavar="WHERE", help="local, ray, or the address of a Ray cluster (local)"
    )
    parser.add_argument("--resume", action="store_true", help="go on with a job that OUT holds")
    parser.add_argument("--status", action="store_true", help="say how far the job in OUT is, and do nothing")
    parser.add_argument("--json", action="store_true", help="print what was done as JSON")


def run_batch(arguments: argparse.Namespace) -> None:
    """Do the job, or say how far it is.

    Raises InputError for unusable files and what is not installed, ValueError for unusable arguments.
    """
    budget = arguments.budget if arguments.budget is not None else arguments.budget_column or "budget"

    def job(progress: Callable[[Report], object] | None) -> Report:
        from tersely.scale import compress_dataset

        return compress_dataset(
            arguments.source,
            arguments.out,
            text=arguments.text_column,
            query=arguments.query_column,
            budget=budget,
            ratio=arguments.ratio,
            keep=arguments.keep,
            id=arguments.id_column,
            spans=arguments.spans,
            counter=arguments.counter,
            on=arguments.on,
            workers=arguments.workers,
            progress=progress,
        )

    do_job(arguments, job, "compressing")


def do_job(
    arguments: argparse.Namespace,
    job: Callable[[Callable[[Report], object] | None], Report],
    verb: str,
) -> None:
    """Do a job with a progress bar, or only say how far it is. Raises as `run_batch`."""
    from tersely.scale import dataset_status

    try:
        if arguments.status:
            _say(dataset_status(arguments.out), arguments.json)
            return
        if not arguments.resume and (Path(arguments.out) / "plan.json").exists():
            raise InputError(
                f"{arguments.out} holds a job: --resume goes on with it, --status says how far it is"
            )
        with show_progress() as show:
            report = job(None if show is None else _Display(show, verb))
    except (OSError, MissingExtraError, RuntimeError, StoreError) as error:
        raise InputError(str(error)) from error
    _say(report, arguments.json)


class _Display:
    """Draws how far a job is, and how fast it has been since it was first asked to."""

    def __init__(self, show: Progress, verb: str) -> None:
        self._show, self._verb = show, verb
        self._first: Report | None = None

    def __call__(self, report: Report) -> None:
        first = self._first = self._first or report
        seconds, share = report.seconds - first.seconds, report.share - first.share
        detail = _rows(report) if report.stage in (None, "part") else f"stage {report.stage}"
        if seconds >= _MEASURED and share > 0:
            if tokens := report.original_tokens - first.original_tokens:
                detail += f", {tokens / seconds:,.0f}/s"
            detail += f", {_time(seconds * (1 - report.share) / share)} left"
        self._show(self._verb, int(_STEPS * report.share), _STEPS, detail=detail)


def _rows(report: Report) -> str:
    """Say in words how many rows a job of `batch` or `dedup` has done."""
    if report.job == "dedup":
        return f"{report.rows:,} rows, {report.kept:,} stay"
    return f"{report.rows:,} rows, {report.original_tokens:,} tokens to {report.tokens:,}"


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _say(report: Report, as_json: bool) -> None:
    """Print what came of a job."""
    if as_json:
        write(json.dumps(asdict(report), indent=2) + "\n")
    parts = f"{report.done:,} of {report.units:,} parts"
    say(f"{parts}, {_rows(report)} in {report.out}{'' if report.finished else ', not finished'}")
    if report.errors:
        say(f"note: rows with an error: {report.errors:,} (column error)")
