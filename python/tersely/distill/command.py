"""`tersely distill`: progress on stderr, the report on stdout."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from tersely.distill.table import DistillReport, Progress, distill

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> None:
    """Make the table that the arguments ask for, and say what it gained.

    Raises ValueError and OSError as `distill` does, MissingExtraError for what is not installed.
    """
    with _progress() as progress:
        report = distill(
            arguments.model,
            arguments.texts,
            arguments.output,
            name=arguments.name,
            about=_about(arguments.about),
            dimensions=arguments.dimensions,
            sentences=arguments.sentences,
            threads=arguments.threads,
            work=arguments.work,
            progress=progress,
        )
    print(json.dumps({"file": arguments.output, **asdict(report)}) if arguments.json else _told(report))


def _about(path: str | None) -> dict[str, object]:
    if path is None:
        return {}
    try:
        entries = json.loads(Path(path).read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is not JSON: {error}") from error
    if not isinstance(entries, dict):
        raise ValueError(f"{path} must hold a JSON object, not {type(entries).__name__}")
    return entries


def _told(report: DistillReport) -> str:
    rows = [
        f"{report.words} words, {report.dimensions} dimensions, {report.bytes} bytes; "
        f"fitted on {report.sentences} sentences, measured on {report.held_out} others",
        f"{'':24}{'cosine to the teacher':>24}{'ten nearest shared':>22}",
    ]
    for kind, name in _ROWS.items():
        if kind in report.ranking:
            cosine = f"{report.cosine[kind]:.3f}" if kind in report.cosine else "-"
            rows.append(f"{name:24}{cosine:>24}{report.ranking[kind]:>22.3f}")
    return "\n".join(rows)


_ROWS = {
    "start": "start, single tokens",
    "fitted": "least squares",
    "final": "the table",
    "shipped": "the table of tersely",
}


@contextmanager
def _progress() -> Iterator[Progress]:
    """A bar for each stage where a terminal shows it; else nothing."""
    if not sys.stderr.isatty():
        yield lambda stage, done, of: None
        return
    try:
        from rich.console import Console
        from rich.progress import Progress as Bars
    except ImportError:
        yield _plain
        return
    with Bars(console=Console(stderr=True), transient=True) as bars:
        tasks = {}

        def show(stage: str, done: int, of: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=of)
            bars.update(tasks[stage], completed=done)

        yield show


def _plain(stage: str, done: int, of: int) -> None:
    print(f"\r\x1b[K{stage} {done}/{of}", end="\n" if done == of else "", file=sys.stderr, flush=True)
