"""`tersely batch` and `tersely dedup`: a job with the rows of a corpus; progress on stderr.

Flags are those of the options of the jobs (`tersely.scale.options`).
"""

from __future__ import annotations

import argparse
import signal
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tersely import checks
from tersely.cli.arguments import Commands, Parser, add_command, add_options, given_options
from tersely.cli.terminal import InputError, say, show_progress, write_json
from tersely.errors import StoreError
from tersely.threads import at_sigterm

if TYPE_CHECKING:
    from tersely.scale.dataset import Report

_MB = 1_000_000

_BATCH = """examples:
  tersely batch corpus.parquet out/ --ratio 0.3
  tersely batch "corpus/*.jsonl.gz" out/ --budget 800 --query-column question --workers 8
  tersely batch out/ --status                         # prints its progress
"""
_DEDUP = """examples:
  tersely dedup corpus.parquet out/                      # writes the cluster of each row
  tersely dedup "corpus/*.jsonl.gz" out/ --kept          # only the rows that stay, with their text
  tersely dedup corpus/ out/ --score-column quality --threshold 0.9 --workers 8
"""


def add_batch(commands: Commands) -> None:
    """Add the subcommand: source, output, budget, columns, workers."""
    from tersely.scale.options import RowOptions

    text = "compress each row of a corpus: Parquet or JSON lines in, Parquet out; the same command continues"
    _add_job(add_command(commands, "batch", text, _BATCH), RowOptions)


def add_dedup(commands: Commands) -> None:
    """Add the subcommand: source, output, threshold, columns, workers."""
    from tersely.scale.options import DedupOptions

    text = (
        "find near-duplicates in a corpus of any size, and nothing that differs in a number, name or negation"
    )
    _add_job(add_command(commands, "dedup", text, _DEDUP), DedupOptions)


def _add_job(parser: Parser, options: type[Any]) -> None:
    """Add the arguments of every corpus job: source, output, options, workers, resuming."""
    what = ".parquet, .jsonl(.gz, .zst), folders or patterns; last the folder of the output"
    parser.flag("places", what, nargs="+", metavar="IN... OUT")
    add_options(parser, options)
    parser.flag(
        "--part-mb N",
        "megabytes of the source that make one file of the output (8; 128 where lines are compressed)",
        dest="unit_bytes",
    )
    parser.flag("--workers N", "processes (one a CPU)")
    parser.flag("--on WHERE", "local, ray, or the address of a Ray cluster (local)", default="local")
    parser.flag("--status", "print the progress of the job in OUT, and do nothing else")
    parser.flag("--json", "print what was done as JSON")


def run_batch(arguments: argparse.Namespace) -> int:
    """Do the job, or say how far it is; returns 1 where every row has an error.

    Raises InputError for unusable files, ValueError for unusable arguments.
    """
    from tersely.scale.options import RowOptions

    return _run_job(arguments, RowOptions, "compressing")


def run_dedup(arguments: argparse.Namespace) -> int:
    """Do the job, or say how far it is. Raises as `run_batch`."""
    from tersely.scale.options import DedupOptions

    return _run_job(arguments, DedupOptions, "deduplicating")


def _run_job(arguments: argparse.Namespace, options: type[Any], verb: str) -> int:
    """Do a job and show its progress, or only say how far it is; the exit code."""
    from tersely.scale.dataset import dataset_status, run_dataset
    from tersely.scale.plan import has_plan

    *source, out = arguments.places
    try:
        if arguments.status:
            _say(dataset_status(out), arguments.json)
            return 0
        if not source:
            raise InputError(f"name the source and the folder of the output, not {out} alone")
        job = options(**given_options(arguments, options))
        size = arguments.unit_bytes and checks.whole_number(arguments.unit_bytes, "unit_bytes", least=1) * _MB
        with show_progress() as show, at_sigterm(_end):

            def tell(now: Report) -> None:
                detail = _rows(now) if now.stage in (None, "part") else f"stage {now.stage}"
                show(verb, int(100 * now.share), 100, detail=detail)

            report = run_dataset(source, out, job, arguments.on, arguments.workers, size, tell)
    except KeyboardInterrupt:
        if has_plan(out):
            _say(dataset_status(out), False)
            say("stopped; the same command continues")
        raise
    except OSError as error:
        named = error.filename and error.strerror
        raise InputError(f"{error.filename}: {error.strerror}" if named else str(error)) from error
    except (RuntimeError, StoreError) as error:
        raise InputError(str(error)) from error
    _say(report, arguments.json)
    return int(0 < report.rows == report.errors)


def _end() -> None:
    raise KeyboardInterrupt(128 + signal.SIGTERM)


def _rows(report: Report) -> str:
    """Say in words how many rows a job of `batch` or `dedup` has done."""
    if report.job == "dedup":
        return f"{report.rows:,} rows, {report.kept:,} stay"
    return f"{report.rows:,} rows, {report.original_tokens:,} tokens to {report.tokens:,}"


def _say(report: Report, as_json: bool) -> None:
    """Print the outcome of a job."""
    if as_json:
        write_json(asdict(report))
    parts = f"{report.done:,} of {report.units:,} parts"
    say(f"{parts}, {_rows(report)} in {report.out}{'' if report.finished else ', not finished'}")
    if report.errors:
        say(f"note: rows with an error: {report.errors:,} (column error)")
